// SPDX-License-Identifier: BSD-3-Clause
#include "sinks/tensorboard/hparams.hpp"

#include "tune/core/space/space.hpp"
#include "tune/io/json.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tune {

using wire_format::message;

namespace {

// Numbers of fields in tensorboard/plugins/hparams/plugin_data.proto and api.proto, and in
// google/protobuf/struct.proto.
namespace plugin_data {
constexpr std::uint32_t experiment = 2;
constexpr std::uint32_t session_start = 3;
constexpr std::uint32_t session_end = 4;
} // namespace plugin_data
namespace experiment_field {
constexpr std::uint32_t description = 1;
constexpr std::uint32_t time_created = 3;
constexpr std::uint32_t hparam_infos = 4;
constexpr std::uint32_t metric_infos = 5;
constexpr std::uint32_t name = 6;
} // namespace experiment_field
namespace hparam_info {
constexpr std::uint32_t name = 1;
constexpr std::uint32_t type = 4;
constexpr std::uint32_t discrete = 5;
constexpr std::uint32_t interval = 6;
} // namespace hparam_info
namespace session_field {
constexpr std::uint32_t hparams = 1;
constexpr std::uint32_t group_name = 4;
constexpr std::uint32_t start_time = 5;
constexpr std::uint32_t end_status = 1;
constexpr std::uint32_t end_time = 2;
} // namespace session_field
namespace struct_value {
constexpr std::uint32_t number = 2;
constexpr std::uint32_t text = 3;
constexpr std::uint32_t truth = 4;
} // namespace struct_value
constexpr std::uint32_t metric_info_name = 1;
constexpr std::uint32_t metric_name_tag = 2;
constexpr std::uint32_t map_key = 1;
constexpr std::uint32_t map_value = 2;
constexpr std::uint32_t list_values = 1;
constexpr std::uint32_t interval_low = 1;
constexpr std::uint32_t interval_high = 2;
constexpr std::uint64_t status_success = 1;
constexpr std::uint64_t status_failure = 2;

/// The domain of a line of `[space]`; its condition is left out.
domain domain_of(const std::string& name, const std::string& text) {
  auto parsed = search_space::parse({{name, text}});
  if (parsed && parsed->parameters().size() == 1)
    return parsed->parameters()[0].what;
  // A condition, or a range that reads other parameters, makes no sense alone.
  auto plain = parse_domain(text.substr(0, text.find(" if ")));
  return plain ? std::move(*plain) : domain{constant{}};
}

const std::vector<value>* options_of(const domain& x) {
  if (const auto* list = std::get_if<choice_of>(&x))
    return &list->options;
  if (const auto* list = std::get_if<grid_of>(&x))
    return &list->options;
  return nullptr;
}

} // namespace

hparam_columns::hparam_columns(const experiment_facts& of) {
  for (const auto& [name, text] : of.space) {
    if (name == constraint_line)
      continue;
    auto what = domain_of(name, text);
    auto is = kind_of(what);
    columns_.push_back({name, std::move(what), is});
  }
}

hparam_columns::kind hparam_columns::kind_of(const std::vector<value>& list) {
  auto all = [&](auto test) { return std::all_of(list.begin(), list.end(), test); };
  if (list.empty())
    return kind::text;
  if (all([](const value& x) { return x.as_bool() != nullptr; }))
    return kind::truth;
  if (all([](const value& x) { return x.as_int() != nullptr || x.as_double() != nullptr; }))
    return kind::number;
  return kind::text;
}

hparam_columns::kind hparam_columns::kind_of(const domain& what) {
  if (const auto* list = options_of(what))
    return kind_of(*list);
  if (const auto* one = std::get_if<constant>(&what))
    return kind_of(std::vector<value>{one->what});
  const auto is_list
      = std::holds_alternative<permutation_of>(what) || std::holds_alternative<subset_of>(what);
  return is_list ? kind::text : kind::number;
}

message hparam_columns::cell(const value& x, kind as) {
  const auto number = x.number();
  if (as == kind::number && number)
    return message{}.real(struct_value::number, *number);
  if (as == kind::truth && x.as_bool() != nullptr)
    return message{}.integer(struct_value::truth, *x.as_bool() ? 1 : 0);
  const auto* text = x.as_string();
  return message{}.text(struct_value::text, text != nullptr ? mend_utf8(*text) : to_json(x));
}

message hparam_columns::description(const column& x) {
  auto result = message{}
                    .text(hparam_info::name, x.name)
                    .integer(hparam_info::type, static_cast<std::uint64_t>(x.is));
  if (const auto* list = options_of(x.what)) {
    message values;
    for (const auto& each : *list)
      values.nested(list_values, cell(each, x.is));
    result.nested(hparam_info::discrete, values);
  } else if (const auto* range = std::get_if<float_range>(&x.what)) {
    result.nested(hparam_info::interval,
                  message{}.real(interval_low, range->low).real(interval_high, range->high));
  } else if (const auto* whole = std::get_if<int_range>(&x.what)) {
    result.nested(hparam_info::interval,
                  message{}
                      .real(interval_low, static_cast<double>(whole->low))
                      .real(interval_high, static_cast<double>(whole->high)));
  }
  return result;
}

message hparam_columns::experiment(const experiment_facts& of,
                                   const std::vector<std::string>& metrics) const {
  auto result
      = message{}
            .text(experiment_field::description, "tune-node")
            .real(experiment_field::time_created, static_cast<double>(of.created_ms) / 1000.0)
            .text(experiment_field::name, of.name);
  for (const auto& x : columns_)
    result.nested(experiment_field::hparam_infos, description(x));
  for (const auto& name : metrics)
    result.nested(experiment_field::metric_infos,
                  message{}.nested(metric_info_name, message{}.text(metric_name_tag, name)));
  return message{}.nested(plugin_data::experiment, result);
}

message hparam_columns::start(trial_id trial, const object& config, double wall) const {
  message result;
  for (const auto& x : columns_) {
    const auto* found = find_parameter(config, x.name);
    if (found != nullptr)
      result.nested(session_field::hparams,
                    message{}.text(map_key, x.name).nested(map_value, cell(*found, x.is)));
  }
  result.text(session_field::group_name, to_text(trial)).real(session_field::start_time, wall);
  return message{}.nested(plugin_data::session_start, result);
}

message hparam_columns::end(trial_status status, double wall) {
  const auto success = status == trial_status::terminated;
  return message{}.nested(
      plugin_data::session_end,
      message{}
          .integer(session_field::end_status, success ? status_success : status_failure)
          .real(session_field::end_time, wall));
}

} // namespace tune

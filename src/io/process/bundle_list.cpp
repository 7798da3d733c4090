// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/bundle_list.hpp"

namespace tune {

namespace {

std::string text_in(const object& from, std::string_view name) {
  const auto* found = from.find(name);
  const auto* text = found == nullptr ? nullptr : found->as_string();
  return text == nullptr ? std::string{} : *text;
}

double number_in(const object& from, std::string_view name) {
  const auto* found = from.find(name);
  return found == nullptr ? 0 : found->number().value_or(0);
}

std::string joined(const std::vector<trial_bundle>& what, std::string trial_bundle::*word) {
  std::string result;
  for (const auto& x : what)
    result += (&x == &what.front() ? "" : ",") + x.*word;
  return result;
}

} // namespace

value to_value(const std::vector<trial_bundle>& what) {
  value::list result;
  for (const auto& x : what)
    result.emplace_back(object{{"node", x.node},
                               {"address", x.address},
                               {"cpus", x.cpus},
                               {"gpus", x.gpus},
                               {"memory", static_cast<std::int64_t>(x.memory)},
                               {"devices", x.devices}});
  return value{std::move(result)};
}

std::vector<trial_bundle> bundles_from(const value& what) {
  std::vector<trial_bundle> result;
  if (what.as_list() == nullptr)
    return result;
  for (const auto& each : *what.as_list()) {
    if (const auto* x = each.as_object())
      result.push_back({text_in(*x, "node"), text_in(*x, "address"), number_in(*x, "cpus"),
                        number_in(*x, "gpus"), static_cast<std::uint64_t>(number_in(*x, "memory")),
                        text_in(*x, "devices")});
  }
  return result;
}

std::string nodes_of(const std::vector<trial_bundle>& what) {
  return joined(what, &trial_bundle::node);
}

std::string addresses_of(const std::vector<trial_bundle>& what) {
  return joined(what, &trial_bundle::address);
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/external/answer.hpp"

#include "tune/core/search/external/message.hpp"
#include "tune/core/space/nearest.hpp"
#include "tune/core/space/quantum.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace tune::external {

namespace {

constexpr std::array<std::string_view, 4> ways{"config", "none", "wait", "error"};

value fit(const value& given, const float_range& in) {
  auto x = given.number();
  if (!x || given.as_bool() != nullptr)
    return given;
  auto steps = in.step > 0 ? steps_of(in.step, *x) : std::nullopt;
  return steps ? multiple_of(in.step, *steps) : *x;
}

value fit(const value& given, const normal_range& in) {
  return fit(given, float_range{0, 1, false, in.step});
}

value fit(const value& given, const dependent_range& in) {
  return in.whole ? as_drawn(in, given) : fit(given, float_range{0, 1, false, in.step});
}

template <class Other>
value fit(const value& given, const Other& in) {
  return as_drawn(in, given);
}

/// Whether a dotted name is that of a parameter, or lies below one whose values are objects.
bool is_known(const search_space& space, std::string_view name) {
  for (auto end = name.size(); end != name.npos && end > 0; end = name.rfind('.', end - 1)) {
    if (space.find(name.substr(0, end)) != nullptr)
      return true;
  }
  return false;
}

expected<void> has_no_others(const object& config, const search_space& space) {
  for (const auto& [name, given] : flatten(config)) {
    if (is_known(space, name))
      continue;
    std::vector<std::string> known;
    for (const auto& x : space.parameters())
      known.push_back(x.name);
    auto near = nearest_name(name, known);
    return error{ec::unknown_name, "\"" + name + "\" is no parameter"
                                       + (near.empty() ? "" : "; did you mean \"" + near + "\"?")};
  }
  return {};
}

} // namespace

expected<object> fitted(const object& config, const search_space& space) {
  if (auto fine = has_no_others(config, space); !fine)
    return fine.error();
  std::vector<value> values;
  std::vector<bool> given;
  for (const auto& x : space.parameters()) {
    const auto* said = find_parameter(config, x.name);
    const auto* fixed = std::get_if<constant>(&x.what);
    given.push_back(said != nullptr || fixed != nullptr);
    values.push_back(said != nullptr
                         ? std::visit([&](const auto& in) { return fit(*said, in); }, x.what)
                     : fixed != nullptr ? fixed->what
                                        : value{});
  }
  auto active = space.active(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& x = space.parameters()[i];
    if (active[i] && !given[i])
      return error{ec::bad_option, "\"" + x.name + "\": is missing; it is in " + to_text(x.what)};
  }
  auto result = space.assemble(values);
  if (auto why = space.reject(result, false))
    return *why;
  return result;
}

namespace {

std::string text_at(const object& said, std::string_view name) {
  const auto* x = said.find(name);
  const auto* text = x != nullptr ? x->as_string() : nullptr;
  return text != nullptr ? *text : std::string{};
}

bool is_true(const value& x) {
  return x.as_bool() != nullptr && *x.as_bool();
}

answer read_config(const value& said, const search_space& space) {
  const auto* config = said.as_object();
  if (config == nullptr)
    return breach{"its config is no object"};
  auto made = fitted(*config, space);
  if (!made)
    return refused{made.error().detail};
  return proposal{std::vector<suggestion>{
      {std::make_shared<const object>(std::move(*made)), std::string{own_origin}}}};
}

} // namespace

answer read_answer(const object& said, std::uint64_t id, const search_space& space) {
  const auto* named = said.find("id");
  if (named == nullptr)
    return breach{"its answer must have the id of the question, which is " + std::to_string(id)};
  if (*named != value{static_cast<std::int64_t>(id)})
    return breach{"it answers question " + to_text(*named) + ", and was asked "
                  + std::to_string(id)};
  auto count = std::count_if(ways.begin(), ways.end(),
                             [&](std::string_view way) { return said.contains(way); });
  if (count != 1)
    return breach{"its answer must have one of config, none, wait and error"};
  if (const auto* config = said.find("config"))
    return read_config(*config, space);
  if (said.contains("error"))
    return breach{"it says: " + to_text(*said.find("error"))};
  const auto is_end = said.contains("none");
  if (!is_true(*said.find(is_end ? "none" : "wait")))
    return breach{std::string{is_end ? "none" : "wait"} + " must be true"};
  if (!is_end)
    return proposal{nothing_yet{}};
  auto why = text_at(said, "why");
  return proposal{exhausted{why.empty() ? "the external searcher has no more" : why}};
}

std::string why_no_greeting(const object& said) {
  if (const auto* why = said.find("error"))
    return "it says: " + to_text(*why);
  const auto* version = said.find("tune");
  if (version == nullptr)
    return "its first line must be {\"tune\":" + std::to_string(protocol_version) + "}";
  if (*version != value{protocol_version})
    return "it speaks version " + to_text(*version) + " of the protocol; this program speaks "
           + std::to_string(protocol_version);
  return {};
}

} // namespace tune::external

// SPDX-License-Identifier: BSD-3-Clause
#include "request.hpp"

#include "tune/core/name.hpp"
#include "tune/io/ask_tell/conversation.hpp"
#include "tune/io/json.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace tune {

namespace {

error wrong(std::string text) {
  return {ec::protocol, std::move(text)};
}

std::string named(const std::string& text) {
  return "\"" + shown_name(text) + "\"";
}

expected<trial_id> trial_from(const value& what, const std::string& field) {
  if (const auto* number = what.as_int(); number != nullptr && *number >= 0)
    return trial_id{static_cast<std::uint64_t>(*number)};
  const auto* text = what.as_string();
  if (text == nullptr)
    return wrong(field + " must be the number of a trial, such as \"00003\"");
  trial_id result;
  const auto* end = text->data() + text->size();
  auto read = std::from_chars(text->data(), end, result.number);
  if (text->empty() || read.ptr != end || read.ec != std::errc{})
    return wrong(field + " = " + named(*text) + " is not the number of a trial, such as \"00003\"");
  return result;
}

constexpr auto infinity = std::numeric_limits<double>::infinity();

/// The number that a text among metrics stands for; empty if it is an ordinary text.
std::optional<double> number_for(const std::string& text) {
  if (text == "nan")
    return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf")
    return infinity;
  return text == "-inf" ? std::optional{-infinity} : std::nullopt;
}

value as_metric(value what);

object as_metrics(object what) {
  std::vector<object::entry> result;
  for (const auto& [name, x] : what)
    result.emplace_back(name, as_metric(x));
  return object::of(std::move(result));
}

/// The recursion is bounded, since the JSON reader limits the nesting.
value as_metric(value what) {
  if (const auto* text = what.as_string()) {
    if (auto number = number_for(*text))
      return *number;
  } else if (const auto* list = what.as_list()) {
    value::list result;
    for (const auto& x : *list)
      result.push_back(as_metric(x));
    return result;
  } else if (const auto* inner = what.as_object()) {
    return as_metrics(*inner);
  }
  return what;
}

} // namespace

expected<trial_id> trial_in(const object& request) {
  const auto* given = request.find("trial");
  if (given == nullptr)
    return wrong("\"trial\" is missing");
  return trial_from(*given, "\"trial\"");
}

expected<std::optional<std::uint32_t>> attempt_in(const object& request) {
  const auto* given = request.find("attempt");
  if (given == nullptr || given->is_null())
    return std::optional<std::uint32_t>{};
  const auto* number = given->as_int();
  if (number == nullptr || *number < 1 || *number > std::numeric_limits<std::uint32_t>::max())
    return wrong("\"attempt\" must be a whole number from 1");
  return std::optional{static_cast<std::uint32_t>(*number)};
}

expected<std::optional<object>> metrics_in(const object& request) {
  const auto* given = request.find("metrics");
  if (given == nullptr || given->is_null())
    return std::optional<object>{};
  if (given->as_object() == nullptr)
    return wrong("\"metrics\" must be an object");
  auto fit = fit_for_record(as_metrics(*given->as_object()));
  if (!fit)
    return fit.error();
  return std::optional{std::move(*fit)};
}

expected<object> config_in(const object& request) {
  const auto* given = request.find("config");
  if (given == nullptr)
    return wrong("\"config\" is missing");
  if (given->as_object() == nullptr)
    return wrong("\"config\" must be an object of parameters");
  return *given->as_object();
}

expected<std::string> own_name_in(const object& request, std::string_view field) {
  const auto* given = request.find(field);
  if (given == nullptr || given->is_null())
    return std::string{};
  const auto* text = given->as_string();
  if (text == nullptr || text->empty() || text->size() > most_own_name_bytes)
    return wrong("\"" + std::string{field} + "\" must be a text of 1 to "
                 + std::to_string(most_own_name_bytes) + " bytes");
  return mend_utf8(*text);
}

expected<std::string> text_in(const object& request, std::string_view name, std::string fallback) {
  const auto* given = request.find(name);
  if (given == nullptr || given->is_null())
    return fallback;
  if (given->as_string() == nullptr)
    return wrong("\"" + std::string{name} + "\" must be a text");
  return mend_utf8(*given->as_string());
}

expected<std::vector<trial_id>> running_in(const object& request) {
  std::vector<trial_id> result;
  const auto* given = request.find("running");
  if (given == nullptr || given->is_null())
    return result;
  if (given->as_list() == nullptr)
    return wrong("\"running\" must be a list of trials");
  for (const auto& x : *given->as_list()) {
    auto id = trial_from(x, "\"running\"");
    if (!id)
      return id.error();
    result.push_back(*id);
  }
  return result;
}

} // namespace tune

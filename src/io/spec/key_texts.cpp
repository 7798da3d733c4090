// SPDX-License-Identifier: BSD-3-Clause
#include "key_texts.hpp"

#include "tune/core/name.hpp"
#include "tune/core/resource/exact_bytes.hpp"
#include "tune/core/value.hpp"
#include "tune/io/spec/words.hpp"

#include <algorithm>

namespace tune::key_texts {

namespace {

std::string_view trimmed(std::string_view x) {
  auto first = x.find_first_not_of(" \t");
  return first == x.npos ? std::string_view{}
                         : x.substr(first, x.find_last_not_of(" \t") - first + 1);
}

/// A name with blanks may stand in double quotes, as in constraints.
std::string_view without_quotes(std::string_view name) {
  const auto is_quoted = name.size() > 2 && name.starts_with('"') && name.ends_with('"');
  return is_quoted ? name.substr(1, name.size() - 2) : name;
}

expected<objective> parse_objective(std::string_view text, bool maximise) {
  auto colon = text.rfind(':');
  objective result{std::string{without_quotes(trimmed(text.substr(0, colon)))}, maximise};
  if (result.metric.empty())
    return error{ec::bad_syntax, "a metric's name is missing in \"" + std::string{text} + '"'};
  if (auto why = why_no_name(result.metric); !why.empty())
    return error{ec::bad_option, '"' + shown_name(result.metric) + "\": " + why};
  if (colon == text.npos)
    return result;
  auto mode = trimmed(text.substr(colon + 1));
  if (mode != "max" && mode != "min")
    return error{ec::bad_option,
                 "\"" + std::string{text} + "\": after ':' stands one of: min, max"};
  result.maximise = mode == "max";
  return result;
}

} // namespace

std::string duration(std::chrono::nanoseconds x) {
  using namespace std::chrono_literals;
  struct unit {
    std::chrono::nanoseconds size;
    const char* name;
  };
  static constexpr unit units[] = {{24h, "d"}, {1h, "h"}, {1min, "m"}, {1s, "s"}, {1ms, "ms"}};
  if (x == 0ns)
    return "0";
  for (const auto& each : units) {
    if (x % each.size == 0ns)
      return std::to_string(x / each.size) + each.name;
  }
  return number(static_cast<double>(x.count()) / 1e9);
}

std::string bytes(std::uint64_t x) {
  return exact_bytes_text(x);
}

std::string number(double x) {
  return to_text(value{x});
}

std::string objectives(const std::vector<objective>& xs, bool maximise) {
  auto plain = std::all_of(xs.begin(), xs.end(),
                           [&](const objective& x) { return x.maximise == maximise; });
  std::string result;
  for (const auto& x : xs) {
    result += result.empty() ? "" : ", ";
    result += x.metric;
    if (!plain)
      result += x.maximise ? ":max" : ":min";
  }
  return result;
}

expected<std::vector<objective>> parse_objectives(std::string_view text, bool maximise) {
  std::vector<objective> result;
  for (std::size_t begin = 0; begin <= text.size();) {
    auto end = std::min(text.find(',', begin), text.size());
    auto each = parse_objective(trimmed(text.substr(begin, end - begin)), maximise);
    if (!each)
      return each.error();
    auto same = [&](const objective& x) { return x.metric == each->metric; };
    if (std::any_of(result.begin(), result.end(), same))
      return error{ec::bad_option, "\"" + each->metric + "\" is named twice"};
    result.push_back(std::move(*each));
    begin = end + 1;
  }
  return result;
}

std::string words(const std::vector<std::string>& xs) {
  std::string result;
  for (const auto& x : xs)
    result += (result.empty() ? "" : " ") + quoted_word(x);
  return result;
}

} // namespace tune::key_texts

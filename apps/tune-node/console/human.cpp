// SPDX-License-Identifier: BSD-3-Clause
#include "console/human.hpp"

#include "console/text.hpp"
#include "tune/core/plugin/options.hpp"
#include "tune/core/space/object_parameters.hpp"
#include "tune/io/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tune::cli {
namespace {

std::string two_units(std::int64_t high, char high_unit, std::int64_t low, char low_unit) {
  std::string result = std::to_string(high) + high_unit;
  if (low < 10)
    result += '0';
  return result + std::to_string(low) + low_unit;
}

std::string formatted(double x, std::chars_format how, int precision) {
  std::array<char, 64> buffer{};
  auto [end, status]
      = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x, how, precision);
  return {buffer.data(), end};
}

/// Whether a text is written as a number that no 64-bit float holds: bare, it is refused.
bool is_beyond_floats(std::string_view x) {
  if (x.starts_with('+'))
    x.remove_prefix(1);
  double ignored = 0;
  auto [end, why] = std::from_chars(x.data(), x.data() + x.size(), ignored);
  return why == std::errc::result_out_of_range && end == x.data() + x.size();
}

/// Whether a bare text would be read back as another kind of value, or as more than one word.
bool needs_quotes(std::string_view x) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789_-./:+@%";
  if (x.empty() || x.find_first_not_of(plain) != x.npos)
    return true;
  if (x == "true" || x == "false" || x == "null" || x == "if")
    return true;
  return parse_number(x).has_value() || is_beyond_floats(x);
}

/// Puts a text in double quotes, so that its end is visible.
std::string in_double_quotes(std::string_view x) {
  std::string result;
  for (auto c : x)
    result += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return '"' + printable(result) + '"';
}

/// Escapes `#`, which would start a comment.
std::string without_comment(std::string text) {
  for (auto i = text.find('#'); i != text.npos; i = text.find('#', i + 2))
    text.insert(i, 1, '\\');
  return text;
}

void add_metrics(std::string& to, const object& from, const std::string& prefix) {
  for (const auto& [name, what] : from) {
    const auto* nested = what.as_object();
    if (nested != nullptr && !nested->empty())
      add_metrics(to, *nested, prefix + name + "/");
    else
      to += (to.empty() ? "" : " ") + printable(prefix + name) + "=" + short_text(what);
  }
}

} // namespace

std::string duration_text(std::chrono::nanoseconds x) {
  using namespace std::chrono;
  if (x <= nanoseconds::zero())
    return "0s";
  if (auto ms = round<milliseconds>(x); ms < 1s)
    return std::to_string(ms.count()) + "ms";
  if (auto tenths = round<duration<std::int64_t, std::deci>>(x); tenths < 60s)
    return formatted(static_cast<double>(tenths.count()) / 10, std::chars_format::fixed, 1) + "s";
  if (auto whole = round<seconds>(x); whole < 1h)
    return two_units(whole / 1min, 'm', whole % 1min / 1s, 's');
  if (auto whole = round<minutes>(x); whole < 24h)
    return two_units(whole / 1h, 'h', whole % 1h / 1min, 'm');
  auto whole = round<hours>(x);
  return two_units(whole / 24h, 'd', whole % 24h / 1h, 'h');
}

std::string number_text(double x) {
  if (std::isnan(x))
    return "nan";
  if (std::isinf(x))
    return x > 0 ? "inf" : "-inf";
  if (x == std::trunc(x) && std::abs(x) < 1e9)
    return std::to_string(static_cast<std::int64_t>(x));
  return formatted(x, std::chars_format::general, 5);
}

std::string short_text(const value& x) {
  if (const auto* number = x.as_double())
    return number_text(*number);
  if (const auto* text = x.as_string())
    return needs_quotes(*text) ? in_double_quotes(*text) : *text;
  if (x.as_list() != nullptr || x.as_object() != nullptr)
    return printable(to_json(x));
  return to_text(x);
}

bool is_at_limit(double violation) {
  return violation > 0 && violation < std::numeric_limits<double>::min();
}

std::string miss_text(double x) {
  return is_at_limit(x) ? "at the limit" : "by " + short_text(value{x});
}

std::string misses_text(const constraint_list& of, const object& metrics) {
  const auto misses = violations_of(of, metrics);
  std::string result;
  for (std::size_t i = 0; i < misses.size(); ++i) {
    if (misses[i] > 0)
      result
          += (result.empty() ? "" : ", ") + printable(to_text(of[i])) + " " + miss_text(misses[i]);
  }
  return result;
}

std::string config_text(const object& x, std::span<const std::string> whole) {
  std::string result;
  for (const auto& [name, what] : flatten(x, whole))
    result += (result.empty() ? "" : " ") + printable(name) + "=" + short_text(what);
  return result;
}

std::string facts_text(const object& x) {
  return config_text(x, {});
}

std::string metrics_text(const object& x) {
  std::string result;
  add_metrics(result, x, {});
  return result;
}

std::string literal_text(const value& x) {
  const auto* text = x.as_string();
  if (text != nullptr && !needs_quotes(*text))
    return *text;
  return without_comment(printable(to_json(x)));
}

std::string counted(std::uint64_t n, std::string_view noun) {
  return std::to_string(n).append(" ").append(noun).append(n == 1 ? "" : "s");
}

} // namespace tune::cli

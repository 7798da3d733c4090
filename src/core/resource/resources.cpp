// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/resource/resources.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace tune {

namespace {

std::string quantity(std::string number, std::string_view unit) {
  return std::move(number) + " " + std::string{unit};
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_space(char c) {
  return c == ' ' || c == '\t';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_space(text.back()))
    text.remove_suffix(1);
  return text;
}

/// Bytes per unit; empty if the unit is unknown.
std::optional<double> factor_of(std::string_view unit) {
  std::string name;
  std::transform(unit.begin(), unit.end(), std::back_inserter(name), lower);
  if (name.empty() || name == "b")
    return 1.0;
  auto power = std::string_view{"kmgtp"}.find(name.front());
  if (power == std::string_view::npos)
    return std::nullopt;
  auto rest = std::string_view{name}.substr(1);
  auto exponent = static_cast<double>(power) + 1;
  if (rest.empty() || rest == "b")
    return std::pow(1000.0, exponent);
  if (rest == "i" || rest == "ib")
    return std::pow(1024.0, exponent);
  return std::nullopt;
}

error not_bytes(std::string_view text) {
  return {ec::bad_syntax, "\"" + std::string{text}
                              + "\" is not an amount of memory: write a number and B, kB, MB, GB, "
                                "TB, KiB, MiB, GiB or TiB, such as 2GiB"};
}

/// Text in units of powers of 1000, if one decimal at most shows the amount exactly; from 1 MB on.
std::optional<std::string> round_decimal_text(std::uint64_t bytes) {
  static constexpr std::array<std::string_view, 5> units{"MB", "GB", "TB", "PB", "EB"};
  std::uint64_t unit = 1'000'000;
  if (bytes < unit)
    return std::nullopt;
  std::size_t power = 0;
  while (power + 1 < units.size() && bytes / 1000 >= unit) {
    unit *= 1000;
    ++power;
  }
  if (bytes % (unit / 10) != 0)
    return std::nullopt;
  const auto tenths = bytes / (unit / 10);
  const auto rest = tenths % 10 == 0 ? std::string{} : "." + std::to_string(tenths % 10);
  return quantity(std::to_string(tenths / 10) + rest, units[power]);
}

} // namespace

amount amount::of(double x) {
  auto scaled = x * static_cast<double>(scale);
  if (std::isnan(scaled))
    return {};
  // Limit of the range in which doubles represent all whole numbers exactly.
  constexpr double most = 9007199254740992.0;
  return {std::llround(std::clamp(scaled, -most, most))};
}

std::string to_text(amount x) {
  auto magnitude
      = x.units < 0 ? 0 - static_cast<std::uint64_t>(x.units) : static_cast<std::uint64_t>(x.units);
  auto result = std::to_string(magnitude / amount::scale);
  if (auto fraction = magnitude % amount::scale; fraction != 0) {
    auto digits = std::to_string(amount::scale + static_cast<std::int64_t>(fraction)).substr(1);
    digits.erase(digits.find_last_not_of('0') + 1);
    result += "." + digits;
  }
  return x.units < 0 ? "-" + result : result;
}

std::string to_text(const resources& x) {
  std::string result;
  auto append = [&](std::string text) { result += (result.empty() ? "" : ", ") + text; };
  if (x.cpu.units != 0)
    append(quantity(to_text(x.cpu), "CPU"));
  if (x.gpu.units != 0)
    append(quantity(to_text(x.gpu), "GPU"));
  if (x.memory != 0)
    append(quantity(bytes_text(x.memory), "memory"));
  for (const auto& [name, much] : x.custom) {
    if (much.units != 0)
      append(quantity(to_text(much), name));
  }
  return result.empty() ? "nothing" : result;
}

std::string_view to_text(resource_request::strategy x) {
  static constexpr std::array<std::string_view, 4> names{"pack", "spread", "strict_pack",
                                                         "strict_spread"};
  return names[static_cast<std::size_t>(x)];
}

std::string to_text(const resource_request& x) {
  if (x.bundles.empty())
    return to_text(resources{});
  if (x.bundles.size() == 1)
    return to_text(x.bundles.front());
  std::string result;
  for (std::size_t i = 0; i < x.bundles.size();) {
    auto end = i;
    while (end < x.bundles.size() && x.bundles[end] == x.bundles[i])
      ++end;
    result += (result.empty() ? "" : " + ") + std::to_string(end - i) + " x ("
              + to_text(x.bundles[i]) + ")";
    i = end;
  }
  if (x.placement != resource_request::strategy::pack)
    result += ", " + std::string{to_text(x.placement)};
  return result;
}

resources& operator+=(resources& x, const resources& y) {
  x.cpu += y.cpu;
  x.gpu += y.gpu;
  x.memory += y.memory;
  for (const auto& [name, much] : y.custom)
    x.custom[name] += much;
  return x;
}

resources& operator-=(resources& x, const resources& y) {
  x.cpu -= y.cpu;
  x.gpu -= y.gpu;
  x.memory -= std::min(x.memory, y.memory);
  for (const auto& [name, much] : y.custom) {
    auto& left = x.custom[name];
    left -= much;
    if (left.units == 0)
      x.custom.erase(name);
  }
  return x;
}

expected<std::uint64_t> parse_bytes(std::string_view text) {
  auto rest = trimmed(text);
  double number = 0;
  auto [end, status] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (status != std::errc{} || !std::isfinite(number) || number < 0)
    return not_bytes(text);
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  auto factor = factor_of(trimmed(rest));
  // Amounts from 2^63 on are refused as mistakes.
  if (!factor || number * *factor >= 9223372036854775808.0)
    return not_bytes(text);
  return static_cast<std::uint64_t>(std::llround(number * *factor));
}

std::string bytes_text(std::uint64_t bytes) {
  // An amount written as 10TB is shown as that, not as 9.1 TiB.
  if (auto decimal = round_decimal_text(bytes))
    return *decimal;
  static constexpr std::array<std::string_view, 6> units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024)
    return quantity(std::to_string(bytes), "B");
  auto shown = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // Just below 1024, since 1023.96 would be shown as 1024.0.
  while (shown >= 1023.95 && unit + 1 < units.size()) {
    shown /= 1024;
    ++unit;
  }
  std::array<char, 32> buffer{};
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), shown,
                           std::chars_format::fixed, 1)
                 .ptr;
  std::string number{buffer.data(), end};
  if (number.ends_with(".0"))
    number.resize(number.size() - 2);
  return quantity(std::move(number), units[unit]);
}

} // namespace tune

// The values of texts that programs print.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/metric_pattern.hpp"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>

namespace tune {

namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t result{};
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), result);
  auto whole = problem == std::errc{} && end == text.data() + text.size();
  return whole ? std::optional{result} : std::nullopt;
}

std::optional<double> real_number(std::string_view text) {
  double result{};
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (end != text.data() + text.size())
    return std::nullopt;
  if (problem == std::errc::result_out_of_range) // from_chars does not say which way.
    return std::strtod(std::string{text}.c_str(), nullptr);
  return problem == std::errc{} ? std::optional{result} : std::nullopt;
}

} // namespace

value value_in(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  auto begin = text.find_first_not_of(blanks);
  if (begin == text.npos)
    return value{""};
  text = text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
  auto digits = text.starts_with('+') ? text.substr(1) : text;
  if (auto whole = whole_number(digits))
    return value{*whole};
  if (auto real = real_number(digits))
    return value{*real};
  return value{text};
}

} // namespace tune

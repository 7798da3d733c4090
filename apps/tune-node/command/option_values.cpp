// SPDX-License-Identifier: BSD-3-Clause
#include "command/option_values.hpp"

#include "command/read_words.hpp"
#include "tune/core/plugin/options.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tune::cli {

namespace {

/// Most CPUs, GPUs and other countable resources.
constexpr double most_amount = 1'000'000;
constexpr double most_seconds = 366.0 * 24 * 3600;

} // namespace

std::vector<std::string> comma_parts(const std::string& text) {
  std::vector<std::string> result;
  for (std::size_t begin = 0; begin <= text.size();) {
    auto end = std::min(text.find(',', begin), text.size());
    result.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

expected<double> amount_from(const std::string& text) {
  auto number = parse_number(text);
  if (!number || !(*number >= 0 && *number <= most_amount))
    return error{ec::bad_option, in_single_quotes(text) + " is not a number from 0 to 1000000"};
  return *number;
}

expected<std::map<std::string, amount>> custom_from(const std::string& text) {
  std::map<std::string, amount> result;
  for (const auto& part : comma_parts(text)) {
    auto equals = part.find('=');
    if (equals == 0 || equals == part.npos)
      return error{ec::bad_option, in_single_quotes(part) + " is not NAME=AMOUNT"};
    auto much = amount_from(part.substr(equals + 1));
    if (!much)
      return much.error();
    result[part.substr(0, equals)] = amount::of(*much);
  }
  return result;
}

expected<std::uint64_t> bytes_from(const std::string& text) {
  return parse_bytes(text);
}

expected<double> number_from(const std::string& text) {
  if (auto number = parse_number(text); number && std::isfinite(*number))
    return *number;
  return error{ec::bad_option, in_single_quotes(text) + " is no number"};
}

expected<double> chance_from(const std::string& text) {
  auto number = amount_from(text);
  if (number && *number <= 1)
    return number;
  return error{ec::bad_option, in_single_quotes(text) + " is not a chance from 0 to 1"};
}

expected<double> share_from(const std::string& text) {
  auto number = amount_from(text);
  if (number && *number > 0 && *number < 1)
    return number;
  return error{ec::bad_option, in_single_quotes(text) + " is not a share between 0 and 1"};
}

expected<std::chrono::nanoseconds> time_from(const std::string& text) {
  auto seconds = parse_seconds(text);
  if (!seconds)
    return seconds.error();
  if (*seconds > most_seconds)
    return error{ec::bad_option, in_single_quotes(text) + " is longer than a year"};
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>{*seconds});
}

expected<std::chrono::nanoseconds> some_time_from(const std::string& text) {
  auto time = time_from(text);
  if (time && time->count() <= 0)
    return error{ec::bad_option, in_single_quotes(text) + " is no time: it must be more than 0"};
  return time;
}

} // namespace tune::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/wording.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>

namespace tune {

value plain(double x) {
  constexpr double exact = 9007199254740992.0;
  if (x == std::trunc(x) && std::abs(x) < exact)
    return static_cast<std::int64_t>(x);
  return x;
}

std::string brief(double x) {
  std::array<char, 32> digits{};
  auto* begin = digits.data();
  auto [end, failed]
      = std::to_chars(begin, begin + digits.size(), x, std::chars_format::general, 6);
  // A whole number keeps all its digits.
  return plain(x).as_int() != nullptr || failed != std::errc{} ? to_text(plain(x))
                                                               : std::string{begin, end};
}

std::string brief(const value& x) {
  const auto* number = x.as_double();
  return number != nullptr ? brief(*number) : to_text(x);
}

std::pair<std::string, std::string> told_apart(double one, double other) {
  std::pair result{brief(one), brief(other)};
  if (result.first == result.second && one != other)
    result = {to_text(plain(one)), to_text(plain(other))};
  return result;
}

std::string moment(std::string_view time_attr, double time) {
  auto measure = time_attr == "training_iteration" ? "iteration" : time_attr;
  return std::string{measure} + " " + to_text(plain(time));
}

} // namespace tune

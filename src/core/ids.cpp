// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/ids.hpp"

namespace tune {

std::string to_text(trial_id id) {
  auto digits = std::to_string(id.number);
  constexpr std::size_t least = 5;
  return digits.size() < least ? std::string(least - digits.size(), '0') + digits : digits;
}

std::string to_text(attempt_id id) {
  return std::to_string(id.epoch) + "." + std::to_string(id.counter);
}

} // namespace tune

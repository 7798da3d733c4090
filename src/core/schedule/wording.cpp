// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/wording.hpp"

#include <cmath>
#include <cstdint>

namespace tune {

value plain(double x) {
  constexpr double exact = 9007199254740992.0;
  if (x == std::trunc(x) && std::abs(x) < exact)
    return static_cast<std::int64_t>(x);
  return x;
}

std::string moment(std::string_view time_attr, double time) {
  auto measure = time_attr == "training_iteration" ? "iteration" : time_attr;
  return std::string{measure} + " " + to_text(plain(time));
}

} // namespace tune

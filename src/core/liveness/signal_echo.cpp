// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/liveness/signal_echo.hpp"

namespace tune {

bool signal_echo::counts(int signal, instant now) {
  const auto [last, is_first] = counted_.try_emplace(signal, now);
  if (!is_first && now - last->second < window_)
    return false;
  last->second = now;
  return true;
}

} // namespace tune

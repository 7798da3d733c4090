/// Detects signals that repeat the same request.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"

#include <map>

namespace tune {

/// Remembers the signals that came. A value.
///
/// `timeout`, a shell that closes with its terminal, and a batch system signal the process and then
/// its whole group: two signals of a kind come within moments, and the second adds no insistence. A
/// later signal, or one of another kind, does.
class signal_echo {
public:
  /// @param window Signals of a kind within this time after one that counted are its echo. [> 0]
  explicit signal_echo(instant window = std::chrono::seconds{1}) : window_{window} {}

  /// @param now Never less than in the previous call.
  /// @returns whether the signal counts; otherwise it is an echo, which does not extend the window:
  ///          of a hundred signals spread evenly over ten windows ten count.
  [[nodiscard]] bool counts(int signal, instant now);

private:
  instant window_;
  std::map<int, instant> counted_;
};

} // namespace tune

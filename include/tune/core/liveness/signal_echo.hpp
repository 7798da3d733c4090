/// Which signals are the same wish, sent twice.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"

#include <map>

namespace tune {

/// Remembers the signals that came. A value.
///
/// Who ends a program by `timeout`, a shell that closes with its terminal, or a batch system
/// signals the process and then its whole group: two of a kind come within moments, and the second
/// does not insist on anything. What comes later, or is of another kind, does.
class signal_echo {
public:
  /// @param window So long after one that counted others of its kind are its echo. [> 0]
  explicit signal_echo(instant window = std::chrono::seconds{1}) : window_{window} {}

  /// @param now Never less than at the call before.
  /// @returns whether the signal counts; else it is an echo, which moves no border: of a hundred
  /// that
  ///          come evenly in ten windows ten count.
  [[nodiscard]] bool counts(int signal, instant now);

private:
  instant window_;
  std::map<int, instant> counted_;
};

} // namespace tune

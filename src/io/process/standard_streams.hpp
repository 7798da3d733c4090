/// Restores standard input, output and error of a process that serves one trial after another.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "posix/unique_fd.hpp"

#include <array>

namespace tune {

/// Remembers the targets of descriptors 0, 1 and 2, whatever a trial does to them. One per process.
class standard_streams {
public:
  /// Keeps duplicates that children do not inherit, at numbers that few programs close blindly.
  standard_streams();

  /// Flushes buffered output to where the trial sent it; then resets descriptors and streams to
  /// their first state: not redirected, not closed, without errors. A C++ stream keeps its buffer
  /// object.
  /// @returns whether they are reset. That is impossible if the duplicates, or one of `stdin`,
  ///          `stdout` and `stderr`, were closed.
  [[nodiscard]] bool restore();

private:
  std::array<unique_fd, 3> kept_;
};

} // namespace tune

/// Standard input, output and error of a process that serves one trial after the other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "unique_fd.hpp"

#include <array>

namespace tune {

/// Remembers where descriptors 0, 1 and 2 lead, whatever a trial makes of them. One per process.
class standard_streams {
public:
  /// Keeps duplicates, out of reach of children, where few programs close descriptors blindly.
  standard_streams();

  /// Writes out what is buffered, to where the trial sent it; then descriptors and streams are as
  /// at first: not redirected, not closed, without errors. A C++ stream keeps its buffer object.
  /// @returns whether they are. They cannot be where the duplicates were closed, or one of
  ///          `stdin`, `stdout` and `stderr`.
  [[nodiscard]] bool restore();

private:
  std::array<unique_fd, 3> kept_;
};

} // namespace tune

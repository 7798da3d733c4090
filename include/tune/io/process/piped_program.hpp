/// Runs a program whose output is read piece by piece, by a caller that may block.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// Runs one program with pipes for stdout and stderr and an empty stdin. A program that writes
/// faster than it is read is blocked: at most one pipe's capacity of output is held.
class piped_program {
public:
  /// A part of the program's output.
  struct piece {
    std::string out;
    std::string err;
    /// Set in the last piece only: the program's exit status, or 128 plus the number of the signal
    /// that ended it.
    std::optional<int> status;
  };

  /// @param words       argv; the first word is the program's name. [>= 1]
  /// @param environment Added to this process's own, as "NAME=value".
  /// @errors `ec::process` with the system's message.
  [[nodiscard]] static expected<piped_program> start(const std::filesystem::path& program,
                                                     std::vector<std::string> words,
                                                     const std::vector<std::string>& environment);

  piped_program(piped_program&&) noexcept;
  piped_program& operator=(piped_program&&) noexcept;
  /// Kills the program and all processes of its session that share its process group.
  ~piped_program();

  /// Waits until there is output or a stream has ended, at most for `patience`.
  /// @param most Maximum number of bytes of each stream. [>= 1]
  [[nodiscard]] piece read(std::size_t most, std::chrono::milliseconds patience);

private:
  class impl;
  std::unique_ptr<impl> impl_;
  explicit piped_program(std::unique_ptr<impl> what);
};

/// A path that starts this program again: the file it was started from, or, if that was removed or
/// replaced, the link to the running image. Looks through a debugger or valgrind.
[[nodiscard]] std::filesystem::path own_program();

} // namespace tune

/// A program whose output is read piece by piece, by a caller that may block.
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
/// faster than it is read waits: at most a pipe's worth of output is held.
class piped_program {
public:
  /// Some of its output.
  struct piece {
    std::string out;
    std::string err;
    /// Set with the last piece: its exit status, or 128 and the number of the signal that ended it.
    std::optional<int> status;
  };

  /// @param words       argv; the first is its name. [>= 1]
  /// @param environment Added to this process's own, as "NAME=value".
  /// @errors `ec::process` with the system's text.
  [[nodiscard]] static expected<piped_program> start(const std::filesystem::path& program,
                                                     std::vector<std::string> words,
                                                     const std::vector<std::string>& environment);

  piped_program(piped_program&&) noexcept;
  piped_program& operator=(piped_program&&) noexcept;
  /// Kills it, and all processes of its session that share its process group.
  ~piped_program();

  /// Waits until there is output, or the end, or for `patience`.
  /// @param most Bytes of each stream. [>= 1]
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

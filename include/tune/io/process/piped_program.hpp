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
#include <string_view>
#include <vector>

namespace tune {

/// What a program reads from its stdin.
struct program_input {
  /// This file; empty: nothing, or what is written.
  std::filesystem::path file = {};
  /// What `piped_program::write` gives, until `close_input`.
  bool is_written = false;
};

/// Runs one program with pipes for stdout and stderr. A program that writes faster than it is read
/// is blocked: at most one pipe's capacity of output is held.
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
                                                     const std::vector<std::string>& environment,
                                                     const program_input& input = {});

  piped_program(piped_program&&) noexcept;
  piped_program& operator=(piped_program&&) noexcept;
  /// Kills the program and all processes of its session that share its process group.
  ~piped_program();

  /// Waits until there is output or a stream has ended, at most for `patience`.
  /// @param most Maximum number of bytes of each stream. [>= 1]
  [[nodiscard]] piece read(std::size_t most, std::chrono::milliseconds patience);
  /// Writes to the program's stdin without waiting. @returns whether all of it fitted into the
  /// pipe, which holds 64 KiB; false also if the program reads no more.
  [[nodiscard]] bool write(std::string_view text);
  /// Ends the program's stdin.
  void close_input();

private:
  class impl;
  std::unique_ptr<impl> impl_;
  explicit piped_program(std::unique_ptr<impl> what);
};

/// A path that starts this program again: the file it was started from, or, if that was removed or
/// replaced, the link to the running image. Looks through a debugger or valgrind.
[[nodiscard]] std::filesystem::path own_program();

} // namespace tune

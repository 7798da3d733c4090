/// The first and the last lines of what a process prints, in memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// Some KiB of a stream of any length.
class output_tail {
public:
  void add(std::string_view bytes);

  /// Up to `count` last lines, each `printable` but for tabs, made of 500 bytes at most.
  [[nodiscard]] std::vector<std::string> last_lines(std::size_t count) const;
  /// The same of up to `first` lines and of up to `last` ones at the end; between them, where some
  /// are left out, a line says how many.
  [[nodiscard]] std::vector<std::string> first_and_last_lines(std::size_t first,
                                                              std::size_t last) const;

private:
  std::string head_;
  std::string tail_;
  /// Lines that are not empty, and whether the last one has begun.
  std::uint64_t lines_ = 0;
  bool in_line_ = false;

  void count_lines(std::string_view bytes);
};

} // namespace tune

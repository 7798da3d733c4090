/// The first and the last lines of what a process prints, in memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// Keeps a few KiB of a stream of any length.
class output_tail {
public:
  void add(std::string_view bytes);

  /// Up to `count` last lines, each cut to 500 bytes and made `printable` except for tabs.
  [[nodiscard]] std::vector<std::string> last_lines(std::size_t count) const;
  /// Up to `first` first lines and up to `last` last lines in the same form, and between them the
  /// line that tells most of why the process failed, with the one behind it, as `telling_line_in`
  /// finds it in the last 8 KiB. A line says each time how many were left out, if any.
  [[nodiscard]] std::vector<std::string> telling_lines(std::size_t first, std::size_t last) const;

private:
  std::string head_;
  std::string tail_;
  /// Number of non-empty lines, and whether another one has begun.
  std::uint64_t lines_ = 0;
  bool in_line_ = false;

  void count_lines(std::string_view bytes);
  [[nodiscard]] std::vector<std::string> first_lines(std::uint64_t count) const;
};

} // namespace tune

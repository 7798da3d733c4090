/// Reads lines of bounded length from a descriptor, until a second descriptor interrupts it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

namespace tune::cli {

/// The result of one read.
struct line_news {
  enum class kind {
    /// A line, without its end.
    line,
    /// A line beyond the bound; its content is lost.
    too_long,
    /// The input has ended. A last line without an end comes before.
    end,
    /// The second descriptor became readable.
    waved,
    /// The input cannot be read; `text` says why.
    failed,
  };
  kind what = kind::end;
  std::string text = {};
};

/// Reads line by line. Memory is bounded by the longest permitted line.
class line_reader {
public:
  /// @param from Input. @param wave Ends the waiting once it is readable; -1: nothing does.
  /// @param most Most bytes of a line.
  line_reader(int from, int wave, std::size_t most) : from_{from}, wave_{wave}, most_{most} {}

  /// Waits for the next line. A readable `wave` takes precedence over lines already read.
  [[nodiscard]] line_news next();

private:
  int from_;
  int wave_;
  std::size_t most_;
  std::string buffer_;
  /// Part of `buffer_` that has been searched for an end of line. [bytes]
  std::size_t searched_ = 0;
  bool skipping_ = false;
  bool ended_ = false;

  [[nodiscard]] bool take_line(line_news& to);
  [[nodiscard]] line_news last_line();
  /// @returns false, with `to` set, where the waiting ends without bytes.
  [[nodiscard]] bool fill(line_news& to);
};

} // namespace tune::cli

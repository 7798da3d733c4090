/// Lines from a descriptor, none longer than a bound, until somebody waves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

namespace tune::cli {

/// What came next.
struct line_news {
  enum class kind {
    /// A line, without its end.
    line,
    /// A line beyond the bound; what it said is gone.
    too_long,
    /// There will be no more. A last line without an end comes before.
    end,
    /// The other descriptor became readable.
    waved,
    /// It cannot be read; `text` says why.
    failed,
  };
  kind what = kind::end;
  std::string text = {};
};

/// Reads line by line. Memory is bounded by the longest line that is let through.
class line_reader {
public:
  /// @param from Read from it. @param wave Ends the waiting once it is readable; -1: none does.
  /// @param most Bytes that a line may have.
  line_reader(int from, int wave, std::size_t most) : from_{from}, wave_{wave}, most_{most} {}

  /// Waits for the next line. A wave goes before lines that have been read already.
  [[nodiscard]] line_news next();

private:
  int from_;
  int wave_;
  std::size_t most_;
  std::string buffer_;
  /// How far `buffer_` has been searched for an end of line.
  std::size_t searched_ = 0;
  bool skipping_ = false;
  bool ended_ = false;

  [[nodiscard]] bool take_line(line_news& to);
  [[nodiscard]] line_news last_line();
  /// @returns false with `to` set where the waiting ends without bytes.
  [[nodiscard]] bool fill(line_news& to);
};

} // namespace tune::cli

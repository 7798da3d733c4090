/// Reads CSV records as defined by RFC 4180.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tune {

/// Reads the records of a text one by one: commas between cells, quotes around cells that need
/// them, doubled quotes inside, LF or CRLF at the end. Empty lines are skipped.
class csv_reader {
public:
  explicit csv_reader(std::string_view text) : rest_{text} {}

  /// @returns the next record's cells; empty at the end. @errors `ec::bad_syntax` for an unclosed
  ///          quote.
  [[nodiscard]] expected<std::vector<std::string>> next();
  /// Line on which the last record begins. [>= 1]
  [[nodiscard]] std::size_t line() const { return line_; }

private:
  std::string_view rest_;
  std::size_t line_ = 0;
  std::size_t next_line_ = 1;

  char take();
};

} // namespace tune

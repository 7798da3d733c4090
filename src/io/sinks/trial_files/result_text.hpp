/// One report as a line of JSON and as cells of a table.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/trial/report.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tune {

/// Appends `what` as one JSON object in one line: the metrics, then the automatic ones.
void append_result_line(std::string& to, const report& what, std::string_view node);

/// Columns of a table in the order of their first appearance.
class result_columns {
public:
  /// More distinct names than this are in result.jsonl only.
  static constexpr std::size_t most = 4096;

  /// The automatic ones.
  result_columns();
  /// Those of a table that was begun.
  explicit result_columns(std::vector<std::string> names);

  /// Adds the names of a report. @returns whether one was new.
  bool add(const report& what);
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  /// Appends the report's record. Nested metrics are named with '/'; lists are JSON; what is
  /// missing or null is empty.
  void append_row(std::string& to, const report& what, std::string_view node) const;

private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> places_;
};

} // namespace tune

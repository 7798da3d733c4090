/// Writes one report as a line of JSON and as cells of a table.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/trial/report.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tune {

/// Appends `what` as a JSON object in one line: the metrics, then the automatic ones.
void append_result_line(std::string& to, const report& what, std::string_view node);

/// Columns of a table in the order of their first appearance.
class result_columns {
public:
  /// Maximum number of columns. Metrics beyond it are written to result.jsonl only.
  static constexpr std::size_t most = 4096;

  /// Begins with the automatic columns.
  result_columns();
  /// Begins with the columns of an existing table.
  explicit result_columns(std::vector<std::string> names);

  /// Adds the names of a report. @returns whether one was new.
  bool add(const report& what);
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  /// Appends the report's record. Names of nested metrics are joined by '/'; lists are written as
  /// JSON; missing and null metrics are empty.
  void append_row(std::string& to, const report& what, std::string_view node) const;

private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> places_;
};

} // namespace tune

/// Reports as rows of one table with columns that stay. Private to the sinks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/seam/trial_sink.hpp"

#include <map>
#include <string>
#include <vector>

namespace tune {

/// RFC 4180. Texts that a spreadsheet would take for formulas get an apostrophe before them;
/// control characters become visible escapes.
class csv_rows {
public:
  /// Most columns of metrics; others are in the last column.
  static constexpr std::size_t most_metrics = 1000;

  csv_rows() = default;
  /// @param metrics Names of the metrics that have columns, nested ones joined by '/'.
  csv_rows(const experiment_facts& of, std::vector<std::string> metrics);

  /// The objectives, the metrics of constraints, and those of a first report, each once.
  [[nodiscard]] static std::vector<std::string> metrics_of(const experiment_facts& of,
                                                           const object& first);

  [[nodiscard]] const std::vector<std::string>& metrics() const { return metrics_; }
  [[nodiscard]] std::string title() const;
  [[nodiscard]] std::string row(const log_place& where, const report& what) const;

private:
  std::vector<std::string> parameters_;
  std::vector<std::string> metrics_;
  /// Number of each of them.
  std::map<std::string, std::size_t> places_;
};

/// All values of nested metrics that are no objects, by their whole name.
[[nodiscard]] std::vector<std::pair<std::string, value>> leaves_of(const object& metrics);

} // namespace tune

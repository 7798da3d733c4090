/// Comparisons of metrics with numbers: `accuracy >= 0.995 and loss < 0.1 or epoch >= 20`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/trial/report.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// Parses a number to compare `metric` with. Metrics whose names end in `_s` also take durations,
/// "10m".
/// @errors `ec::bad_syntax`; NaN is refused, as nothing compares with it.
[[nodiscard]] expected<double> parse_limit(std::string_view metric, std::string_view text);

/// One comparison of a metric with a number. NaN satisfies `== nan` alone, not even `!= 1`.
struct metric_comparison {
  enum class op : std::uint8_t { at_least, more, at_most, less, equal, unequal };

  std::string metric;
  op how = op::at_least;
  double limit = 0;

  /// Whether `from` has the metric and it satisfies the comparison.
  [[nodiscard]] bool holds(const report& from) const;

  friend bool operator==(const metric_comparison&, const metric_comparison&) = default;
};

/// "latency <= 20"; the name in double quotes if it needs them.
[[nodiscard]] std::string to_text(const metric_comparison& x);

/// Comparisons joined by commas, written as in `metric_condition`. Empty if `text` is blank.
/// @errors See `metric_condition::parse`.
[[nodiscard]] expected<std::vector<metric_comparison>> parse_comparisons(std::string_view text);

/// Comparisons joined by `and` and `or`; `and` binds more tightly. Names with blanks or with
/// characters of operators stand in double quotes; nested metrics are joined by '/'.
class metric_condition {
public:
  /// @errors `ec::bad_syntax`, with the column.
  [[nodiscard]] static expected<metric_condition> parse(std::string_view text);
  /// A single comparison.
  explicit metric_condition(metric_comparison only) : any_of_{{std::move(only)}} {}

  /// The satisfied part, with its values: "accuracy 0.996 >= 0.995"; empty if the condition does
  /// not hold.
  [[nodiscard]] std::optional<std::string> met_by(const report& from) const;

  /// The metric of each comparison, in the order written.
  [[nodiscard]] std::vector<std::string> metrics() const;

private:
  using conjunction = std::vector<metric_comparison>;
  explicit metric_condition(std::vector<conjunction> any_of) : any_of_{std::move(any_of)} {}

  std::vector<conjunction> any_of_;
};

} // namespace tune

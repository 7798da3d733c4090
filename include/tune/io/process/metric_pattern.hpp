/// Metrics of programs that cannot be changed: regular expressions over their lines.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/value.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tune {

enum class report_mode : std::uint8_t {
  /// A line that matches `report_on` reports the latest value of every metric.
  line,
  /// One report at the end.
  final,
};

struct metric_pattern_options {
  /// Name and ECMAScript expression. Group 1 is the value; the whole match where it has no group.
  std::vector<std::pair<std::string, std::string>> metrics{};
  report_mode mode = report_mode::line;
  /// Which lines report; empty: those that match the objective's expression.
  std::string report_on{};
  /// The metric to optimise.
  std::string objective{};
};

/// Reads the lines of one attempt.
///
/// Of a line with '\r' inside, as progress bars write them, what follows the last one counts.
/// Beyond its first 4096 bytes a line is not looked at, and an expression that backtracks for too
/// long on a line, or too deep for the thread's stack, counts as not matching: no line costs more
/// than some milliseconds.
class metric_pattern {
public:
  /// @errors `ec::bad_syntax` naming the metric, its expression and what is wrong with it;
  ///         `ec::bad_option` where in mode `line` nothing says which lines report.
  [[nodiscard]] static expected<metric_pattern> make(const metric_pattern_options& options);

  metric_pattern(metric_pattern&&) noexcept;
  metric_pattern& operator=(metric_pattern&&) noexcept;
  ~metric_pattern();

  /// One for another attempt: the same expressions, compiled once, and nothing read.
  [[nodiscard]] metric_pattern fresh() const;

  /// @returns the report that the line makes, if it makes one.
  [[nodiscard]] std::optional<object> read(std::string_view line);
  /// The output is over. @returns the one report of mode `final`; nothing where no metric was seen.
  [[nodiscard]] std::optional<object> finish() const;
  /// The latest values.
  [[nodiscard]] const object& latest() const;
  /// How often an expression was given up on a line.
  [[nodiscard]] std::uint64_t given_up() const;

private:
  struct state;
  std::unique_ptr<state> state_;

  explicit metric_pattern(std::unique_ptr<state> made);
};

/// The number that a text is ("12", "-0.5", "1e-3", "nan", "inf"), else the text.
[[nodiscard]] value value_in(std::string_view text);

} // namespace tune

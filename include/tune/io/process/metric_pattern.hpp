/// Reads metrics of unmodified programs by regular expressions over their output lines.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/value.hpp"
#include "tune/io/process/metric_file.hpp"

#include <cstdint>
#include <filesystem>
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

/// The outputs of a program that are searched for metrics.
enum class metric_stream : std::uint8_t { out, err, both };

struct metric_pattern_options {
  /// Name and ECMAScript expression. The value is the {number} (see `expand_expression`), else
  /// group 1, or the whole match if there is no group.
  std::vector<std::pair<std::string, std::string>> metrics{};
  report_mode mode = report_mode::line;
  /// Expression for the lines that report; if empty, lines that match the objective's expression
  /// report.
  std::string report_on{};
  /// The metric to optimise.
  std::string objective{};
  metric_stream stream = metric_stream::out;
  /// Metrics that are read from JSON files.
  std::vector<file_metric> files{};
};

/// A warning for the user about how metrics are read.
struct pattern_remark {
  /// The expression that the remark is about: one remark for each is enough.
  std::string about;
  std::string text;
};

/// Reads metrics from the output lines of one attempt and from the files that its program writes.
///
/// Only the first 4096 bytes of a line are examined. An expression that backtracks for too long on
/// a line, or too deeply for the thread's stack, counts as not matching. No line therefore takes
/// more than a few milliseconds.
class metric_pattern {
public:
  /// @errors `ec::bad_syntax` naming the metric, its expression and what is wrong with it;
  ///         `ec::bad_option` if in mode `line` nothing says which lines report.
  [[nodiscard]] static expected<metric_pattern> make(const metric_pattern_options& options);

  metric_pattern(metric_pattern&&) noexcept;
  metric_pattern& operator=(metric_pattern&&) noexcept;
  ~metric_pattern();

  /// A reader for another attempt: shares the compiled expressions and has read nothing.
  [[nodiscard]] metric_pattern fresh() const;

  /// Whether any metrics are read from files.
  [[nodiscard]] bool reads_files() const;
  /// Sets the directory of the files. Files that exist there now were written before this attempt
  /// and are not read.
  void begin_in(const std::filesystem::path& directory);

  /// @returns the report that the line causes, if any.
  [[nodiscard]] std::optional<object> read(std::string_view line);
  /// Reads the files that changed. @returns a report if the objective is read from one of them and
  /// no expression says which lines report.
  [[nodiscard]] std::optional<object> read_files();
  /// Call it once the output has ended and the files were read for the last time. @returns the one
  /// report of mode `final`; empty if no metric was seen.
  [[nodiscard]] std::optional<object> finish() const;
  /// Why a metric is missing: files that lack some of their metrics, or a value of the objective
  /// that was rejected as wrong, see `doubt_of`; empty if unknown.
  [[nodiscard]] std::string why_missing() const;
  /// One remark for each metric that no report has although the objective has a value: the metric
  /// never had one, or only after the last report. Meaningful only once the output is over, since a
  /// metric may come last of all. A metric with a value that was rejected as wrong does not count
  /// as one that never had a value: see `take_remark`.
  [[nodiscard]] std::vector<pattern_remark> never_reported() const;
  /// Removes and returns the oldest remark, if any: a line may cause several. For each expression,
  /// a doubtful value and a rejected value are each reported once, however many attempts `fresh`
  /// made.
  [[nodiscard]] std::optional<pattern_remark> take_remark();
  /// The latest value of each metric.
  [[nodiscard]] const object& latest() const;
  /// How often the matching of an expression against a line was given up.
  [[nodiscard]] std::uint64_t given_up() const;

private:
  struct state;
  std::unique_ptr<state> state_;

  explicit metric_pattern(std::unique_ptr<state> made);
};

/// The number that a text represents ("12", "-0.5", "1e-3", "nan", "inf"), else the text itself. A
/// number out of the range of double becomes infinite, or 0.
[[nodiscard]] value value_in(std::string_view text);

} // namespace tune

/// Metrics of programs that cannot be changed: regular expressions over their lines.
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

/// Which of a program's outputs are read for metrics.
enum class metric_stream : std::uint8_t { out, err, both };

struct metric_pattern_options {
  /// Name and ECMAScript expression. {number} is the value, see `expand_expression`; else group 1;
  /// the whole match where it has no group.
  std::vector<std::pair<std::string, std::string>> metrics{};
  report_mode mode = report_mode::line;
  /// Which lines report; empty: those that match the objective's expression.
  std::string report_on{};
  /// The metric to optimise.
  std::string objective{};
  metric_stream stream = metric_stream::out;
  /// Metrics that stand in JSON files.
  std::vector<file_metric> files{};
};

/// Something that people should know of how metrics are read.
struct pattern_remark {
  /// The expression that it is about: one remark about each is enough.
  std::string about;
  std::string text;
};

/// Reads the lines of one attempt, and the files that its program writes.
///
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

  /// Whether a program's files are read, too.
  [[nodiscard]] bool reads_files() const;
  /// Where the files are. What lies there by now was written before this attempt, and is not read.
  void begin_in(const std::filesystem::path& directory);

  /// @returns the report that the line makes, if it makes one.
  [[nodiscard]] std::optional<object> read(std::string_view line);
  /// Reads the files that changed. @returns the report that this makes, if it makes one: where the
  /// objective stands in one of them, and no expression says which lines report.
  [[nodiscard]] std::optional<object> read_files();
  /// The output is over, and the files were read for the last time. @returns the one report of mode
  /// `final`; nothing where no metric was seen.
  [[nodiscard]] std::optional<object> finish() const;
  /// Why a metric is missing: files that have not told all of theirs, or a value of the objective
  /// that was not taken because it was wrong, see `doubt_of`; empty: nothing is known.
  [[nodiscard]] std::string why_missing() const;
  /// The metrics that no report has although the objective has a value, a remark about each: they
  /// never had one, or only after the last report. It says something once the output is over: a
  /// metric may come last of all. One of which a value was not taken, because that was wrong, is
  /// not among those that never had one: see `take_remark`.
  [[nodiscard]] std::vector<pattern_remark> never_reported() const;
  /// The first thing that was noticed and not taken yet, if any: a line may give several. Of each
  /// expression a value in doubt and one that was not taken are told once, whatever the number of
  /// attempts that `fresh` made.
  [[nodiscard]] std::optional<pattern_remark> take_remark();
  /// The latest values.
  [[nodiscard]] const object& latest() const;
  /// How often an expression was given up on a line.
  [[nodiscard]] std::uint64_t given_up() const;

private:
  struct state;
  std::unique_ptr<state> state_;

  explicit metric_pattern(std::unique_ptr<state> made);
};

/// The number that a text is ("12", "-0.5", "1e-3", "nan", "inf"), else the text. One beyond what a
/// double holds is infinite, or 0.
[[nodiscard]] value value_in(std::string_view text);

} // namespace tune

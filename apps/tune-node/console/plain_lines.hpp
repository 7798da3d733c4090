/// Shows a running experiment where no block can be drawn: one line per event, and a summary every
/// minute.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "console/run_snapshot.hpp"
#include "console/style.hpp"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tune::cli {

/// Renders events as single lines, without line ends. Writes nothing itself.
class plain_lines {
public:
  static constexpr std::chrono::minutes summary_time{1};
  /// Shortest time between two lines of a best trial, even if a run improves with each report.
  static constexpr std::chrono::seconds best_time{10};

  /// Most ends of trials that are shown one by one. Further ones are counted.
  static constexpr std::uint64_t most_ends = 100;
  /// Time between two counts, once ends are only counted.
  static constexpr std::chrono::seconds count_time{10};

  plain_lines(std::vector<objective> objectives, style look);

  /// "[2m05s] trial 00012 TERMINATED at iteration 14: accuracy 0.97; reached the last rung".
  [[nodiscard]] std::string ended(const listed_trial& x, instant now) const;

  /// Like `ended`, for the first `most_ends` trials; then one line that further ones are only
  /// counted, and then nothing.
  [[nodiscard]] std::optional<std::string> next_end(const listed_trial& x, instant now);

  /// "[2m05s] best accuracy 0.98123: trial 00012, lr=0.01"; nothing if that was shown already, or
  /// within 10 s of the last such line. In that case the next call after these 10 s shows what is
  /// best then. @param whole As `config_text`. @param constraints The line says if it misses one.
  [[nodiscard]] std::optional<std::string> best(const best_row& x, instant now,
                                                std::span<const std::string> whole = {},
                                                const constraint_list& constraints = {});

  /// Like `best`, at the end of the experiment: nothing only if that was shown already.
  [[nodiscard]] std::optional<std::string> last_best(const best_row& x, instant now,
                                                     std::span<const std::string> whole = {},
                                                     const constraint_list& constraints = {});

  /// "[3m00s] 12/100 done, 4 running, …"; nothing within a minute of the last one, or of `begin`;
  /// while ends of trials are only counted, nothing within 10 s, if there were any.
  [[nodiscard]] std::optional<std::string> summary(const run_snapshot& x, instant now);

  /// Starts the minutes; without it, the first call of `summary` gives a line at once.
  void begin(instant now) { last_summary_ = now; }

private:
  std::vector<objective> objectives_;
  style look_;
  std::uint64_t ends_ = 0;
  /// Whether trials ended since the last summary that were only counted.
  bool has_untold_ = false;
  std::optional<instant> last_summary_;
  std::optional<instant> last_best_;
  std::optional<trial_id> said_trial_;
  value said_value_;
  bool said_missed_ = false;

  [[nodiscard]] std::string stamp(instant now) const;
};

/// A trial's failure, to be shown at once.
struct failure_note {
  trial_id trial;
  /// "exit status 1"; external text.
  std::string what;
  /// The consequence for the trial: "retry 1 of 3", "given up".
  std::string next;
  /// Its last output, mostly on standard error, as it was written.
  std::string error_output;
  /// A command that shows all of that output; may be empty.
  std::string more = {};
};

/// "trial 00013 failed: exit status 1 (retry 1 of 3)" and the last lines of its standard error,
/// indented.
///
/// @param lines Most lines of output. The newest are kept, blank ones left out.
/// @param width Lines are cut there. 0 = only the program's output is cut, at 500 columns.
[[nodiscard]] std::vector<std::string> failure_block(const failure_note& x, std::size_t lines,
                                                     std::size_t width, const style& look);

} // namespace tune::cli

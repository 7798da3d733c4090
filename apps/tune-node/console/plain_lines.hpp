/// What is said of a running experiment where no block can be drawn: one line per event, and a
/// summary a minute.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "console/run_snapshot.hpp"
#include "console/style.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace tune::cli {

/// Renders events as single lines, without line ends. Writes nothing itself.
class plain_lines {
public:
  static constexpr std::chrono::minutes summary_time{1};
  /// Between two lines of a best: a run that is better with each report has few lines all the same.
  static constexpr std::chrono::seconds best_time{10};

  /// Ends of trials that are told one by one. What comes after them is counted.
  static constexpr std::uint64_t most_ends = 100;
  /// Between two counts, once ends are only counted.
  static constexpr std::chrono::seconds count_time{10};

  plain_lines(std::vector<objective> objectives, style look);

  /// "[2m05s] trial 00012 TERMINATED at iteration 14: accuracy 0.97; reached the last rung".
  [[nodiscard]] std::string ended(const listed_trial& x, instant now) const;

  /// The same of the first `most_ends`; then once that further ones are only counted, and nothing.
  [[nodiscard]] std::optional<std::string> next_end(const listed_trial& x, instant now);

  /// "[2m05s] best accuracy 0.98123: trial 00012, lr=0.01"; nothing if that was said already, or
  /// within 10 s of the last such line: what is the best when they are over is said then, if it is
  /// asked for again.
  [[nodiscard]] std::optional<std::string> best(const best_row& x, instant now);

  /// The same where the experiment is over: nothing only if that was said already.
  [[nodiscard]] std::optional<std::string> last_best(const best_row& x, instant now);

  /// "[3m00s] 12/100 done, 4 running, …"; nothing within a minute of the last, or of `begin`;
  /// where ends of trials are only counted, within 10 s, if there were any.
  [[nodiscard]] std::optional<std::string> summary(const run_snapshot& x, instant now);

  /// Starts the minutes; without, the first call of `summary` speaks at once.
  void begin(instant now) { last_summary_ = now; }

private:
  std::vector<objective> objectives_;
  style look_;
  std::uint64_t ends_ = 0;
  /// Ends since the last summary that were only counted.
  bool has_untold_ = false;
  std::optional<instant> last_summary_;
  std::optional<instant> last_best_;
  std::optional<trial_id> said_trial_;
  value said_value_;

  [[nodiscard]] std::string stamp(instant now) const;
};

/// A trial's failure, to be shown at once.
struct failure_note {
  trial_id trial;
  /// "exit status 1"; from outside.
  std::string what;
  /// What becomes of the trial: "retry 1 of 3", "given up".
  std::string next;
  /// What it wrote last, mostly to its standard error, as it was written.
  std::string error_output;
  /// A command that shows all of that; may be empty.
  std::string more = {};
};

/// "trial 00013 failed: exit status 1 (retry 1 of 3)" and the last lines of its standard error,
/// indented.
///
/// @param lines At most so many lines of output. The newest are kept, blank ones left out.
/// @param width Lines are cut there. 0 = only what the program said, at 500 columns.
[[nodiscard]] std::vector<std::string> failure_block(const failure_note& x, std::size_t lines,
                                                     std::size_t width, const style& look);

} // namespace tune::cli

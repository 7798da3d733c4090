/// Median stopping: a trial must keep up with the averages of the other trials.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/schedule/fifo_queue.hpp"
#include "tune/core/schedule/median/averages.hpp"
#include "tune/core/schedule/scheduler.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tune::median {

struct settings {
  /// Metric in which the trials' progress is measured; it must rise.
  std::string time_attr = "time_total_s";
  /// No trial is judged earlier, and no earlier result enters an average. [>= 0, in time_attr]
  double grace_period = 60;
  /// No decision is made with fewer averages of other trials. [>= 1]
  std::uint32_t min_samples_required = 3;
  /// If too few averages are there, a trial runs this long before it gives others time. [>= 0]
  double min_time_slice = 0;
  /// Stop trials that fall behind; otherwise pause them once.
  bool hard_stop = true;
  /// Like `scheduler_context::judges_as_before`: a trial without any number is not judged.
  bool spares_numberless = false;
};

/// Judges each result from the grace period on: compares the trial's best score so far with the
/// median of the averages that the other trials, running and ended, had at the same time. If it is
/// strictly worse, the trial is stopped, or paused once and never judged again (soft).
///
/// A mean takes the scores from the grace period on up to the judged time, and counts if the other
/// trial's latest result is not before that time. Means that are not finite are left out. If too
/// few remain, a trial that has run for more than `min_time_slice` since it last paused for others
/// is paused if another trial waits for a place; such pauses are refused if trials cannot save.
///
/// Trials run in the order of `fifo_queue`: paused ones when no other waits, so that nothing
/// stalls. The first objective's score counts. A NaN score cannot be the best, and spoils the
/// trial's mean from then on; a trial whose scores are all NaN has no best, which is worse than any
/// median. A result without scores or time leaves no trace. A final result that was never judged is
/// added to the trial's results; one that was judged is not added again.
///
/// A stop and a pause say `rule`, `time`, `value` (the trial's best), `median`, `compared` (the
/// number of means) and `why`; a pause for others `rule`, `time`, `compared`, `required` and `why`.
/// Numbers are the metric's own: the sign of scores is restored if the metric is minimised.
///
/// A result costs as much as in `averages`: O(log n) of n trials if times are iterations.
///
/// @source Golovin et al., "Google Vizier: A Service for Black-Box Optimization", KDD 2017, section
///         3.2.2, in Ray Tune's form; docs/ray-tune.md lists the differences.
class median_scheduler final : public scheduler {
public:
  /// @param maximise Whether the metric is maximised: affects only texts and facts for people.
  explicit median_scheduler(settings what, bool maximise = true);

  [[nodiscard]] scheduler_traits traits() const override;
  void apply(const scheduler_fact& what) override;
  [[nodiscard]] decision judge(sequence cause, trial_id trial) const override;
  [[nodiscard]] choice choose(sequence at, std::uint32_t count) const override;
  [[nodiscard]] decision on_stall(sequence at) const override;
  [[nodiscard]] std::string outline() const override;
  void describe(fingerprint& into) const override;

private:
  enum class kind : std::uint8_t { stops, rests, yields };
  /// A result with a verdict other than "go on".
  struct verdict {
    sequence cause = 0;
    kind what = kind::stops;
    object facts;
  };
  struct live_trial {
    bool running = false;
    /// True if the trial fell behind: stopped, or paused once.
    bool judged = false;
    /// Number of its results.
    std::uint64_t results = 0;
    /// Time at which it last paused for others.
    double last_pause = -std::numeric_limits<double>::infinity();
    /// In order of their causes; the last one may be a stop, which also applies to later results.
    std::vector<verdict> verdicts;

    [[nodiscard]] const verdict* about(sequence cause) const;
  };

  settings settings_;
  bool maximise_;
  averages averages_;
  std::map<trial_id, live_trial> live_;
  /// Number of live trials that run.
  std::size_t running_ = 0;
  fifo_queue queue_;

  void set_running(trial_id trial, bool runs);
  void see(sequence cause, const fact::result& what);
  void see_end(const fact::ended& what);
  void settle(const decision& what);
  verdict behind(sequence cause, double time, std::optional<double> best, const others& with) const;
  verdict yielding(sequence cause, double time, const others& with) const;
};

[[nodiscard]] scheduler_catalogue::entry make_entry();

} // namespace tune::median

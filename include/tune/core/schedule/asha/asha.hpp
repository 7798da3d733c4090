/// Asynchronous successive halving, stopping form.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/schedule/asha/ladder.hpp"
#include "tune/core/schedule/asha/settings.hpp"
#include "tune/core/schedule/fifo_queue.hpp"
#include "tune/core/schedule/scheduler.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tune::asha {

/// Judges each trial when it reaches a rung, by the results recorded there before: the trial is
/// stopped if its score is below their upper 1/reduction_factor quantile. Never pauses or promotes.
///
/// Bracket s has its rungs at grace_period · reduction_factor^(k + s), k = 0, 1, …, up to and
/// including `max_t`. A trial draws its bracket once, by its number, with a probability that falls
/// by a factor of e for each rung fewer; a bracket without rungs lets its trials run to `max_t`. A
/// NaN score is left out of the quantile and never stops a trial; a result without scores or time
/// leaves no trace. A trial's final result that was never judged (the trial ended by itself, or by
/// a stop condition) is recorded too. At `max_t` a trial is stopped unjudged, but its score is
/// recorded at the highest rung that it had not passed.
///
/// With several objectives a trial goes on if it is among the best ⌈n / reduction_factor⌉ of the n
/// recorded there, itself included: by non-dominated front, and within the front that is divided by
/// `fronts::best`, so that the trials that go on are spread evenly. A trial with a NaN is not
/// ranked, and goes on.
///
/// Differences from Ray Tune, whose rules these are otherwise (docs/ray-tune.md):
/// - A rung exactly at `max_t` is never lost to rounding.
/// - A trial that jumps over rungs has passed them: it is judged only at the highest one. In Ray
///   Tune later results fall through to the lower rungs.
/// - A trial that comes back keeps its bracket.
///
/// Values and cutoffs in reasons are the metric's own: the sign of scores is restored if the metric
/// is minimised. A stop says `rule`, `bracket`, `rung`, `cutoff`, `value`, `recorded` (the number
/// of scores behind the cutoff) and `why`; with several objectives `front`, `rank` and `most` (the
/// number that go on) instead of `cutoff`, and `value` is the first objective; or, at `max_t`,
/// `rule`, `max_t`, `time` and `why`. A trial that passes a rung is annotated with the same facts
/// as a stop there; without `cutoff` if it was the first.
///
/// Judging costs O(log n) of n trials; at a rung with several objectives the cost of `fronts`.
///
/// @source Li et al., "A System for Massively Parallel Hyperparameter Tuning", MLSys 2020;
///         Schmucker et al., "Multi-objective Asynchronous Successive Halving", 2021.
class asha_scheduler final : public scheduler {
public:
  /// @param what     Must be valid.
  /// @param maximise Whether the metric is maximised: affects only texts and facts for people.
  asha_scheduler(settings what, std::uint64_t seed, bool maximise = true);

  [[nodiscard]] scheduler_traits traits() const override;
  void apply(const scheduler_fact& what) override;
  [[nodiscard]] decision judge(sequence cause, trial_id trial) const override;
  [[nodiscard]] choice choose(sequence at, std::uint32_t count) const override;
  [[nodiscard]] decision on_stall(sequence at) const override;
  [[nodiscard]] std::string outline() const override;
  void describe(fingerprint& into) const override;

private:
  /// A result with a verdict other than "go on".
  struct verdict {
    sequence cause = 0;
    bool stops = false;
    /// The rung that was reached; empty: `max_t` was reached.
    std::optional<rung_visit> at;
    double time = 0;
  };
  struct live_trial {
    std::uint32_t bracket = 0;
    /// In order of their causes; the last one may be a stop, which also applies to later results.
    std::vector<verdict> verdicts;

    [[nodiscard]] bool is_stopped() const { return !verdicts.empty() && verdicts.back().stops; }
    /// The verdict about the result `cause`; null: plain "go on".
    [[nodiscard]] const verdict* about(sequence cause) const;
  };

  settings settings_;
  bool maximise_;
  bracket_plan plan_;
  std::vector<ladder> brackets_;
  std::map<trial_id, live_trial> live_;
  /// Number of rungs that each trial has passed, by its number; kept after its end, since it may be
  /// revived.
  std::vector<std::uint32_t> passed_;
  fifo_queue queue_;

  live_trial& known(trial_id trial);
  std::uint32_t& passed(trial_id trial);
  std::optional<rung_visit> visit(trial_id trial, double time, const std::vector<double>& scores);
  void see(sequence cause, const fact::result& what);
  void see_end(const fact::ended& what);
  void settle(const decision& what);
  object facts_of(const live_trial& trial, const verdict& what) const;
  std::string why_stopped(const verdict& what) const;
};

[[nodiscard]] scheduler_catalogue::entry make_entry();

} // namespace tune::asha

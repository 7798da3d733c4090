/// Population based training: bad trials take over the state of good ones, and explore from there.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/schedule/pbt/explorer.hpp"
#include "tune/core/schedule/pbt/perturbation.hpp"
#include "tune/core/schedule/pbt/population.hpp"
#include "tune/core/schedule/scheduler.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tune::pbt {

struct settings {
  /// Who decides, for reasons.
  std::string rule = "pbt";
  /// Metric that time is measured in; it must rise.
  std::string time_attr = "time_total_s";
  /// A trial is looked at when so much time has passed since it was the last time. [> 0]
  double perturbation_interval = 60;
  /// Results before this time do not count. [>= 0]
  double burn_in_period = 0;
  /// Part of the trials that are replaced, and as many that replace them. [0, 0.5]
  double quantile_fraction = 0.25;
  /// Whether a trial is stopped whose report lacks the metric or the time; otherwise it goes on.
  bool require_attrs = true;
  /// All wait for each other at each interval.
  bool synch = false;
  /// As `scheduler_context::draws_by_event`.
  bool draws_by_event = false;
  /// As `scheduler_context::judges_as_before`: of a donor only checkpoints count that were saved
  /// since it was found in the upper quantile.
  bool judges_as_before = false;
};

/// Where the draws of an exploit come from, by its occasion and the trial to change.
using dice_source = std::function<std::unique_ptr<dice>(const occasion& when, trial_id target)>;

/// An exploit to which only the new configuration lacks. A value.
struct exploit_plan {
  occasion when;
  standing target;
  standing donor;
  /// Null: the donor has none that would do.
  checkpoint_id from;
  std::uint64_t from_iteration = 0;
  /// Where the next draws come from.
  std::shared_ptr<dice> draws;
  /// What is known of it so far; with the reason where there is nothing to go on from.
  object facts;
};

/// Looks at a trial when `perturbation_interval` has passed since it last did. One in the upper
/// quantile of the scores saves a checkpoint and becomes a donor. One in the lower quantile takes
/// over the checkpoint of a donor, drawn evenly, and goes on with a configuration that the explorer
/// made of the donor's. While that of its donor is still being saved, it is put off from report to
/// report; half an interval later it takes the newest there is, however old. Without any it goes on
/// as it is.
///
/// Where more trials are wanted than fit, a trial that was looked at pauses; those that trained
/// least run next. The first of several objectives counts.
///
/// With `synch` all trials pause at the next common time, and are looked at once nothing runs any
/// more: the upper quantile first, then the middle, then the lower. Who ends, or fails, is waited
/// for no longer; who comes back, or later, is. What a round decides depends on the scores, not on
/// the order in which they came: runs of one seed are alike where time is counted, not measured.
///
/// Different from Ray Tune, whose rules these are otherwise: see docs/ray-tune.md.
///
/// Scores in reasons are the metric's own: turned back where it is minimised. An exploit says
/// `rule`, `quantile`, `rank` (1 is the best) `of` how many, `score`, `donor` with `donor_rank`,
/// `donor_score` and `donor_iteration`, `changes` (`parameter`, `from` the donor's value, `to`,
/// `how`), the donor's whole configuration as `donor_config`, the new one as `config`, and `why`.
/// Other trials that are looked at say where they stand, and what came in between.
///
/// Judging costs O(log n) of n trials, and a round of `synch` O(n log n).
///
/// @source Jaderberg et al., "Population Based Training of Neural Networks", arXiv:1711.09846.
class pbt_scheduler final : public scheduler {
public:
  /// @param how      Finds new configurations; not null.
  /// @param maximise Whether the metric is: for what people read alone.
  /// @param draws    Instead of draws by the seed.
  pbt_scheduler(settings what, std::unique_ptr<explorer> how, std::uint64_t seed,
                bool maximise = true, dice_source draws = {});

  [[nodiscard]] scheduler_traits traits() const override;
  void apply(const scheduler_fact& what) override;
  [[nodiscard]] decision judge(sequence cause, trial_id trial) const override;
  [[nodiscard]] deferred_decision judge_later(sequence cause, trial_id trial) const override;
  [[nodiscard]] choice choose(sequence at, std::uint32_t count) const override;
  [[nodiscard]] decision on_stall(sequence at) const override;
  [[nodiscard]] std::string outline() const override;
  void describe(fingerprint& into) const override;

private:
  settings settings_;
  std::unique_ptr<explorer> explorer_;
  dice_source draws_;
  bool maximise_;
  population population_;
  /// Synchronous: when all are looked at next, when the last of them reported, and whether any was
  /// started since the last round.
  double next_sync_;
  double last_arrival_ = 0;
  bool started_since_round_ = true;
  /// Rounds that were decided.
  std::uint64_t rounds_ = 0;

  void see(sequence cause, const fact::result& what);
  void settle(const fact::decided& what);
  void note(sequence cause, const action& what, bool refused);
  void take_over(trial_id trial, const exploit& what, const object& facts);
  void end_round();

  [[nodiscard]] decision look_at(sequence cause, trial_id trial) const;
  [[nodiscard]] decision round(sequence at) const;
  [[nodiscard]] decision end_all(sequence at) const;
  [[nodiscard]] action exploit_or_skip(const occasion& when, trial_id trial,
                                       std::vector<config_ptr>& siblings) const;
  [[nodiscard]] exploit_plan plan(const occasion& when, trial_id trial) const;
  [[nodiscard]] occasion occasion_of(sequence cause, trial_id trial) const;
  [[nodiscard]] bool may_wait(trial_id trial) const;
  void ask_to_save(trial_id trial, bool then_pause, const object& facts, decision& into) const;
  [[nodiscard]] object facts_of(trial_id trial) const;
  [[nodiscard]] standing standing_of(trial_id trial) const;
  [[nodiscard]] double as_reported(double score) const;
};

/// PBT as a choice of the INI file.
[[nodiscard]] scheduler_catalogue::entry make_entry();

/// The same with an exploration of the user's own, which sees what the perturbation made.
/// @param name How it is chosen; another than "pbt" lets both be.
[[nodiscard]] scheduler_catalogue::entry make_entry(std::string name, custom_explore custom);

} // namespace tune::pbt

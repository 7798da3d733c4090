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
  /// Name of the rule, for reasons.
  std::string rule = "pbt";
  /// Metric in which time is measured; it must rise.
  std::string time_attr = "time_total_s";
  /// A trial is examined when this much time has passed since its last examination. [> 0]
  double perturbation_interval = 60;
  /// Results before this time do not count. [>= 0]
  double burn_in_period = 0;
  /// Fraction of the trials that are replaced, and of those that replace them. [0, 0.5]
  double quantile_fraction = 0.25;
  /// Whether to stop a trial whose report lacks the metric or the time; otherwise it goes on.
  bool require_attrs = true;
  /// All trials wait for each other at each interval.
  bool synch = false;
  /// See `scheduler_context::draws_by_event`.
  bool draws_by_event = false;
  /// See `scheduler_context::judges_as_before`: only those checkpoints of a donor count that were
  /// saved since it was found in the upper quantile.
  bool judges_as_before = false;
};

/// Makes the draws of an exploit, by its occasion and the trial to change.
using dice_source = std::function<std::unique_ptr<dice>(const occasion& when, trial_id target)>;

/// An exploit without its new configuration. A value.
struct exploit_plan {
  occasion when;
  standing target;
  standing donor;
  /// Null: the donor has no suitable checkpoint.
  checkpoint_id from;
  std::uint64_t from_iteration = 0;
  /// Source of the next draws.
  std::shared_ptr<dice> draws;
  /// Facts known so far; with the reason if there is no checkpoint to go on from.
  object facts;
};

/// Examines a trial when `perturbation_interval` has passed since its last examination. A trial in
/// the upper quantile of the scores saves a checkpoint and becomes a donor. One in the lower
/// quantile takes over the checkpoint of a donor, drawn evenly, and goes on with a configuration
/// that the explorer derived from the donor's. While the donor's checkpoint is still being saved,
/// the exploit is put off from report to report; after half an interval the trial takes the donor's
/// newest checkpoint, however old. Without any it goes on as it is.
///
/// If more trials are wanted than fit, a trial pauses after its examination; those that trained
/// least run next. The first of several objectives counts.
///
/// With `synch` all trials pause at the next common time, and are examined once nothing runs any
/// more: the upper quantile first, then the middle, then the lower. Trials that end or fail are no
/// longer waited for; trials that come back or arrive later are. The decisions of a round depend on
/// the scores, not on the order in which they came: runs with one seed are alike if time is
/// counted, not measured.
///
/// Differences from Ray Tune, whose rules these are otherwise: see docs/ray-tune.md.
///
/// Scores in reasons are the metric's own: their sign is restored if the metric is minimised. An
/// exploit says `rule`, `quantile`, `rank` (1 is the best), `of` (the number ranked), `score`,
/// `donor` with `donor_rank`, `donor_score` and `donor_iteration`, `changes` (`parameter`, `from`
/// the donor's value, `to`, `how`), the donor's whole configuration as `donor_config`, the new one
/// as `config`, and `why`. Other examined trials give their standing, and the reason if they pause
/// or wait.
///
/// Judging costs O(log n) of n trials, and a round of `synch` O(n log n).
///
/// @source Jaderberg et al., "Population Based Training of Neural Networks", arXiv:1711.09846.
class pbt_scheduler final : public scheduler {
public:
  /// @param how      Finds new configurations; not null.
  /// @param maximise Whether the metric is maximised: affects only texts and facts for people.
  /// @param draws    Replaces the draws by the seed.
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
  /// Synchronous only: time of the next round, time of the last report that reached it, and whether
  /// any trial was started since the last round.
  double next_sync_;
  double last_arrival_ = 0;
  bool started_since_round_ = true;
  /// Number of decided rounds.
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

/// The catalogue entry of PBT.
[[nodiscard]] scheduler_catalogue::entry make_entry();

/// PBT with an additional exploration by the user's function, which sees the result of the
/// perturbation.
/// @param name Its name in the catalogue; a name other than "pbt" keeps both.
[[nodiscard]] scheduler_catalogue::entry make_entry(std::string name, custom_explore custom);

} // namespace tune::pbt

/// HyperBand, and its form for BOHB.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/schedule/hyperband/bands.hpp"
#include "tune/core/schedule/scheduler.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace tune::hyperband {

/// Checks the settings beyond the ranges of single options. @errors `ec::bad_option`.
[[nodiscard]] expected<void> validate(const settings& what);

/// The differences between the two rules.
struct form {
  /// Name in the catalogue.
  std::string name;
  band_order order;
  /// Whether a bracket that takes more trials waits for them before it decides.
  bool waits_until_full = false;
  /// Whether the milestone of each result is noted as its budget.
  bool tells_budget = false;
};

/// Small brackets first; a bracket decides as soon as all its trials wait.
[[nodiscard]] form plain();
/// Large brackets first; a bracket decides once it is full, too, and results have a budget.
[[nodiscard]] form for_bohb();

/// Trains the trials of a bracket to a milestone, where each pauses until the last has arrived;
/// then the best ⌈n/η⌉ go on to the next milestone and the others are stopped. Brackets differ in
/// the number of trials they begin with and in how early they decide.
///
/// A trial enters the newest bracket that is not full. It leaves when it ends or fails; one that is
/// retried after a failure enters again like a new one. A trial that comes back without failure
/// (its node was lost, the run was interrupted) keeps its place; if it waited, it is started when
/// no other trial can be, and pauses at its next report unless it may go on by then. Whenever a
/// trial leaves, its bracket is checked again. The first objective's score in the first report at
/// or beyond the milestone counts; NaN is the worst, and among equal scores those of trials that
/// joined the bracket later are better. A result without score or finite time leaves no trace.
///
/// Verdicts about trials that are not reporting at the moment are told with the judgement of the
/// report that caused them, otherwise with the next one, or when nothing runs. Paused trials are
/// woken by `allow`; one that was let go on before its pause was complete is just chosen.
///
/// Differences from Ray Tune, whose rules these are otherwise: see docs/ray-tune.md.
///
/// Reasons hold `rule`, `band`, `bracket` (its number of halvings), `rung` (the milestone),
/// `value`, and for verdicts at a milestone `rank`, `compared`, `kept`, `cutoff` (the worst value
/// kept; not at the last milestone) and `why`; values are the metric's own.
///
/// Judging costs O(log n) of n trials, plus O(m log m) once for m trials that waited for each
/// other.
///
/// @source Li et al., "Hyperband", JMLR 18 (2018); Falkner et al., "BOHB", ICML 2018.
class hyperband_scheduler final : public scheduler {
public:
  /// @param what     Must be valid.
  /// @param maximise Whether the metric is maximised: affects only texts and facts for people.
  hyperband_scheduler(form how, settings what, bool maximise = true);

  [[nodiscard]] scheduler_traits traits() const override;
  void apply(const scheduler_fact& what) override;
  [[nodiscard]] decision judge(sequence cause, trial_id trial) const override;
  [[nodiscard]] choice choose(sequence at, std::uint32_t count) const override;
  [[nodiscard]] decision on_stall(sequence at) const override;
  [[nodiscard]] std::string outline() const override;
  void describe(fingerprint& into) const override;

private:
  enum class place : std::uint8_t { away, pending, paused, refused };
  struct known_trial {
    /// Empty: the trial was stopped, and its end is awaited.
    std::optional<seat> at;
    place where = place::away;
    /// Its last result, until the verdict on it is recorded.
    sequence asked = 0;
    /// Outcome of the last milestone: to be told if `due`, or the reason why it was stopped.
    object verdict;
    bool due = false;
    /// True if it was stopped because it came to the end of its bracket.
    bool completes = false;
    /// The result with whose judgement the verdict is told; 0: with any.
    sequence told_with = 0;
    /// The milestone that the last result was heading for, and the budget noted for it.
    double budget = 0;
    double noted_budget = 0;
  };
  using entry = std::map<trial_id, known_trial>::value_type;

  form form_;
  settings settings_;
  bool maximise_;
  bands bands_;
  std::map<trial_id, known_trial> trials_;
  /// Queued trials that have reached their milestone: they came back.
  std::set<trial_id> early_;
  /// Trials whose verdict is due, by the result it is told with.
  std::map<sequence, std::set<trial_id>> due_;

  void add(trial_id trial);
  void see(sequence cause, const fact::result& what);
  void move(trial_id trial, place to);
  void wake(trial_id trial);
  void leave_queue(const fact::chosen& what);
  void fail(trial_id trial);
  void forget(trial_id trial);
  void settle(const decision& what);
  bool forestalls(const action& forced, const known_trial& x) const;

  void leave_bracket(entry& trial);
  void look_at(std::uint64_t bracket, sequence cause, bool even_if_not_full);
  void halve(std::uint64_t bracket, sequence cause, bool forced);
  void give_verdict(trial_id trial, object verdict, sequence cause, bool completes);
  void mark_told(entry& trial);
  /// Verdicts that were to be told with the trial's last result are told with the next one.
  void release_verdicts(known_trial& trial);
  void refresh(const entry& trial);

  bool must_wait(const known_trial& x) const;
  bool is_startable(const known_trial& x) const;
  void answer_for(const entry& trial, std::vector<action>& into) const;
  void tell_verdict(trial_id trial, std::vector<action>& into) const;
  void tell_verdicts(sequence told_with, trial_id but, std::vector<action>& into) const;
  decision force(sequence at) const;
  object facts_of(std::uint64_t bracket, double milestone, double score) const;
  object verdict_of(std::uint64_t bracket, const round_result& round,
                    const round_result::place& whose, bool kept, bool forced) const;
  object waits_for(const known_trial& x) const;
  value as_reported(double score) const;
  std::string measure() const;
};

/// "hyperband" and "hb_bohb".
[[nodiscard]] scheduler_catalogue::entry make_entry();
[[nodiscard]] scheduler_catalogue::entry make_bohb_entry();

} // namespace tune::hyperband

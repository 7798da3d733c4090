/// Asynchronous successive halving, promotion form.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/schedule/asha/board.hpp"
#include "tune/core/schedule/asha/settings.hpp"
#include "tune/core/schedule/scheduler.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace tune::asha {

/// Pauses each trial at every rung; whenever there is room, the best waiting trials go on.
///
/// Chooses trials to run in this order: trials that were promoted before and came back (a node was
/// lost, a failure is retried), nearest to the end first; then, from the highest rung down, the
/// best ⌊n / reduction_factor⌋ of the n trials that finished the rung, as far as they wait there
/// and were not promoted yet; then trials that have not reached a rung, in the order of arrival.
///
/// Rungs, brackets and `max_t` are those of the stopping form (`rule`), except that there are no
/// rungs at `max_t`, where nothing is left to be promoted to: there trials are stopped, or run on
/// to their own ends. A trial that jumps over rungs has passed them, and waits at the highest.
/// Scores stay where they were recorded, whatever becomes of the trial; each counts once per rung.
/// A trial with a NaN is counted, and never promoted. Among equal scores that of the earlier trial
/// is better. A final result that was never judged is recorded too. With several objectives the
/// best trials are those of the best non-dominated fronts; see `make_front_board`.
///
/// A trial whose pause fails is told to pause again at each result, unless it is among those to
/// promote by then: in that case it goes on. One that reaches the next rung all the same waits
/// there. A waiting trial that loses its node keeps waiting, and begins from its newest checkpoint
/// when promoted.
///
/// When nothing runs and nothing can come, the trials that wait at the lowest rung are stopped,
/// "not promoted": the searcher may have been waiting for that. At the next stall those of the next
/// rung are stopped, and so on.
///
/// A pause says `rule`, `bracket`, `rung`, `value`, `rank`, `recorded` (the number of trials that
/// finished the rung), `promotable`, `cutoff` (the last promotable score) and `why`; the first
/// result after a promotion is annotated with the same facts as they were at the promotion. Values
/// are the metric's own.
///
/// Judging and choosing cost O(log n) of n trials, or as much as `board` says; a stall O(n).
///
/// @source Li et al., "A System for Massively Parallel Hyperparameter Tuning", MLSys 2020,
///         Algorithm 2; Schmucker et al., "Multi-objective Asynchronous Successive Halving", 2021.
class promotion final : public scheduler {
public:
  /// @param what     Must be valid.
  /// @param maximise Whether the (first) metric is maximised: affects only texts and facts for
  ///                 people.
  promotion(settings what, std::uint64_t seed, bool maximise = true);

  [[nodiscard]] scheduler_traits traits() const override;
  void apply(const scheduler_fact& what) override;
  [[nodiscard]] decision judge(sequence cause, trial_id trial) const override;
  [[nodiscard]] choice choose(sequence at, std::uint32_t count) const override;
  [[nodiscard]] decision on_stall(sequence at) const override;
  [[nodiscard]] std::string outline() const override;
  void describe(fingerprint& into) const override;

private:
  /// Away: the trial runs, is about to, or has ended. Refused: paused, and the client that holds it
  /// wakes it.
  enum class place : std::uint8_t { away, pending, paused, refused };
  struct climber {
    /// Position among the trials that need no promotion.
    std::uint64_t position = 0;
    std::uint32_t bracket = 0;
    /// Number of rungs passed, counted from the lowest; the trial waits at the last of them.
    std::uint32_t passed = 0;
    /// Slot on the board of that rung.
    std::uint32_t slot = 0;
    place where = place::away;
    /// True if promoted from the last rung passed.
    bool promoted = false;
    bool known = false;

    /// True if the trial need not wait for a promotion.
    [[nodiscard]] bool may_run() const { return passed == 0 || promoted; }
    [[nodiscard]] bool is_available() const {
      return where == place::pending || where == place::paused;
    }
  };
  /// A result with a verdict other than "go on".
  struct verdict {
    sequence cause = 0;
    action_body what;
    object reason;
  };
  /// Remarks about a trial that are still to be made, in order.
  struct remarks {
    /// The last one may be a stop, which also applies to later results.
    std::vector<verdict> verdicts;
    /// Facts of the promotion, to be told with the trial's next result.
    object promotion;
  };
  struct rung {
    double milestone;
    std::unique_ptr<board> finished;
  };
  /// Sort key: fewest rungs ahead first, pending before paused, then in order of arrival. Trials
  /// that have passed no rung come last.
  using turn = std::tuple<std::uint32_t, bool, std::uint64_t>;

  settings settings_;
  bool maximise_;
  bracket_plan plan_;
  /// By bracket, ascending; without rungs at `max_t`.
  std::vector<std::vector<rung>> brackets_;
  /// All rungs as (bracket, number), highest milestone first.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> from_the_top_;
  /// By the trial's number; kept after its end, since it may be revived.
  std::vector<climber> climbers_;
  std::map<trial_id, remarks> remarks_;
  /// Available trials that need no promotion.
  std::map<turn, trial_id> queue_;
  std::uint64_t next_position_ = 1;

  climber& known(trial_id trial);
  [[nodiscard]] const rung& rung_of(const climber& x) const;
  [[nodiscard]] turn turn_of(const climber& x) const;
  template <class Change>
  void change(trial_id trial, Change how);
  void move(trial_id trial, place to);
  void promote(trial_id trial);

  void add(const fact::added& what);
  void see(sequence cause, const fact::result& what);
  bool record(trial_id trial, double time, const std::vector<double>& scores);
  void see_end(const fact::ended& what);
  void settle(const decision& what);
  void leave(const fact::chosen& what);
  [[nodiscard]] bool is_stopped(trial_id trial) const;
  void say(sequence cause, trial_id trial, action_body what, object reason);
  [[nodiscard]] object facts_of(const climber& x) const;
  [[nodiscard]] object reason_to_wait(const climber& x) const;
};

} // namespace tune::asha

/// One bracket of HyperBand: its trials, their progress, and which of them may go on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/fingerprint.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tune::hyperband {

struct settings {
  /// Metric that milestones are measured in; it must rise.
  std::string time_attr = "training_iteration";
  /// Time at which trials end. [>= 1]
  double max_t = 81;
  /// One trial in this many goes on at a milestone. [> 1]
  double reduction_factor = 3;
  /// Whether trials are stopped at their bracket's last milestone; otherwise they run on to their
  /// own end.
  bool stop_last_trials = true;
  /// As `scheduler_context::repeats_forced`: a verdict that was told since nothing else could run
  /// is told once more.
  bool repeats_forced = false;
};

/// Initial state of a bracket.
struct bracket_plan {
  /// Number of halvings: the bracket's number s.
  std::uint32_t halvings = 0;
  /// Trials that it takes: ⌈S/(s + 1) · η^s⌉.
  std::uint64_t trials = 0;
  /// Its first milestone: ⌊max_t · η^-s⌋.
  double milestone = 0;
  /// Time that all its trials take together, from the beginning to the last milestone.
  double work = 0;
};

/// The number of brackets in a band: S = log_η(max_t), rounded (halves to even), + 1. Computed by
/// products, since the last bit of a logarithm differs between machines.
///
/// @param most Largest value returned.
[[nodiscard]] std::uint32_t places_of(const settings& what, std::uint32_t most);

/// The brackets of a band by ascending number of halvings, without those whose first milestone
/// would be 0.
[[nodiscard]] std::vector<bracket_plan> plans_of(const settings& what);

/// Outcome of a milestone.
struct round_result {
  struct place {
    trial_id trial;
    std::uint64_t position = 0;
    double time = 0;
    double score = 0;
    /// 1 is the best.
    std::uint64_t rank = 0;
  };
  double milestone = 0;
  /// The next milestone; equal to `milestone` if there is none.
  double next = 0;
  /// True if it was the last one: all trials are stopped.
  bool last = false;
  /// Both ascending by score; equal ones in the order in which they joined the bracket.
  std::vector<place> stopped;
  std::vector<place> kept;
};

/// A bracket: trials that train to a milestone, where they wait for each other.
class bracket {
public:
  bracket(const bracket_plan& plan, const settings& what);

  /// Takes a trial in at time 0. @returns its position: larger than all earlier ones.
  std::uint64_t join(trial_id trial);
  /// Removes a trial. @param position Must be taken, as in all functions below.
  void leave(std::uint64_t position);
  /// Records a report. The first one at or beyond the milestone is the one that counts there.
  /// @param time Finite.
  void report(std::uint64_t position, double time, double score);

  /// Whether the trial has not reached the milestone, or need not stop there.
  [[nodiscard]] bool may_run(std::uint64_t position) const;
  /// Whether there are trials, and all have reached the milestone and must wait there.
  [[nodiscard]] bool all_wait() const;
  /// Whether the bracket holds as many trials as it takes at this milestone.
  [[nodiscard]] bool is_full() const { return seats_.size() == trials_; }
  [[nodiscard]] bool is_empty() const { return seats_.empty(); }
  [[nodiscard]] std::size_t size() const { return seats_.size(); }
  /// Number of trials that have not reached the milestone.
  [[nodiscard]] std::uint64_t below() const { return below_; }
  [[nodiscard]] double milestone() const { return milestone_; }
  /// The score by which the trial is compared at the milestone; before that, its last score.
  [[nodiscard]] double score(std::uint64_t position) const { return seats_.at(position).result; }

  /// Trained time as a fraction of all the training to be done. [<= 1]
  [[nodiscard]] double trained_share() const;

  /// Decides about all trials: the best ⌈n/η⌉ stay, towards the next milestone; none if this was
  /// the last. Among equal ones later ones are better; NaN is the worst.
  ///
  /// `all_wait` must hold. O(n log n) of its trials.
  round_result halve();

  /// Visits the trials by position.
  template <class Visitor>
  void for_each(Visitor&& visit) const {
    for (const auto& [position, x] : seats_)
      visit(x.trial, position);
  }

  /// Adds all state to `into`.
  void describe(fingerprint& into) const;

private:
  struct seat {
    trial_id trial;
    /// Values of its last report.
    double time = 0;
    double score = 0;
    /// Values of its first report at or beyond the milestone: it is compared by these.
    double arrived = 0;
    double result = 0;
  };

  double eta_;
  double max_t_;
  bool stops_last_;
  double work_;
  std::uint32_t halvings_;
  std::uint64_t trials_;
  double milestone_;
  double progress_ = 0;
  std::uint64_t below_ = 0;
  std::uint64_t next_position_ = 0;
  std::map<std::uint64_t, seat> seats_;

  bool runs_on() const { return halvings_ == 0 && !stops_last_; }
  std::vector<round_result::place> ranked() const;
  void keep(const std::vector<round_result::place>& kept);
};

} // namespace tune::hyperband

/// The record that population based training keeps of its trials.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/fingerprint.hpp"
#include "tune/core/schedule/pbt/ranking.hpp"
#include "tune/core/schedule/scheduler.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

namespace tune::pbt {

/// State of a trial as the population sees it.
enum class whereabouts : std::uint8_t {
  pending,
  paused,
  /// Paused, but could not be started when it was chosen.
  refused,
  /// Chosen, and not started yet.
  chosen,
  running,
  /// Failed, and not back yet.
  away,
};

/// A trial that has not ended.
struct member {
  whereabouts now = whereabouts::away;
  /// Order among trials that wait at the same time of training; a trial that failed goes to the
  /// end.
  std::uint64_t position = 0;
  config_ptr config;
  /// Score of the last result that counted; NaN if that had none.
  std::optional<double> score;
  std::uint64_t iteration = 0;
  /// Lineage of that result.
  lineage_id lineage = 1;
  double last_train_time = 0;
  double last_perturbation_time = 0;
  /// The result that counted and has not been judged yet; 0: none.
  sequence due = 0;
  /// True if that result lacked the metric or the time.
  bool lacks_attributes = false;
  /// The newest checkpoint, including one that was taken over.
  checkpoint_id newest;
  std::uint64_t newest_iteration = 0;
  /// Iteration since which it is found in the upper quantile, and was asked to save: a newer
  /// checkpoint than `newest` may be on its way.
  std::optional<std::uint64_t> offers_since;
  /// A save of it was refused while it ran: it brings checkpoints at its own times, and any of them
  /// will do.
  bool hands_over = false;
  /// True if the decision about its last result had no effect, or was put off: its next result is
  /// examined at once.
  bool look_again = false;
  /// Time of training since which it is put off: its donor is still saving.
  std::optional<double> waits_since;
  /// True if it is to take over another's state, and still runs with its own.
  bool lets_go = false;
};

/// A part of the population by score.
enum class quantile : std::uint8_t { none, lower, middle, upper };

[[nodiscard]] std::string_view to_text(quantile x);

/// Standing of a member among those with a score.
struct place {
  quantile in = quantile::none;
  /// 1 is the best.
  std::uint64_t rank = 0;
  std::uint64_t of = 0;
};

/// All trials that have not ended: their states, the queue, and the ranking. Each fact costs O(log
/// n) of n trials.
class population {
public:
  using members = std::map<trial_id, member>;

  /// @param fraction Fraction of the trials in the lower, and in the upper quantile. [0, 0.5]
  explicit population(double fraction) : fraction_{fraction} {}

  /// Takes facts about the states of trials. Results and decisions are handled by the rule.
  void apply(const scheduler_fact& what);

  [[nodiscard]] const members& all() const { return members_; }
  /// Null if the trial has ended or never existed.
  [[nodiscard]] const member* find(trial_id trial) const;
  [[nodiscard]] member* find(trial_id trial);
  /// Like `find`, but adds an unknown trial.
  member& known(trial_id trial);

  void set_score(trial_id trial, double score);
  void set_last_train_time(trial_id trial, double time);
  /// The trial takes over the donor's checkpoint and times. It keeps its score until it reports.
  /// @param iteration Iteration of that checkpoint.
  void take_over(trial_id trial, const exploit& what, std::uint64_t iteration);
  /// The trial now waits behind all others with the same time of training.
  void put_last(trial_id trial);
  /// Trials that could not be started may be named again.
  void forgive_refused();

  /// The size of the lower and of the upper quantile: ⌈n·fraction⌉, or ⌊n/2⌋ if that is less; 0 if
  /// fewer than two trials have a score.
  [[nodiscard]] std::size_t quantile_size() const;
  [[nodiscard]] place place_of(trial_id trial) const;
  /// The i-th trial of the upper quantile, worst first. [i < quantile_size()]
  [[nodiscard]] trial_id upper(std::size_t i) const;
  /// Trials with a score, worst first.
  [[nodiscard]] const ranking& ranked() const { return ranked_; }
  /// The checkpoint that others could take over under heads before `on::judged_afresh`; none if the
  /// trial is not in the upper quantile, or has saved nothing since it was found there although it
  /// can be asked to.
  [[nodiscard]] checkpoint_id offered_by(trial_id trial) const;

  /// Whether any other trial is pending or paused.
  [[nodiscard]] bool others_wait(trial_id than) const;
  /// Up to `count` waiting trials, least time of training first, then in the order of adding: first
  /// those that trained for less than `before`, then pending ones that trained longer but were lost
  /// before the checkpoint of that training was safe.
  [[nodiscard]] std::vector<trial_id> waiting(std::uint32_t count, double before) const;

  /// Adds all state to `into`.
  void describe(fingerprint& into) const;

private:
  using turn = std::tuple<double, std::uint64_t, trial_id>;

  double fraction_;
  members members_;
  ranking ranked_;
  std::set<turn> queue_;
  /// Pending trials of `queue_` whose last result that counted has no checkpoint.
  std::set<turn> unsaved_;
  std::uint64_t waiting_ = 0;
  std::uint64_t next_position_ = 1;

  void move(trial_id trial, member& what, whereabouts to);
  void add(const fact::added& what);
  void fail(trial_id trial);
  void end(trial_id trial);
  void keep(const fact::saved& what);
  void leave(const fact::chosen& what);
  void unrank(trial_id trial, member& what);
};

} // namespace tune::pbt

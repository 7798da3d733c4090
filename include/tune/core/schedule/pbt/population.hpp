/// The mirror that population based training keeps of its trials.
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

/// Where a trial is.
enum class whereabouts : std::uint8_t {
  pending,
  paused,
  /// Paused, and it could not be started when it was chosen.
  refused,
  /// Chosen, and not started yet.
  chosen,
  running,
  /// It failed and has not come back yet.
  away,
};

/// A trial that has not ended.
struct member {
  whereabouts now = whereabouts::away;
  /// Among those that wait at the same time of training; one that failed goes to the end.
  std::uint64_t position = 0;
  config_ptr config;
  /// Of the last result that counted; NaN where that had none.
  std::optional<double> score;
  std::uint64_t iteration = 0;
  /// The lineage of that result.
  lineage_id lineage = 1;
  double last_train_time = 0;
  double last_perturbation_time = 0;
  /// The result that counted and has not been judged yet; 0: none.
  sequence due = 0;
  /// That one lacked the metric or the time.
  bool lacks_attributes = false;
  /// The newest checkpoint, that which it took over included.
  checkpoint_id newest;
  std::uint64_t newest_iteration = 0;
  /// It is found in the upper quantile since this iteration, and was asked to save: a newer
  /// checkpoint than it has may be on its way.
  std::optional<std::uint64_t> offers_since;
  /// A save of it was refused while it ran: its checkpoints come when they come, and any will do.
  bool hands_over = false;
  /// What was decided about its last result came to nothing, or was put off: the next one is looked
  /// at at once.
  bool look_again = false;
  /// It is put off since this time of training: its donor is still saving.
  std::optional<double> waits_since;
  /// It is to take over another's state, and runs on until it lets go.
  bool lets_go = false;
};

/// A part of the population by score.
enum class quantile : std::uint8_t { none, lower, middle, upper };

[[nodiscard]] std::string_view to_text(quantile x);

/// Where a member stands among those with a score.
struct place {
  quantile in = quantile::none;
  /// 1 is the best.
  std::uint64_t rank = 0;
  std::uint64_t of = 0;
};

/// All trials that have not ended: where they are, who waits, who is good. Each fact costs
/// O(log n) of n trials.
class population {
public:
  using members = std::map<trial_id, member>;

  /// @param fraction Part of the trials in the lower, and in the upper quantile. [0, 0.5]
  explicit population(double fraction) : fraction_{fraction} {}

  /// Facts about where trials are. Results and decisions are the rule's.
  void apply(const scheduler_fact& what);

  [[nodiscard]] const members& all() const { return members_; }
  /// Null where it has ended or never was.
  [[nodiscard]] const member* find(trial_id trial) const;
  [[nodiscard]] member* find(trial_id trial);
  /// The same; one that was never added is, now.
  member& known(trial_id trial);

  void set_score(trial_id trial, double score);
  void set_last_train_time(trial_id trial, double time);
  /// It becomes what its donor is: its checkpoint is the donor's, its times are. It keeps its score
  /// until it reports.
  /// @param iteration Of that checkpoint.
  void take_over(trial_id trial, const exploit& what, std::uint64_t iteration);
  /// It waits behind all others of its time of training.
  void put_last(trial_id trial);
  /// Those that could not be started may be named again.
  void forgive_refused();

  /// How many stand in the lower, and as many in the upper quantile: ⌈n·fraction⌉, or ⌊n/2⌋ where
  /// that is less; 0 where fewer than two have a score.
  [[nodiscard]] std::size_t quantile_size() const;
  [[nodiscard]] place place_of(trial_id trial) const;
  /// The i-th of the upper quantile, worst first. [i < quantile_size()]
  [[nodiscard]] trial_id upper(std::size_t i) const;
  /// Those with a score, worst first.
  [[nodiscard]] const ranking& ranked() const { return ranked_; }
  /// The checkpoint that others could take over under heads before `on::judged_afresh`; none where
  /// it is not in the upper quantile, or was not saved since it was found there, although it can be
  /// asked to.
  [[nodiscard]] checkpoint_id offered_by(trial_id trial) const;

  /// Whether any other trial is pending or paused.
  [[nodiscard]] bool others_wait(trial_id than) const;
  /// Up to `count` trials that wait, least time of training first, then as they were added: those
  /// that trained for less than `before`, then pending ones that trained longer, but were lost
  /// before the checkpoint of that was there.
  [[nodiscard]] std::vector<trial_id> waiting(std::uint32_t count, double before) const;

  /// Adds all state to `into`.
  void describe(fingerprint& into) const;

private:
  using turn = std::tuple<double, std::uint64_t, trial_id>;

  double fraction_;
  members members_;
  ranking ranked_;
  std::set<turn> queue_;
  /// Of those the pending ones whose last result that counted has no checkpoint.
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

/// The best trial of a run, and the checkpoint that belongs to it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "checkpoint_book.hpp"

#include "tune/core/experiment/constraints.hpp"
#include "tune/core/experiment/experiment.hpp"
#include "tune/core/fingerprint.hpp"
#include "tune/core/ids.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// The best report of a trial.
struct best_report {
  config_ptr config;
  lineage_id lineage = 1;
  std::shared_ptr<const report> at;
};

/// Knows what `experiment_view::best` tells, and what it rests on. What is told of the checkpoint
/// is always that of `checkpoint`.
class best_so_far {
public:
  /// Makes this trial the best. Its checkpoint stays that of the trial before.
  void set(trial_id trial, const best_report& what, merit how);
  /// @param what Null: there is none, and `id` is empty. @pre There is a best trial.
  void set_checkpoint(checkpoint_id id, const checkpoint_entry* what,
                      const std::vector<objective>& objectives);
  /// The trial's newest checkpoint lies here; empty: it has none.
  void set_newest(std::string location) { newest_ = std::move(location); }

  /// Whether a report of the trial, with a score, would be better. Of trials that tie, the one with
  /// the smaller number is, since their order of arrival may be random.
  [[nodiscard]] bool is_beaten_by(trial_id trial, const merit& how) const;
  /// Empty as long as no report has had a number.
  [[nodiscard]] const std::optional<best_trial>& told() const { return told_; }
  [[nodiscard]] bool is(trial_id trial) const { return told_ && told_->trial == trial; }
  /// Whether it is this trial, by a report of this lineage.
  [[nodiscard]] bool is(trial_id trial, lineage_id lineage) const {
    return is(trial) && lineage_ == lineage;
  }
  /// The checkpoint with the best first objective; empty: there is none.
  [[nodiscard]] checkpoint_id checkpoint() const { return checkpoint_; }
  /// Location of the newest checkpoint that the trial had at its best report or made since.
  [[nodiscard]] const std::string& newest() const { return newest_; }

  void describe(fingerprint& into) const;

private:
  std::optional<best_trial> told_;
  merit how_;
  checkpoint_id checkpoint_;
  /// For records of heads before `judged_afresh`: the lineage of the best report, and `newest`,
  /// which was kept.
  lineage_id lineage_ = 0;
  std::string newest_;
};

/// Omits the violation if all constraints are met.
void describe(fingerprint& into, const std::optional<merit>& x);
void describe(fingerprint& into, const std::shared_ptr<const report>& x);

} // namespace tune

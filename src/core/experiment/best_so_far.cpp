// SPDX-License-Identifier: BSD-3-Clause
#include "best_so_far.hpp"

#include "tune/core/schedule/wording.hpp"

#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

namespace tune {

namespace {

/// The objectives as they were reported; null if there are none.
metrics_ptr metrics_of(const report_marks& marks, const std::vector<objective>& objectives) {
  if (marks.exact)
    return marks.exact->empty() ? nullptr : marks.exact;
  object result;
  for (std::size_t i = 0; i < marks.scores.size(); ++i) {
    const auto& what = objectives[i];
    if (!std::isnan(marks.scores[i]))
      result.set(what.metric, plain(as_reported(marks.scores[i], what.maximise)));
  }
  return result.empty() ? nullptr : std::make_shared<const object>(std::move(result));
}

} // namespace

void best_so_far::set(trial_id trial, const best_report& what, merit how) {
  if (!told_)
    told_.emplace();
  told_->trial = trial;
  told_->config = what.config;
  told_->at = what.at;
  how_ = how;
  lineage_ = what.lineage;
}

void best_so_far::set_checkpoint(checkpoint_id id, const checkpoint_entry* what,
                                 const std::vector<objective>& objectives) {
  checkpoint_ = id;
  told_->checkpoint = what == nullptr ? std::string{} : what->location;
  told_->checkpoint_iteration = what == nullptr ? 0 : what->iteration;
  told_->checkpoint_metrics = what == nullptr ? nullptr : metrics_of(what->marks, objectives);
}

bool best_so_far::is_beaten_by(trial_id trial, const merit& how) const {
  if (!told_ || is_better(how, how_))
    return true;
  return how == how_ && trial < told_->trial;
}

void best_so_far::describe(fingerprint& into) const {
  if (!told_)
    return;
  into.add(told_->trial);
  tune::describe(into, std::optional{how_});
  into.add(std::uint64_t{lineage_});
  into.add(checkpoint_).add(std::string_view{newest_});
  tune::describe(into, told_->at);
}

void describe(fingerprint& into, const std::optional<merit>& x) {
  into.add(x ? x->score : 0);
  if (x && x->violation > 0)
    into.add(x->violation);
}

void describe(fingerprint& into, const std::shared_ptr<const report>& x) {
  into.add(std::uint64_t{x != nullptr});
  if (x == nullptr)
    return;
  into.add(x->attempt).add(x->number).add(x->iteration);
  if (x->metrics != nullptr)
    into.add(*x->metrics);
}

} // namespace tune

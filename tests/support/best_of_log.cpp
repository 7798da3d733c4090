// SPDX-License-Identifier: BSD-3-Clause
#include "support/best_of_log.hpp"

#include <limits>
#include <optional>
#include <tuple>
#include <variant>

namespace tune::support {

void best_of_log::see(const event& what) {
  if (const auto* x = std::get_if<on::saved>(&what.what)) {
    if (!x->location.starts_with(kept_in_memory))
      good_[x->checkpoint] = {x->trial, x->attempt, x->iteration, x->location};
  } else if (const auto* news = std::get_if<on::reported>(&what.what)) {
    const auto& report = *news->what;
    if (auto loss = metric_number(report, "loss"))
      losses_[{report.attempt, report.iteration}] = *loss;
  } else if (const auto* bad = std::get_if<on::checkpoint_bad>(&what.what)) {
    good_.erase(bad->checkpoint);
  } else if (const auto* doomed = std::get_if<on::checkpoints_doomed>(&what.what)) {
    for (auto id : doomed->which)
      good_.erase(id);
  } else if (const auto* gone = std::get_if<on::checkpoint_gone>(&what.what)) {
    good_.erase(gone->checkpoint);
  }
}

void best_of_log::see(const command& what) {
  const auto* row = std::get_if<cmd::attempt_changed>(&what.what);
  if (row == nullptr)
    return;
  if (row->donor)
    taken_over_.emplace(row->trial, row->from);
  if (row->finished && row->how == end_class::bad_checkpoint)
    good_.erase(row->from);
}

double best_of_log::loss_of(const made& x) const {
  auto known = losses_.find({x.attempt, x.iteration});
  return known == losses_.end() ? std::numeric_limits<double>::infinity() : known->second;
}

std::string best_of_log::checkpoint_of(trial_id trial) const {
  using rank = std::tuple<double, bool, checkpoint_id>;
  std::optional<rank> best;
  std::string result;
  for (const auto& [id, x] : good_) {
    auto borrowed = x.trial != trial;
    if (borrowed && !taken_over_.contains({trial, id}))
      continue;
    rank its{loss_of(x), borrowed, id};
    if (!best || its < *best) {
      best = its;
      result = x.location;
    }
  }
  return result;
}

} // namespace tune::support

// SPDX-License-Identifier: BSD-3-Clause
#include "view/result_track.hpp"

#include "tune/io/json_member.hpp"
#include "view/fields.hpp"

#include <cmath>

namespace tune::cli {

std::optional<double> metric_in(const raw_result& x, const std::string& metric) {
  if (auto member = json_member(x.metrics, metric, '/')) {
    const auto where = x.has_exceptions ? json_position::plain : json_position::metric;
    return json_number(*member, where);
  }
  if (metric == "training_iteration")
    return static_cast<double>(x.iteration);
  if (metric == "time_total_s")
    return seconds_of(x.time_total);
  if (metric == "time_this_iter_s")
    return seconds_of(x.time_this_iter);
  if (metric == "timestamp")
    return static_cast<double>(x.timestamp_ms / 1000);
  return std::nullopt;
}

/// Whether this is the first report of its iteration in the trial's present lineage.
bool result_track::is_first(standing& own, const raw_result& x, const lineage_source& lineage_of) {
  if (x.iteration <= own.farthest) {
    if (x.attempt == own.attempt || x.attempt == own.repeating)
      return false;
    if (lineage_of(x.trial, x.attempt) == lineage_of(x.trial, own.attempt)) {
      own.repeating = x.attempt;
      return false;
    }
  }
  own.farthest = x.iteration;
  own.attempt = x.attempt;
  return true;
}

void result_track::read(const raw_result& x, const lineage_source& lineage_of) {
  const auto& first = by_.objectives.front();
  const auto number = metric_in(x, first.metric);
  standing* own = nullptr;
  if (x.trial.number < most_trials) {
    if (x.trial.number >= trials_.size())
      trials_.resize(x.trial.number + 1);
    own = &trials_[x.trial.number];
    // Until one has a number, no report counts.
    own->has_number = own->has_number || (number && !std::isnan(*number));
    if (!own->has_number || !is_first(*own, x, lineage_of))
      return;
  }
  if (!number || std::isnan(*number))
    return;
  merit how{0, first.maximise ? *number : -*number};
  if (!by_.constraints.empty()) {
    auto metrics = object_from_json(x.metrics, json_position::metric);
    how.violation = total_violation(by_.constraints, metrics ? *metrics : object{});
  }
  if (is_better(how, best_)) {
    best_ = how;
    steps_.push_back({x.at, x.trial, *number});
  }
  if (own != nullptr && is_better(how, own->how)) {
    own->how = how;
    own->at = x.at;
  }
}

std::optional<instant> result_track::when_best(trial_id trial) const {
  if (trial.number >= trials_.size() || std::isnan(trials_[trial.number].how.score))
    return std::nullopt;
  return trials_[trial.number].at;
}

} // namespace tune::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "earlier_json.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace tune {

namespace {

const error bad_shape{ec::bad_syntax,
                      "found_earlier: must be a list of objects with \"from\" and \"trials\""};

value trial_value(const earlier_trial& x) {
  object result{{"trial", static_cast<std::int64_t>(x.trial.number)}, {"config", x.config}};
  if (std::isfinite(x.value))
    result.set("value", x.value);
  if (!x.constraints.empty())
    result.set("constraints", value::list{x.constraints.begin(), x.constraints.end()});
  return result;
}

expected<earlier_trial> read_trial(const value& what) {
  const auto* members = what.as_object();
  const auto* trial = members == nullptr ? nullptr : members->find("trial");
  const auto* config = members == nullptr ? nullptr : members->find("config");
  if (trial == nullptr || trial->as_int() == nullptr || config == nullptr
      || config->as_object() == nullptr)
    return bad_shape;
  earlier_trial result;
  result.trial = trial_id{static_cast<std::uint64_t>(*trial->as_int())};
  result.config = *config->as_object();
  const auto* number = members->find("value");
  result.value
      = number == nullptr ? std::numeric_limits<double>::quiet_NaN() : number->number().value_or(0);
  const auto* missed = members->find("constraints");
  if (missed != nullptr && missed->as_list() != nullptr) {
    // Infinite values are recorded as something other than numbers.
    for (const auto& x : *missed->as_list())
      result.constraints.push_back(x.number().value_or(std::numeric_limits<double>::infinity()));
  }
  return result;
}

} // namespace

value earlier_value(const std::vector<earlier_experiment>& of) {
  value::list result;
  for (const auto& x : of) {
    value::list trials;
    for (const auto& each : x.trials)
      trials.push_back(trial_value(each));
    result.emplace_back(object{{"from", x.name}, {"trials", std::move(trials)}});
  }
  return result;
}

expected<std::vector<earlier_experiment>> read_earlier(const value& what) {
  if (what.as_list() == nullptr)
    return bad_shape;
  std::vector<earlier_experiment> result;
  for (const auto& each : *what.as_list()) {
    const auto* members = each.as_object();
    const auto* from = members == nullptr ? nullptr : members->find("from");
    const auto* trials = members == nullptr ? nullptr : members->find("trials");
    if (from == nullptr || from->as_string() == nullptr || trials == nullptr
        || trials->as_list() == nullptr)
      return bad_shape;
    auto& made = result.emplace_back(earlier_experiment{*from->as_string(), {}});
    for (const auto& x : *trials->as_list()) {
      auto read = read_trial(x);
      if (!read)
        return read.error();
      made.trials.push_back(std::move(*read));
    }
  }
  return result;
}

} // namespace tune

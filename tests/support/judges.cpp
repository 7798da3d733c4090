// SPDX-License-Identifier: BSD-3-Clause
#include "support/judges.hpp"

#include "support/toy_scheduler.hpp"

#include "tune/core/space/space.hpp"

#include <utility>

namespace tune::support {

resource_request one_slot() {
  resources one;
  one.cpu = amount::of(1);
  resource_request result;
  result.bundles = {one};
  return result;
}

std::unique_ptr<scheduler> make_scheduler(const judge& who, std::uint64_t seed) {
  if (who.type.empty())
    return std::make_unique<toy_scheduler>(seed);
  static const auto all = builtin_schedulers();
  static const auto space
      = std::make_shared<const search_space>(*search_space::parse({{"x", "uniform(0, 100)"}}));
  const auto* entry = all.find(who.type);
  scheduler_context context{seed, who.objectives, false, space, one_slot()};
  return std::move(*entry->make(*options::parse(entry->known, who.options), context));
}

namespace {

/// Adds a variant "…_by_reports" of each judge that needs checkpoints.
std::vector<judge> with_reports(std::vector<judge> all) {
  for (std::size_t i = 0, count = all.size(); i < count; ++i) {
    auto x = all[i];
    if (!x.type.empty() && !make_scheduler(x, 1)->traits().needs_checkpoints)
      continue;
    x.name += "_by_reports";
    x.by_reports = true;
    all.push_back(std::move(x));
  }
  return all;
}

} // namespace

const std::vector<judge>& judges() {
  static const auto result = with_reports({
      {"toy", "", {}},
      {"fifo", "fifo", {}},
      {"asha", "asha", {{"max_t", "10"}, {"grace_period", "1"}, {"reduction_factor", "3"}}},
      {"hyperband", "hyperband", {{"max_t", "9"}}},
      {"hyperband_open",
       "hyperband",
       {{"max_t", "8"}, {"reduction_factor", "2"}, {"stop_last_trials", "false"}}},
      {"hb_bohb", "hb_bohb", {{"max_t", "9"}}},
      {"hb_bohb_open",
       "hb_bohb",
       {{"max_t", "8"}, {"reduction_factor", "2"}, {"stop_last_trials", "false"}}},
      {"resource_changing", "resource_changing", {}},
      {"resource_changing_top_asha",
       "resource_changing",
       {{"base", "asha"},
        {"base.max_t", "10"},
        {"base.reduction_factor", "3"},
        {"allocation", "top_job"},
        {"increase_by", "cpu 0.5"},
        {"increase_by_times", "3"}}},
      {"asha_brackets",
       "asha",
       {{"max_t", "10"},
        {"grace_period", "1"},
        {"reduction_factor", "2"},
        {"brackets", "3"},
        {"stop_last_trials", "false"}}},
      {"asha_promotion",
       "asha",
       {{"form", "promotion"}, {"max_t", "10"}, {"grace_period", "1"}, {"reduction_factor", "3"}}},
      {"asha_promotion_brackets",
       "asha",
       {{"form", "promotion"},
        {"max_t", "10"},
        {"grace_period", "1"},
        {"reduction_factor", "2"},
        {"brackets", "3"},
        {"stop_last_trials", "false"}}},
      {"asha_objectives",
       "asha",
       {{"max_t", "10"}, {"grace_period", "1"}, {"reduction_factor", "2"}},
       2},
      {"asha_promotion_objectives",
       "asha",
       {{"form", "promotion"}, {"max_t", "10"}, {"grace_period", "1"}, {"reduction_factor", "2"}},
       2},
      {"median_stopping",
       "median_stopping",
       {{"time_attr", "training_iteration"}, {"grace_period", "1"}}},
      {"median_stopping_soft",
       "median_stopping",
       {{"time_attr", "training_iteration"},
        {"grace_period", "2"},
        {"min_samples_required", "2"},
        {"min_time_slice", "2"},
        {"hard_stop", "false"}}},
      {"pbt",
       "pbt",
       {{"time_attr", "training_iteration"},
        {"perturbation_interval", "2"},
        {"quantile_fraction", "0.4"}}},
      {"pbt_synch",
       "pbt",
       {{"time_attr", "training_iteration"},
        {"perturbation_interval", "3"},
        {"quantile_fraction", "0.4"},
        {"synch", "true"}}},
      // A population whose rounds change nothing.
      {"pbt_synch_none",
       "pbt",
       {{"time_attr", "training_iteration"},
        {"perturbation_interval", "3"},
        {"quantile_fraction", "0"},
        {"synch", "true"}}},
      {"pbt_replay",
       "pbt_replay",
       {{"policy",
         R"(["a", "b", 3, 3, {"x": 1.0}, {"x": 2.0}] ["a", "a", 7, 7, {"x": 2.0}, {"x": 3.0}])"}}},
      {"pb2",
       "pb2",
       {{"time_attr", "training_iteration"},
        {"perturbation_interval", "3"},
        {"quantile_fraction", "0.4"}}},
      {"pb2_synch",
       "pb2",
       {{"time_attr", "training_iteration"},
        {"perturbation_interval", "3"},
        {"quantile_fraction", "0.4"},
        {"synch", "true"}}},
      {"resource_changing_hyperband",
       "resource_changing",
       {{"base", "hyperband"}, {"base.max_t", "9"}}},
      {"resource_changing_pbt",
       "resource_changing",
       {{"base", "pbt"},
        {"base.time_attr", "training_iteration"},
        {"base.perturbation_interval", "2"},
        {"base.quantile_fraction", "0.4"}}},
      {"resource_changing_pb2",
       "resource_changing",
       {{"base", "pb2"},
        {"base.time_attr", "training_iteration"},
        {"base.perturbation_interval", "4"}}},
      {"resource_changing_pbt_synch",
       "resource_changing",
       {{"base", "pbt"},
        {"base.time_attr", "training_iteration"},
        {"base.perturbation_interval", "3"},
        {"base.quantile_fraction", "0.4"},
        {"base.synch", "true"}}},
  });
  return result;
}

const judge* find_judge(std::string_view name) {
  for (const auto& x : judges()) {
    if (x.name == name)
      return &x;
  }
  return nullptr;
}

} // namespace tune::support

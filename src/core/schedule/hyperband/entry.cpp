/// HyperBand and its form for BOHB as choices of the INI file: their options, and how they are
/// built from these.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/plugin/option_makers.hpp"
#include "tune/core/schedule/hyperband/hyperband.hpp"

#include <utility>

namespace tune::hyperband {

namespace {

using namespace option_makers;

std::vector<option_spec> known_options() {
  using enum option_kind;
  auto max_t = option("max_t", number, "81",
                      "where trials end, in time_attr; a bracket that does not meet it ends at the "
                      "milestone before");
  max_t.least = 1;
  max_t.most = 1e12;
  auto factor = option("reduction_factor", number, "3",
                       "one trial in so many goes on at a milestone, and trains so many times as "
                       "long to the next");
  factor.least = 1;
  factor.open_low = true;
  return {
      option("time_attr", text, "training_iteration",
             "metric that milestones are measured in; it must rise"),
      max_t,
      factor,
      option("stop_last_trials", boolean, "true",
             "stop trials at their bracket's last milestone; otherwise they run on to their own "
             "end"),
  };
}

expected<std::unique_ptr<scheduler>> make(form how, const options& from,
                                          const scheduler_context& context) {
  settings what;
  what.time_attr = from.text("time_attr");
  what.max_t = from.number("max_t");
  what.reduction_factor = from.number("reduction_factor");
  what.stop_last_trials = from.boolean("stop_last_trials");
  what.repeats_forced = context.repeats_forced;
  if (auto valid = validate(what); !valid)
    return valid.error();
  return std::unique_ptr<scheduler>{
      std::make_unique<hyperband_scheduler>(std::move(how), std::move(what), context.maximise)};
}

} // namespace

scheduler_catalogue::entry make_entry() {
  scheduler_catalogue::entry result;
  result.name = plain().name;
  result.summary = "successive halving in brackets: trials pause at milestones, the best go on";
  result.source = "Li et al., \"Hyperband: A Novel Bandit-Based Approach to Hyperparameter "
                  "Optimization\", JMLR 18 (2018); docs/ray-tune.md says where Ray Tune differs";
  result.known = known_options();
  result.make = [](const options& from, const scheduler_context& context) {
    return make(plain(), from, context);
  };
  return result;
}

scheduler_catalogue::entry make_bohb_entry() {
  scheduler_catalogue::entry result;
  result.name = for_bohb().name;
  result.summary = "HyperBand for searchers that learn per budget: large brackets first, each "
                   "filled before it decides";
  result.source = "Falkner et al., \"BOHB: Robust and Efficient Hyperparameter Optimization at "
                  "Scale\", ICML 2018; docs/ray-tune.md says where Ray Tune differs";
  result.known = known_options();
  result.make = [](const options& from, const scheduler_context& context) {
    return make(for_bohb(), from, context);
  };
  return result;
}

} // namespace tune::hyperband

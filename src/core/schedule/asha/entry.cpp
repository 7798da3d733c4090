/// ASHA as a choice of the INI file: its options, and how it is built from them.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/plugin/option_makers.hpp"
#include "tune/core/schedule/asha/asha.hpp"
#include "tune/core/schedule/asha/promotion.hpp"

#include <utility>

namespace tune::asha {

namespace {

using namespace option_makers;

std::vector<option_spec> known_options() {
  using enum option_kind;
  return {
      among({"stopping", "promotion"},
            option("form", text, "stopping",
                   "at a rung, stopping: end a trial that falls behind, at once; promotion: pause "
                   "all, and let the best that wait go on whenever there is room")),
      option("time_attr", text, "training_iteration",
             "metric that the rungs are measured in; it must rise"),
      above(0, option("max_t", number, "100", "where trials end, in time_attr")),
      above(0, option("grace_period", number, "1", "the lowest rung, in time_attr")),
      above(1, option("reduction_factor", number, "4", "one trial in so many passes a rung")),
      within(1, 100,
             option("brackets", integer, "1",
                    "ladders; each begins one rung higher than the one before")),
      option("stop_last_trials", boolean, "true",
             "stop trials at max_t; otherwise they run on to their own end"),
  };
}

settings read(const options& from) {
  settings result;
  result.time_attr = from.text("time_attr");
  result.max_t = from.number("max_t");
  result.grace_period = from.number("grace_period");
  result.reduction_factor = from.number("reduction_factor");
  result.brackets = static_cast<std::uint32_t>(from.integer("brackets"));
  result.stop_last_trials = from.boolean("stop_last_trials");
  return result;
}

} // namespace

scheduler_catalogue::entry make_entry() {
  scheduler_catalogue::entry result;
  result.name = "asha";
  result.summary = "asynchronous successive halving: stops trials at rungs, or promotes the best";
  result.source = "Li et al., \"A System for Massively Parallel Hyperparameter Tuning\", "
                  "MLSys 2020; with several objectives Schmucker et al., \"Multi-objective "
                  "Asynchronous Successive Halving\", 2021; docs/ray-tune.md says where Ray Tune "
                  "differs";
  result.known = known_options();
  result.make = [](const options& from,
                   const scheduler_context& context) -> expected<std::unique_ptr<scheduler>> {
    auto what = read(from);
    what.objectives = context.objectives;
    if (auto valid = validate(what); !valid)
      return valid.error();
    if (from.text("form") == "promotion")
      return std::unique_ptr<scheduler>{
          std::make_unique<promotion>(std::move(what), context.seed, context.maximise)};
    return std::unique_ptr<scheduler>{
        std::make_unique<asha_scheduler>(std::move(what), context.seed, context.maximise)};
  };
  return result;
}

} // namespace tune::asha

/// PB2 as a choice of the INI file: its options, and how it is built from them.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/pb2/pb2.hpp"
#include "tune/core/schedule/pbt/pbt.hpp"

#include <algorithm>
#include <utility>

namespace tune::pb2 {

namespace {

/// PBT's options without those of its perturbation, and the parameters to explore.
std::vector<option_spec> known_options() {
  option_spec explore;
  explore.name = "explore";
  explore.meaning = "parameters to explore, such as \"lr, momentum\", all continuous ranges of the "
                    "space; empty = all that can vary";
  std::vector<option_spec> result{std::move(explore)};
  for (auto& x : pbt::make_entry().known) {
    static const std::vector<std::string> shared{"time_attr", "perturbation_interval",
                                                 "quantile_fraction", "require_attrs", "synch"};
    if (std::find(shared.begin(), shared.end(), x.name) != shared.end())
      result.push_back(std::move(x));
  }
  return result;
}

pbt::settings read(const options& from) {
  pbt::settings result;
  result.rule = "pb2";
  result.time_attr = from.text("time_attr");
  result.perturbation_interval = from.number("perturbation_interval");
  result.quantile_fraction = from.number("quantile_fraction");
  result.require_attrs = from.boolean("require_attrs");
  result.synch = from.boolean("synch");
  return result;
}

} // namespace

scheduler_catalogue::entry make_entry() {
  scheduler_catalogue::entry result;
  result.name = "pb2";
  result.summary
      = "population based bandits: bad trials go on from good ones, with parameters that "
        "a model of what training gains chose";
  result.source = "Parker-Holder, Nguyen, Roberts, \"Provably Efficient Online Hyperparameter "
                  "Optimization with Population-Based Bandits\", NeurIPS 2020; docs/ray-tune.md "
                  "says where Ray Tune differs";
  result.known = known_options();
  result.make = [](const options& from,
                   const scheduler_context& context) -> expected<std::unique_ptr<scheduler>> {
    auto explored
        = read_bounded(from.has("explore") ? from.text("explore") : "", context.space.get());
    if (!explored)
      return explored.error();
    auto what = read(from);
    what.draws_by_event = context.draws_by_event;
    what.judges_as_before = context.judges_as_before;
    return std::unique_ptr<scheduler>{std::make_unique<pbt::pbt_scheduler>(
        std::move(what), std::make_unique<bandit>(std::move(*explored), context.space),
        context.seed, context.maximise)};
  };
  return result;
}

} // namespace tune::pb2

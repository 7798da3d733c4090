/// PBT as a choice of the INI file: its options, and how it is built from them.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/plugin/option_makers.hpp"
#include "tune/core/schedule/pbt/pbt.hpp"

#include <utility>

namespace tune::pbt {

namespace {

using namespace option_makers;

std::vector<option_spec> known_options() {
  using enum option_kind;
  constexpr auto any = std::numeric_limits<double>::infinity();
  return {
      option("time_attr", text, "time_total_s", "metric that time is measured in; it must rise"),
      above(0, option("perturbation_interval", number, "60",
                      "a trial is looked at each time it trained for so long, in time_attr")),
      within(0, any, option("burn_in_period", number, "0", "nothing happens before, in time_attr")),
      option("mutate", text, "",
             "parameters to change, such as \"lr, momentum: uniform(0.8, 0.99)\", each within the "
             "space's domain or one of its own; empty = all"),
      within(0, 0.5,
             option("quantile_fraction", number, "0.25",
                    "part of the trials that is replaced, by as many of the best")),
      within(0, 1,
             option("resample_probability", number, "0.25",
                    "how often a parameter is drawn anew instead of being moved")),
      option("perturbation_factors", text, "1.2, 0.8",
             "numbers are multiplied by one of these, within their domain"),
      option("require_attrs", boolean, "true",
             "stop trials whose reports lack time_attr, or have an infinite one; otherwise they "
             "go on. Reports without the metric are not judged, and stop nobody"),
      option("synch", boolean, "false", "all wait for each other at each interval"),
  };
}

settings read(const options& from) {
  settings result;
  result.time_attr = from.text("time_attr");
  result.perturbation_interval = from.number("perturbation_interval");
  result.burn_in_period = from.number("burn_in_period");
  result.quantile_fraction = from.number("quantile_fraction");
  result.require_attrs = from.boolean("require_attrs");
  result.synch = from.boolean("synch");
  return result;
}

expected<perturbation_settings> read_perturbation(const options& from, const search_space* space) {
  perturbation_settings result;
  auto mutate = read_mutations(from.has("mutate") ? from.text("mutate") : "", space);
  if (!mutate)
    return mutate.error();
  result.mutate = std::move(*mutate);
  auto factors = read_factors(from.text("perturbation_factors"));
  if (!factors)
    return factors.error();
  result.factors = std::move(*factors);
  result.resample_probability = from.number("resample_probability");
  return result;
}

} // namespace

scheduler_catalogue::entry make_entry() {
  return make_entry("pbt", {});
}

scheduler_catalogue::entry make_entry(std::string name, custom_explore custom) {
  scheduler_catalogue::entry result;
  result.name = name;
  result.summary = "population based training: bad trials go on from good ones, changed a little";
  result.source = "Jaderberg et al., \"Population Based Training of Neural Networks\", "
                  "arXiv:1711.09846; docs/ray-tune.md says where Ray Tune differs";
  result.known = known_options();
  result.make = [name = std::move(name), custom = std::move(custom)](
                    const options& from,
                    const scheduler_context& context) -> expected<std::unique_ptr<scheduler>> {
    auto how = read_perturbation(from, context.space.get());
    if (!how)
      return how.error();
    how->custom = custom;
    if (how->mutate.empty() && !custom && context.space != nullptr)
      return error{ec::bad_option, "mutate: the space has no parameter that can vary"};
    auto what = read(from);
    what.rule = name;
    what.draws_by_event = context.draws_by_event;
    what.judges_as_before = context.judges_as_before;
    return std::unique_ptr<scheduler>{std::make_unique<pbt_scheduler>(
        std::move(what), std::make_unique<perturbation>(std::move(*how), context.space),
        context.seed, context.maximise)};
  };
  return result;
}

} // namespace tune::pbt

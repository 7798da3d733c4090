/// Median stopping as a choice of the INI file: its options, and how it is built from them.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/plugin/option_makers.hpp"
#include "tune/core/schedule/median/median.hpp"

#include <utility>

namespace tune::median {

namespace {

using namespace option_makers;

std::vector<option_spec> known_options() {
  using enum option_kind;
  auto samples = at_least(1, option("min_samples_required", integer, "3",
                                    "with fewer others to compare with nobody is stopped"));
  samples.most = 1e9;
  return {
      option("time_attr", text, "time_total_s",
             "metric that progress is measured in; it must rise. Iterations are judged fastest"),
      at_least(0, option("grace_period", number, "60",
                         "nobody is judged earlier, nor do earlier results count; in time_attr")),
      samples,
      at_least(0, option("min_time_slice", number, "0",
                         "how long a trial runs, with too few others to compare with, before it is "
                         "paused for those who wait; in time_attr")),
      option("hard_stop", boolean, "true",
             "stop trials that fall behind; otherwise pause them once, and judge them no more"),
  };
}

settings read(const options& from) {
  settings result;
  result.time_attr = from.text("time_attr");
  result.grace_period = from.number("grace_period");
  result.min_samples_required = static_cast<std::uint32_t>(from.integer("min_samples_required"));
  result.min_time_slice = from.number("min_time_slice");
  result.hard_stop = from.boolean("hard_stop");
  return result;
}

} // namespace

scheduler_catalogue::entry make_entry() {
  scheduler_catalogue::entry result;
  result.name = "median_stopping";
  result.summary = "stops trials whose best is worse than the median of the others' averages";
  result.source = "Golovin et al., \"Google Vizier: A Service for Black-Box Optimization\", KDD "
                  "2017; docs/ray-tune.md says where Ray Tune differs";
  result.known = known_options();
  result.make = [](const options& from, const scheduler_context& context) {
    auto what = read(from);
    what.spares_numberless = context.judges_as_before;
    return expected<std::unique_ptr<scheduler>>{
        std::make_unique<median_scheduler>(std::move(what), context.maximise)};
  };
  return result;
}

} // namespace tune::median

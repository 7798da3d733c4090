// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/learner/entry.hpp"

#include "tune/core/plugin/option_makers.hpp"

namespace tune::learning {

option_spec startup_option() {
  using namespace option_makers;
  return within(0, 10000,
                option("startup", option_kind::integer, "0",
                       "configurations before anything is learnt, points included; 0: as many as "
                       "suit the space, 8 to 20"));
}

std::uint64_t startup_of(const options& from) {
  return static_cast<std::uint64_t>(from.integer("startup"));
}

option_spec regret_option() {
  using namespace option_makers;
  return at_least(
      0, option("regret_below", option_kind::number, "0",
                "ends the experiment when no more than this, in the metric's unit, is to be "
                "gained, as far as the model knows; 0: goes on"));
}

expected<std::unique_ptr<searcher>> make_searcher(settings how, std::shared_ptr<const rule> by,
                                                  const searcher_context& about) {
  if (how.regret_below > 0 && about.objectives > 1)
    return error{ec::bad_option, "regret_below: what is left to gain is known of 1 objective, not "
                                     + std::to_string(about.objectives)};
  auto made = generator::make(std::move(how), std::move(by), about);
  if (!made)
    return made.error();
  return expected<std::unique_ptr<searcher>>{std::make_unique<generator>(std::move(*made))};
}

} // namespace tune::learning

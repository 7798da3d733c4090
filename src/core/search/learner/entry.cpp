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

expected<std::unique_ptr<searcher>> make_searcher(settings how, std::shared_ptr<const rule> by,
                                                  const searcher_context& about) {
  auto made = generator::make(std::move(how), std::move(by), about);
  if (!made)
    return made.error();
  return expected<std::unique_ptr<searcher>>{std::make_unique<generator>(std::move(*made))};
}

} // namespace tune::learning

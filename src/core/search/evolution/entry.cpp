/// Regularised evolution as a choice of the INI file.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/learner/entry.hpp"
#include "tune/core/plugin/option_makers.hpp"
#include "tune/core/search/evolution/evolution.hpp"

namespace tune::evolution {

searcher_catalogue::entry make_entry() {
  using namespace option_makers;
  using enum option_kind;
  auto make = [](const options& from, const searcher_context& about) {
    settings how;
    how.population = static_cast<std::size_t>(from.integer("population"));
    how.sample = static_cast<std::size_t>(from.integer("sample"));
    if (how.sample > how.population)
      return expected<std::unique_ptr<searcher>>{
          error{ec::bad_option,
                "sample: must be no larger than population, " + std::to_string(how.population)}};
    learning::settings begin{"evolution", how.population, true};
    return learning::make_searcher(std::move(begin), std::make_shared<const evolution_rule>(how),
                                   about);
  };
  return {"evolution",
          "regularised evolution: the best of a few young configurations, with one parameter "
          "changed; any number of objectives, no grids",
          "Real et al., \"Regularized Evolution for Image Classifier Architecture Search\", AAAI "
          "2019",
          {within(2, 10000,
                  option("population", integer, "40", "the newest so many results have children")),
           within(1, 10000,
                  option("sample", integer, "10",
                         "of these so many are drawn, of which the best has a child"))},
          make};
}

} // namespace tune::evolution

/// TPE as a choice of the INI file.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/learner/entry.hpp"
#include "tune/core/plugin/option_makers.hpp"
#include "tune/core/search/tpe/tpe.hpp"

namespace tune::tpe {

searcher_catalogue::entry make_entry() {
  using namespace option_makers;
  using enum option_kind;
  auto make = [](const options& from, const searcher_context& about) {
    settings how;
    how.candidates = static_cast<std::size_t>(from.integer("candidates"));
    how.multivariate = from.boolean("multivariate");
    learning::settings begin{"tpe", learning::startup_of(from), true};
    return learning::make_searcher(std::move(begin), std::make_shared<const tpe_rule>(how), about);
  };
  return {
      "tpe",
      "tree-structured Parzen estimator: quick at any number of trials; any number of objectives, "
      "no "
      "grids",
      "Bergstra et al., \"Algorithms for Hyper-Parameter Optimization\", NIPS 2011; several "
      "objectives: Ozaki et al., \"Multiobjective Tree-Structured Parzen Estimator\", JAIR 2022",
      {learning::startup_option(),
       within(1, 10000,
              option("candidates", integer, "24",
                     "points drawn per suggestion, of which the best is taken")),
       option("multivariate", boolean, "true",
              "draw parameters together, so that it learns which values go with which; false: "
              "each by itself")},
      make};
}

} // namespace tune::tpe

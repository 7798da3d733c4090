/// CMA-ES as a choice of the INI file.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/plugin/option_makers.hpp"
#include "tune/core/search/cma_es/cma_es.hpp"

namespace tune::cma_es {

searcher_catalogue::entry make_entry() {
  using namespace option_makers;
  using enum option_kind;
  using made = expected<std::unique_ptr<searcher>>;
  auto make = [](const options& from, const searcher_context& about) {
    settings how;
    how.population = static_cast<std::size_t>(from.integer("population"));
    how.sigma = from.number("sigma");
    how.restarts = from.text("restarts") == "ipop";
    if (how.population > 0 && how.population < 4)
      return made{error{ec::bad_option, "population: " + std::to_string(how.population)
                                            + " is too few; 0 or 4 to 10000"}};
    auto result = generator::make(how, about);
    return result ? made{std::make_unique<generator>(std::move(*result))} : made{result.error()};
  };
  return {"cma_es",
          "evolution strategy with a learnt covariance: for hundreds of trials over numbers; one "
          "objective, no grids",
          "Hansen, \"The CMA Evolution Strategy: A Tutorial\", 2016; Hamano et al., \"CMA-ES with "
          "Margin\", GECCO 2022; Auger, Hansen, CEC 2005",
          {within(0, 10000,
                  option("population", integer, "0",
                         "trials from which it learns at once, 4 at least; 0: 4 + 3 ln of the "
                         "number of parameters")),
           within(0.001, 1,
                  option("sigma", number, "0.2",
                         "standard deviation to begin with, in units of each parameter's range")),
           among({"ipop", "none"},
                 option("restarts", text, "ipop",
                        "ipop: once there is nothing left to gain it begins elsewhere with twice "
                        "the population; none: it goes on where it is"))},
          make};
}

} // namespace tune::cma_es

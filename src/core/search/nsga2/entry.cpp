/// NSGA-II as a choice of the INI file.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/learner/entry.hpp"
#include "tune/core/plugin/option_makers.hpp"
#include "tune/core/search/nsga2/nsga2.hpp"

namespace tune::nsga2 {

namespace {

using namespace option_makers;

std::vector<option_spec> known_options() {
  using enum option_kind;
  return {
      within(4, 10000,
             option("population", integer, "20", "configurations that have children at one time")),
      within(0, 1,
             option("crossover", number, "0.9", "chance that a child has two parents, not one")),
      within(0, 1000,
             option("crossover_index", number, "3",
                    "the larger, the closer are a child's numbers to those of a parent")),
      within(0, 1,
             option("mutation", number, "0",
                    "chance for each parameter to change; 0: 1 / number of parameters")),
      within(0, 1000, option("mutation_index", number, "5", "the larger, the smaller are changes")),
  };
}

} // namespace

searcher_catalogue::entry make_entry() {
  auto make = [](const options& from, const searcher_context& about) {
    settings how;
    how.population = static_cast<std::size_t>(from.integer("population"));
    how.how = {from.number("crossover"), from.number("crossover_index"), from.number("mutation"),
               from.number("mutation_index")};
    learning::settings begin{"nsga2", how.population, true};
    return learning::make_searcher(std::move(begin), std::make_shared<const nsga2_rule>(how),
                                   about);
  };
  return {"nsga2", "a genetic algorithm over Pareto fronts; any number of objectives, no grids",
          "Deb et al., \"A Fast and Elitist Multiobjective Genetic Algorithm: NSGA-II\", IEEE "
          "Transactions on Evolutionary Computation 6, 2002",
          known_options(), make};
}

} // namespace tune::nsga2

/// DEHB as a choice of the INI file.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/plugin/option_makers.hpp"
#include "tune/core/search/dehb/dehb.hpp"

namespace tune::dehb {

namespace {

using namespace option_makers;

std::vector<option_spec> known_options() {
  using enum option_kind;
  auto mutation = above(
      0, option("mutation_factor", number, "0.5", "weight of the difference of two parents"));
  mutation.most = 2;
  // Factors nearer to 1 would lead to too many brackets.
  auto factor = within(1.5, 1000,
                       option("reduction_factor", number, "3",
                              "one trial in so many goes on, and trains so many times as long"));
  return {
      option("budget", text, "",
             "parameter of [space] that says how long a trial trains, from the lowest of its range "
             "to the highest; empty: all train alike, and this is plain differential evolution"),
      factor,
      within(
          4, 10000,
          option("population", integer, "20", "size of the population where there is no budget")),
      mutation,
      within(0, 1, option("crossover", number, "0.5", "chance that a gene is the mutant's")),
  };
}

} // namespace

searcher_catalogue::entry make_entry() {
  searcher_catalogue::entry result;
  result.name = "dehb";
  result.summary = "differential evolution in HyperBand's brackets, by a parameter that says how "
                   "long trials train; one objective, no grids";
  result.source = "Awad, Mallik, Hutter, \"DEHB: Evolutionary Hyperband for Scalable, Robust and "
                  "Efficient Hyperparameter Optimization\", IJCAI 2021";
  result.known = known_options();
  result.make = [](const options& from, const searcher_context& about) {
    using made = expected<std::unique_ptr<searcher>>;
    plan_settings what;
    if (from.has("budget"))
      what.budget = from.text("budget");
    what.reduction_factor = from.number("reduction_factor");
    what.population = static_cast<std::size_t>(from.integer("population"));
    settings how{from.number("mutation_factor"), from.number("crossover")};
    auto uut = generator::make(what, how, about);
    return uut ? made{std::make_unique<generator>(std::move(*uut))} : made{uut.error()};
  };
  return result;
}

} // namespace tune::dehb

/// BOHB's model as a choice of the INI file.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/learner/entry.hpp"
#include "tune/core/plugin/option_makers.hpp"
#include "tune/core/search/bohb/bohb.hpp"

namespace tune::bohb {

namespace {

using namespace option_makers;

std::vector<option_spec> known_options() {
  using enum option_kind;
  return {
      learning::startup_option(),
      within(0, 10000,
             option("min_points", integer, "0",
                    "trials that each density is made of at least, and two more that a budget must "
                    "have to be learnt from; 0: one more than there are parameters")),
      within(1, 99,
             option("top_n_percent", number, "15", "how many of a hundred trials are good ones")),
      within(1, 10000,
             option("num_samples", integer, "64",
                    "points drawn per suggestion, of which the best is taken")),
      within(0, 1,
             option("random_fraction", number, "0.3333333333333333",
                    "share of suggestions that are drawn at random")),
      above(0, option("bandwidth_factor", number, "3",
                      "points are drawn from kernels so many times as wide as those of the "
                      "density")),
      above(0, option("min_bandwidth", number, "0.05",
                      "the narrowest kernel, where the range of a number is 1")),
  };
}

settings read(const options& from) {
  settings result;
  result.min_points = static_cast<std::size_t>(from.integer("min_points"));
  result.top_n_percent = from.number("top_n_percent");
  result.num_samples = static_cast<std::size_t>(from.integer("num_samples"));
  result.random_fraction = from.number("random_fraction");
  result.bandwidth_factor = from.number("bandwidth_factor");
  result.min_bandwidth = from.number("min_bandwidth");
  return result;
}

} // namespace

searcher_catalogue::entry make_entry() {
  searcher_catalogue::entry result;
  result.name = "bohb";
  result.summary = "densities of good and bad trials at the highest budget known well enough, for "
                   "hb_bohb; one objective, no grids";
  result.source = "Falkner et al., \"BOHB: Robust and Efficient Hyperparameter Optimization at "
                  "Scale\", ICML 2018";
  result.known = known_options();
  result.make = [](const options& from, const searcher_context& about) {
    learning::settings begin{"bohb", learning::startup_of(from), false};
    return learning::make_searcher(std::move(begin), std::make_shared<const bohb_rule>(read(from)),
                                   about);
  };
  return result;
}

} // namespace tune::bohb

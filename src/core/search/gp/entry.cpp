/// Bayesian optimisation as a choice of the INI file.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/learner/entry.hpp"
#include "tune/core/plugin/option_makers.hpp"
#include "tune/core/search/gp/gp.hpp"

namespace tune::gp {

namespace {

bending bending_of(const std::string& text) {
  if (text == "always")
    return bending::always;
  return text == "never" ? bending::never : bending::in_turns;
}

} // namespace

searcher_catalogue::entry make_entry() {
  using namespace option_makers;
  using enum option_kind;
  auto make = [](const options& from, const searcher_context& about) {
    settings how;
    how.bend = bending_of(from.text("transform"));
    how.branch_steps = from.boolean("branch_steps");
    learning::settings begin{"gp", learning::startup_of(from), false, from.number("regret_below")};
    return learning::make_searcher(std::move(begin), std::make_shared<const gp_rule>(how), about);
  };
  return {"gp",
          "Bayesian optimisation by a Gaussian process; any number of objectives, no grids",
          "Jones et al., \"Efficient Global Optimization of Expensive Black-Box Functions\", 1998; "
          "Ament et al., \"Unexpected Improvements to Expected Improvement\", NeurIPS 2023; "
          "several objectives: Knowles, \"ParEGO\", IEEE Transactions on Evolutionary "
          "Computation 10, 2006",
          {learning::startup_option(), learning::regret_option(),
           among({"turns", "always", "never"},
                 option("transform", text, "turns",
                        "whether objectives are bent towards a normal shape: at every other "
                        "suggestion, always or never")),
           option("branch_steps", boolean, "true",
                  "in conditional spaces every fourth suggestion is for the family that is most "
                  "behind")},
          make};
}

} // namespace tune::gp

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/automatic/automatic.hpp"

#include "tune/core/plugin/option_makers.hpp"
#include "tune/core/search/encoding/encoding.hpp"
#include "tune/core/search/fidelity/screen.hpp"
#include "tune/core/search/learner/entry.hpp"

#include <cmath>

namespace tune::automatic {

namespace {

constexpr std::size_t many = 400;
constexpr std::size_t very_many = 2000;

bool is_turn_of_densities(std::uint64_t number, std::size_t results) {
  if (results >= very_many)
    return true;
  return results >= many ? number % 2 == 1 : number % 4 == 3;
}

} // namespace

automatic_rule::automatic_rule() : model_{{}}, densities_{{}} {}

std::optional<learning::pick> automatic_rule::next(const learning::outlook& from,
                                                   learning::workbook& kept) const {
  if (!is_turn_of_densities(from.number(), from.past().results().size()))
    return model_.next(from, kept);
  auto found = densities_.next(from, kept);
  return found || from.past().results().size() >= very_many ? found : model_.next(from, kept);
}

std::optional<learning::pick> automatic_rule::sketch(const learning::outlook& from) const {
  return densities_.sketch(from);
}

std::optional<explanation> automatic_rule::explain(const learning::outlook& from,
                                                   const learning::pick& what,
                                                   learning::workbook& kept) const {
  return model_.explain(from, what, kept);
}

std::optional<double> automatic_rule::regret_bound(const learning::outlook& from,
                                                   learning::workbook& kept) const {
  return model_.regret_bound(from, kept);
}

bool automatic_rule::is_quick(const learning::archive& past) const {
  return past.results().size() >= very_many;
}

namespace {

std::shared_ptr<const learning::rule> rule_for(bool sees_partial) {
  if (sees_partial)
    return std::make_shared<const fidelity::screen>();
  return std::make_shared<const automatic_rule>();
}

} // namespace

searcher_catalogue::entry make_entry() {
  using namespace option_makers;
  auto make = [](const options& from, const searcher_context& about) {
    auto partial = from.text("partial") == "true";
    if (partial && about.objectives > 1)
      return expected<std::unique_ptr<searcher>>{error{
          ec::bad_option, "partial: trials that have not ended are learnt from where there is "
                          "1 objective, not "
                              + std::to_string(about.objectives)}};
    if (partial && from.number("regret_below") > 0)
      return expected<std::unique_ptr<searcher>>{
          error{ec::bad_option, "regret_below: what is left to gain is told from trials that have "
                                "ended; it goes with partial = false alone"}};
    learning::settings begin{"auto", learning::startup_of(from), false,
                             from.number("regret_below")};
    return learning::make_searcher(std::move(begin), rule_for(partial), about);
  };
  return {"auto",
          "Gaussian process and TPE by turns: the one to take; any number of objectives, no grids",
          "as gp and tpe",
          {learning::startup_option(), learning::regret_option(),
           among({"auto", "true", "false"},
                 option(std::string{partial_option}, option_kind::text, "auto",
                        "whether trials are learnt from before they have come to their end; auto: "
                        "where the scheduler stops or pauses them and there is one objective"))},
          make};
}

bool suits(const std::shared_ptr<const search_space>& space, std::uint64_t samples) {
  auto laid_out = encoding::make(space, "auto");
  if (!laid_out || laid_out->dimensions() == 0)
    return false;
  return samples == 0 ? std::isinf(laid_out->size())
                      : static_cast<double>(samples) <= laid_out->size();
}

} // namespace tune::automatic

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/automatic/automatic.hpp"

#include "tune/core/search/learner/entry.hpp"

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

rule::rule() : model_{{}}, densities_{{}} {}

std::optional<learning::pick> rule::next(const learning::outlook& from) const {
  if (!is_turn_of_densities(from.number(), from.past().results().size()))
    return model_.next(from);
  auto found = densities_.next(from);
  return found || from.past().results().size() >= very_many ? found : model_.next(from);
}

bool rule::is_quick(const learning::archive& past) const {
  return past.results().size() >= very_many;
}

searcher_catalogue::entry make_entry() {
  auto make = [](const options& from, const searcher_context& about) {
    learning::settings begin{"auto", learning::startup_of(from), false};
    return learning::make_searcher(std::move(begin), std::make_shared<const rule>(), about);
  };
  return {"auto",
          "Gaussian process and TPE by turns: the one to take; one objective, no grids",
          "as gp and tpe",
          {learning::startup_option()},
          make};
}

} // namespace tune::automatic

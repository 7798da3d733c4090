// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/variant/variant.hpp"

#include <utility>

namespace tune::variant_search {

namespace {

/// Largest number of values of a parameter that is enumerated.
constexpr std::size_t most_values = 1000000;

constexpr std::string_view source = "Ray Tune, BasicVariantGenerator";

/// Turns each parameter that is not constant into a grid of all its values.
expected<search_space> enumerated(const search_space& space) {
  auto parameters = space.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    auto& x = parameters[i];
    if (std::holds_alternative<constant>(x.what))
      continue;
    auto all = all_values(space.widest(i), most_values);
    if (!all)
      return error{ec::bad_option, '"' + x.name + "\": " + to_text(x.what)
                                       + " has no end or more than a million values; a grid needs "
                                         "a choice, grid or range of fewer steps, or type = "
                                         "random"};
    x.what = grid_of{std::move(*all)};
  }
  const auto* kept = space.constraint();
  return search_space::make(std::move(parameters),
                            kept != nullptr ? std::optional{*kept} : std::nullopt);
}

using made = expected<std::unique_ptr<searcher>>;

made as_searcher(expected<generator> from) {
  if (!from)
    return from.error();
  return made{std::make_unique<generator>(std::move(*from))};
}

expected<generator> make_grid(const searcher_context& about) {
  auto space = enumerated(*about.space);
  if (!space)
    return space.error();
  auto wider = about;
  wider.space = std::make_shared<const search_space>(std::move(*space));
  return generator::make({}, wider, about.space->has_dependent() ? about.space : nullptr);
}

} // namespace

std::optional<extent> extent_of(const searcher_context& about, bool all_values) {
  const auto made = all_values ? make_grid(about) : generator::make({}, about);
  return made ? made->whole_extent() : std::nullopt;
}

searcher_catalogue::entry make_entry() {
  option_spec constant_grid{"constant_grid_search", option_kind::boolean, "false"};
  constant_grid.meaning = "draw random parameters once per sample, not per grid combination";
  return {"random",
          "every combination of the grids, num_samples times; the rest drawn at random",
          std::string{source},
          {std::move(constant_grid)},
          [](const options& with, const searcher_context& about) {
            return as_searcher(generator::make({with.boolean("constant_grid_search")}, about));
          }};
}

searcher_catalogue::entry make_grid_entry() {
  return {
      "grid",
      "every combination of all parameters' values, num_samples times; finite spaces only",
      std::string{source},
      {},
      [](const options&, const searcher_context& about) { return as_searcher(make_grid(about)); }};
}

} // namespace tune::variant_search

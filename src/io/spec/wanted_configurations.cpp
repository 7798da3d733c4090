// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/wanted_configurations.hpp"

#include "tune/core/space/space.hpp"
#include "tune/io/spec/convert.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

namespace tune {

std::optional<variant_search::extent> wanted_configurations(const spec& what) {
  const auto& type = what.search.type;
  if (what.experiment.num_samples == 0 || type == "none")
    return std::nullopt;
  // Searchers that learn take no grids: each suggests one configuration per sample. All points are
  // tried, even if there are more of them.
  if (!type.empty() && type != "random" && type != "grid")
    return variant_search::extent{
        std::max<std::uint64_t>(what.experiment.num_samples, what.search.points.size()), false};
  auto space = search_space::parse(space_lines(what));
  if (!space)
    return std::nullopt;
  auto shared = std::make_shared<const search_space>(std::move(*space));
  return variant_search::extent_of(searcher_context_of(what, std::move(shared)), type == "grid");
}

} // namespace tune

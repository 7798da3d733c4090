// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/wanted_configurations.hpp"

#include "tune/core/search/variant/odometer.hpp"
#include "tune/core/space/space.hpp"
#include "tune/io/spec/convert.hpp"

#include <limits>
#include <vector>

namespace tune::cli {

std::optional<std::uint64_t> wanted_configurations(const spec& what) {
  const std::uint64_t samples = what.experiment.num_samples;
  auto space = search_space::parse(space_lines(what));
  if (samples == 0 || !space)
    return std::nullopt;
  auto grids = variant_search::odometer::make(*space,
                                              std::vector<bool>(space->parameters().size(), false));
  if (!grids || grids->conditional()
      || grids->combinations() > std::numeric_limits<std::uint64_t>::max() / samples)
    return std::nullopt;
  return samples * grids->combinations();
}

} // namespace tune::cli

/// The number of configurations that an experiment asks for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/spec/spec.hpp"

#include <cstdint>
#include <optional>

namespace tune::cli {

/// `[experiment] num_samples`, times the combinations of the grids. Nothing if there is no limit,
/// or if only the search can tell, as with grids that depend on others.
[[nodiscard]] std::optional<std::uint64_t> wanted_configurations(const spec& what);

} // namespace tune::cli

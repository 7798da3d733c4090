/// The number of configurations that an experiment asks for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/variant/variant.hpp"
#include "tune/io/spec/spec.hpp"

#include <optional>

namespace tune {

/// `[experiment] num_samples`, where there are grids times their combinations, without what given
/// points, conditions and constraints leave out. Nothing if there is no limit.
[[nodiscard]] std::optional<variant_search::extent> wanted_configurations(const spec& what);

} // namespace tune

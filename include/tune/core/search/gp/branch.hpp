/// Families of a conditional space. Without them a model that maximises the expected improvement
/// locks into the first good family.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/gp/acquisition.hpp"
#include "tune/core/search/learner/archive.hpp"

#include <optional>
#include <span>

namespace tune::gp {

/// The axis whose values are the families: among the discrete axes that are never inactive the one
/// on which the most conditions rest, with at most 12 values unless it is a category. Empty if
/// there is none.
[[nodiscard]] std::optional<std::size_t> branching_axis(const encoding& space);

/// The family that is furthest behind its share of the results: ordered by their best values, the
/// family of rank i deserves (1 / i) / H of all, H being the harmonic number of the families.
[[nodiscard]] fixed_axis neglected_branch(const encoding& space, std::size_t axis,
                                          std::span<const learning::result> results);

} // namespace tune::gp

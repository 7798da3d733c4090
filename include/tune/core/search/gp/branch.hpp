/// Families of a conditional space: models with an expected improvement lock into the first good
/// one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/gp/acquisition.hpp"
#include "tune/core/search/learner/archive.hpp"

#include <optional>
#include <span>

namespace tune::gp {

/// The axis whose values are the families: of those that are never inactive the discrete one on
/// which the most conditions rest, with at most 12 values unless it is a category. Nothing where
/// there is none.
[[nodiscard]] std::optional<std::size_t> branching_axis(const encoding& space);

/// The family that is most behind its share of the results: by the order of their best values the
/// family of rank i deserves (1 / i) / H of all.
[[nodiscard]] fixed_axis neglected_branch(const encoding& space, std::size_t axis,
                                          std::span<const learning::result> results);

} // namespace tune::gp

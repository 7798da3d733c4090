/// Whether a rule over the space is missed by what is known of a configuration.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/space.hpp"

#include <vector>

namespace tune::variant_search {

/// Whether no values of the others could make a configuration that keeps the constraint.
///
/// It may be so and not show: what the rule makes of unknown values is not looked into.
///
/// @param known One per parameter, as `search_space::parameters`; null: not known yet. Values of
///              parameters that turn out inactive count as absent.
[[nodiscard]] bool excludes(const search_space& space, const std::vector<const value*>& known);

} // namespace tune::variant_search

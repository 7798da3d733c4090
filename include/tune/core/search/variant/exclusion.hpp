/// Tells whether a partly known configuration already breaks a rule of the space.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/space.hpp"

#include <vector>

namespace tune::variant_search {

/// Whether no values of the unknown parameters could make a configuration that keeps the
/// constraint.
///
/// May miss such cases: the effect of unknown values on the rule is not examined.
///
/// @param known One per parameter, as `search_space::parameters`; null: not known yet. Values of
///              parameters that turn out inactive count as absent.
[[nodiscard]] bool excludes(const search_space& space, const std::vector<const value*>& known);

} // namespace tune::variant_search

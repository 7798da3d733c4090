/// Converts user-written configurations to the form of a search space.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/space/space.hpp"
#include "tune/core/value.hpp"

namespace tune {

/// A copy of `config` in which keys such as "optimizer.lr" are nested objects, numbers are of the
/// kind that the space has there (1.0 becomes 1, or 1 becomes 1.0), and members of subsets are in
/// the space's order. Checks nothing.
[[nodiscard]] object fit_config(const object& config, const search_space& space);

/// A complete configuration: like `fit_config`, plus omitted constants, in the order of the space.
/// @errors `ec::bad_option` naming the parameter: unknown, outside its domain, missing or inactive.
[[nodiscard]] expected<object> complete_config(const object& config, const search_space& space);

} // namespace tune

/// Makes configurations of a space of what people write.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/space/space.hpp"
#include "tune/core/value.hpp"

namespace tune {

/// A copy of `config` in which keys such as "optimizer.lr" became nested objects, and whole numbers
/// floats where the space has floats. Nothing is checked.
[[nodiscard]] object fit_config(const object& config, const search_space& space);

/// A whole configuration: the same, with the constants that were left out, in the order of the
/// space.
/// @errors `ec::bad_option` with the parameter: unknown, outside its domain, missing or inactive.
[[nodiscard]] expected<object> complete_config(const object& config, const search_space& space);

} // namespace tune

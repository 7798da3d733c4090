/// Parameters whose values are objects, and configurations that are shown with these whole.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/space.hpp"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tune {

/// Names of the parameters of which some values are objects: what `flatten` must leave whole, so
/// that it shows the values that trials get.
[[nodiscard]] std::vector<std::string> object_parameters(const search_space& space);

/// Flattens nested objects: pairs of dotted name and value, in order.
/// @param whole Dotted names of parameters whose values stay as they are, also where these are
///              objects.
[[nodiscard]] std::vector<std::pair<std::string, value>>
flatten(const object& config, std::span<const std::string> whole);

} // namespace tune

/// The parameters of a configured space whose values are objects.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/spec/spec.hpp"

#include <string>
#include <vector>

namespace tune {

/// `object_parameters` of its space; none where that cannot be read.
[[nodiscard]] std::vector<std::string> object_parameters_of(const spec& x);

} // namespace tune

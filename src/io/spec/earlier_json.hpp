/// Earlier experiments as JSON in the recorded configuration. Private to io/spec.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/search/earlier.hpp"
#include "tune/core/value.hpp"

#include <vector>

namespace tune {

/// `[{"from": "results/first", "trials": [{"trial": 7, "config": {…}, "value": 0.9}]}]`. `value` is
/// missing if the trial failed; `constraints` is present if they are known.
[[nodiscard]] value earlier_value(const std::vector<earlier_experiment>& of);
/// @errors `ec::bad_syntax`.
[[nodiscard]] expected<std::vector<earlier_experiment>> read_earlier(const value& what);

} // namespace tune

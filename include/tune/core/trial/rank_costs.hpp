/// The costs of what runs as several ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/trial/costs.hpp"

namespace tune {

/// Adds what ran at the same time beside `to`: amounts add up, and so do peaks, since both may have
/// been there at once.
void add_beside(cost_sheet& to, const cost_sheet& other);

} // namespace tune

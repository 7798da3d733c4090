/// Population based training with an exploration of one's own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tune/core/schedule/pbt/pbt.hpp>

namespace embed {

/// PBT whose learning rates have two digits: nobody can tell 0.0123 from 0.012.
[[nodiscard]] tune::scheduler_catalogue::entry rounded_pbt_entry();

} // namespace embed

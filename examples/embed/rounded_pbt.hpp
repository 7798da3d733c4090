/// Population based training with a user-defined exploration.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tune/core/schedule/pbt/pbt.hpp>

namespace embed {

/// PBT whose learning rates have two digits, since 0.0123 is hardly different from 0.012.
[[nodiscard]] tune::scheduler_catalogue::entry rounded_pbt_entry();

} // namespace embed

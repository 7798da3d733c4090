/// Whether the memory of processes can be limited here.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tune {

/// Tells whether `process_order::memory_limit` is enforced on this machine for this user: creates a
/// control group with a limit, and removes it.
[[nodiscard]] bool can_limit_memory();

} // namespace tune

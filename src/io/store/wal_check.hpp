/// Tells a write-ahead log that was cut short from one that was damaged.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <cstdint>
#include <filesystem>

namespace tune::store {

/// Looks at the write-ahead log of `database` before SQLite does.
///
/// SQLite reads the log up to the first frame that does not fit, and forgets what comes after.
/// Where that frame belongs to the last transaction, this is the mend after a crash. Where whole
/// transactions come after it, each of which was on disk once, this would silently lose them.
/// Nobody may write to the log meanwhile.
///
/// @errors `ec::storage` with file and position where whole transactions would be lost.
[[nodiscard]] expected<void> check_wal(const std::filesystem::path& database);

/// The same, and how many bytes at the end of the log hold no whole transaction: what a crash cut
/// short. The next head to come forgets them; nobody was told that they are on disk. [bytes]
[[nodiscard]] expected<std::uint64_t> torn_tail_of_wal(const std::filesystem::path& database);

} // namespace tune::store

/// Distinguishes a write-ahead log that was cut short from a damaged one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <cstdint>
#include <filesystem>

namespace tune::store {

/// Checks the write-ahead log of `database` before SQLite reads it.
///
/// SQLite reads the log up to the first invalid frame and discards the rest. If that frame belongs
/// to the last transaction, this is the normal recovery after a crash. If whole transactions
/// follow, each of which was on disk once, they would be lost silently. Nobody may write to the log
/// during the check.
///
/// @errors `ec::storage` with file and position if whole transactions would be lost.
[[nodiscard]] expected<void> check_wal(const std::filesystem::path& database);

/// Like `check_wal`; also returns the size of the incomplete transaction that a crash left at the
/// end of the log. The next head discards it; it was never reported as durable. [bytes]
[[nodiscard]] expected<std::uint64_t> torn_tail_of_wal(const std::filesystem::path& database);

} // namespace tune::store

/// Checksums of the rows that recovery depends on. SQLite itself has none.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tune::store {

/// XXH3, 64 bits, chained: over the numbers as little-endian 64-bit words, then, seeded with the
/// result so far, over each text. An absent text differs from an empty one. Signed, as SQLite
/// stores it.
[[nodiscard]] std::int64_t checksum(std::span<const std::int64_t> numbers, std::string_view text,
                                    std::optional<std::string_view> more);

/// Checksum of a trial's suggestion only: the other columns of its row can be derived from the log
/// at any time.
/// @param config The configuration as JSON.
[[nodiscard]] std::int64_t
trial_checksum(std::int64_t trial, std::optional<std::string_view> config, std::string_view origin);

} // namespace tune::store

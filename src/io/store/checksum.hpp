/// Checksums of the rows that recovery rests on. SQLite has none of its own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tune::store {

/// XXH3, 64 bits, chained: over the numbers as little-endian 64-bit words, then, seeded with that,
/// over each text. An absent text counts otherwise than an empty one. As SQLite keeps it: signed.
[[nodiscard]] std::int64_t checksum(std::span<const std::int64_t> numbers, std::string_view text,
                                    std::optional<std::string_view> more);

/// Of what a trial was suggested with: its row's other columns follow from the log at any time.
/// @param config Its JSON.
[[nodiscard]] std::int64_t
trial_checksum(std::int64_t trial, std::optional<std::string_view> config, std::string_view origin);

} // namespace tune::store

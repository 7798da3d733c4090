/// Keyed hashes and random secrets, by OpenSSL.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tune {

/// HMAC-SHA-256 of a text (RFC 2104). [64 lower-case hex digits]
/// @returns an empty text if this machine's OpenSSL has no SHA-256.
[[nodiscard]] std::string hmac_of(std::string_view key, std::string_view text);

/// Whether two texts are equal; takes the same time wherever the first difference is.
[[nodiscard]] bool are_equal_secrets(std::string_view a, std::string_view b);

/// Unpredictable random bytes. [2 lower-case hex digits each]
/// @throws std::runtime_error if this machine has no entropy available.
[[nodiscard]] std::string random_hex(std::size_t bytes);

/// An unpredictable random number. [0 .. 2^63)
/// @throws as `random_hex`.
[[nodiscard]] std::uint64_t random_number();

} // namespace tune

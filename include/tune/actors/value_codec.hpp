/// Values as bytes, exactly: what JSON cannot keep apart (NaN and "nan") travels unharmed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/value.hpp"

#include <string>
#include <string_view>

namespace tune {

/// One tag byte per value, then its content: integers and float bits as 8 bytes little-endian,
/// texts, lists and objects behind a 4-byte length.
[[nodiscard]] std::string encode(const object& what);

/// @errors `ec::protocol` for bytes that `encode` cannot have made, or nesting beyond 64.
[[nodiscard]] expected<object> decode_object(std::string_view bytes);

} // namespace tune

/// Reads JSON with non-finite numbers as bare words, as Python's `json` writes them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/json.hpp"

namespace tune {

/// Like `object_from_json`, but reads the bare words NaN, Infinity and -Infinity as the texts
/// "nan", "inf" and "-inf".
/// @errors as `object_from_json`.
[[nodiscard]] expected<object> object_from_loose_json(std::string_view text,
                                                      json_position where = json_position::plain,
                                                      const json_limits& limits = {});
/// Like `object_from_loose_json`, for any value. @errors as `from_json`.
[[nodiscard]] expected<value> from_loose_json(std::string_view text,
                                              json_position where = json_position::plain,
                                              const json_limits& limits = {});

} // namespace tune

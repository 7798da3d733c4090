/// JSON as programs write it whose numbers may be none: Python's `json` writes NaN bare.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/json.hpp"

namespace tune {

/// As `object_from_json`, but the bare words NaN, Infinity and -Infinity stand for the texts "nan",
/// "inf" and "-inf".
/// @errors of `object_from_json`.
[[nodiscard]] expected<object> object_from_loose_json(std::string_view text,
                                                      json_position where = json_position::plain,
                                                      const json_limits& limits = {});
/// The same of any value. @errors of `from_json`.
[[nodiscard]] expected<value> from_loose_json(std::string_view text,
                                              json_position where = json_position::plain,
                                              const json_limits& limits = {});

} // namespace tune

/// Converts objects to JSON and back exactly, non-finite numbers included.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/value.hpp"
#include "tune/io/json.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace tune::store {

/// Limits for reading back from the experiment's own database: as deep as can be destroyed safely,
/// as long as SQLite allows.
inline constexpr json_limits limits{1'000'000'000, 1000};

/// Appends the places in `what` that would be misread in the position `where`: non-finite numbers
/// in plain position, the texts "nan", "inf" and "-inf" among metrics. The format is a JSON list of
/// paths, each a list of positions counted from 0 in objects and lists alike. Appends nothing if
/// there are none.
/// @returns the nesting depth of `what`; 1 for an object of scalars.
std::size_t append_exceptions(std::string& to, const object& what, json_position where);

/// Restores an object that was read in plain position to its original form.
/// @param exceptions The output of `append_exceptions`, read as JSON; null for none.
[[nodiscard]] object restored(object what, json_position where, const value& exceptions);

} // namespace tune::store

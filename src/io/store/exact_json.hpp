/// Objects as JSON that come back exactly, non-finite numbers included.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/value.hpp"
#include "tune/io/json.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace tune::store {

/// What is read back from our own database: as deep as may be destroyed safely, as long as SQLite
/// takes.
inline constexpr json_limits limits{1'000'000'000, 1000};

/// Appends the places of `what` that `where` would read wrongly: in plain position non-finite
/// numbers, among metrics the texts "nan", "inf", "-inf". A JSON list of paths, each a list of
/// positions counted from 0 in objects and lists alike. Appends nothing where there are none.
/// @returns how deep `what` is nested; an object of scalars is 1.
std::size_t append_exceptions(std::string& to, const object& what, json_position where);

/// Turns what was read in plain position into what was written.
/// @param exceptions What `append_exceptions` made, read as JSON; null for none.
[[nodiscard]] object restored(object what, json_position where, const value& exceptions);

} // namespace tune::store

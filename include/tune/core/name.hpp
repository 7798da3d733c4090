/// Bounds of the names that users choose: of parameters, metrics, resources.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tune {

/// Bytes that a name may have.
inline constexpr std::size_t most_name_bytes = 1000;
/// Parts between the dots or slashes of a name, each of which may become an object inside another.
/// As many levels as JSON may have that is read.
inline constexpr std::size_t most_name_parts = 64;

/// Why nothing can be called `name`: "a name has at most …"; empty where it can. Takes linear time:
/// to be asked before anything compares or splits a name from outside.
[[nodiscard]] std::string why_no_name(std::string_view name);

/// The front of a name that is too long to be shown.
[[nodiscard]] std::string shown_name(std::string_view name);

} // namespace tune

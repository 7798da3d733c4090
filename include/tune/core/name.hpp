/// Bounds of the names that users choose for parameters, metrics and resources.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tune {

/// Most bytes in a name.
inline constexpr std::size_t most_name_bytes = 1000;
/// Most parts between the dots or slashes of a name, each of which may become an object inside
/// another. The same depth as that of JSON that is read.
inline constexpr std::size_t most_name_parts = 64;

/// The reason why `name` is not allowed: "a name has at most …"; empty if it is allowed. Takes
/// linear time: call it before anything compares or splits a name from outside.
[[nodiscard]] std::string why_no_name(std::string_view name);

/// The front part of a name that is too long to be shown.
[[nodiscard]] std::string shown_name(std::string_view name);

} // namespace tune

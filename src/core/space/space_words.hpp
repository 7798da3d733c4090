/// Texts of errors about parameters.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/space.hpp"
#include "tune/core/text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tune {

using index_by_name = std::map<std::string, std::size_t, std::less<>>;

/// The beginning of a text that may be very long.
[[nodiscard]] std::string shortened(std::string text);

[[nodiscard]] error about(std::string_view name, std::string_view what, ec code);

/// A hint at the nearest name, or the list of names if it is short.
[[nodiscard]] std::string hint(std::string_view wrong, const std::vector<parameter>& known);

} // namespace tune

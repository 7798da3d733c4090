/// Reads and writes ranges whose bounds depend on other parameters.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "scanner.hpp"

#include "tune/core/space/domain.hpp"

#include <string>
#include <string_view>

namespace tune {

/// Whether the arguments of a distribution of numbers, which begin at the scanner's position, have
/// parameters in braces.
[[nodiscard]] bool is_dependent(const scanner& in, std::string_view distribution);

/// Reads "(low, high)" or "(low, high, q)". @errors `ec::bad_syntax`, `ec::bad_option`.
[[nodiscard]] expected<domain> read_dependent(scanner& in, std::string_view distribution);

/// Text such as "uniform(0, {a})".
[[nodiscard]] std::string text_of(const dependent_range& what);

} // namespace tune

/// Options of a catalogue entry on one line: `metric loss most 600`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/plugin/options.hpp"

#include <string_view>
#include <vector>

namespace tune {

/// Parses alternating names and values, separated by blanks; values contain none.
/// @errors `ec::bad_syntax` if a value is missing; `ec::bad_option` if a name is given twice; those
///         of `options::parse`.
[[nodiscard]] expected<options> parse_option_line(const std::vector<option_spec>& known,
                                                  std::string_view text);

} // namespace tune

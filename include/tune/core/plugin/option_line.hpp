/// Options of a catalogue's entry in one line: `metric loss most 600`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/plugin/options.hpp"

#include <string_view>
#include <vector>

namespace tune {

/// Names and values by turns, separated by blanks; values have none.
/// @errors `ec::bad_syntax` where a value is missing; `ec::bad_option` where a name is given twice;
///         those of `options::parse`.
[[nodiscard]] expected<options> parse_option_line(const std::vector<option_spec>& known,
                                                  std::string_view text);

} // namespace tune

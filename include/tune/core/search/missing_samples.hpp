/// Texts by which a searcher says whether it ends before making all wanted samples.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace tune {

/// Prefix of `exhausted::why` if samples that were wanted will never come: people are told.
inline constexpr std::string_view samples_missing = "samples are missing: ";

/// Suffix of `exhausted::why` if all samples that were wanted were made: people need not be told.
inline constexpr std::string_view all_made = " were suggested";

} // namespace tune

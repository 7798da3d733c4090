/// How a searcher says that it ends before it has made all that was wanted.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace tune {

/// How `exhausted::why` begins where samples that were wanted will never come: people are told.
inline constexpr std::string_view samples_missing = "samples are missing: ";

} // namespace tune

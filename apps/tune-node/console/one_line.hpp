/// Puts texts of several lines into one line.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace tune::cli {

/// The text as `printable` has it, in one line: each line break, with the blanks around it, becomes
/// one blank. "fail_fast: exited with status 1\n  no data" becomes "fail_fast: exited with status 1
/// no data".
[[nodiscard]] std::string in_one_line(std::string_view text);

} // namespace tune::cli

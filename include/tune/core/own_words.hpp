/// How messages name what can be done next: by options of this program or, in a program of one's
/// own that embeds the library, by its functions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace tune {

/// Whether this process has a command line of the library's, as `tune::app` and tune-node have:
/// `set_program_name` was called.
[[nodiscard]] bool has_command_line();

/// How to go on with the experiment in a directory: "--resume"; "run_options::resume".
[[nodiscard]] std::string_view way_to_resume();

/// How to begin beside it: "--experiment.name auto"; "run_options::name("auto")".
[[nodiscard]] std::string_view way_to_number();

} // namespace tune

/// What a head does that gets no more memory, or no more threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tune::cli {

/// From now on this process ends at once, with one line on stderr and exit code 1, where memory is
/// exhausted or an exception finds nobody. It can do nothing in order any more, and its record is
/// made to be left at any moment. A request for an absurd amount still fails by `bad_alloc`: a
/// trainable's may be one.
void end_when_exhausted();

/// Ends the process in this way.
[[noreturn]] void give_up(const std::string& why);

} // namespace tune::cli

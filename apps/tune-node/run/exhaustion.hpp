/// What a program does that gets no more memory, or no more threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tune::cli {

/// From now on this process ends at once, with one line on stderr and exit code 1, where memory is
/// exhausted or an exception finds nobody. It can do nothing in order any more, and its record is
/// made to be left at any moment. A request for an absurd amount still fails by `bad_alloc`: a
/// trainable's may be one.
///
/// Whatever is to end in this way has to be `noexcept`: on its way to somebody who catches it, an
/// exception would take down actors that nobody has dismissed, and wait for them without end.
/// And not inlined: g++ before 14 forgets the exception's text there.
/// @param advice What the line says beside the reason. Must live as long as the process.
void end_when_exhausted(const char* advice = "what is recorded is safe: go on with it by --resume");

/// Ends the process in this way.
[[noreturn]] void give_up(const std::string& why);

} // namespace tune::cli

/// Ends a program that gets no more memory, or no more threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tune::cli {

/// From now on this process ends at once, with one line on stderr and exit code 1, if memory is
/// exhausted or an exception is not caught. It can do nothing in order any more, and its record is
/// made to survive that at any moment. A request for an absurd amount of memory still fails with
/// `bad_alloc`: a trainable's may be one.
///
/// A function that is to end in this way must be `noexcept`: on its way to a handler, an exception
/// would destroy actors that nobody has dismissed, and wait for them without end. It must not be
/// inlined either: g++ before 14 loses the exception's text then.
/// @param advice Text of the line after the reason. Must live as long as the process.
void end_when_exhausted(const char* advice = "what is recorded is safe: go on with it by --resume");

/// Ends the process in the same way.
[[noreturn]] void give_up(const std::string& why);

} // namespace tune::cli

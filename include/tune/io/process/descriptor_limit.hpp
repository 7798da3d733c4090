/// How many files and connections a process may have open.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

namespace tune {

/// Lets this process open as many as the system allows it: many workers and trials need more than
/// the usual 1024. For the beginning of a program's `main`; trials still get the limit that the
/// program was started with, since some programs trust in a small one.
void raise_descriptor_limit();

/// The limit that trials get; nothing if it was never raised: then they inherit ours.
[[nodiscard]] std::optional<std::uint64_t> descriptor_limit_of_trials();

} // namespace tune

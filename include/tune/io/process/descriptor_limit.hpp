/// The limit on open files and connections of a process.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

namespace tune {

/// Raises this process's limit of open descriptors to the system's maximum: many workers and trials
/// need more than the usual 1024. Call it at the beginning of a program's `main`. Trials still get
/// the limit that the program was started with, since some programs rely on a small one.
void raise_descriptor_limit();

/// The limit that trials get; empty if it was never raised, so that they inherit this process's
/// limit.
[[nodiscard]] std::optional<std::uint64_t> descriptor_limit_of_trials();

} // namespace tune

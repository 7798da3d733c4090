/// Handles the truncation of a file that the process has mapped into memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tune::cli {

/// From now on the process ends with `exit_code::storage` and one line when it touches a truncated
/// part of `experiment.db-shm`: the kernel reports that only by the signal SIGBUS. The record is
/// not affected. Any other SIGBUS ends the process by that signal, as before.
void end_when_memory_is_cut();

} // namespace tune::cli

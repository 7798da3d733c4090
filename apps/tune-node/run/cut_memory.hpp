/// What becomes of the process when a file that it shares as memory is cut short.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tune::cli {

/// From now on the process ends with `exit_code::storage` and one line where it touches what was
/// cut off `experiment.db-shm`: the kernel knows no other answer than the signal SIGBUS. What is
/// recorded does not suffer. Any other such fault ends it by that signal, as before.
void end_when_memory_is_cut();

} // namespace tune::cli

/// The signal by which a batch system announces the end of this machine's time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tune {

/// Batch systems send such a signal to all processes of a job, and the default action of most ends
/// a process. Trials ignore it from the start, and may ask for it by a handler of their own. Call
/// before the guard is started. @param number 0: none.
void set_notice_signal(int number);
/// 0: none.
[[nodiscard]] int notice_signal();

} // namespace tune

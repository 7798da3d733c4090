/// Parts of the reasons for which trials ended or wait, by which readers of a record know them
/// again.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace tune {

/// Of a trial whose last report said that it is done.
inline constexpr std::string_view said_it_is_done = "the trainable said it is done";
/// Of a trial that was stopped by a report that came only as it ended: nothing was saved.
inline constexpr std::string_view had_run_its_course
    = "it had run its course by then, since all its reports came at once as it ended";
/// Of a trial that waits after it had paused, and has lost the checkpoint of that pause.
inline constexpr std::string_view lost_its_pause = "what it paused with was lost";

} // namespace tune

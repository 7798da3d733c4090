/// Parts of an answer that came too late.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/schedule/scheduler.hpp"

#include <algorithm>
#include <cstddef>

namespace tune {

/// Whether the named trial could not be started any more.
[[nodiscard]] inline bool is_refused(const fact::chosen& what, trial_id trial) {
  return std::find(what.refused.begin(), what.refused.end(), trial) != what.refused.end();
}

/// Whether the action with this index had no effect.
[[nodiscard]] inline bool is_refused(const fact::decided& what, std::size_t action) {
  return std::find(what.refused.begin(), what.refused.end(), action) != what.refused.end();
}

} // namespace tune

/// The one list of schedulers shipped.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/asha/asha.hpp"
#include "tune/core/schedule/fifo/fifo.hpp"
#include "tune/core/schedule/scheduler.hpp"

namespace tune {

scheduler_catalogue builtin_schedulers() {
  return scheduler_catalogue{{fifo::make_entry(), asha::make_entry()}};
}

} // namespace tune

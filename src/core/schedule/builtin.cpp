/// The list of the schedulers that are shipped.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/asha/asha.hpp"
#include "tune/core/schedule/fifo/fifo.hpp"
#include "tune/core/schedule/hyperband/hyperband.hpp"
#include "tune/core/schedule/median/median.hpp"
#include "tune/core/schedule/pb2/pb2.hpp"
#include "tune/core/schedule/pbt/pbt.hpp"
#include "tune/core/schedule/pbt_replay/pbt_replay.hpp"
#include "tune/core/schedule/resource_changing/resource_changing.hpp"
#include "tune/core/schedule/scheduler.hpp"

#include <utility>

namespace tune {

scheduler_catalogue builtin_schedulers() {
  scheduler_catalogue result{{fifo::make_entry(), asha::make_entry(), hyperband::make_entry(),
                              hyperband::make_bohb_entry(), median::make_entry(), pbt::make_entry(),
                              pb2::make_entry()}};
  // This one can wrap any of those added before it.
  auto changing = resource_changing::make_entry(result);
  result.add(pbt_replay::make_entry());
  result.add(std::move(changing));
  return result;
}

} // namespace tune

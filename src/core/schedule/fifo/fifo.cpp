// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/fifo/fifo.hpp"

namespace tune::fifo {

scheduler_traits fifo_scheduler::traits() const {
  scheduler_traits result;
  // The order never depends on results.
  result.choose_ahead = 256;
  result.judges = false;
  result.prompt = true;
  return result;
}

decision fifo_scheduler::judge(sequence cause, trial_id trial) const {
  return {cause, {{trial, go_on{}, {}}}};
}

choice fifo_scheduler::choose(sequence at, std::uint32_t count) const {
  return queue_.first(at, count);
}

decision fifo_scheduler::on_stall(sequence at) const {
  return queue_.end_paused(at, "fifo");
}

scheduler_catalogue::entry make_entry() {
  scheduler_catalogue::entry result;
  result.name = "fifo";
  result.summary = "runs every trial to its end, in the order of suggestion";
  result.make = [](const options&, const scheduler_context&) {
    return expected<std::unique_ptr<scheduler>>{std::make_unique<fifo_scheduler>()};
  };
  return result;
}

} // namespace tune::fifo

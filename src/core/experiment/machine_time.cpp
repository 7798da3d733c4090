// Effects of time alone.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include "tune/core/experiment/time_limits.hpp"

#include <algorithm>
#include <utility>

namespace tune {

std::optional<instant> machine::next_deadline() const {
  if (ending_.is_finished())
    return std::nullopt;
  auto result = deadlines_.next();
  if (settings_.time_limit.count() > 0 && !ending_.drains())
    result = std::min(result.value_or(settings_.time_limit), instant{settings_.time_limit});
  if (has_trained_enough() && !ending_.drains())
    result = std::min(result.value_or(now_), now_);
  if (auto at = idle_.again_at(); at && !ending_.drains())
    result = std::min(result.value_or(*at), *at);
  if (auto at = sketch_due())
    result = std::min(result.value_or(*at), *at);
  return result;
}

std::vector<on::ticked> machine::due(instant now) const {
  if (ending_.is_finished())
    return {};
  auto result = deadlines_.due(now);
  auto is_late = settings_.time_limit.count() > 0 && now >= settings_.time_limit;
  if (!ending_.drains() && (is_late || has_trained_enough()))
    result.push_back({due_kind::time_limit, {}});
  if (auto at = idle_.again_at(); at && !ending_.drains() && now >= *at)
    result.push_back({due_kind::ask_again, {}});
  if (auto at = sketch_due(); at && now >= *at)
    result.push_back({due_kind::free_place, {}});
  return result;
}

bool machine::has_trained_enough() const {
  auto most = settings_.training_limit;
  return most.count() > 0 && training_.total() >= most;
}

void machine::leave_off_in_time(bool is_queued) {
  auto why = std::string{has_trained_enough() ? training_limit_reached : time_limit_reached};
  if (is_queued)
    why += was_queued;
  begin_drain({experiment_status::time_limit, std::move(why), true});
}

void machine::take(const on::ticked& what) {
  if (what.what == due_kind::time_limit) {
    leave_off_in_time(what.is_queued);
    return;
  }
  // What follows is settled by the time.
  if (what.what == due_kind::free_place)
    return;
  if (what.what == due_kind::ask_again) {
    idle_.ask_now();
    dialogue_.wake();
    return;
  }
  auto* trial = live(what.trial);
  if (trial == nullptr || !deadlines_.take_due(trial->id, what.what, now_))
    return;
  switch (what.what) {
    case due_kind::retry:
      if (!ending_.drains())
        tell_added(*trial);
      return;
    case due_kind::progress_timeout:
      trial->attempt->killed_for = end_class::timeout;
      halt(*trial, halt_mode::kill, "no report within the progress timeout");
      return;
    case due_kind::stop_grace:
      if (ending_.leaves_off() && trial->attempt->next != intent::stop)
        trial->attempt->killed_for = end_class::interrupted;
      halt(*trial, halt_mode::kill, "it did not end within the grace time");
      return;
    case due_kind::kill_time:
      give_up(*trial);
      return;
    case due_kind::draft:
      keep_draft(*trial);
      return;
    case due_kind::time_limit:
    case due_kind::ask_again:
    case due_kind::free_place:
      return;
  }
}

} // namespace tune

// Effects of time alone.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include "tune/core/experiment/time_limits.hpp"

#include <algorithm>

namespace tune {

void machine::set_deadline(live_trial& trial, due_kind what, instant when) {
  // At most one of each kind per trial; the progress deadline is by far the most frequent, and
  // moves
  // forward.
  auto& known = trial.due_at[static_cast<std::size_t>(what)];
  if (known)
    deadlines_.erase({*known, trial.id, what});
  known = when;
  deadlines_.emplace(when, trial.id, what);
}

void machine::clear_deadline(live_trial& trial, due_kind what) {
  auto& known = trial.due_at[static_cast<std::size_t>(what)];
  if (known)
    deadlines_.erase({*known, trial.id, what});
  known.reset();
}

void machine::clear_deadlines(live_trial& trial) {
  for (std::size_t i = 0; i < trial.due_at.size(); ++i)
    clear_deadline(trial, static_cast<due_kind>(i));
}

std::optional<instant> machine::next_deadline() const {
  if (finished_)
    return std::nullopt;
  std::optional<instant> result;
  if (!deadlines_.empty())
    result = std::get<0>(*deadlines_.begin());
  if (settings_.time_limit.count() > 0 && !drain_)
    result = std::min(result.value_or(settings_.time_limit), instant{settings_.time_limit});
  if (has_trained_enough() && !drain_)
    result = std::min(result.value_or(now_), now_);
  if (ask_again_at_ && !drain_)
    result = std::min(result.value_or(*ask_again_at_), *ask_again_at_);
  if (auto at = sketch_due())
    result = std::min(result.value_or(*at), *at);
  return result;
}

std::vector<on::ticked> machine::due(instant now) const {
  std::vector<on::ticked> result;
  if (finished_)
    return result;
  for (const auto& [when, trial, what] : deadlines_) {
    if (when > now)
      break;
    result.push_back({what, trial});
  }
  auto is_late = settings_.time_limit.count() > 0 && now >= settings_.time_limit;
  if (!drain_ && (is_late || has_trained_enough()))
    result.push_back({due_kind::time_limit, {}});
  if (ask_again_at_ && !drain_ && now >= *ask_again_at_)
    result.push_back({due_kind::ask_again, {}});
  if (auto at = sketch_due(); at && now >= *at)
    result.push_back({due_kind::free_place, {}});
  return result;
}

bool machine::has_trained_enough() const {
  auto most = settings_.training_limit;
  return most.count() > 0 && trained_ >= most;
}

void machine::leave_off_in_time() {
  begin_drain({experiment_status::time_limit,
               std::string{has_trained_enough() ? training_limit_reached : time_limit_reached},
               true});
}

void machine::take(const on::ticked& what) {
  if (what.what == due_kind::time_limit) {
    leave_off_in_time();
    return;
  }
  // What follows is settled by the time.
  if (what.what == due_kind::free_place)
    return;
  if (what.what == due_kind::ask_again) {
    ask_again_at_.reset();
    searcher_waits_ = false;
    return;
  }
  auto* trial = live(what.trial);
  if (trial == nullptr)
    return;
  auto& slot = trial->due_at[static_cast<std::size_t>(what.what)];
  if (!slot || *slot > now_)
    return;
  deadlines_.erase({*slot, trial->id, what.what});
  slot.reset();
  switch (what.what) {
    case due_kind::retry:
      trial->retry_at.reset();
      --in_backoff_;
      if (!drain_)
        tell_added(*trial);
      return;
    case due_kind::progress_timeout:
      trial->attempt->killed_for = end_class::timeout;
      halt(*trial, halt_mode::kill, "no report within the progress timeout");
      return;
    case due_kind::stop_grace:
      if (drain_ && drain_->resumable && trial->attempt->next != intent::stop)
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

// SPDX-License-Identifier: BSD-3-Clause
#include "census.hpp"

#include <utility>

namespace tune {

namespace {

/// Sets the flag, and the number of those that have it. @returns whether that changes the flag.
bool set(bool& flag, bool to, std::uint64_t& count) {
  if (std::exchange(flag, to) == to)
    return false;
  to ? ++count : --count;
  return true;
}

} // namespace

void census::add(const standing& of) {
  ++counts_[index(of.status_)];
}

void census::move(standing& of, trial_status to) {
  const auto held = of.is_held() ? 1u : 0u;
  held_paused_ -= of.status_ == trial_status::paused ? held : 0;
  held_paused_ += to == trial_status::paused ? held : 0;
  const auto number = of.has_number() ? 1u : 0u;
  promising_ -= of.status_ != trial_status::errored ? number : 0;
  promising_ += to != trial_status::errored ? number : 0;
  --counts_[index(of.status_)];
  ++counts_[index(to)];
  of.status_ = to;
}

void census::set_succeeded(standing& of, bool to) {
  set(of.succeeded_, to, succeeded_);
}

void census::note_number(standing& of) {
  if (!std::exchange(of.number_, true) && of.status_ != trial_status::errored)
    ++promising_;
}

void census::queue(trial_id trial, standing& of) {
  set(of.queued_, true, queued_);
  note_asked_waiting(trial, of);
}

void census::leave_queue(trial_id trial, standing& of) {
  set(of.queued_, false, queued_);
  note_asked_waiting(trial, of);
}

void census::await_lease(standing& of) {
  set(of.awaits_lease_, true, awaiting_lease_);
}

void census::stop_waiting(standing& of) {
  set(of.awaits_lease_, false, awaiting_lease_);
}

bool census::set_hold(standing& of, hold to) {
  const auto before = std::exchange(of.held_, to);
  const auto was_held = before == hold::held ? 1u : 0u;
  const auto is_held = of.is_held() ? 1u : 0u;
  const auto is_paused = of.status_ == trial_status::paused;
  held_ = held_ + is_held - was_held;
  held_paused_ += is_paused ? is_held : 0;
  held_paused_ -= is_paused ? was_held : 0;
  return before != to;
}

void census::ask_for(trial_id trial, standing& of) {
  set(of.asked_for_, true, asked_for_);
  note_asked_waiting(trial, of);
}

void census::forget_request(trial_id trial, standing& of) {
  set(of.asked_for_, false, asked_for_);
  note_asked_waiting(trial, of);
}

void census::note_asked_waiting(trial_id trial, const standing& of) {
  if (of.asked_for_ && of.queued_)
    asked_waiting_.insert(trial);
  else
    asked_waiting_.erase(trial);
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "head/event_feed.hpp"

#include "head/snapshot_fields.hpp"

#include <algorithm>
#include <utility>

namespace tune::cli {

void feed::trial_changed(const cmd::trial_changed& what, instant now) {
  if (!is_final(what.status))
    return;
  // Keeps a short copy: the whole report may be large.
  cmd::trial_changed brief;
  brief.trial = what.trial;
  brief.status = what.status;
  brief.config = what.config;
  brief.failures = what.failures;
  brief.reason = what.reason;
  brief.iteration = what.iteration;
  if (what.last) {
    auto last = *what.last;
    last.metrics = std::make_shared<const object>(
        last.metrics ? only_objectives(*last.metrics, objectives_) : object{});
    brief.last = std::make_shared<const report>(std::move(last));
  }
  add({0, now, std::move(brief)});
}

void feed::finished(const run_summary& how) {
  // The callback may hold a reference to this object.
  if (auto over = std::exchange(over_, nullptr))
    over(how);
}

void feed::attempt_failed(const cmd::attempt_changed& what, bool again, instant now) {
  add({0, now, feed_event::failure{what, again}});
}

void feed::warned(const std::string& text) {
  if (log_)
    log_(text);
  add({0, instant{0}, feed_event::warning{text}});
}

void feed::say(const std::string& text) {
  add({0, instant{0}, feed_event::line{text}});
}

void feed::add(feed_event what) {
  std::lock_guard guard{mutex_};
  what.number = ++last_;
  events_.push_back(std::move(what));
  if (events_.size() > kept)
    events_.pop_front();
}

std::vector<feed_event> feed::after(std::uint64_t number) const {
  std::lock_guard guard{mutex_};
  auto first = std::find_if(events_.begin(), events_.end(),
                            [number](const auto& x) { return x.number > number; });
  return {first, events_.end()};
}

} // namespace tune::cli

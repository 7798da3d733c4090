/// Recent events of an experiment, for clients that ask.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "head/status_messages.hpp"

#include <deque>
#include <functional>
#include <mutex>

namespace tune::cli {

/// Keeps the newest events. All functions may be called from any thread.
class feed : public run_observer {
public:
  /// Number of events kept. Older ones are dropped: a line for each would be no help any more.
  static constexpr std::size_t kept = 1000;

  /// @param objectives The experiment's; other metrics are not kept.
  /// @param over Called once, when the experiment is over; by the runner, so it must be quick.
  /// @param log  Called with each warning; from any thread.
  feed(std::vector<objective> objectives, std::function<void(const run_summary&)> over,
       std::function<void(const std::string&)> log = {})
      : objectives_{std::move(objectives)}, over_{std::move(over)}, log_{std::move(log)} {}

  void trial_changed(const cmd::trial_changed& what, instant now) override;
  void attempt_failed(const cmd::attempt_changed& what, bool again, instant now) override;
  void warned(const std::string& text) override;
  void finished(const run_summary& how) override;

  /// Adds a line for people.
  void say(const std::string& text);

  /// The events after the one with this number.
  [[nodiscard]] std::vector<feed_event> after(std::uint64_t number) const;

private:
  std::vector<objective> objectives_;
  std::function<void(const run_summary&)> over_;
  std::function<void(const std::string&)> log_;
  mutable std::mutex mutex_;
  std::deque<feed_event> events_;
  std::uint64_t last_ = 0;

  void add(feed_event what);
};

} // namespace tune::cli

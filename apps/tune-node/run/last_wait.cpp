// SPDX-License-Identifier: BSD-3-Clause
#include "run/last_wait.hpp"

#include "run/before_run.hpp"
#include "tune/io/process/leftovers.hpp"

#include <chrono>
#include <system_error>
#include <utility>

namespace tune::cli {

namespace {

/// Guards need less time to end whatever can be ended.
constexpr std::chrono::seconds until_first_reminder{5};
constexpr std::chrono::seconds between_reminders{60};

} // namespace

last_wait::last_wait(std::filesystem::path directory, teller say)
    : directory_{std::move(directory)}, say_{std::move(say)} {}

last_wait::~last_wait() {
  {
    std::lock_guard guard{mutex_};
    over_ = true;
    changed_.notify_all();
  }
  if (reminder_.joinable())
    reminder_.join();
}

void last_wait::begin(bool warned) {
  auto first = [this, warned](int number) {
    if (warned)
      leave_at_once(number);
    say_("all is recorded; once more to leave without waiting for the last processes");
  };
  try {
    signals_.emplace(first, leave_at_once);
  } catch (const std::system_error&) {
    // No thread can be started: the program ends without messages, as it nearly always does anyway.
  }
  remind_from({});
}

void last_wait::remind_from(std::chrono::milliseconds from_now) {
  std::lock_guard guard{mutex_};
  if (reminder_.joinable())
    return;
  try {
    reminder_ = std::thread{[this, from_now] { remind(from_now + until_first_reminder); }};
  } catch (const std::system_error&) {
    // No thread, so no reminders.
  }
}

void last_wait::remind(std::chrono::milliseconds after) {
  std::unique_lock guard{mutex_};
  while (!changed_.wait_for(guard, after, [this] { return over_; })) {
    guard.unlock();
    tell_who_is_left();
    guard.lock();
    after = between_reminders;
  }
}

void last_wait::tell_who_is_left() {
  const auto left = text_of_processes_below(directory_);
  say_(left.empty() ? "waiting for what is left of the trials to end"
                    : "waiting for trial processes that were ended and are still there: " + left);
}

} // namespace tune::cli

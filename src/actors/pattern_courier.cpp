// SPDX-License-Identifier: BSD-3-Clause
#include "pattern_courier.hpp"

#include <utility>

namespace tune {

namespace {

/// What one line costs beside its bytes.
constexpr std::size_t line_cost = sizeof(std::string);
constexpr std::size_t most_waiting = 64 * 1024;

} // namespace

pattern_courier::pattern_courier(process_impl to, metric_pattern patterns,
                                 std::weak_ptr<pattern_thread> thread)
    : process_courier{std::move(to)}, thread_{std::move(thread)}, patterns_{std::move(patterns)} {}

line_flow pattern_courier::stdout_line(std::string_view line, bool) {
  std::lock_guard lock{mutex_};
  if (dropped_)
    return line_flow::go_on;
  lines_.emplace_back(line);
  bytes_ += line.size() + line_cost;
  full_ = bytes_ >= most_waiting;
  bring();
  return full_ ? line_flow::hold : line_flow::go_on;
}

void pattern_courier::exited(const exit_info& how) {
  std::lock_guard lock{mutex_};
  exit_ = how;
  if (how.requested) {
    lines_.clear();
    waits_for_verdict_ = false;
  }
  bring();
}

void pattern_courier::go_on() {
  std::lock_guard lock{mutex_};
  waits_for_verdict_ = false;
  bring();
}

void pattern_courier::drop() {
  std::lock_guard lock{mutex_};
  dropped_ = true;
  lines_.clear();
  waits_for_verdict_ = false;
  bring();
}

bool pattern_courier::has_work() const {
  return !over_ && !waits_for_verdict_ && (!lines_.empty() || exit_);
}

void pattern_courier::bring() {
  if (brought_ || !has_work())
    return;
  if (auto thread = thread_.lock()) {
    brought_ = true;
    thread->bring(shared_from_this());
  }
}

bool pattern_courier::stay_if_work() {
  brought_ = has_work();
  return brought_;
}

bool pattern_courier::work() {
  std::unique_lock lock{mutex_};
  if (!stay_if_work())
    return false;
  if (lines_.empty()) {
    over_ = true;
    auto whole = !exit_->requested && !dropped_;
    lock.unlock();
    end(*exit_, whole);
    return false;
  }
  auto line = std::move(lines_.front());
  lines_.pop_front();
  bytes_ -= line.size() + line_cost;
  auto has_room = full_ && bytes_ < most_waiting / 2;
  full_ = full_ && !has_room;
  lock.unlock();
  if (has_room)
    tell(process_news::room{});
  auto report = patterns_.read(line);
  lock.lock();
  if (report && !dropped_ && !(exit_ && exit_->requested)) {
    waits_for_verdict_ = true;
    tell(process_news::printed{std::move(*report)});
  }
  return stay_if_work();
}

void pattern_courier::end(const exit_info& how, bool whole) {
  if (whole) {
    if (auto last = patterns_.finish())
      tell(process_news::printed{std::move(*last)});
  }
  process_courier::exited(how);
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "relay.hpp"

#include "tune/trainable/drive.hpp"

#include <system_error>
#include <utility>

namespace tune {

expected<void> relay::start() {
  if (to_ == nullptr)
    return {};
  try {
    caller_ = std::thread{[this] { serve(); }};
  } catch (const std::system_error& why) {
    return error{ec::process, std::string{"there is no thread for the callback: "} + why.what()};
  }
  return {};
}

void relay::close() {
  {
    std::lock_guard guard{mutex_};
    closed_ = true;
  }
  changed_.notify_all();
  if (caller_.joinable())
    caller_.join();
  else
    serve();
  std::lock_guard guard{mutex_};
  if (auto count = std::exchange(left_out_, 0); count > 0)
    warnings_.push_back("the callback did not hear of " + std::to_string(count)
                        + " reports and decisions: it fell behind");
}

void relay::warned(const std::string& text) {
  keep(text);
  hand_on([text](tuner_callback& x) { x.warned(text); });
}

void relay::finished(const run_summary& how) {
  hand_on([status = how.status, why = how.why](tuner_callback& x) { x.finished(status, why); });
  std::lock_guard guard{mutex_};
  if (!over_)
    over_ = how;
  changed_.notify_all();
}

void relay::broke(const std::string& why) {
  run_summary how;
  how.status = experiment_status::failed;
  how.why = why;
  how.storage_error = why;
  finished(how);
}

run_summary relay::wait() {
  std::unique_lock guard{mutex_};
  changed_.wait(guard, [this] { return over_.has_value(); });
  return *over_;
}

std::vector<std::string> relay::warnings() const {
  std::lock_guard guard{mutex_};
  return warnings_;
}

void relay::keep(std::string text) {
  std::lock_guard guard{mutex_};
  warnings_.push_back(std::move(text));
}

void relay::hand_on(call what, bool may_be_left_out) {
  {
    std::lock_guard guard{mutex_};
    if (closed_)
      return;
    if (may_be_left_out && bulk_ >= most_waiting) {
      ++left_out_;
      return;
    }
    bulk_ += may_be_left_out ? 1 : 0;
    waiting_.push_back({std::move(what), may_be_left_out});
  }
  changed_.notify_all();
}

void relay::serve() {
  std::unique_lock guard{mutex_};
  for (;;) {
    changed_.wait(guard, [this] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty())
      return;
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    bulk_ -= next.may_be_left_out ? 1 : 0;
    guard.unlock();
    call_one(next.what);
    guard.lock();
  }
}

void relay::call_one(const call& what) {
  if (to_ == nullptr)
    return;
  try {
    what(*to_);
  } catch (...) {
    keep("the callback is not called any more, it threw: " + current_exception_text());
    to_ = nullptr;
  }
}

} // namespace tune

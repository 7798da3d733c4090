/// Another thread's request to leave a run off in order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <utility>

namespace tune::cli {

/// Between a run and whoever may end it. From any thread.
class leave_request {
public:
  using action = std::function<void(const std::string& why)>;

  /// Has the run left off: at once, or as soon as it has begun; not if it is over. Only the first
  /// call counts.
  void ask(std::string why) {
    std::lock_guard guard{mutex_};
    if (std::exchange(is_asked_, true))
      return;
    why_ = std::move(why);
    if (act_)
      act_(why_);
  }

  [[nodiscard]] bool is_asked() const {
    std::lock_guard guard{mutex_};
    return is_asked_;
  }

  /// The run can be left off from now on, by `act`, which must not call this object.
  void begin(action act) {
    std::lock_guard guard{mutex_};
    act_ = std::move(act);
    if (is_asked_)
      act_(why_);
  }
  /// The run is over: `act` is not called any more.
  void end() {
    std::lock_guard guard{mutex_};
    act_ = nullptr;
  }

private:
  mutable std::mutex mutex_;
  action act_;
  bool is_asked_ = false;
  std::string why_;
};

} // namespace tune::cli

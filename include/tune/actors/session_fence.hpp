/// Whether a node may speak to its head: asked by all of it that do, before each word.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"

#include <atomic>
#include <functional>
#include <utility>

namespace tune {

/// Open as long as the node's lease runs (see `session_lease`) and it is in. May be asked from any
/// thread; the answer is of the moment, whenever the process slept before.
class session_fence {
public:
  /// @param clock Goes on while the machine sleeps.
  explicit session_fence(std::function<instant()> clock) : clock_{std::move(clock)} {}

  [[nodiscard]] bool is_open() const { return !shut_ && clock_().count() < ends_; }
  [[nodiscard]] instant now() const { return clock_(); }

  /// The lease ends then.
  void set_end(instant ends) { ends_ = ends.count(); }
  /// The head is out of reach, or has not said yet what may go on.
  void shut() { shut_ = true; }
  void open() { shut_ = false; }

private:
  std::function<instant()> clock_;
  std::atomic<instant::rep> ends_{0};
  std::atomic<bool> shut_{false};
};

} // namespace tune

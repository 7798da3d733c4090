/// Tells whether a node may speak to its head: its actors ask before each message.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"

#include <atomic>
#include <functional>
#include <utility>

namespace tune {

/// Open while the node's session lease runs (see `session_lease`) and its head has let it in. May
/// be asked from any thread; the answer is current even right after the process slept.
class session_fence {
public:
  /// @param clock Goes on while the machine sleeps.
  explicit session_fence(std::function<instant()> clock) : clock_{std::move(clock)} {}

  [[nodiscard]] bool is_open() const { return !shut_ && clock_().count() < ends_; }
  [[nodiscard]] instant now() const { return clock_(); }
  /// Whether the lease has run out: a head that lives counts the node as lost, or soon will.
  [[nodiscard]] bool has_lapsed() const { return clock_().count() >= ends_; }

  /// Sets the end of the session lease.
  void set_end(instant ends) { ends_ = ends.count(); }
  /// To call when the head is out of reach, or has not said yet what may go on.
  void shut() { shut_ = true; }
  void open() { shut_ = false; }

private:
  std::function<instant()> clock_;
  std::atomic<instant::rep> ends_{0};
  std::atomic<bool> shut_{false};
};

} // namespace tune

/// The log of a simulated experiment, and how much of it is on disk.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/event.hpp"

#include <vector>

namespace tune {

/// Events in their order, written by one commit after another. What is on disk stays; the commit
/// under way covers more than that, and no more than there is.
class simulated_log {
public:
  void append(const event& what) { events_.push_back(what); }
  /// Begins to write all that is not on disk. @pre None is under way.
  void begin_commit() { committing_ = events_.size(); }
  /// The commit under way has reached the disk.
  void end_commit() {
    on_disk_ = committing_;
    committing_ = 0;
  }
  /// Loses what is not on disk. @param commits Whether a commit under way was written before.
  void crash(bool commits) {
    if (commits && is_committing())
      on_disk_ = committing_;
    committing_ = 0;
    events_.resize(on_disk_);
  }

  [[nodiscard]] const std::vector<event>& events() const { return events_; }
  /// Events up to this one are on disk.
  [[nodiscard]] sequence on_disk() const { return on_disk_; }
  [[nodiscard]] bool is_committing() const { return committing_ != 0; }
  [[nodiscard]] bool is_on_disk() const { return events_.size() == on_disk_; }

private:
  std::vector<event> events_;
  sequence on_disk_ = 0;
  /// 0: no commit is under way.
  sequence committing_ = 0;
};

} // namespace tune

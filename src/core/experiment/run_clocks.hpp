/// Times that are counted over a whole run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/fingerprint.hpp"
#include "tune/core/ids.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace tune {

/// Training time of all reports.
class training_time {
public:
  void add(std::chrono::nanoseconds x) { total_ += x; }
  void begin_head() { before_ = total_; }

  [[nodiscard]] std::chrono::nanoseconds total() const { return total_; }
  /// Whether some of it was reported under this head.
  [[nodiscard]] bool is_new() const { return total_ > before_; }

  void describe(fingerprint& into) const {
    into.add(static_cast<std::uint64_t>(total_.count()));
    into.add(static_cast<std::uint64_t>(before_.count()));
  }

private:
  std::chrono::nanoseconds total_{0};
  std::chrono::nanoseconds before_{0};
};

/// Since when a place has been free that lacks only the searcher's answer. How many places there
/// are shows by how many trials ran at once.
class free_place_clock {
public:
  /// Looks at the present state.
  /// @param served   Trials that will take a place without the searcher.
  /// @param is_asked Whether an answer of the searcher would fill a place.
  void watch(std::uint64_t running, std::uint64_t served, bool is_asked, instant now) {
    most_running_ = std::max(most_running_, running);
    if (running + served >= most_running_ || !is_asked)
      since_.reset();
    else if (!since_)
      since_ = now;
  }
  /// It was the cluster that kept the place from being used until now.
  void restart(instant now) {
    if (since_)
      since_ = now;
  }
  /// A node was lost: there may be fewer places.
  void forget_places() { most_running_ = 0; }
  void begin_head() {
    forget_places();
    since_.reset();
  }

  /// Empty: no place lacks only the searcher's answer.
  [[nodiscard]] const std::optional<instant>& since() const { return since_; }
  /// The largest number of trials that ran at once since the head opened or a node was lost.
  [[nodiscard]] std::uint64_t most_running() const { return most_running_; }

private:
  std::uint64_t most_running_ = 0;
  std::optional<instant> since_;
};

} // namespace tune

/// What the present head began with.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/event.hpp"

#include <algorithm>
#include <cstdint>

namespace tune {

/// The head's number, the rules that its log was made by, and the attempts that it has numbered,
/// from 1 on.
class head_terms {
public:
  void begin_head(const on::opened& what) {
    epoch_ = what.epoch;
    draws_ = what.draws;
    keeps_places_ = draws_ >= on::keeps_places && what.how != opening::executed;
    attempts_ = 0;
  }
  /// An attempt was given this number.
  void note(attempt_id which) { attempts_ = std::max(attempts_, which.counter); }

  [[nodiscard]] std::uint32_t epoch() const { return epoch_; }
  /// See `on::opened::draws`.
  [[nodiscard]] std::uint32_t draws() const { return draws_; }
  /// True if trials that had begun keep their places ahead of others when a new head starts.
  [[nodiscard]] bool keeps_places() const { return keeps_places_; }
  /// The number of its last attempt; 0: there was none.
  [[nodiscard]] std::uint64_t attempts() const { return attempts_; }
  [[nodiscard]] attempt_id next_attempt() const { return {epoch_, attempts_ + 1}; }
  /// Whether the attempt began under an earlier head.
  [[nodiscard]] bool is_older(attempt_id which) const { return which.epoch < epoch_; }

private:
  std::uint32_t epoch_ = 0;
  std::uint32_t draws_ = 0;
  bool keeps_places_ = false;
  std::uint64_t attempts_ = 0;
};

} // namespace tune

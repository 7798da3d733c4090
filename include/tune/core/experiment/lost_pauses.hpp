/// What people are told when trials lose what they paused with in memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tune {

/// Trials that lost what they paused with for the same cause, for one warning.
class lost_pauses {
public:
  /// When a trial goes on that lost its pause.
  enum class turn : std::uint8_t {
    at_once,
    when_there_is_room,
    /// The scheduler paused it, and has to choose it again.
    if_chosen,
    when_unpaused,
  };
  struct loss {
    trial_id trial;
    turn when = turn::at_once;
    /// True if it has a checkpoint on disk to go on from; it begins anew otherwise.
    bool has_checkpoint = false;
  };

  void add(const loss& x) { lost_.push_back(x); }
  [[nodiscard]] bool is_empty() const { return lost_.empty(); }
  /// The warning. @pre not `is_empty`.
  /// @param how What became of it: "was in the memory of node n1, which was lost".
  [[nodiscard]] std::string text(const std::string& how) const;

private:
  std::vector<loss> lost_;

  [[nodiscard]] std::string names() const;
  [[nodiscard]] std::string start_text() const;
  [[nodiscard]] std::string turn_text() const;
};

} // namespace tune

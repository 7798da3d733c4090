/// Holds commands back until their causes are on disk.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/command.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <vector>

namespace tune {

/// Gated commands in order. No command overtakes a gated command of the same trial.
class outbox {
public:
  /// Takes a command. @returns whether it may be carried out at once; otherwise it is kept.
  [[nodiscard]] bool pass(const command& what);
  /// Everything up to `seq` is durable. @returns the commands that may be carried out now, in
  /// order.
  [[nodiscard]] std::vector<command> release(sequence seq);
  [[nodiscard]] std::size_t size() const { return held_.size(); }

private:
  std::deque<command> held_;
  std::map<trial_id, std::size_t> held_per_trial_;
  sequence durable_ = 0;
};

} // namespace tune

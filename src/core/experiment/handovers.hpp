/// Checkpoints that an attempt hands over with its reports, unasked.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/fingerprint.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace tune {

/// Knows which of an attempt's reports brought a checkpoint, and what became of it: it is on its
/// way, registered, or refused. Reports are named by their iterations. [>= 1]
class handovers {
public:
  /// A report says that it brings a checkpoint.
  void announce(std::uint64_t iteration) { on_their_way_.insert(iteration); }
  /// The outcome of one that is on its way is known.
  /// @returns false, with no other effect, if none is.
  bool settle(std::uint64_t iteration, bool kept) {
    if (on_their_way_.erase(iteration) == 0)
      return false;
    if (kept)
      note_registered(iteration);
    return true;
  }
  /// A checkpoint of this iteration is registered, announced or not.
  void note_registered(std::uint64_t iteration) { newest_ = std::max(newest_, iteration); }
  /// Notes why one could not be kept. @returns false if the last one was refused for that, too.
  bool refuse(const std::string& why) { return std::exchange(refused_, why) != why; }

  [[nodiscard]] bool is_on_its_way(std::uint64_t iteration) const {
    return on_their_way_.contains(iteration);
  }
  /// Whether the report brought a checkpoint that is on its way or registered.
  [[nodiscard]] bool has(std::uint64_t iteration) const {
    return iteration != 0 && (newest_ == iteration || is_on_its_way(iteration));
  }
  /// Whether a checkpoint of this iteration is none that is still expected. An external executor
  /// never announces checkpoints: they only arrive.
  [[nodiscard]] bool is_doubled(std::uint64_t iteration) const {
    return newest_ != 0 && !is_on_its_way(iteration);
  }
  /// Why the last one that could not be kept was refused; empty: none was.
  [[nodiscard]] const std::string& refused() const { return refused_; }

  void describe(fingerprint& into) const {
    for (auto iteration : on_their_way_)
      into.add(iteration);
    into.add(newest_);
  }

private:
  std::set<std::uint64_t> on_their_way_;
  /// 0: none is registered.
  std::uint64_t newest_ = 0;
  std::string refused_;
};

} // namespace tune

/// The SCHEDULER and the SEARCHER: core rules with a mailbox lent to them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/core/schedule/scheduler.hpp"
#include "tune/core/search/searcher.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace tune {

/// Holds the scheduler's description of its state, for readers on any thread.
class outline_board {
public:
  void write(std::string text) {
    std::lock_guard guard{mutex_};
    text_ = std::move(text);
  }
  [[nodiscard]] std::string read() const {
    std::lock_guard guard{mutex_};
    return text_;
  }

private:
  mutable std::mutex mutex_;
  std::string text_;
};

/// @param rule must not be null; used by the actor alone from now on.
/// @param own_thread Whether what `judge_later` gives is worked out on a thread of its own.
/// @param board Where `scheduler::outline` is written after each turn; may be null.
[[nodiscard]] scheduler_actor spawn_scheduler(caf::actor_system& system,
                                              std::unique_ptr<scheduler> rule,
                                              bool own_thread = true,
                                              std::shared_ptr<outline_board> board = nullptr);

/// @param rule must not be null; used by the actor alone from now on.
/// @param own_thread Whether what `propose_later` gives is worked out on a thread of its own.
[[nodiscard]] searcher_actor spawn_searcher(caf::actor_system& system,
                                            std::unique_ptr<searcher> rule, bool own_thread = true);

} // namespace tune

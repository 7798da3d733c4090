/// The SCALER: has a command get and give back workers as what waits calls for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/cluster.hpp"
#include "tune/core/cluster/scaling.hpp"
#include "tune/io/scaling/scaling_command.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace tune {

/// What a scaler is about, for others to read. For any thread.
class scaling_board {
public:
  struct note {
    scaling_state what;
    /// Time since the last call began; nothing: there was none.
    std::optional<instant> since_call;
  };

  void put(note x) {
    std::lock_guard guard{mutex_};
    note_ = std::move(x);
  }
  /// Nothing: it has not looked yet, or there is no scaler.
  [[nodiscard]] std::optional<note> read() const {
    std::lock_guard guard{mutex_};
    return note_;
  }

private:
  mutable std::mutex mutex_;
  std::optional<note> note_;
};

/// Calls of a command that may block; as `run_scaling_command`.
using scaling_call_function
    = std::function<scaling_result(const scaling_call&, const std::atomic<bool>& stop)>;

struct scaler_settings {
  scaling_rules rules;
  /// Runs on a thread of its own, one call at a time.
  scaling_call_function call;
  /// Takes lines for people; from another thread.
  std::function<void(const std::string&)> say = [](const std::string&) {};
  /// May be read by others; not null.
  std::shared_ptr<scaling_board> board = std::make_shared<scaling_board>();
};

/// The SCALER looks at the CLUSTER once a second. One per head with such a command; spawned by the
/// head's owner, which ends it. A call that is under way is killed then.
using scaler_actor = typed_actor<
    // INTERNAL: looks now, and again in a second.
    caf::result<void>(tick_atom),
    // INTERNAL: the call has ended.
    caf::result<void>(scaling_result)>;

[[nodiscard]] scaler_actor spawn_scaler(caf::actor_system& system, scaler_settings settings,
                                        cluster_local_actor cluster);

} // namespace tune

/// The HEAD SESSION: joins a head, stays, and comes back.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/clocks.hpp"
#include "tune/actors/node.hpp"
#include "tune/net/dial.hpp"
#include "tune/net/hello.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tune {

/// End of a worker's life.
struct worker_end {
  enum class kind : std::uint8_t {
    /// The worker was told to go, and nothing runs any more.
    left,
    /// No head could be reached for too long.
    unreachable,
    /// A head refused the worker.
    refused,
  };
  kind how = kind::left;
  std::string why;
};

/// Observer of a head session. Called from an actor, so it must be quick.
class head_session_observer {
public:
  virtual ~head_session_observer() = default;

  /// The worker is a node of the head, under this name.
  virtual void joined(const std::string& name, const welcome& by) = 0;
  /// The head is out of reach; attempts go on for `grace`, unheard, and are then ended.
  virtual void away(const std::string& why, std::chrono::milliseconds grace) = 0;
  /// The head is back; attempts that were not placed anew go on.
  virtual void back() = 0;
  /// The head is gone; attempts were ended.
  virtual void lost(const std::string& why) = 0;
  /// A try failed; the next one comes after `wait`.
  virtual void waits(const std::string& why, std::chrono::milliseconds wait) = 0;
  /// Nothing ran here for `idle_exit`: the worker leaves.
  virtual void idle() = 0;
  /// The last call, exactly once.
  virtual void ended(const worker_end& how) = 0;
};

struct head_session_settings {
  head_dialer dial;
  /// Called after each dialling, on the dialler's thread: the route to the head. Null: unknown.
  std::function<node_route()> route = {};
  std::string cluster = "default";
  /// Distinguishes this process from others of its name; drawn once.
  std::string worker;
  /// What the node offers. The head gives it its name.
  node_settings node;
  /// Gives a node what brings it jobs from the head with these links, and what carries its output
  /// and checkpoints there. All of these end with the connection.
  std::function<void(node_settings&, const head_links&)> furnish;
  /// Wait between the first two tries; doubles up to `most_wait`.
  std::chrono::milliseconds first_wait{500};
  std::chrono::milliseconds most_wait{30'000};
  /// Time after which it gives up finding its first head; after it has joined one, it waits for
  /// that without limit. Empty: never.
  std::optional<std::chrono::milliseconds> patience;
  /// Time that attempts have after an order to leave; then they are handed back.
  std::chrono::milliseconds leave_grace{30'000};
  /// Ends when its first head lets it go.
  bool once = false;
  /// Leaves when nothing has run here for so long, with a head or without. Empty: never.
  std::optional<std::chrono::milliseconds> idle_exit;
  build_identity build = this_build();
  /// Clock that goes on while the machine sleeps.
  std::function<instant()> clock = boottime_now;
  std::shared_ptr<head_session_observer> observer;
  /// Dials on a thread of its own, since that blocks; false is for schedulers that must see every
  /// message.
  bool own_thread = true;
};

/// A HEAD SESSION keeps a worker connected. One per worker; only its own process knows it.
using head_session_actor = typed_actor<
    // Begins.
    caf::result<void>(run_atom),
    // Leaves in order; at once if told a second time.
    caf::result<void>(leave_atom)>;

/// Spawns a head session; connecting blocks and has a thread of its own. It ends after `ended`.
///
/// A broken connection costs nothing at first: attempts go on, and the head session returns to the
/// same head with them. The node is silent once its lease has run out (`session_lease`). Attempts
/// that the head has placed anew by then are ended, and all of them if the head is not found in
/// time, or has ended.
[[nodiscard]] head_session_actor spawn_head_session(caf::actor_system& system,
                                                    head_session_settings settings);

} // namespace tune

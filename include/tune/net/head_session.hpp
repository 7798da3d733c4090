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

/// How a worker's life ended.
struct worker_end {
  enum class kind : std::uint8_t {
    /// It was told to go, and nothing runs any more.
    left,
    /// No head was there for too long.
    unreachable,
    /// A head sent it away.
    refused,
  };
  kind how = kind::left;
  std::string why;
};

/// Watches a head session. Called from an actor: be quick.
class head_session_observer {
public:
  virtual ~head_session_observer() = default;

  /// It is a node of the head, under this name.
  virtual void joined(const std::string& name, const welcome& by) = 0;
  /// The head is out of reach; what runs goes on for so long, unheard, and then is ended.
  virtual void away(const std::string& why, std::chrono::milliseconds grace) = 0;
  /// It is back; what was not placed anew goes on.
  virtual void back() = 0;
  /// The head is gone; what ran was ended.
  virtual void lost(const std::string& why) = 0;
  /// The attempt failed; the next one comes in `wait`.
  virtual void waits(const std::string& why, std::chrono::milliseconds wait) = 0;
  /// The last call, exactly once.
  virtual void ended(const worker_end& how) = 0;
};

struct head_session_settings {
  head_dialer dial;
  /// Asked after each dialling, on the dialler's thread: the way to the head. Null: nobody knows.
  std::function<node_route()> route = {};
  std::string cluster = "default";
  /// Tells this process from others of its name; drawn once.
  std::string worker;
  /// What it offers. The head gives the name.
  node_settings node;
  /// Gives a node what brings it jobs from the head with these links, and its output and
  /// checkpoints to it. All of these end with the connection.
  std::function<void(node_settings&, const head_links&)> furnish;
  /// Between the first two attempts; doubles up to `most_wait`.
  std::chrono::milliseconds first_wait{500};
  std::chrono::milliseconds most_wait{30'000};
  /// Without its first head for so long it gives up; one that was joined is waited for without
  /// limit. Nothing: never.
  std::optional<std::chrono::milliseconds> patience;
  /// What runs may go on for so long after it was told to leave; then it is handed back.
  std::chrono::milliseconds leave_grace{30'000};
  /// Goes when its first head lets it go.
  bool once = false;
  build_identity build = this_build();
  /// Goes on while the machine sleeps.
  std::function<instant()> clock = boottime_now;
  std::shared_ptr<head_session_observer> observer;
  /// Dials on a thread of its own, since that blocks; false is for schedulers that must see every
  /// message.
  bool own_thread = true;
};

/// A HEAD SESSION keeps a worker connected. One per worker; known only there.
using head_session_actor = typed_actor<
    // Begins.
    caf::result<void>(run_atom),
    // Leaves in order; told once more, at once.
    caf::result<void>(leave_atom)>;

/// Spawns a head session; connecting blocks and has a thread of its own. It goes after `ended`.
///
/// A connection that breaks costs nothing at first: what runs goes on, and the head session comes
/// back to the same head with it. The node says nothing once its lease has run out
/// (`session_lease`); what the head has placed anew by the time it is back is ended, and all of it
/// where the head is not found in time, or has ended.
[[nodiscard]] head_session_actor spawn_head_session(caf::actor_system& system,
                                                    head_session_settings settings);

} // namespace tune

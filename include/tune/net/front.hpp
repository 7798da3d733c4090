/// The FRONT of a standing head: what clients speak with.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/net/front_actors.hpp"

#include <functional>
#include <string>

namespace tune {

/// An experiment that is to be run.
struct commission {
  std::uint64_t key = 0;
  submission_words words;
  /// Its record and files, on this machine.
  fetched_job found;
  front_desk_actor front;
};

struct front_settings {
  /// Spawns the steward of an experiment. Called from the front: must not block.
  std::function<steward_actor(commission)> hire;
  /// Brings records and files from clients.
  fetcher_actor fetcher;
  /// Hears, in lines for people, of experiments that come or are refused; from an actor's thread.
  std::function<void(const std::string&)> say = [](const std::string&) {};
  /// Who a node is, as its certificate says; empty: nobody knows, since nobody shows any. Whoever
  /// submitted an experiment may come back to it.
  std::function<std::string(const caf::node_id&)> identity_of
      = [](const caf::node_id&) { return std::string{}; };
};

/// Spawns a front. It ends when it is told to go, and its stewards with it.
///
/// Of one name one experiment is taken at a time. Clients that go change nothing for theirs.
[[nodiscard]] front_desk_actor spawn_front(caf::actor_system& system, front_settings settings);

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/cluster.hpp"

#include "tune/core/resource/ledger.hpp"

#include <map>
#include <optional>

namespace tune {

namespace {

struct cluster_state {
  static inline const char* name = "tune.cluster";

  ledger books;
  std::map<std::string, node_actor> nodes;
  /// Who waits, by the ledger's token; and the token of each waiting trial.
  std::map<std::uint64_t, std::pair<trial_id, runner_actor>> waiting;
  std::map<std::pair<caf::actor_addr, trial_id>, std::uint64_t> tokens;
  std::uint64_t last_token = 0;
  /// The request that was last found possible with these nodes: most trials ask for the same.
  std::optional<resource_request> possible;
  monitors watched;

  template <class Self>
  void offer(Self* self, const node_offer& what, const node_actor& node) {
    books.set_node(what.node, what.capacity);
    nodes[what.node] = node;
    possible.reset();
    grant(self);
  }

  template <class Self>
  void enter(Self* self, const lease_request& what, const runner_actor& runner) {
    if (!what.wait && possible != what.what) {
      if (auto why = books.impossible(what.what)) {
        send(self, runner, lease_refused{what.trial, to_text(*why)});
        return;
      }
      possible = what.what;
    }
    withdraw({what.trial}, runner.address());
    watched.watch(self, runner, [this, who = runner.address()](const caf::error&) { forget(who); });
    auto token = ++last_token;
    waiting.emplace(token, std::pair{what.trial, runner});
    tokens[{runner.address(), what.trial}] = token;
    books.enqueue(token, what.what);
    grant(self);
  }

  void withdraw(const lease_cancel& what, const caf::actor_addr& runner) {
    auto known = tokens.find({runner, what.trial});
    if (known == tokens.end())
      return;
    books.cancel(known->second);
    waiting.erase(known->second);
    tokens.erase(known);
  }

  /// Nobody is there any more to take what this runner waited for.
  void forget(const caf::actor_addr& runner) {
    auto i = tokens.lower_bound({runner, trial_id{0}});
    while (i != tokens.end() && i->first.first == runner) {
      books.cancel(i->second);
      waiting.erase(i->second);
      i = tokens.erase(i);
    }
  }

  template <class Self>
  void grant(Self* self) {
    for (auto& given : books.grant()) {
      auto asked = waiting.find(given.token);
      auto [trial, runner] = asked->second;
      waiting.erase(asked);
      tokens.erase({runner.address(), trial});
      auto node = nodes.at(given.what.bundles.front().node);
      send(self, runner, lease_granted{trial, std::move(given.what), node});
    }
  }
};

cluster_actor::behavior_type cluster(cluster_actor::stateful_pointer<cluster_state> self) {
  auto& state = state_of(self);
  state.watched.init(self);
  return {
      [self, &state](const node_offer& what, const node_actor& node) {
        state.offer(self, what, node);
      },
      [self, &state](const lease_request& what, const runner_actor& runner) {
        state.enter(self, what, runner);
      },
      [&state](const lease_cancel& what, const runner_actor& runner) {
        state.withdraw(what, runner.address());
      },
      [self, &state](lease_id over) {
        if (state.books.release(over))
          state.grant(self);
      },
      [&state](status_atom) {
        return cluster_status{state.books.total(), state.books.used()};
      },
  };
}

} // namespace

cluster_actor spawn_cluster(caf::actor_system& system) {
  return system.spawn(cluster);
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/cluster.hpp"

#include "tune/core/resource/ledger.hpp"

#include <map>
#include <optional>
#include <set>

namespace tune {

namespace {

/// A lease in somebody's hands.
struct lease_out {
  caf::actor_addr runner;
  /// Where its trainable is launched.
  std::string node;
};

struct node_entry {
  node_actor actor;
  resources capacity;
  bool leaving = false;
};

struct cluster_state {
  static inline const char* name = "tune.cluster";

  ledger books;
  std::map<std::string, node_entry> nodes;
  /// Who hears of nodes.
  std::map<caf::actor_addr, runner_actor> runners;
  /// Who waits, by the ledger's token; and the token of each waiting trial.
  std::map<std::uint64_t, std::pair<trial_id, runner_actor>> waiting;
  std::map<std::pair<caf::actor_addr, trial_id>, std::uint64_t> tokens;
  std::map<lease_id, lease_out> leases;
  std::uint64_t last_token = 0;
  /// What the ledger calls the runners.
  std::map<caf::actor_addr, std::uint64_t> shares;
  std::uint64_t last_share = 0;
  /// The request that was last found possible with these nodes: most trials ask for the same.
  std::optional<std::pair<resource_request, node_labels>> possible;
  monitors watched;

  // -- Nodes.

  template <class Self>
  void offer(Self* self, const node_offer& what, const node_actor& node) {
    if (dissolved) {
      send(self, node, drain_atom_v);
      return;
    }
    if (auto known = nodes.find(what.node); known != nodes.end() && known->second.actor != node)
      lose(self, what.node, known->second.actor, "another node came under its name");
    books.set_node(what.node, what.capacity, what.labels);
    nodes[what.node] = {node, what.capacity, false};
    possible.reset();
    watched.watch(self, node, [this, self, node, called = what.node](const caf::error& why) {
      lose(self, called, node, text_of_loss(self->system(), why));
    });
    announce(self, on::node_up{what.node, what.capacity});
    grant(self);
  }

  /// Its processes are out of reach: whatever ran there has to run elsewhere.
  template <class Self>
  void lose(Self* self, const std::string& who, const node_actor& node, const std::string& why) {
    auto known = nodes.find(who);
    if (known == nodes.end() || known->second.actor != node)
      return;
    nodes.erase(known);
    answer_if_empty();
    possible.reset();
    books.remove_node(who);
    announce(self, on::node_down{who, why});
    std::erase_if(leases, [&](const auto& x) {
      if (x.second.node != who)
        return false;
      books.release(x.first);
      return true;
    });
    grant(self);
  }

  /// It gets no more trials; those that run there keep it in the books.
  template <class Self>
  void retire(Self* self, const std::string& who) {
    auto known = nodes.find(who);
    if (known == nodes.end() || known->second.leaving)
      return;
    known->second.leaving = true;
    possible.reset();
    books.remove_node(who);
    grant(self);
  }

  using farewell = caf::typed_response_promise<std::uint64_t>;
  std::optional<farewell> dissolving;
  bool dissolved = false;

  template <class Self>
  farewell dissolve(Self* self) {
    dissolved = true;
    dissolving = self->template make_response_promise<std::uint64_t>();
    auto answer = *dissolving;
    for (const auto& [who, node] : nodes)
      send(self, node.actor, drain_atom_v);
    answer_if_empty();
    return answer;
  }

  void answer_if_empty() {
    if (dissolving && nodes.empty())
      std::exchange(dissolving, std::nullopt)->deliver(std::uint64_t{0});
  }

  template <class Self>
  void announce(Self* self, const event_body& what) {
    for (const auto& [address, runner] : runners)
      send(self, runner, news{what});
  }

  template <class Self>
  void enrol(Self* self, const runner_actor& runner) {
    attend(self, runner);
    runners[runner.address()] = runner;
    for (const auto& [who, node] : nodes)
      send(self, runner, news{on::node_up{who, node.capacity}});
  }

  template <class Self>
  void attend(Self* self, const runner_actor& runner) {
    watched.watch(self, runner,
                  [this, self, who = runner.address()](const caf::error&) { forget(self, who); });
  }

  // -- Requests.

  template <class Self>
  void enter(Self* self, const lease_request& what, const runner_actor& runner) {
    if (std::pair wish{what.what, what.labels}; !what.wait && possible != wish) {
      if (auto why = books.impossible(what.what, what.labels)) {
        send(self, runner, lease_refused{what.trial, to_text(*why)});
        return;
      }
      possible = std::move(wish);
    }
    withdraw({what.trial}, runner.address());
    attend(self, runner);
    auto token = ++last_token;
    waiting.emplace(token, std::pair{what.trial, runner});
    tokens[{runner.address(), what.trial}] = token;
    books.enqueue(token, what.what, what.labels, share_of(runner.address()));
    grant(self);
  }

  /// Runners share alike, whatever the number of trials that wait.
  std::uint64_t share_of(const caf::actor_addr& runner) {
    auto [known, is_new] = shares.try_emplace(runner, last_share);
    last_share += is_new ? 1 : 0;
    return known->second;
  }

  void withdraw(const lease_cancel& what, const caf::actor_addr& runner) {
    auto known = tokens.find({runner, what.trial});
    if (known == tokens.end())
      return;
    books.cancel(known->second);
    waiting.erase(known->second);
    tokens.erase(known);
  }

  /// Nobody is there any more to take what this runner waited for, nor to end what it began.
  template <class Self>
  void forget(Self* self, const caf::actor_addr& runner) {
    runners.erase(runner);
    shares.erase(runner);
    auto i = tokens.lower_bound({runner, trial_id{0}});
    while (i != tokens.end() && i->first.first == runner) {
      books.cancel(i->second);
      waiting.erase(i->second);
      i = tokens.erase(i);
    }
    for (const auto& [id, lease] : leases) {
      if (lease.runner == runner)
        send(self, nodes.at(lease.node).actor, lease_revoked{id.number});
    }
  }

  template <class Self>
  void grant(Self* self) {
    for (auto& given : books.grant()) {
      auto asked = waiting.find(given.token);
      auto [trial, runner] = asked->second;
      waiting.erase(asked);
      tokens.erase({runner.address(), trial});
      const auto& first = given.what.bundles.front().node;
      leases[given.what.id] = {runner.address(), first};
      auto node = nodes.at(first).actor;
      send(self, runner, lease_granted{trial, std::move(given.what), node});
    }
  }

  template <class Self>
  void release(Self* self, lease_id over) {
    leases.erase(over);
    if (books.release(over))
      grant(self);
  }

  template <class System>
  static std::string text_of_loss(System& system, const caf::error& why) {
    if (is_unreachable(why))
      return "the connection to it was lost";
    return why ? "it ended: " + render(system, why) : "it left";
  }
};

cluster_actor::behavior_type cluster(cluster_actor::stateful_pointer<cluster_state> self) {
  auto& state = state_of(self);
  state.watched.init(self);
  return {
      [self, &state](lease_over x) { state.release(self, {x.lease}); },
      [self, &state](const node_leaving& x) { state.retire(self, x.node); },
      [self, &state](const node_offer& what, const node_actor& node) {
        state.offer(self, what, node);
      },
      [self, &state](const job_over& x) {
        for (const auto& [who, node] : state.nodes)
          send(self, node.actor, x);
      },
      [self, &state](const runner_actor& runner) { state.enrol(self, runner); },
      [self, &state](const lease_request& what, const runner_actor& runner) {
        state.enter(self, what, runner);
      },
      [&state](const lease_cancel& what, const runner_actor& runner) {
        state.withdraw(what, runner.address());
      },
      [&state](status_atom) {
        return cluster_status{state.books.total(), state.books.used(), state.nodes.size()};
      },
      [&state](const fit_question& x) {
        auto why = state.books.impossible(x.what, x.labels);
        return why ? to_text(*why) : std::string{};
      },
      [self, &state](drain_atom) { return state.dissolve(self); },
  };
}

} // namespace

cluster_actor spawn_cluster(caf::actor_system& system) {
  return system.spawn(cluster);
}

} // namespace tune

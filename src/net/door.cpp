// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/door.hpp"

#include "tune/actors/clocks.hpp"

#include <chrono>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

namespace tune {

namespace {

/// Welcomes that nobody came in with yet; older ones are forgotten.
constexpr std::size_t most_tickets = 1000;
/// Clocks that differ by more are worth a line.
constexpr auto tolerable_skew = std::chrono::seconds{2};

/// Somebody who may come in.
struct guest {
  hello who;
  std::string name;
};

/// Somebody who is in.
struct inmate {
  std::string worker;
  node_actor node;
};

struct door_state {
  static inline const char* name = "tune.door";

  door_settings settings;
  cluster_actor cluster;
  head_links links;
  monitors watched;
  /// One per worker, by ticket.
  std::map<std::uint64_t, guest> welcomed;
  /// By the name of the node.
  std::map<std::string, inmate> inside;
  /// Clients that were welcomed and did not ask for the front yet.
  std::set<std::uint64_t> clients;
  std::uint64_t last_ticket = 0;

  std::string hear(const std::string& text) {
    auto client = client_hello_from_json(text);
    if (!client)
      return reject(client.error(), "somebody");
    return *client ? hear_client(**client) : hear_worker(text);
  }

  std::string hear_client(const client_hello& who) {
    auto whom = "client " + who.name;
    if (!settings.front)
      return reject({ec::refused, "this head runs an experiment of its own (run --listen) and takes"
                                  " no others; those that do are begun by tune-node head"},
                    whom);
    if (auto fits = may_submit(who, settings.build, settings.cluster); !fits)
      return reject(fits.error(), whom);
    clients.insert(++last_ticket);
    if (clients.size() > most_tickets)
      clients.erase(clients.begin());
    return to_json(hello_answer{welcome{settings.build, who.name, last_ticket, wall_ms()}});
  }

  std::string hear_worker(const std::string& text) {
    auto who = hello_from_json(text);
    if (!who)
      return reject(who.error(), "somebody");
    if (auto fits = may_enter(*who, settings.build, settings.cluster); !fits)
      return reject(fits.error(), "worker " + who->name);
    auto called = name_for(*who);
    std::erase_if(welcomed, [&](const auto& x) { return x.second.who.worker == who->worker; });
    auto ticket = ++last_ticket;
    auto now = wall_ms();
    if (auto apart = std::chrono::milliseconds{std::abs(who->wall_ms - now)};
        apart > tolerable_skew)
      settings.say("the clock of worker " + called + " is "
                   + std::to_string(std::chrono::duration_cast<std::chrono::seconds>(apart).count())
                   + " s off");
    welcomed[ticket] = {std::move(*who), called};
    if (welcomed.size() > most_tickets)
      welcomed.erase(welcomed.begin());
    return to_json(hello_answer{welcome{settings.build, called, ticket, now}});
  }

  caf::result<front_actor> lead_in(std::uint64_t ticket) {
    if (clients.erase(ticket) == 0)
      return caf::make_error(caf::sec::invalid_argument, "nobody was given this ticket");
    return *settings.front;
  }

  std::string reject(const error& why, const std::string& whom) {
    settings.say(whom + " was sent away: " + why.detail);
    return to_json(hello_answer{rejection{why.detail, false}});
  }

  [[nodiscard]] std::string name_for(const hello& who) const {
    std::set<std::string> taken;
    for (const auto& [used, by] : inside) {
      if (by.worker != who.worker)
        taken.insert(used);
    }
    for (const auto& [ticket, other] : welcomed) {
      if (other.who.worker != who.worker)
        taken.insert(other.name);
    }
    return free_name(who.name, taken);
  }

  template <class Self>
  void enter(Self* self, std::uint64_t ticket, const node_actor& node) {
    auto came = welcomed.extract(ticket);
    if (came.empty()) {
      send(self, node, drain_atom_v);
      return;
    }
    auto& [who, called] = came.mapped();
    inside[called] = {who.worker, node};
    // Whoever came back under the name before this one's loss was noticed keeps it.
    watched.watch(self, node, [this, called = called, node](const caf::error& why) {
      auto known = inside.find(called);
      if (known == inside.end() || known->second.node != node)
        return;
      inside.erase(known);
      settings.say("worker " + called + " is gone: " + text_of_loss("it", why));
    });
    settings.say("worker " + called + " joined: " + to_text(who.capacity));
    send(self, cluster, node_offer{called, who.capacity, who.labels}, node);
  }
};

entrance_actor::behavior_type door(entrance_actor::stateful_pointer<door_state> self,
                                   door_settings settings, cluster_actor cluster,
                                   head_links links) {
  auto& state = state_of(self);
  state.settings = std::move(settings);
  state.cluster = std::move(cluster);
  state.links = std::move(links);
  state.watched.init(self);
  return {
      [&state](hello_atom, const std::string& text) { return state.hear(text); },
      [&state](enter_atom, std::uint64_t) { return state.links; },
      [self, &state](enter_atom, std::uint64_t ticket, const node_actor& node) {
        state.enter(self, ticket, node);
      },
      [&state](front_wanted x) { return state.lead_in(x.ticket); },
  };
}

} // namespace

door_actor spawn_door(caf::actor_system& system, door_settings settings, cluster_actor cluster,
                      head_links links) {
  return system.spawn(door, std::move(settings), std::move(cluster), std::move(links));
}

} // namespace tune

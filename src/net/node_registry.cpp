// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/node_registry.hpp"

#include "tune/actors/clocks.hpp"
#include "tune/actors/firm.hpp"
#include "tune/actors/launch_token.hpp"
#include "tune/core/program_name.hpp"
#include "tune/io/process/process_mark.hpp"
#include "tune/net/quiet_watch.hpp"
#include "tune/net/system.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace tune {

namespace {

/// Welcomes that no worker has used yet; beyond this many, the oldest are forgotten.
constexpr std::size_t most_tickets = 1000;
/// Unused welcomes of one worker: it asks again if the head was too slow to answer, and may still
/// enter with an earlier one.
constexpr std::ptrdiff_t most_tickets_of_one = 8;
/// Largest hello: it names a node, what it offers and its labels. [bytes]
constexpr std::size_t longest_hello = 256 * 1024;
/// Largest offer of each resource of a node, so that sums over a cluster do not overflow.
constexpr amount most_offered{1'000'000'000'000};
constexpr std::uint64_t most_memory = std::uint64_t{1} << 50;

bool is_countable(const resources& x) {
  auto fits = [](amount much) { return much.units >= 0 && much.units <= most_offered.units; };
  return fits(x.cpu) && fits(x.gpu) && x.memory <= most_memory
         && std::ranges::all_of(x.custom, [&](const auto& y) { return fits(y.second); });
}

/// Clocks that differ by more than this are reported.
constexpr auto tolerable_skew = std::chrono::seconds{2};

/// Limit for answers of the heartbeat monitor, which answers at once unless it has ended.
constexpr auto heartbeat_monitor_patience = std::chrono::seconds{5};

/// A worker that was welcomed and may enter.
struct pending_member {
  hello who;
  std::string name;
};

/// Interval of checks whether the process of a node out of reach still lives.
constexpr auto look_interval = std::chrono::milliseconds{200};

/// A worker that has entered.
struct member {
  std::string worker;
  node_actor node;
  std::uint64_t session = 0;
  std::string process;
  /// Time until which its name is kept; set while its connection is lost.
  std::optional<caf::actor_clock::time_point> kept_until = {};
};

using node_registry_impl = extend<entrance_actor, caf::result<void>(tick_atom)>;

struct node_registry_state {
  static inline const char* name = "tune.node_registry";

  node_registry_settings settings;
  node_registry_impl::pointer self = nullptr;
  cluster_actor cluster;
  head_links links;
  monitors watched;
  /// Workers that may enter, by ticket.
  std::map<std::uint64_t, pending_member> welcomed;
  /// Workers that have entered, by the name of the node.
  std::map<std::string, member> inside;
  /// Worker processes that this head has given up.
  std::set<std::string> given_up;
  static constexpr std::size_t most_given_up = 10'000;
  /// Tickets of clients that have not asked for the submission server yet.
  std::deque<std::uint64_t> clients;
  std::uint64_t welcomes = 0;
  std::uint64_t last_ticket = 0;
  std::string own_process = mark_of_this_process();
  bool looking = false;
  /// Time until which names are kept for nodes of the head before this one.
  caf::actor_clock::time_point awaited_until;

  [[nodiscard]] welcome welcome_as(std::string called, std::int64_t now) const {
    auto count = [](instant x) {
      return std::chrono::duration_cast<std::chrono::milliseconds>(x).count();
    };
    const auto& rules = settings.rules;
    return {settings.build,
            std::move(called),
            last_ticket,
            now,
            settings.head,
            own_process,
            settings.heartbeat_monitor ? count(rules.lost_after) : 0,
            settings.heartbeat_monitor ? count(rules.head_grace) : 0};
  }

  /// Draws a ticket. Later ones are larger, and their last bits are random, so that none can be
  /// guessed.
  [[nodiscard]] std::uint64_t draw_ticket() {
    constexpr unsigned drawn_bits = 36;
    constexpr auto drawn = (std::uint64_t{1} << drawn_bits) - 1;
    return last_ticket = (++welcomes << drawn_bits) | (fresh_number() & drawn);
  }

  std::string hear(const std::string& text) {
    if (text.size() > longest_hello)
      return reject({ec::bad_option, "its hello has " + std::to_string(text.size()) + " bytes, of "
                                         + std::to_string(longest_hello) + " at most"},
                    "somebody");
    auto last = farewell_from_json(text);
    if (!last)
      return reject(last.error(), "somebody");
    if (*last)
      return hear_farewell(**last);
    auto checkup = checkup_from_json(text);
    if (!checkup)
      return reject(checkup.error(), "somebody");
    if (*checkup)
      return to_json(checkup_answer{settings.build, settings.cluster, wall_ms(), settings.storage,
                                    settings.storage_token});
    auto client = client_hello_from_json(text);
    if (!client)
      return reject(client.error(), "somebody");
    return *client ? hear_client(**client) : hear_worker(text);
  }

  /// Takes a farewell. One of an unknown worker, or one that came too late, changes nothing.
  std::string hear_farewell(const farewell& of) {
    if (auto fits = may_speak("a guard", of.build, of.cluster, settings.build, settings.cluster);
        !fits)
      return reject(fits.error(), "a guard");
    auto known = std::find_if(inside.begin(), inside.end(),
                              [&](const auto& x) { return x.second.worker == of.worker; });
    if (known != inside.end() && settings.heartbeat_monitor)
      let_go(known, "its guard says that it was killed");
    return to_json(hello_answer{welcome_as({}, wall_ms())});
  }

  std::string hear_client(const client_hello& who) {
    auto whom = "client " + who.name;
    if (!settings.submission_server)
      return reject({ec::refused, "this head runs an experiment of its own (run --listen) and takes"
                                  " no others; those that do are begun by "
                                      + program_name() + " head"},
                    whom);
    if (auto fits = may_submit(who, settings.build, settings.cluster); !fits)
      return reject(fits.error(), whom);
    clients.push_back(draw_ticket());
    if (clients.size() > most_tickets)
      clients.pop_front();
    return to_json(hello_answer{welcome_as(who.name, wall_ms())});
  }

  std::string hear_worker(const std::string& text) {
    auto who = hello_from_json(text);
    if (!who)
      return reject(who.error(), "somebody");
    if (auto fits = may_enter(*who, settings.build, settings.cluster); !fits)
      return reject(fits.error(), "worker " + who->name);
    if (!is_countable(who->capacity))
      return reject({ec::bad_option, "it offers more than a machine can have"},
                    "worker " + who->name);
    // A worker that ended and was started again may come before the loss of its old connection is
    // noticed.
    if (auto former = inside.find(who->name); settings.heartbeat_monitor && former != inside.end()
                                              && former->second.worker != who->worker)
      bury(who->name, former->second);
    note_patience(*who);
    auto called = name_for(*who);
    forget_oldest_of(who->worker);
    auto ticket = draw_ticket();
    auto now = wall_ms();
    constexpr auto latest = std::int64_t{1} << 60;
    if (auto apart
        = std::chrono::milliseconds{std::abs(std::clamp(who->wall_ms, -latest, latest) - now)};
        apart > tolerable_skew)
      settings.say("the clock of worker " + called + " is "
                   + std::to_string(std::chrono::duration_cast<std::chrono::seconds>(apart).count())
                   + " s off");
    welcomed[ticket] = {std::move(*who), called};
    if (welcomed.size() > most_tickets)
      welcomed.erase(welcomed.begin());
    return to_json(hello_answer{welcome_as(called, now)});
  }

  /// The worker does without CAF's heartbeats where it hears other things often enough.
  void note_patience(const hello& who) const {
    const auto* config = network_config_of(self->system());
    if (const auto& sender = self->current_sender(); config != nullptr && sender != nullptr)
      config->note_patience(sender->node(), patience_from(who.lost_after_ms));
  }

  void forget_oldest_of(const std::string& worker) {
    auto is_its = [&](const auto& x) { return x.second.who.worker == worker; };
    if (std::count_if(welcomed.begin(), welcomed.end(), is_its) >= most_tickets_of_one)
      welcomed.erase(std::find_if(welcomed.begin(), welcomed.end(), is_its));
  }

  caf::result<submission_server_actor> lead_in(std::uint64_t ticket) {
    if (std::erase(clients, ticket) == 0)
      return caf::make_error(caf::sec::invalid_argument, "nobody was given this ticket");
    return *settings.submission_server;
  }

  std::string reject(const error& why, const std::string& whom) {
    settings.say(whom + " was sent away: " + why.detail);
    return to_json(hello_answer{rejection{why.detail, false}});
  }

  [[nodiscard]] std::string name_for(const hello& who) const {
    for (const auto& [used, by] : inside) {
      if (by.worker == who.worker)
        return used;
    }
    const auto waits = who.head != settings.head && self->clock().now() < awaited_until;
    return free_name(who.name, [&](const std::string& x) {
      auto is_promised
          = [&](const auto& y) { return y.second.who.worker != who.worker && y.second.name == x; };
      return inside.contains(x) || (waits && settings.awaited.contains(x))
             || std::any_of(welcomed.begin(), welcomed.end(), is_promised);
    });
  }

  /// Lets a node in; from now on its silence is noticed.
  head_links let_in(std::uint64_t ticket) {
    if (settings.heartbeat_monitor && welcomed.contains(ticket))
      send(self, *settings.heartbeat_monitor, enter_atom_v, ticket);
    return links;
  }

  void enter(std::uint64_t ticket, const node_actor& node, const node_inventory& has) {
    // Nobody may bring in another's node, nor one of this process.
    if (!is_of_sender(self, node))
      return;
    auto came = welcomed.extract(ticket);
    if (came.empty())
      return send_away(node);
    auto& [who, called] = came.mapped();
    auto known = inside.find(called);
    auto was_here = known != inside.end() && known->second.worker == who.worker;
    // The message was delayed: a worker has come in under this name since, perhaps the same one.
    if (known != inside.end() && known->second.session > ticket) {
      if (!was_here)
        send_away(node);
      return;
    }
    if (was_here && settings.heartbeat_monitor)
      send_from_outside(*settings.heartbeat_monitor, leave_atom_v, known->second.session);
    inside[called] = {who.worker, node, ticket, who.process};
    // A worker that came back under the name before this loss was noticed keeps its place.
    watched.watch(self, node, [this, called = called, node](const caf::error& why) {
      if (auto gone = inside.find(called); gone != inside.end() && gone->second.node == node)
        miss(called, gone->second, why);
    });
    settings.say("worker " + called + text_of_arrival(who, was_here, has.incarnation != ticket));
    given_up.erase(who.worker);
    node_offer offer{called, who.capacity, who.labels};
    offer.session = settings.heartbeat_monitor ? ticket : 0;
    offer.worker = who.worker;
    offer.has = has;
    offer.route = who.route;
    offer.devices = who.devices;
    send(self, cluster, std::move(offer), node);
  }

  [[nodiscard]] std::string text_of_arrival(const hello& who, bool was_here,
                                            bool has_trials) const {
    if (was_here && has_trials)
      return " is back";
    if (was_here)
      return " joined anew: it heard nothing of this head for too long and ended its trials";
    if (has_trials && settings.rules.head_grace.count() > 0)
      return (given_up.contains(who.worker) ? " is back after it counted as lost: "
                                            : " is back, from the head before this one: ")
             + to_text(who.capacity);
    return " joined: " + to_text(who.capacity);
  }

  /// Turns a node away whose ticket is forgotten. If heartbeats are watched, the next one tells the
  /// node that it does not count, and it comes again with what it has.
  void send_away(const node_actor& node) {
    if (!settings.heartbeat_monitor)
      send(self, node, drain_atom_v);
  }

  /// Handles a lost connection: the worker may come back, unless its process has ended.
  void miss(const std::string& called, member& who, const caf::error& why) {
    if (!is_unreachable(why) || !settings.heartbeat_monitor) {
      auto session = who.session;
      note_given_up(who.worker);
      inside.erase(called);
      return say_gone(session, "worker " + called + " is gone: " + text_of_loss("it", why));
    }
    who.kept_until = self->clock().now() + 2 * settings.rules.lost_after;
    if (!bury(called, who))
      settings.say("the connection to worker " + called + " was lost: it may come back");
    look_later();
  }

  /// Reports the end of a node, with the longest silence it ever had.
  void say_gone(std::uint64_t session, const std::string& text) {
    if (!settings.heartbeat_monitor)
      return settings.say(text);
    request(self, *settings.heartbeat_monitor, heartbeat_monitor_patience, leave_atom_v, session)
        .then([this, text](std::uint64_t longest) { settings.say(text + margin_text(longest)); },
              [this, text](const caf::error&) { settings.say(text); });
  }

  [[nodiscard]] std::string margin_text(std::uint64_t longest) const {
    using std::chrono::milliseconds;
    auto most = std::chrono::duration_cast<milliseconds>(settings.rules.lost_after).count();
    return "; silent for " + std::to_string(longest) + " ms at most, of " + std::to_string(most);
  }

  /// Drops a worker whose process has ended. @returns whether that is so.
  bool bury(const std::string& called, const member& who) {
    if (!is_known_gone(who.process))
      return false;
    let_go(inside.find(called), "its process has ended");
    return true;
  }

  /// Gives a worker up, so that its trials go on elsewhere at once.
  void let_go(std::map<std::string, member>::iterator whom, const std::string& why) {
    const auto& [called, who] = *whom;
    send(self, cluster, node_silent{who.session, why});
    settings.say("worker " + called + " is gone: " + why);
    note_given_up(who.worker);
    inside.erase(whom);
  }

  void note_given_up(const std::string& worker) {
    if (given_up.size() >= most_given_up)
      given_up.erase(given_up.begin());
    given_up.insert(worker);
  }

  void look() {
    looking = false;
    std::vector<std::string> away;
    for (const auto& [called, who] : inside) {
      if (who.kept_until)
        away.push_back(called);
    }
    for (const auto& called : away) {
      const auto& who = inside.at(called);
      if (!bury(called, who) && *who.kept_until <= self->clock().now()) {
        note_given_up(who.worker);
        inside.erase(called);
      }
    }
    look_later();
  }

  void look_later() {
    auto is_away = [](const auto& x) { return x.second.kept_until.has_value(); };
    if (looking || std::none_of(inside.begin(), inside.end(), is_away))
      return;
    looking = true;
    delayed_send(self, caf::actor_cast<node_registry_impl>(self), look_interval, tick_atom_v);
  }
};

node_registry_impl::behavior_type
node_registry(node_registry_impl::stateful_pointer<node_registry_state> self,
              node_registry_settings settings, cluster_actor cluster, head_links links) {
  auto& state = state_of(self);
  state.self = self;
  state.settings = std::move(settings);
  state.awaited_until = self->clock().now() + state.settings.rules.wait_for_nodes();
  state.cluster = std::move(cluster);
  state.links = std::move(links);
  stand_firm(self);
  state.watched.init(self);
  return {
      [&state](hello_atom, const std::string& text) { return state.hear(text); },
      [&state](enter_atom, std::uint64_t ticket) { return state.let_in(ticket); },
      [&state](enter_atom, std::uint64_t ticket, const node_actor& node,
               const node_inventory& has) { state.enter(ticket, node, has); },
      [&state](submission_wanted x) { return state.lead_in(x.ticket); },
      [&state](tick_atom) { state.look(); },
  };
}

} // namespace

node_registry_actor spawn_node_registry(caf::actor_system& system, node_registry_settings settings,
                                        cluster_actor cluster, head_links links) {
  return system.spawn(node_registry, std::move(settings), std::move(cluster), std::move(links));
}

} // namespace tune

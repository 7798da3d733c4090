// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/cluster.hpp"

#include "tune/actors/firm.hpp"
#include "tune/actors/node.hpp"
#include "tune/actors/trial.hpp"
#include "tune/core/liveness/flap_book.hpp"
#include "tune/core/resource/ledger.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace tune {

namespace {

/// Time to wait before a node is given another trial of a job that it was not ready for. [s]
constexpr std::chrono::seconds first_hold{1};
constexpr std::chrono::seconds longest_hold{256};
constexpr int hold_growth = 4;
/// So often in a row a node may not be ready for a job before it counts as one that never is.
constexpr unsigned most_refusals = 3;

/// The node may be tried again.
struct hold_over {
  std::uint64_t share = 0;
  std::string node;
  unsigned times = 0;
};

/// The node has waited long enough since it was lost.
struct rest_over {
  std::string node;
  std::uint64_t session = 0;
};

using cluster_impl
    = extend<cluster_actor, caf::result<void>(hold_over), caf::result<void>(rest_over)>;

} // namespace

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_cluster, 190)
TUNE_LOCAL_TYPE(tune_cluster, tune::hold_over)
TUNE_LOCAL_TYPE(tune_cluster, tune::rest_over)
TUNE_END_LOCAL_TYPES(tune_cluster)

namespace tune {

namespace {

std::string seconds_text(instant x) {
  return std::to_string(std::chrono::ceil<std::chrono::seconds>(x).count()) + " s";
}

std::chrono::seconds length_of_hold(unsigned times) {
  auto result = first_hold;
  while (--times > 0 && result < longest_hold)
    result *= hold_growth;
  return result;
}

/// A request that waits.
struct waiter {
  trial_id trial;
  runner_actor runner;
  /// What the ledger calls the runner.
  std::uint64_t share = 0;
  resource_request what;
  node_labels labels;
};

/// A lease in somebody's hands.
struct lease_out {
  waiter whose;
  /// Where its trainable is launched.
  std::string node;
  /// How often the node had not been ready for this runner then.
  unsigned refusals = 0;
  /// The node was not ready.
  bool is_declined = false;
  /// What was launched on it, as often as its node comes back; and who hears of that.
  std::optional<launch_order> order = {};
  trial_actor trial = {};
  /// Nobody waits for it any more.
  bool is_revoked = false;
};

struct node_entry {
  node_actor actor;
  resources capacity;
  bool leaving = false;
  /// See `node_offer`.
  std::uint64_t session = 0;
  std::string worker = {};
  /// Launches on it so far.
  std::uint64_t launches = 0;
  /// The connection to it is lost; it is not, yet. It gets nothing more meanwhile.
  bool is_away = false;
  /// It was lost too often: it gets nothing for a while, and nobody is told that it is there.
  bool is_resting = false;
  /// What was over, or needed no longer, while it was away.
  std::set<std::string> missed = {};
  std::vector<pause_dropped> missed_pauses = {};
};

struct cluster_state {
  static inline const char* name = "tune.cluster";

  ledger books;
  std::map<std::string, node_entry> nodes;
  /// Who hears of nodes.
  std::map<caf::actor_addr, runner_actor> runners;
  /// Who waits, by the ledger's token; and the token of each waiting trial.
  std::map<std::uint64_t, waiter> waiting;
  std::map<std::pair<caf::actor_addr, trial_id>, std::uint64_t> tokens;
  std::map<lease_id, lease_out> leases;
  std::uint64_t last_token = 0;
  /// What the ledger calls the runners.
  std::map<caf::actor_addr, std::uint64_t> shares;
  std::uint64_t last_share = 0;
  /// How often in a row a node was not ready for a runner, by the runner's share.
  std::map<std::pair<std::uint64_t, std::string>, unsigned> refusals;
  /// The request that was last found possible with these nodes: most trials ask for the same.
  std::optional<std::pair<resource_request, node_labels>> possible;
  flap_book flaps;
  monitors watched;

  // -- What a node says is heard of itself and of its own leases only.

  template <class Self>
  [[nodiscard]] bool may_speak_of(Self* self, const std::string& node) const {
    auto known = nodes.find(node);
    return is_from_here(self) || (known != nodes.end() && is_of_sender(self, known->second.actor));
  }

  template <class Self>
  [[nodiscard]] bool may_speak_of(Self* self, lease_id lease) const {
    auto known = leases.find(lease);
    return is_from_here(self)
           || (known != leases.end() && may_speak_of(self, known->second.node));
  }

  // -- Nodes.

  template <class Self>
  void offer(Self* self, const node_offer& what, const node_actor& node) {
    if (dissolved) {
      send(self, node, drain_atom_v);
      return;
    }
    auto known = nodes.find(what.node);
    if (known != nodes.end() && is_the_same(known->second, what))
      return take_back(self, known->second, what, node);
    if (known != nodes.end() && known->second.actor != node)
      lose(self, what.node, "another node came under its name");
    auto& entry = nodes[what.node];
    entry = {node, what.capacity, false, what.session, what.worker, what.has.turn};
    attend(self, what.node, node);
    // Whatever it still has was placed anew.
    if (what.session != 0)
      send(self, node, leases_kept{{}, true});
    if (auto left = flaps.left(what.worker, now(self)); what.session != 0 && left.count() > 0)
      return rest(self, what, left);
    begin(self, what);
  }

  template <class Self>
  static instant now(Self* self) {
    return std::chrono::duration_cast<instant>(self->clock().now().time_since_epoch());
  }

  void enter_in_books(const node_offer& what) {
    auto labels = what.labels;
    labels.insert(node_label(what.node));
    books.set_node(what.node, what.capacity, std::move(labels));
    forget_refusals([&](const auto& x) { return x.second == what.node; });
  }

  /// It has a place in the books.
  template <class Self>
  void begin(Self* self, const node_offer& what) {
    enter_in_books(what);
    possible.reset();
    announce(self, on::node_up{what.node, what.capacity});
    grant(self);
  }

  template <class Self>
  void attend(Self* self, const std::string& called, const node_actor& node) {
    watched.watch(self, node, [this, self, node, called](const caf::error& why) {
      auto known = nodes.find(called);
      if (known == nodes.end() || known->second.actor != node)
        return;
      // It may run on, and come back before its time is up.
      if (is_unreachable(why) && known->second.session != 0)
        part(called, known->second);
      else
        lose(self, called, text_of_loss("it", why), is_unreachable(why));
    });
  }

  // -- Nodes that were out of reach.

  [[nodiscard]] static bool is_the_same(const node_entry& known, const node_offer& what) {
    return what.session != 0 && known.session != 0 && known.worker == what.worker;
  }

  void part(const std::string& called, node_entry& node) {
    node.is_away = true;
    for (const auto& [runner, share] : shares)
      books.hold(called, share);
  }

  /// It was away, and nothing was placed anew: all goes on where it left off.
  template <class Self>
  void take_back(Self* self, node_entry& entry, const node_offer& what, const node_actor& node) {
    entry.actor = node;
    entry.session = what.session;
    entry.is_away = false;
    attend(self, what.node, node);
    compare(self, what, node);
    for (const auto& job : std::exchange(entry.missed, {}))
      send(self, node, job_over{job});
    for (auto& pause : std::exchange(entry.missed_pauses, {}))
      send(self, node, std::move(pause));
    if (entry.leaving || entry.is_resting)
      return;
    enter_in_books(what);
    grant(self);
  }

  /// What it still has goes on, what did not reach it comes again, what is over is over.
  template <class Self>
  void compare(Self* self, const node_offer& what, const node_actor& node) {
    const std::set<std::uint64_t> there(what.has.leases.begin(), what.has.leases.end());
    std::vector<lease_id> over;
    leases_kept kept{};
    for (const auto& [id, lease] : leases) {
      if (lease.node != what.node)
        continue;
      auto came = lease.order && lease.order->turn <= what.has.turn;
      if (came && !there.contains(id.number))
        over.push_back(id);
      else
        kept.leases.push_back(id.number);
    }
    send(self, node, kept);
    for (auto number : kept.leases)
      remind(self, leases.at(lease_id{number}), number, node);
    for (auto id : over)
      release(self, id);
  }

  template <class Self>
  void remind(Self* self, const lease_out& lease, std::uint64_t number, const node_actor& node) {
    if (lease.order)
      send(self, node, *lease.order, lease.trial);
    if (lease.is_revoked)
      send(self, node, lease_revoked{number});
  }

  /// Those that are away hear of it when they are back.
  template <class Self>
  void end_job(Self* self, const job_over& what) {
    for (auto& [who, node] : nodes) {
      if (node.is_away)
        node.missed.insert(what.job);
      else
        send(self, node.actor, what);
    }
  }

  template <class Self>
  void drop_pause(Self* self, const pause_dropped& what) {
    auto known = nodes.find(what.node);
    if (known == nodes.end())
      return;
    if (known->second.is_away)
      known->second.missed_pauses.push_back(what);
    else
      send(self, known->second.actor, what);
  }

  template <class Self>
  void notice(Self* self, const node_silent& what) {
    for (const auto& [called, node] : nodes) {
      if (node.session == what.session && what.session != 0)
        return lose(self, std::string{called}, what.why, true);
    }
  }

  // -- Nodes that are lost again and again.

  template <class Self>
  void rest(Self* self, const node_offer& what, instant left) {
    auto& entry = nodes.at(what.node);
    entry.is_resting = true;
    offers[what.node] = what;
    delayed_send(self, caf::actor_cast<cluster_impl>(self), left,
                 rest_over{what.node, what.session});
    tell_people(self, "node " + what.node + " is back, but was lost "
                          + std::to_string(flaps.losses(what.worker, now(self)))
                          + " times of late: no trial goes there for " + seconds_text(left));
  }

  template <class Self>
  void end_rest(Self* self, const rest_over& what) {
    auto known = nodes.find(what.node);
    auto offer = offers.find(what.node);
    if (known == nodes.end() || offer == offers.end() || offer->second.session != what.session)
      return;
    auto fresh = std::move(offers.extract(offer).mapped());
    known->second.is_resting = false;
    if (!known->second.leaving)
      begin(self, fresh);
    if (known->second.is_away)
      part(what.node, known->second);
  }

  template <class Self>
  void tell_people(Self* self, const std::string& text) {
    for (const auto& [address, runner] : runners)
      send(self, runner, remark{text});
  }

  /// What a further loss costs this process; one that begins anew has a clean slate.
  template <class Self>
  std::string note_loss(Self* self, const std::string& who) {
    flaps.lost(who, now(self));
    auto wait = flaps.wait(who, now(self));
    if (wait.count() == 0)
      return {};
    return "; lost " + std::to_string(flaps.losses(who, now(self)))
           + " times of late, it gets no trials for " + seconds_text(wait);
  }

  // -- Nodes that go.

  /// Its processes are out of reach, or gone: whatever ran there has to run elsewhere.
  /// @param breaks It did not go by itself.
  template <class Self>
  void lose(Self* self, const std::string& who, std::string why, bool breaks = false) {
    auto known = nodes.extract(who);
    if (known.empty())
      return;
    if (breaks)
      why += note_loss(self, known.mapped().worker);
    offers.erase(who);
    answer_if_empty();
    possible.reset();
    books.remove_node(who);
    if (!known.mapped().is_resting)
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
    if (!known->second.is_resting)
      announce(self, on::node_leaving{who});
    let_go_elsewhere(node_label(who));
    grant(self);
  }

  /// No node will have this label any more: those that had better go there go anywhere.
  void let_go_elsewhere(const std::string& label) {
    for (auto& [token, x] : waiting) {
      if (!x.labels.contains(label))
        continue;
      books.cancel(token);
      x.labels.erase(label);
      books.enqueue(token, x.what, x.labels, x.share);
    }
  }

  using farewell = caf::typed_response_promise<std::uint64_t>;
  std::optional<farewell> dissolving;
  bool dissolved = false;
  /// Of nodes that rest.
  std::map<std::string, node_offer> offers;

  template <class Self>
  farewell dissolve(Self* self) {
    dissolved = true;
    dissolving = self->template make_response_promise<std::uint64_t>();
    auto answer = *dissolving;
    std::vector<std::string> away;
    for (const auto& [who, node] : nodes) {
      send(self, node.actor, drain_atom_v);
      if (node.is_away)
        away.push_back(who);
    }
    for (const auto& who : away)
      lose(self, who, "the head ends");
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
    for (const auto& [who, node] : nodes) {
      if (!node.is_resting)
        send(self, runner, news{on::node_up{who, node.capacity}});
    }
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
    auto share = share_of(runner.address());
    auto labels = labels_of(what);
    waiting.emplace(token, waiter{what.trial, runner, share, what.what, labels});
    tokens[{runner.address(), what.trial}] = token;
    books.enqueue(token, what.what, std::move(labels), share);
    grant(self);
  }

  [[nodiscard]] node_labels labels_of(const lease_request& what) const {
    auto result = what.labels;
    if (!what.best.empty())
      result.insert(what.best);
    return !what.best.empty() && books.impossible(what.what, result) ? what.labels : result;
  }

  /// Runners share alike, whatever the number of trials that wait.
  std::uint64_t share_of(const caf::actor_addr& runner) {
    auto [known, is_new] = shares.try_emplace(runner, last_share);
    last_share += is_new ? 1 : 0;
    for (const auto& [called, node] : nodes) {
      if (is_new && node.is_away)
        books.hold(called, known->second);
    }
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
    if (auto share = shares.extract(runner))
      forget_refusals([&](const auto& x) { return x.first == share.mapped(); });
    auto i = tokens.lower_bound({runner, trial_id{0}});
    while (i != tokens.end() && i->first.first == runner) {
      books.cancel(i->second);
      waiting.erase(i->second);
      i = tokens.erase(i);
    }
    for (auto& [id, lease] : leases) {
      if (lease.whose.runner.address() != runner)
        continue;
      lease.is_revoked = true;
      send(self, nodes.at(lease.node).actor, lease_revoked{id.number});
    }
  }

  template <class Self>
  void grant(Self* self) {
    for (auto& given : books.grant()) {
      auto asked = waiting.find(given.token);
      auto whose = std::move(asked->second);
      waiting.erase(asked);
      tokens.erase({whose.runner.address(), whose.trial});
      const auto& first = given.what.bundles.front().node;
      auto refused = refusals.find({whose.share, first});
      auto& lease = leases[given.what.id];
      lease = {std::move(whose), first, refused == refusals.end() ? 0 : refused->second};
      auto node = nodes.at(first).actor;
      send(self, lease.whose.runner, lease_granted{lease.whose.trial, std::move(given.what), node});
    }
  }

  /// To a node that is away it goes when that is back.
  template <class Self>
  void launch(Self* self, launch_order order, const trial_actor& trial) {
    auto known = leases.find(lease_id{order.lease});
    // Its node was lost meanwhile: the runner hears of that.
    if (known == leases.end())
      return;
    auto& node = nodes.at(known->second.node);
    order.turn = ++node.launches;
    // Before anything of the attempt can be heard from there.
    if (!is_here(self, node.actor))
      send(self, caf::actor_cast<trial_desk_actor>(trial),
           attempt_place{order.attempt, node.actor});
    send(self, node.actor, order, trial);
    known->second.order = std::move(order);
    known->second.trial = trial;
  }

  template <class Self>
  void release(Self* self, lease_id over) {
    if (auto gone = leases.extract(over); gone && !gone.mapped().is_declined)
      note_ready(gone.mapped());
    if (books.release(over))
      grant(self);
  }

  // -- Nodes that are not ready for a job: none of its trials' fault, and no reason to give it the
  //    next one at once.

  template <class Self>
  void decline(Self* self, const launch_declined& what) {
    auto known = leases.find(lease_id{what.lease});
    if (known == leases.end())
      return;
    auto& lease = known->second;
    lease.is_declined = true;
    auto share = lease.whose.share;
    auto& times = refusals[{share, lease.node}];
    // What was granted before that was known tells nothing new.
    if (lease.refusals != times)
      return;
    auto wait = length_of_hold(++times);
    books.hold(lease.node, share);
    delayed_send(self, caf::actor_cast<cluster_impl>(self), wait,
                 hold_over{share, lease.node, times});
    auto text = "node " + lease.node + " is not ready for it: " + what.why;
    if (!is_hopeless(lease.whose))
      send(self, lease.whose.runner,
           remark{text + "; no trial goes there for " + std::to_string(wait.count()) + " s"});
    else
      send(self, lease.whose.runner, news{on::interrupted{"no node is ready for it: " + text}});
  }

  /// It was ready for a trial that came after all it was not ready for.
  void note_ready(const lease_out& what) {
    auto known = refusals.find({what.whose.share, what.node});
    if (known != refusals.end() && known->second == what.refusals)
      refusals.erase(known);
  }

  /// Whether it only lacks nodes that are never ready.
  [[nodiscard]] bool is_hopeless(const waiter& what) const {
    std::set<std::string> never_ready;
    for (const auto& [key, times] : refusals) {
      if (key.first == what.share && times >= most_refusals)
        never_ready.insert(key.second);
    }
    return !never_ready.empty() && !books.impossible(what.what, what.labels)
           && books.impossible(what.what, what.labels, never_ready);
  }

  template <class Self>
  void end_hold(Self* self, const hold_over& what) {
    auto known = refusals.find({what.share, what.node});
    auto node = nodes.find(what.node);
    if (known == refusals.end() || known->second != what.times
        || (node != nodes.end() && node->second.is_away))
      return;
    books.unhold(what.node, what.share);
    grant(self);
  }

  template <class Predicate>
  void forget_refusals(Predicate belongs) {
    std::erase_if(refusals, [&](const auto& x) { return belongs(x.first); });
  }
};

cluster_impl::behavior_type cluster(cluster_impl::stateful_pointer<cluster_state> self) {
  auto& state = state_of(self);
  stand_firm(self);
  state.watched.init(self);
  return {
      [self, &state](lease_over x) {
        if (state.may_speak_of(self, lease_id{x.lease}))
          state.release(self, {x.lease});
      },
      [self, &state](const launch_declined& x) {
        if (state.may_speak_of(self, lease_id{x.lease}))
          state.decline(self, x);
      },
      [self, &state](const node_leaving& x) {
        if (state.may_speak_of(self, x.node))
          state.retire(self, x.node);
      },
      [self, &state](const node_offer& what, const node_actor& node) {
        state.offer(self, what, node);
      },
      [self, &state](const node_silent& x) { state.notice(self, x); },
      [self, &state](launch_order& order, const trial_actor& trial) {
        state.launch(self, std::move(order), trial);
      },
      [self, &state](const job_over& x) { state.end_job(self, x); },
      [self, &state](const pause_dropped& x) { state.drop_pause(self, x); },
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
      [self, &state](const hold_over& x) { state.end_hold(self, x); },
      [self, &state](const rest_over& x) { state.end_rest(self, x); },
  };
}

} // namespace

cluster_actor spawn_cluster(caf::actor_system& system) {
  return cluster_actor{system.spawn(cluster)};
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/cluster.hpp"

#include "tune/actors/firm.hpp"
#include "tune/actors/node.hpp"
#include "tune/actors/trial.hpp"
#include "tune/core/cluster/lease_parts.hpp"
#include "tune/core/cluster/loss_notices.hpp"
#include "tune/core/cluster/membership.hpp"
#include "tune/core/cluster/readiness.hpp"
#include "tune/core/cluster/unmet_requests.hpp"
#include "tune/core/liveness/flap_book.hpp"
#include "tune/core/resource/ledger.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace tune {

namespace {

/// The node may get trials of this runner again.
struct hold_over {
  std::uint64_t share = 0;
  std::string node;
  unsigned times = 0;
};

/// The node has rested long enough since it was lost.
struct rest_over {
  std::string node;
  std::uint64_t session = 0;
};

using cluster_impl = extend<cluster_actor, caf::result<void>(hold_over),
                            caf::result<void>(rest_over), caf::result<void>(tick_atom)>;

/// Time that a new cluster has to come together before it is told what it lacks.
constexpr auto gathering_time = std::chrono::seconds{2};

} // namespace

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_cluster)
TUNE_LOCAL_TYPE(tune_cluster, tune::hold_over)
TUNE_LOCAL_TYPE(tune_cluster, tune::rest_over)
TUNE_END_LOCAL_TYPES(tune_cluster)

namespace tune {

namespace {

std::string seconds_text(instant x) {
  return std::to_string(std::chrono::ceil<std::chrono::seconds>(x).count()) + " s";
}

/// A waiting request.
struct waiter {
  trial_id trial;
  runner_actor runner;
  /// The ledger's number for the runner.
  std::uint64_t share = 0;
  resource_request what;
  node_labels labels;
};

/// A granted lease, or the allocation of a further rank of it.
struct lease_out {
  waiter whose;
  /// The node on which its trainable is launched.
  std::string node;
  /// How often the node had not been ready for this runner when the lease was granted.
  unsigned refusals = 0;
  /// The node was not ready.
  bool is_declined = false;
  /// The launch order, which may have to be repeated, and the trial actor to launch for.
  std::optional<launch_order> order = {};
  trial_actor trial = {};
};

struct node_entry {
  node_actor actor;
  resources capacity;
  /// See `node_offer`.
  std::uint64_t session = 0;
  std::string worker = {};
  node_labels labels = {};
  node_route route = {};
  std::vector<std::string> devices = {};
  /// Set if it was lost too often: for a while it gets no trials and is not announced.
  bool is_resting = false;
  /// Jobs that were over, and pauses that were dropped, while it was away.
  std::set<std::string> missed = {};
  std::vector<pause_dropped> missed_pauses = {};
};

node_arrival arrival_of(const node_offer& x) {
  node_arrival result{x.node, x.worker, x.session, {x.has.incarnation, x.has.turn, {}}};
  for (auto lease : x.has.leases)
    result.has.leases.push_back({lease});
  return result;
}

struct cluster_state {
  static inline const char* name = "tune.cluster";

  ledger books;
  cluster_impl::pointer self = nullptr;
  membership members;
  std::map<std::string, node_entry> nodes;
  /// Runners that hear of nodes.
  std::map<caf::actor_addr, runner_actor> runners;
  /// Waiting requests by the ledger's token, and the token of each waiting trial.
  std::map<std::uint64_t, waiter> waiting;
  std::map<std::pair<caf::actor_addr, trial_id>, std::uint64_t> tokens;
  std::map<lease_id, lease_out> leases;
  lease_parts parts;
  std::uint64_t last_token = 0;
  /// The ledger's numbers for the runners.
  std::map<caf::actor_addr, std::uint64_t> shares;
  std::uint64_t last_share = 0;
  /// Which nodes are ready for which runners; owners are the runners' shares.
  readiness ready;
  /// The last request found possible with these nodes: most trials ask for the same.
  std::optional<std::pair<resource_request, node_labels>> possible;
  flap_book flaps;
  unmet_requests unmet;
  bool looks_soon = false;
  monitors watched;
  using farewell = caf::typed_response_promise<std::uint64_t>;
  std::optional<farewell> dissolving;
  bool dissolved = false;
  /// Offers of resting nodes.
  std::map<std::string, node_offer> offers;
  /// Takes lines that concern no experiment; may be empty.
  std::function<void(const std::string&)> say;
  /// Lost workers, with the shares of the runners whose trials were there.
  loss_notices missing;

  // -- A node is believed only about itself and its own leases.

  [[nodiscard]] bool may_speak_of(const std::string& node) const {
    auto known = nodes.find(node);
    return is_from_here(self) || (known != nodes.end() && is_of_sender(self, known->second.actor));
  }

  [[nodiscard]] bool may_speak_of(lease_id lease) const {
    auto known = leases.find(lease);
    return is_from_here(self) || (known != leases.end() && may_speak_of(known->second.node));
  }

  // -- Nodes.

  void offer(const node_offer& what, const node_actor& node) {
    if (dissolved) {
      send(self, node, drain_atom_v);
      return;
    }
    auto known = nodes.find(what.node);
    // The head's own node changes its offer.
    if (known != nodes.end() && what.session == 0 && known->second.actor == node)
      return join(what, node);
    auto came = members.arrive(arrival_of(what));
    if (came.how == membership::reception::stale)
      return;
    if (came.how == membership::reception::returned)
      return take_back(what, node, came);
    if (came.how == membership::reception::replaces) {
      replace(what.node, known->second.worker == what.worker && what.session != 0);
      static_cast<void>(members.arrive(arrival_of(what)));
    }
    join(what, node);
  }

  /// A worker that ended its trials while this head was silent is not to blame, nor are its trials.
  void replace(const std::string& node, bool began_anew) {
    if (!began_anew)
      return lose(node, "another node came under its name");
    const std::string why = "it heard nothing of this head for too long, ended its trials and began"
                            " anew";
    for (auto id : members.open_on(node)) {
      const auto& lease = leases.at(id);
      if (lease.order)
        send(self, lease.whose.runner,
             news{on::ended{lease.whose.trial,
                            attempt_of(*lease.order),
                            end_class::preempted,
                            "node " + node + ": " + why,
                            {}}});
    }
    lose(node, why);
  }

  [[nodiscard]] static attempt_id attempt_of(const launch_order& x) {
    return {x.attempt.epoch, x.attempt.counter};
  }

  void join(const node_offer& what, const node_actor& node) {
    nodes[what.node]
        = {node, what.capacity, what.session, what.worker, what.labels, what.route, what.devices};
    attend(what.node, node);
    // Everything it still has was placed anew.
    if (what.session != 0)
      send(self, node, leases_kept{{}, true, what.session});
    if (auto left = flaps.left(what.worker, now()); what.session != 0 && left.count() > 0)
      return rest(what, left);
    begin(what);
  }

  [[nodiscard]] instant now() const {
    return std::chrono::duration_cast<instant>(self->clock().now().time_since_epoch());
  }

  void enter_in_books(const node_offer& what) {
    auto labels = what.labels;
    labels.insert(node_label(what.node));
    books.set_node(what.node, what.capacity, std::move(labels));
    ready.forget_node(what.node);
  }

  /// Enters the node into the ledger, and announces it.
  void begin(const node_offer& what) {
    enter_in_books(what);
    possible.reset();
    announce(on::node_up{what.node, what.capacity});
    tell_of_return(what.node);
    tell_of_lacks(what.node);
    grant();
    if (unmet.any())
      tell_of_unmet();
  }

  // -- Nodes whose program lacks a trainable.

  /// Tells runners whose trials cannot use a node that has just joined.
  void tell_of_lacks(const std::string& node) {
    // All trials of a runner have the same trainable.
    std::set<std::uint64_t> told;
    for (const auto& [token, x] : waiting) {
      if (told.insert(x.share).second)
        tell_of_lack(node, x);
    }
    for (const auto& [id, x] : leases) {
      if (told.insert(x.whose.share).second)
        tell_of_lack(node, x.whose);
    }
  }

  /// The runner shows this once for each trainable and node, however often it is told.
  void tell_of_lack(const std::string& node, const waiter& whose) {
    const auto& entry = nodes.at(node);
    if (entry.session == 0)
      return;
    for (const auto& label : whose.labels) {
      if (!label.starts_with(trainable_label({})) || entry.labels.contains(label))
        continue;
      send(self, whose.runner,
           remark{"worker " + node + " has no " + label
                      + ": it runs another program, and gets no trial of this experiment; a "
                        "[trainable] plugin would come along",
                  "lack of " + label + " at " + node});
    }
  }

  void attend(const std::string& called, const node_actor& node) {
    watched.watch(self, node, [this, node, called](const caf::error& why) {
      auto known = nodes.find(called);
      if (known == nodes.end() || known->second.actor != node)
        return;
      // The node may run on, and come back before it counts as lost.
      if (is_unreachable(why) && known->second.session != 0)
        part(called);
      else
        lose(called, text_of_loss("it", why), is_unreachable(why));
    });
  }

  // -- Workers that are lost, and come back.

  /// The trials that each runner has on a node, by its share. A trial of several ranks counts once.
  [[nodiscard]] std::map<std::uint64_t, std::set<trial_id>>
  trials_on(const std::string& node) const {
    std::map<std::uint64_t, std::set<trial_id>> result;
    for (auto id : members.open_on(node)) {
      const auto& whose = leases.at(id).whose;
      result[whose.share].insert(whose.trial);
    }
    return result;
  }

  /// @returns whether there is such a runner.
  bool tell_runner(std::uint64_t share, const std::string& text) {
    for (const auto& [address, owned] : shares) {
      auto runner = owned == share ? runners.find(address) : runners.end();
      if (runner == runners.end())
        continue;
      send(self, runner->second, remark{text});
      return true;
    }
    return false;
  }

  /// Tells the runners whose trials were there, or if there are none, whoever runs this head.
  void tell_of_loss(const std::string& node, const std::string& why) {
    std::vector<std::uint64_t> told;
    for (const auto& [share, trials] : trials_on(node)) {
      if (tell_runner(share, loss_text(node, why, trials.size())))
        told.push_back(share);
    }
    if (told.empty() && say)
      say(loss_text(node, why, 0));
    missing.lost(node, std::move(told));
  }

  void tell_of_return(const std::string& node) {
    auto who = missing.back(node);
    if (!who)
      return;
    auto is_told = false;
    for (auto share : *who)
      is_told = tell_runner(share, return_text(node)) || is_told;
    if (!is_told && say)
      say(return_text(node));
  }

  // -- Nodes that were out of reach.

  void part(const std::string& called) {
    members.part(called);
    for (const auto& [runner, share] : shares)
      books.hold(called, share);
  }

  /// The node was away, and nothing was placed anew: everything goes on where it left off.
  void take_back(const node_offer& what, const node_actor& node, const membership::arrival& came) {
    auto& entry = nodes.at(what.node);
    entry.actor = node;
    entry.session = what.session;
    entry.route = what.route;
    attend(what.node, node);
    repeat(what, node, came);
    for (const auto& job : std::exchange(entry.missed, {}))
      send(self, node, job_over{job});
    for (auto& pause : std::exchange(entry.missed_pauses, {}))
      send(self, node, std::move(pause));
    for (auto id : came.over)
      release(id);
    if (members.is_leaving(what.node) || nodes.at(what.node).is_resting)
      return;
    enter_in_books(what);
    grant();
  }

  /// Leases it still has go on, and orders that did not reach it are sent again.
  void repeat(const node_offer& what, const node_actor& node, const membership::arrival& came) {
    leases_kept kept{{}, false, what.session};
    for (auto id : came.kept)
      kept.leases.push_back(id.number);
    send(self, node, kept);
    for (auto id : came.known)
      send_order(id, members.number_of(id));
    for (auto id : came.missed)
      send_order(id, *members.launched(id));
    for (auto id : came.revoked)
      send(self, node, lease_revoked{id.number});
  }

  void send_order(lease_id which, membership::launch_number as) {
    auto& lease = leases.at(which);
    lease.order->turn = as.turn;
    lease.order->session = as.session;
    const auto& node = nodes.at(lease.node).actor;
    // The trial has to know this before it can hear anything of the attempt from there.
    if (!is_here(self, node))
      send(self, caf::actor_cast<trial_local_actor>(lease.trial),
           attempt_place{lease.order->attempt, node});
    send(self, node, *lease.order, lease.trial);
  }

  /// Nodes that are away hear of it when they are back.
  void end_job(const job_over& what) {
    for (auto& [who, node] : nodes) {
      if (members.is_away(who))
        node.missed.insert(what.job);
      else
        send(self, node.actor, what);
    }
  }

  void drop_pause(const pause_dropped& what) {
    auto known = nodes.find(what.node);
    if (known == nodes.end())
      return;
    if (members.is_away(what.node))
      known->second.missed_pauses.push_back(what);
    else
      send(self, known->second.actor, what);
  }

  void notice(const node_silent& what) {
    if (auto called = members.node_of(what.session))
      lose(*called, what.why, true);
  }

  // -- Nodes that are lost again and again.

  void rest(const node_offer& what, instant left) {
    auto& entry = nodes.at(what.node);
    entry.is_resting = true;
    offers[what.node] = what;
    delayed_send(self, caf::actor_cast<cluster_impl>(self), left,
                 rest_over{what.node, what.session});
    if (flaps.is_news(what.worker, now()))
      tell_people("node " + what.node + " is back, but was lost "
                  + std::to_string(flaps.losses(what.worker, now()))
                  + " times of late: no trial goes there for " + seconds_text(left));
  }

  void end_rest(const rest_over& what) {
    auto known = nodes.find(what.node);
    auto offer = offers.find(what.node);
    if (known == nodes.end() || offer == offers.end() || offer->second.session != what.session)
      return;
    auto fresh = std::move(offers.extract(offer).mapped());
    known->second.is_resting = false;
    if (!members.is_leaving(what.node))
      begin(fresh);
    if (members.is_away(what.node))
      part(what.node);
  }

  void tell_people(const std::string& text) {
    for (const auto& [address, runner] : runners)
      send(self, runner, remark{text});
  }

  /// Counts a loss. @returns what it costs the worker's process, for people; a process that begins
  /// anew has a clean slate.
  std::string note_loss(const std::string& who) {
    flaps.lost(who, now());
    auto wait = flaps.wait(who, now());
    if (wait.count() == 0)
      return {};
    return "; lost " + std::to_string(flaps.losses(who, now()))
           + " times of late, it gets no trials for " + seconds_text(wait);
  }

  // -- Nodes that go.

  /// The node's processes are out of reach, or gone: its trials have to run elsewhere.
  /// @param breaks Whether it did not go by itself.
  void lose(const std::string& who, std::string why, bool breaks = false) {
    auto known = nodes.extract(who);
    if (known.empty())
      return;
    if (breaks)
      why += note_loss(known.mapped().worker);
    offers.erase(who);
    answer_if_empty();
    possible.reset();
    books.remove_node(who);
    if (breaks && known.mapped().session != 0)
      tell_of_loss(who, why);
    if (!known.mapped().is_resting)
      announce(on::node_down{who, why});
    for (auto id : members.lose(who)) {
      leases.erase(id);
      auto left = parts.lose(id);
      if (left.freed)
        books.release(*left.freed);
      for (auto other : left.to_revoke)
        revoke(other);
    }
    grant();
    look_for_unmet();
  }

  /// A node that is away hears of it when it is back.
  void revoke(lease_id which) {
    // None if the part was on the lost node itself, as several parts of a lease may be.
    if (auto node = members.revoke(which))
      send(self, nodes.at(*node).actor, lease_revoked{which.number});
  }

  /// The node gets no more trials; it stays in the books for those that run there.
  void retire(const std::string& who) {
    auto known = nodes.find(who);
    if (known == nodes.end() || !members.leave(who))
      return;
    possible.reset();
    books.remove_node(who);
    if (!known->second.is_resting)
      announce(on::node_leaving{who});
    let_go_elsewhere(node_label(who));
    grant();
    look_for_unmet();
  }

  /// No node will have this label any more: requests that preferred it may go anywhere.
  void let_go_elsewhere(const std::string& label) {
    for (auto& [token, x] : waiting) {
      if (!x.labels.contains(label))
        continue;
      books.cancel(token);
      x.labels.erase(label);
      books.enqueue(token, x.what, x.labels, x.share);
    }
  }

  farewell dissolve() {
    dissolved = true;
    dissolving = self->make_response_promise<std::uint64_t>();
    auto answer = *dissolving;
    std::vector<std::string> away;
    for (const auto& [who, node] : nodes) {
      send(self, node.actor, drain_atom_v);
      if (members.is_away(who))
        away.push_back(who);
    }
    for (const auto& who : away)
      lose(who, "the head ends");
    answer_if_empty();
    return answer;
  }

  void answer_if_empty() {
    if (dissolving && nodes.empty())
      std::exchange(dissolving, std::nullopt)->deliver(std::uint64_t{0});
  }

  void announce(const event_body& what) {
    for (const auto& [address, runner] : runners)
      send(self, runner, news{what});
  }

  void enrol(const runner_actor& runner) {
    attend(runner);
    runners[runner.address()] = runner;
    for (const auto& [who, node] : nodes) {
      if (!node.is_resting)
        send(self, runner, news{on::node_up{who, node.capacity}});
    }
  }

  void attend(const runner_actor& runner) {
    watched.watch(self, runner, [this, who = runner.address()](const caf::error&) { forget(who); });
  }

  // -- Requests.

  void enter(const lease_request& what, const runner_actor& runner) {
    if (std::pair wish{what.what, what.labels}; possible != wish) {
      auto why = books.impossible(what.what, what.labels);
      if (why && !what.wait) {
        send(self, runner, lease_refused{what.trial, to_text(*why)});
        return;
      }
      if (why)
        look_for_unmet();
      else
        possible = std::move(wish);
    }
    withdraw({what.trial}, runner.address());
    attend(runner);
    auto token = ++last_token;
    const auto is_first = !shares.contains(runner.address());
    auto share = share_of(runner.address());
    auto labels = labels_of(what);
    waiting.emplace(token, waiter{what.trial, runner, share, what.what, labels});
    tokens[{runner.address(), what.trial}] = token;
    books.enqueue(token, what.what, std::move(labels), share);
    if (is_first) {
      for (const auto& [node, entry] : nodes)
        tell_of_lack(node, waiting.at(token));
    }
    grant();
  }

  [[nodiscard]] node_labels labels_of(const lease_request& what) const {
    auto result = what.labels;
    if (!what.best.empty())
      result.insert(what.best);
    return !what.best.empty() && books.impossible(what.what, result) ? what.labels : result;
  }

  /// Runners get equal shares, whatever the number of their waiting trials.
  std::uint64_t share_of(const caf::actor_addr& runner) {
    auto [known, is_new] = shares.try_emplace(runner, last_share);
    last_share += is_new ? 1 : 0;
    for (const auto& [called, node] : nodes) {
      if (is_new && members.is_away(called))
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

  /// The runner is gone: its requests are cancelled and its leases revoked.
  void forget(const caf::actor_addr& runner) {
    runners.erase(runner);
    if (auto share = shares.extract(runner)) {
      ready.forget_owner(share.mapped());
      unmet.forget(share.mapped());
    }
    auto i = tokens.lower_bound({runner, trial_id{0}});
    while (i != tokens.end() && i->first.first == runner) {
      books.cancel(i->second);
      waiting.erase(i->second);
      i = tokens.erase(i);
    }
    for (const auto& [id, lease] : leases) {
      if (lease.whose.runner.address() == runner)
        revoke(id);
    }
  }

  // -- Requests that no node can grant.

  void look_for_unmet() {
    if (dissolved || std::exchange(looks_soon, true))
      return;
    delayed_send(self, caf::actor_cast<cluster_impl>(self), gathering_time, tick_atom_v);
  }

  void tell_of_unmet() {
    looks_soon = false;
    for (const auto& told : unmet.update(books.stranded_requests())) {
      for (const auto& [who, share] : shares) {
        if (share == told.owner)
          send(self, caf::actor_cast<runner_actor>(who), requests_unmet{told.text});
      }
    }
  }

  void grant() {
    for (auto& given : books.grant()) {
      auto asked = waiting.find(given.token);
      auto whose = std::move(asked->second);
      waiting.erase(asked);
      tokens.erase({whose.runner.address(), whose.trial});
      const auto& first = given.what.bundles.front().node;
      const auto refused = ready.refusals({whose.share, first});
      auto& lease = leases[given.what.id];
      members.granted(given.what.id, first);
      parts.granted(given.what.id);
      lease = {std::move(whose), first, refused};
      auto node = nodes.at(first).actor;
      send(self, lease.whose.runner, lease_granted{lease.whose.trial, std::move(given.what), node});
    }
  }

  /// A node that is away gets the order when it is back.
  void launch(launch_order order, const trial_actor& trial) {
    complete(order);
    if (order.rank > 0 && !admit_rank(order))
      return refuse_rank(order, trial);
    const lease_id which{order.lease};
    const auto number = members.launched(which);
    // The node was lost meanwhile: the runner hears of that.
    if (!number)
      return;
    auto& lease = leases.at(which);
    lease.order = std::move(order);
    lease.trial = trial;
    send_order(which, *number);
  }

  /// Adds what only the cluster knows, since nodes do not know of each other: addresses and device
  /// names.
  void complete(launch_order& order) const {
    std::vector<node_route> routes;
    for (auto& bundle : order.bundles) {
      auto known = nodes.find(bundle.node);
      routes.push_back(known == nodes.end() ? node_route{} : known->second.route);
      bundle.devices.clear();
      for (auto index : bundle.indices) {
        const auto has_name = known != nodes.end() && index < known->second.devices.size();
        bundle.devices.push_back(has_name ? known->second.devices[index] : std::to_string(index));
      }
    }
    const auto addresses = addresses_of(routes);
    for (std::size_t i = 0; i < addresses.size(); ++i)
      order.bundles[i].address = addresses[i];
  }

  /// Allocates a further rank. @returns whether its attempt is still under way.
  bool admit_rank(launch_order& order) {
    const auto whole = leases.find(lease_id{order.lease});
    if (whole == leases.end() || order.rank >= order.bundles.size())
      return false;
    const auto node = order.bundles[order.rank].node;
    if (!nodes.contains(node))
      return false;
    auto part = parts.begin(whole->first, order.rank);
    if (!part)
      return false;
    const auto& whose = whole->second.whose;
    members.granted(*part, node);
    leases[*part] = {whose, node, ready.refusals({whose.share, node})};
    order.lease = part->number;
    return true;
  }

  void refuse_rank(const launch_order& order, const trial_actor& trial) {
    attempt_ended never;
    never.attempt = order.attempt;
    never.how = static_cast<std::uint8_t>(end_class::preempted);
    never.detail = "it never began: its attempt is over, or its node is gone";
    send(self, trial, std::move(never));
  }

  void release(lease_id over) {
    members.over(over);
    if (auto gone = leases.extract(over); gone && !gone.mapped().is_declined)
      note_ready(gone.mapped());
    if (auto whole = parts.over(over); whole && books.release(*whole))
      grant();
  }

  // -- Nodes that are not ready for a job. That is no fault of the job's trials, and a reason not
  // to
  //    give such a node the next trial at once.

  void decline(const launch_declined& what) {
    auto known = leases.find(lease_id{what.lease});
    if (known == leases.end())
      return;
    auto& lease = known->second;
    lease.is_declined = true;
    const readiness::pair of{lease.whose.share, lease.node};
    const auto pause = ready.refused(of, lease.refusals, what.is_passing);
    if (!pause)
      return;
    books.hold(of.second, of.first);
    end_hold_after(of, *pause);
    const auto text = "node " + lease.node + " is not ready for it: " + what.why;
    const auto wait = std::to_string(pause->length.count()) + " s";
    if (!is_hopeless(lease.whose))
      send(self, lease.whose.runner, remark{text + "; no trial goes there for " + wait});
    else
      send(self, lease.whose.runner, news{on::interrupted{"no node is ready for it: " + text}});
  }

  void note_ready(const lease_out& over) {
    const readiness::pair of{over.whose.share, over.node};
    if (auto rest = ready.was_ready(of, over.refusals))
      end_hold_after(of, *rest);
  }

  void end_hold_after(const readiness::pair& of, const readiness::pause& what) {
    delayed_send(self, caf::actor_cast<cluster_impl>(self), what.length,
                 hold_over{of.first, of.second, what.times});
  }

  /// Whether only nodes that are never ready could grant it.
  [[nodiscard]] bool is_hopeless(const waiter& what) const {
    const auto never = ready.never_ready(what.share);
    return !never.empty() && !books.impossible(what.what, what.labels)
           && books.impossible(what.what, what.labels, never);
  }

  void end_hold(const hold_over& what) {
    if (!ready.ends({what.share, what.node}, what.times) || members.is_away(what.node))
      return;
    books.unhold(what.node, what.share);
    grant();
  }
};

cluster_impl::behavior_type cluster(cluster_impl::stateful_pointer<cluster_state> self,
                                    std::function<void(const std::string&)> say) {
  auto& state = state_of(self);
  state.self = self;
  state.say = std::move(say);
  stand_firm(self);
  state.watched.init(self);
  return {
      [&state](lease_over x) {
        if (state.may_speak_of(lease_id{x.lease}))
          state.release({x.lease});
      },
      [&state](const launch_declined& x) {
        if (state.may_speak_of(lease_id{x.lease}))
          state.decline(x);
      },
      [&state](const node_leaving& x) {
        if (state.may_speak_of(x.node))
          state.retire(x.node);
      },
      [&state](const node_offer& what, const node_actor& node) { state.offer(what, node); },
      [&state](const node_silent& x) { state.notice(x); },
      [&state](launch_order& order, const trial_actor& trial) {
        state.launch(std::move(order), trial);
      },
      [&state](const job_over& x) { state.end_job(x); },
      [&state](const pause_dropped& x) { state.drop_pause(x); },
      [&state](const runner_actor& runner) { state.enrol(runner); },
      [&state](const lease_request& what, const runner_actor& runner) {
        state.enter(what, runner);
      },
      [&state](const lease_cancel& what, const runner_actor& runner) {
        state.withdraw(what, runner.address());
      },
      [&state](status_atom) {
        return cluster_status{state.books.total(), state.books.used(), state.nodes.size()};
      },
      [&state](const remark& x) { state.tell_people(x.text); },
      [&state](const fit_question& x) {
        auto why = state.books.impossible(x.what, x.labels);
        return why ? to_text(*why) : std::string{};
      },
      [&state](drain_atom) { return state.dissolve(); },
      [&state](const hold_over& x) { state.end_hold(x); },
      [&state](const rest_over& x) { state.end_rest(x); },
      [&state](tick_atom) { state.tell_of_unmet(); },
  };
}

} // namespace

cluster_actor spawn_cluster(caf::actor_system& system,
                            std::function<void(const std::string&)> say) {
  return cluster_actor{system.spawn(cluster, std::move(say))};
}

} // namespace tune

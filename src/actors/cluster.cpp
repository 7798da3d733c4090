// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/cluster.hpp"

#include "numbered_runners.hpp"

#include "tune/actors/firm.hpp"
#include "tune/actors/runner.hpp"
#include "tune/actors/trial.hpp"
#include "tune/core/cluster/cluster_plan.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace tune {

namespace {

/// The node may get trials of this runner again.
struct hold_over {
  std::uint64_t owner = 0;
  std::string node;
  unsigned times = 0;
};

/// The node has rested long enough since it was lost.
struct rest_over {
  std::string node;
  std::uint64_t session = 0;
};

/// Nodes that are awaited had their time.
struct wait_over {};

using cluster_impl
    = extend<cluster_local_actor, caf::result<void>(hold_over), caf::result<void>(rest_over),
             caf::result<void>(wait_over), caf::result<void>(tick_atom)>;

} // namespace

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_cluster)
TUNE_LOCAL_TYPE(tune_cluster, tune::hold_over)
TUNE_LOCAL_TYPE(tune_cluster, tune::rest_over)
TUNE_LOCAL_TYPE(tune_cluster, tune::wait_over)
TUNE_END_LOCAL_TYPES(tune_cluster)

namespace tune {

namespace {

node_arrival arrival_of(const node_offer& x) {
  node_arrival result{x.node, x.worker, x.session, {x.has.incarnation, x.has.turn, {}}};
  for (auto lease : x.has.leases)
    result.has.leases.push_back({lease});
  return result;
}

node_profile profile_of(const node_offer& x) {
  return {x.capacity, x.labels, x.route, x.devices};
}

/// Adds what only the head knows, since nodes do not know of each other: addresses and device
/// names.
void complete(launch_order& order, const known_nodes& nodes) {
  std::vector<std::string> names;
  for (auto& bundle : order.bundles) {
    names.push_back(bundle.node);
    bundle.devices = nodes.device_names(bundle.node, bundle.indices);
  }
  const auto addresses = nodes.addresses(names);
  for (std::size_t i = 0; i < addresses.size(); ++i)
    order.bundles[i].address = addresses[i];
}

/// The end of a rank that never ran.
attempt_ended never_begun(const launch_order& order) {
  attempt_ended result;
  result.attempt = order.attempt;
  result.how = static_cast<std::uint8_t>(end_class::preempted);
  result.detail = "it never began: its attempt is over, or its node is gone";
  return result;
}

/// A launch order, which may have to be repeated, and the trial actor to launch for.
struct launched {
  launch_order order;
  trial_actor trial;
};

/// Carries out the commands of `cluster_plan`.
struct cluster_state {
  static inline const char* name = "tune.cluster";

  cluster_plan plan;
  cluster_impl::pointer self = nullptr;
  std::map<std::string, node_actor> nodes;
  numbered_runners runners;
  /// By lease, where a node may run something of it.
  std::map<lease_id, launched> launches;
  /// By owner: see `standing_told::on_moved`.
  std::map<std::uint64_t, std::function<void()>> heeds_moves;
  monitors watched;
  using farewell = caf::typed_response_promise<std::uint64_t>;
  std::optional<farewell> dissolving;
  /// Takes lines that concern no experiment; may be empty.
  std::function<void(const std::string&)> say;

  [[nodiscard]] instant now() const {
    return std::chrono::duration_cast<instant>(self->clock().now().time_since_epoch());
  }

  // -- A node is believed only about itself and its own leases.

  [[nodiscard]] bool may_speak_of(const std::string& node) const {
    auto known = nodes.find(node);
    return is_from_here(self) || (known != nodes.end() && is_of_sender(self, known->second));
  }

  [[nodiscard]] bool may_speak_of(lease_id lease) const {
    const auto node = plan.node_of(lease);
    return is_from_here(self) || (node && may_speak_of(*node));
  }

  void hear(const lease_over& x) {
    if (may_speak_of(lease_id{x.lease}))
      carry_out(plan.over({x.lease}));
  }
  void hear(const launch_declined& x) {
    if (may_speak_of(lease_id{x.lease}))
      carry_out(plan.decline({x.lease}, x.why, x.is_passing));
  }
  void hear(const node_leaving& x) {
    if (may_speak_of(x.node))
      carry_out(plan.leave(x.node));
  }

  // -- From nodes, and about them.

  void offer(const node_offer& what, const node_actor& node) {
    if (plan.is_dissolved()) {
      send(self, node, drain_atom_v);
      return;
    }
    auto known = nodes.find(what.node);
    // The head's own node changes its offer.
    if (known != nodes.end() && what.session == 0 && known->second == node)
      return carry_out(plan.change(what.node, profile_of(what)));
    for (const auto& x : plan.arrive(arrival_of(what), profile_of(what), now())) {
      if (const auto* met = std::get_if<cluster_cmd::attend>(&x))
        attend(met->node, node);
      else
        carry_out(x);
    }
  }

  void attend(const std::string& called, const node_actor& node) {
    nodes[called] = node;
    watched.watch(self, node, [this, node, called](const caf::error& why) {
      auto known = nodes.find(called);
      if (known == nodes.end() || known->second != node)
        return;
      const auto text = text_of_loss("it", why);
      carry_out(is_unreachable(why) ? plan.cut_off(called, text, now()) : plan.lost(called, text));
    });
  }

  void hear(const node_silent& x) { carry_out(plan.silent(x.session, x.why, now())); }
  void hear(const hold_over& x) { carry_out(plan.end_hold(x.owner, x.node, x.times)); }
  void hear(const rest_over& x) { carry_out(plan.end_rest(x.node, x.session)); }

  // -- From runners.

  std::uint64_t attend(const runner_actor& runner) {
    watched.watch(self, runner, [this, who = runner.address()](const caf::error&) {
      if (auto owner = runners.remove(who)) {
        heeds_moves.erase(*owner);
        carry_out(plan.forget(*owner));
      }
    });
    return runners.number_of(runner);
  }

  void enrol(const runner_actor& runner) { carry_out(plan.enrol(attend(runner))); }

  void hear(const pause_dropped& x) { carry_out(plan.drop_pause(x.node, {x.job, x.location})); }

  void enter(const lease_request& what, const runner_actor& runner) {
    carry_out(
        plan.enter({attend(runner), what.trial, what.what, what.wait, what.labels, what.best}));
  }

  void stand(standing_told& x, const runner_actor& runner) {
    const auto owner = attend(runner);
    if (x.on_moved)
      heeds_moves[owner] = std::move(x.on_moved);
    carry_out(plan.stand(owner, std::move(x.what), x.claim));
  }

  [[nodiscard]] allocation_view view_of(const caf::actor_addr& runner) const {
    const auto owner = runners.find(runner);
    return owner ? plan.view_of(*owner) : allocation_view{};
  }

  void withdraw(const lease_cancel& what, const caf::actor_addr& runner) {
    if (auto owner = runners.find(runner))
      plan.withdraw(*owner, what.trial);
  }

  void launch(launch_order order, const trial_actor& trial) {
    complete(order, plan.nodes());
    if (order.rank > 0) {
      auto part = begin_rank(order);
      if (!part)
        return send(self, trial, never_begun(order));
      order.lease = part->number;
    }
    const lease_id which{order.lease};
    const auto commands = plan.launch(which, order.attempt);
    if (!commands.empty())
      launches[which] = {std::move(order), trial};
    carry_out(commands);
  }

  void await(const attempt_awaited& what, const trial_actor& trial, const runner_actor& runner) {
    launches[what.what.id] = {what.order, trial};
    carry_out(plan.await({attend(runner), trial_id{what.order.trial}, what.order.attempt, what.what,
                          what.request, what.labels, what.has_begun}));
  }

  void know(const nodes_known& x, const runner_actor& runner) {
    carry_out(plan.knew(attend(runner), x.nodes));
  }

  void hear(const room_made& x, const runner_actor& runner) {
    if (const auto owner = runners.find(runner.address()))
      carry_out(plan.note_room_made(*owner, x.for_whom));
  }
  void hear(const saving_shown& x, const runner_actor& runner) {
    if (const auto owner = runners.find(runner.address()))
      carry_out(plan.note_saving(*owner, x.can_save));
  }

  std::string begin_wait(instant most) {
    std::string result;
    for (const auto& node : plan.awaited().nodes())
      result += node + "\n";
    carry_out(plan.begin_wait(most));
    return result;
  }

  [[nodiscard]] std::optional<lease_id> begin_rank(const launch_order& order) {
    if (order.rank >= order.bundles.size())
      return std::nullopt;
    return plan.begin_rank({order.lease}, order.rank, order.bundles[order.rank].node);
  }

  // -- From the head's owner.

  /// Empty: it is not.
  [[nodiscard]] std::string why_impossible(const fit_question& x) {
    const auto why = plan.impossible(x.what, x.labels);
    return why ? to_text(*why) : std::string{};
  }

  farewell dissolve() {
    dissolving = self->make_response_promise<std::uint64_t>();
    auto answer = *dissolving;
    carry_out(plan.dissolve());
    return answer;
  }

  // -- Commands of the plan.

  void carry_out(const cluster_commands& all) {
    for (const auto& x : all)
      carry_out(x);
  }
  void carry_out(const cluster_command& what) {
    std::visit([this](const auto& x) { act(x); }, what);
  }

  void act(const cluster_cmd::attend&) {} // See `offer`, which knows the node.
  void act(const cluster_cmd::let_go& x) { nodes.erase(x.node); }

  void act(const cluster_cmd::keep& x) {
    leases_kept kept{{}, x.is_new, x.session};
    for (auto id : x.leases)
      kept.leases.push_back(id.number);
    send(self, nodes.at(x.node), std::move(kept));
  }

  void act(const cluster_cmd::order& x) {
    auto& what = launches.at(x.lease);
    if (std::exchange(what.order.is_awaited, false))
      complete(what.order, plan.nodes());
    what.order.turn = x.turn;
    what.order.session = x.session;
    const auto& node = nodes.at(x.node);
    // The trial has to know this before it can hear anything of the attempt from there.
    if (!is_here(self, node))
      send(self, caf::actor_cast<trial_local_actor>(what.trial),
           attempt_place{what.order.attempt, node});
    send(self, node, what.order, what.trial);
  }

  void act(const cluster_cmd::forget_order& x) { launches.erase(x.lease); }
  void act(const cluster_cmd::revoke& x) {
    send(self, nodes.at(x.node), lease_revoked{x.lease.number});
  }
  void act(const cluster_cmd::end_job& x) { send(self, nodes.at(x.node), job_over{x.job}); }
  void act(const cluster_cmd::drop_pause& x) {
    send(self, nodes.at(x.node), pause_dropped{x.node, x.what.job, x.what.location});
  }
  void act(const cluster_cmd::drain& x) { send(self, nodes.at(x.node), drain_atom_v); }

  void act(const cluster_cmd::grant& x) {
    runners.tell(self, x.owner, lease_granted{x.trial, x.what, nodes.at(x.node)});
  }
  void act(const cluster_cmd::make_room& x) {
    runners.tell_local(self, x.owner, room_wanted{x.trial, x.lease, x.for_whom});
  }
  void act(const cluster_cmd::refuse& x) {
    runners.tell(self, x.owner, lease_refused{x.trial, x.why});
  }
  void act(const cluster_cmd::tell_unmet& x) {
    runners.tell(self, x.owner, requests_unmet{x.text});
  }
  void act(const cluster_cmd::tell_event& x) { runners.tell(self, x.owner, news{x.what}); }
  void act(const cluster_cmd::tell& x) { runners.tell(self, x.owner, remark{x.text, x.about}); }
  void act(const cluster_cmd::moved& x) const {
    if (const auto known = heeds_moves.find(x.owner); known != heeds_moves.end())
      known->second();
  }
  void act(const cluster_cmd::say& x) {
    if (say)
      say(x.text);
  }

  template <class... Ts>
  void remind(instant after, Ts&&... what) {
    delayed_send(self, caf::actor_cast<cluster_impl>(self), after, std::forward<Ts>(what)...);
  }
  void act(const cluster_cmd::end_hold_after& x) {
    remind(x.rest.length, hold_over{x.owner, x.node, x.rest.times});
  }
  void act(const cluster_cmd::end_rest_after& x) { remind(x.wait, rest_over{x.node, x.session}); }
  void act(const cluster_cmd::look_after& x) { remind(x.wait, tick_atom_v); }
  void act(const cluster_cmd::end_wait_after& x) { remind(x.wait, wait_over{}); }

  void act(const cluster_cmd::all_gone&) {
    if (auto waits = std::exchange(dissolving, std::nullopt))
      waits->deliver(std::uint64_t{0});
  }
};

cluster_impl::behavior_type cluster(cluster_impl::stateful_pointer<cluster_state> self,
                                    std::function<void(const std::string&)> say,
                                    std::uint64_t first_lease, allocation_limits limits) {
  auto& state = state_of(self);
  state.plan = cluster_plan{first_lease, std::move(limits)};
  state.self = self;
  state.say = std::move(say);
  stand_firm(self);
  state.watched.init(self);
  return {
      [&state](lease_over x) { state.hear(x); },
      [&state](const launch_declined& x) { state.hear(x); },
      [&state](const node_leaving& x) { state.hear(x); },
      [&state](const node_offer& what, const node_actor& node) { state.offer(what, node); },
      [&state](const node_silent& x) { state.hear(x); },
      [&state](launch_order& order, const trial_actor& trial) {
        state.launch(std::move(order), trial);
      },
      [&state](const job_over& x) { state.carry_out(state.plan.end_job(x.job)); },
      [&state](const pause_dropped& x) { state.hear(x); },
      [&state](const runner_actor& runner) { state.enrol(runner); },
      [&state](const lease_request& what, const runner_actor& runner) {
        state.enter(what, runner);
      },
      [&state](const lease_cancel& what, const runner_actor& runner) {
        state.withdraw(what, runner.address());
      },
      [&state](status_atom) { return state.plan.status(); },
      [&state](const remark& x) { state.carry_out(state.plan.tell_all(x.text)); },
      [&state](const fit_question& x) { return state.why_impossible(x); },
      [&state](drain_atom) { return state.dissolve(); },
      [&state](const attempt_awaited& what, const trial_actor& trial, const runner_actor& runner) {
        state.await(what, trial, runner);
      },
      [&state](const nodes_known& x, const runner_actor& runner) { state.know(x, runner); },
      [&state](const room_made& x, const runner_actor& runner) { state.hear(x, runner); },
      [&state](const saving_shown& x, const runner_actor& runner) { state.hear(x, runner); },
      [&state](standing_told& x, const runner_actor& runner) { state.stand(x, runner); },
      [&state](const queue_closed&) { state.plan.close_queue(); },
      [&state](const queue_opened&) { state.carry_out(state.plan.open_queue()); },
      [&state](const standing_question&, const runner_actor& runner) {
        return state.view_of(runner.address());
      },
      [&state](const wait_begins& x) { return state.begin_wait(x.most); },
      [&state](const need_question&) { return state.plan.need(); },
      [&state](const workers_held& x) { return workers_held{state.plan.hold_workers(x.workers)}; },
      [&state](const workers_released& x) {
        state.carry_out(state.plan.release_workers(x.workers));
      },
      [&state](const wait_over&) { state.carry_out(state.plan.end_wait()); },
      [&state](const hold_over& x) { state.hear(x); },
      [&state](const rest_over& x) { state.hear(x); },
      [&state](tick_atom) { state.carry_out(state.plan.look_for_unmet()); },
  };
}

} // namespace

cluster_actor spawn_cluster(caf::actor_system& system, std::function<void(const std::string&)> say,
                            std::uint64_t first_lease, allocation_limits limits) {
  return cluster_actor{system.spawn(cluster, std::move(say), first_lease, std::move(limits))};
}

} // namespace tune

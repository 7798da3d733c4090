// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/node.hpp"

#include "attempt_proxy.hpp"
#include "node_services.hpp"
#include "not_ready.hpp"
#include "occupants.hpp"
#include "trainables.hpp"

#include "tune/actors/firm.hpp"
#include "tune/core/cluster/node_plan.hpp"
#include "tune/io/process/thread_room.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace tune {

namespace {

using node_impl
    = extend<node_local_actor, caf::result<void>(std::uint64_t, trainable_actor),
             caf::result<void>(std::uint64_t, std::string, bool), caf::result<void>(files_gone)>;

attempt_ended ended(attempt_key attempt, end_class how, std::string why) {
  attempt_ended result;
  result.attempt = attempt;
  result.how = static_cast<std::uint8_t>(how);
  result.detail = std::move(why);
  return result;
}

node_plan::settings plan_of(const node_settings& x) {
  return {x.name, x.gate != nullptr, static_cast<bool>(x.finder), x.session};
}

node_plan::order order_of(const launch_order& x) {
  return {lease_id{x.lease}, {x.attempt.epoch, x.attempt.counter}, x.job, x.turn, x.session};
}

/// A lease's allocation on this node, and the actors to talk to about it.
struct occupant {
  launch_order order;
  /// The trial; where that is on another node, the attempt proxy to it.
  trial_actor trial;
  attempt_proxy_local_actor attempt_proxy = {};
  trainable_actor trainable = {};
  /// See `attempt_prepared`.
  std::filesystem::path checkpoints = {};
};

void end_attempt_proxy(const occupant& x) {
  if (x.attempt_proxy)
    caf::anon_send_exit(x.attempt_proxy, caf::exit_reason::user_shutdown);
}

/// Carries out the commands of `node_plan`.
struct node_state {
  static inline const char* name = "tune.node";

  std::shared_ptr<const node_settings> settings;
  node_impl::pointer self = nullptr;
  node_plan plan{{}};
  cluster_for_nodes_actor cluster;
  node_services services;
  std::shared_ptr<training_threads> threads;
  monitors watched;
  std::map<std::string, std::shared_ptr<const job>> jobs;
  /// Allocations by lease.
  occupants_by_lease<occupant> occupants;

  ~node_state() {
    for (const auto& [lease, x] : occupants)
      end_attempt_proxy(x);
  }

  void begin(node_impl::pointer me, std::shared_ptr<const node_settings> how,
             cluster_for_nodes_actor head) {
    self = me;
    settings = std::move(how);
    plan = node_plan{plan_of(*settings)};
    cluster = std::move(head);
    for (const auto& x : settings->jobs)
      know(x);
    watched.init(self);
    occupants.observe(settings->when_busy);
    services.begin(self, settings);
  }

  void know(const std::shared_ptr<const job>& what) {
    jobs[what->id] = what;
    plan.know(what->id);
  }

  // -- From the head.

  void launch(const launch_order& order, const trial_actor& trial) {
    const auto may_speak = !settings->gate || settings->gate->is_open();
    auto commands = plan.launch(order_of(order), may_speak);
    auto [place, is_new] = occupants.try_emplace(order.lease, occupant{order, trial});
    if (is_new && settings->gate && is_here(order.lease))
      send_attempt_proxy(place->second);
    else if (!is_new && place->second.attempt_proxy)
      send(self, place->second.attempt_proxy, trial);
    carry_out(commands);
    drop_if_absent(order.lease);
  }

  void send_attempt_proxy(occupant& x) {
    x.attempt_proxy = spawn_attempt_proxy(self->system(), x.order.attempt, settings->gate, x.trial);
    x.trial = x.attempt_proxy;
  }

  [[nodiscard]] bool is_here(std::uint64_t lease) const {
    return plan.stage_of({lease}) != allocation_stage::absent;
  }

  void drop_if_absent(std::uint64_t lease) {
    auto known = occupants.find(lease);
    if (known == occupants.end() || is_here(lease))
      return;
    end_attempt_proxy(known->second);
    occupants.erase(known);
  }

  void keep_only(const leases_kept& what) {
    std::vector<lease_id> kept;
    for (auto lease : what.leases)
      kept.push_back({lease});
    carry_out(plan.keep_only(what.session, kept, what.is_new));
  }

  node_inventory rejoin(std::uint64_t session) {
    auto has = plan.rejoin(session);
    node_inventory result{has.turn, {}, has.incarnation};
    for (auto lease : has.leases)
      result.leases.push_back(lease.number);
    return result;
  }

  void end_job(const job_over& what) {
    jobs.erase(what.job);
    services.end_job(self, what);
    carry_out(plan.end_job(what.job));
  }

  void drain() {
    services.give_up(self);
    // Output printed so far still reaches the head, unless the head is out of reach.
    if (settings->outputs && settings->gate && !settings->gate->is_open())
      send(self, settings->outputs, leave_atom_v);
    carry_out(plan.drain());
  }

  // -- Commands of the plan.

  void carry_out(const node_commands& all) {
    for (const auto& x : all)
      std::visit([this](const auto& y) { act(y); }, x);
  }

  /// Fetches a job. No time limit: that may take as long as the files are large; the finder lives
  /// on this node, and CAF answers for it if it is gone.
  void act(const node_cmd::fetch& x) {
    auto answer = [this, id = x.job](const job_ready& found) { hear(id, found); };
    request(self, settings->finder, caf::infinite, job_wanted{x.job})
        .then(answer, [this, answer](const caf::error& why) {
          answer({nullptr, render(self->system(), why), false});
        });
  }

  void hear(const std::string& id, const job_ready& found) {
    if (found.what)
      jobs[id] = found.what;
    carry_out(found.what ? plan.job_found(id)
                         : plan.job_missing(id, {found.why, found.is_passing}));
  }

  /// Prepares an attempt; its checkpoint may have to be brought from far away.
  void act(const node_cmd::prepare& x) {
    const auto& place = occupants.at(x.lease.number);
    trainable_start what{place.order, place.trial, settings, jobs.at(place.order.job)};
    if (!std::holds_alternative<replay_table>(what.job->plan)) {
      auto checkpoint_service = services.checkpoint_service_for(self, place.order.job);
      if (!checkpoint_service)
        return not_started(x.lease.number, not_ready{checkpoint_service.error()});
      what.checkpoint_service = std::move(*checkpoint_service);
    }
    if (is_ready(what)) {
      const attempt_prepared here{what.job->directory, {}, {}, false, false};
      return begin(std::move(what), here);
    }
    prepare_attempt wanted{attempt_claim{what.order}, what.job->directory, memory_of(what)};
    const auto what_keeps = what.checkpoint_service;
    auto answer = [this, what = std::move(what)](const attempt_prepared& how) { begin(what, how); };
    // No time limit: the service lives on this node, and has limits of its own.
    request(self, what_keeps, caf::infinite, std::move(wanted))
        .then(answer, [this, answer](const caf::error& why) {
          answer(attempt_prepared{{}, {}, render(self->system(), why), false, false});
        });
  }

  /// Whether nothing needs preparing: recorded curves have no state but their position, and a trial
  /// that starts from scratch on the head's own node writes where it belongs.
  [[nodiscard]] bool is_ready(const trainable_start& what) const {
    return std::holds_alternative<replay_table>(what.job->plan)
           || (!services.is_shared() && what.order.restore_from.empty());
  }

  void begin(trainable_start what, const attempt_prepared& how) {
    const auto lease = what.order.lease;
    occupants.at(lease).checkpoints = how.checkpoints;
    if (!plan.is_wanted({lease}))
      return leave_off(
          lease, plan.not_begun({lease}, end_class::preempted, "its node was told to let it be"));
    if (how.is_bad)
      return leave_off(lease, plan.not_begun({lease}, end_class::bad_checkpoint, how.why));
    if (!how.why.empty())
      return not_started(lease, {how.why, how.is_passing});
    what.checkpoints = how.checkpoints;
    what.restore = how.restore;
    start(std::move(what));
  }

  void start(trainable_start what) {
    const auto lease = what.order.lease;
    if (const auto& proxy = occupants.at(lease).attempt_proxy)
      send(self, proxy, what.job->trains_on);
    if (std::holds_alternative<run_in_thread>(what.job->plan)) {
      if (threads == nullptr)
        threads = std::make_shared<training_threads>();
      attend(lease, spawn_thread_trainable(self->system(), std::move(what), threads));
    } else if (std::holds_alternative<replay_table>(what.job->plan)) {
      attend(lease, spawn_table_trainable(self->system(), std::move(what)));
    } else if (std::holds_alternative<run_as_actor>(what.job->plan)) {
      // The actor may want a thread of its own.
      if (auto room = can_start_threads(1); !room)
        return not_started(lease, not_ready{room.error()});
      auto maker = services.launcher_for(self, what.job->id);
      if (!maker)
        return not_started(lease, not_ready{maker.error()});
      what.maker = caf::actor_cast<directory_maker_actor>(*maker);
      attend(lease, spawn_own_trainable(self->system(), std::move(what)));
    } else {
      auto launcher = services.launcher_for(self, what.job->id);
      if (!launcher)
        return not_started(lease, not_ready{launcher.error()});
      send(self, *launcher, std::move(what), caf::actor_cast<launch_listener_actor>(self));
    }
  }

  /// Watches a trainable: its allocation is over once it is gone, and with it its thread or
  /// process.
  void attend(std::uint64_t lease, const trainable_actor& whom) {
    occupants.at(lease).trainable = whom;
    watched.watch(self, whom, [this, lease](const caf::error& why) {
      if (const auto lacks = not_ready_from(why))
        not_started(lease, *lacks);
      else
        leave_off(lease, plan.gone({lease}));
    });
    carry_out(plan.started({lease}));
  }

  void not_started(std::uint64_t lease, const not_ready& why) {
    leave_off(lease, plan.not_ready({lease}, {why.why, why.is_passing}));
  }

  void lose_files(const files_gone& what) {
    const auto commands = plan.files_gone({what.lease}, what.why);
    if (settings->tell && plan.stage_of({what.lease}) == allocation_stage::fetching)
      settings->tell(what.why + "; they are brought again");
    leave_off(what.lease, commands);
  }

  /// Nothing of the attempt runs here any more.
  void leave_off(std::uint64_t lease, const node_commands& commands) {
    const auto& x = occupants.at(lease);
    services.leave_attempt(self, x.order, x.checkpoints);
    carry_out(commands);
    drop_if_absent(lease);
  }

  void act(const node_cmd::meet&) {} // See `launch`, which knows the trial.

  void act(const node_cmd::kill& x) {
    send(self, occupants.at(x.lease.number).trainable,
         attempt_halt{{}, static_cast<std::uint8_t>(halt_mode::kill)});
  }

  void act(const node_cmd::decline& x) {
    tell_desk(launch_declined{x.lease.number, x.what.why, x.what.is_passing});
  }

  void act(const node_cmd::tell_end& x) {
    const auto& place = occupants.at(x.lease.number);
    send(self, place.trial, ended(place.order.attempt, x.how, x.why));
  }

  /// Waits until the trial has heard the end. If the trial is gone, it has nothing more to hear.
  /// CAF answers for a trial of this process then; for one on another node nobody does, so it is
  /// watched. No time limit: that would cost a timer per trial that stays until it is due.
  void act(const node_cmd::await_hearing& x) {
    const auto& trial = occupants.at(x.lease.number).trial;
    auto settle = [this, lease = x.lease] { carry_out(plan.heard(lease)); };
    watched.watch(self, trial,
                  [this, whom = trial.address()](const caf::error&) { forget_trial(whom); });
    request(self, trial, caf::infinite, ping_atom_v, x.lease.number)
        .then([settle](std::uint64_t) { settle(); }, [settle](const caf::error&) { settle(); });
  }

  void forget_trial(const caf::actor_addr& whom) {
    std::vector<lease_id> theirs;
    for (const auto& [lease, x] : occupants) {
      if (x.trial.address() == whom)
        theirs.push_back({lease});
    }
    for (auto lease : theirs)
      carry_out(plan.heard(lease));
  }

  void act(const node_cmd::report_over& x) { tell_desk(lease_over{x.lease}); }

  /// Allocations that the head has given up stay until nothing of them runs.
  void act(const node_cmd::forget& x) {
    end_attempt_proxy(occupants.at(x.lease.number));
    drop_if_absent(x.lease.number);
  }

  void act(const node_cmd::leave_job& x) {
    services.leave_job(self, x.job);
    if (settings->finder)
      send(self, settings->finder, job_over{x.job});
  }

  void act(const node_cmd::drop_pauses&) { services.drop_all_pauses(self); }

  void act(const node_cmd::open&) {
    if (settings->gate)
      settings->gate->open();
    if (settings->when_open)
      settings->when_open();
  }

  void act(const node_cmd::quit&) {
    services.end(self);
    self->quit();
  }

  template <class Word>
  void tell_desk(const Word& what) {
    if (!settings->gate || settings->gate->is_open())
      send(self, cluster, what);
  }
};

node_impl::behavior_type node(node_impl::stateful_pointer<node_state> self,
                              std::shared_ptr<const node_settings> settings,
                              cluster_for_nodes_actor cluster) {
  auto& state = state_of(self);
  stand_firm(self);
  state.begin(self, std::move(settings), std::move(cluster));
  return {
      [self, &state](const launch_order& order, const trial_actor& trial) {
        // A head may only name a trial actor of its own, and must name one.
        if (is_of_sender(self, trial))
          state.launch(order, trial);
      },
      [&state](const leases_kept& x) { state.keep_only(x); },
      [&state](lease_revoked x) { state.carry_out(state.plan.revoke({x.lease})); },
      [&state](const job_over& x) { state.end_job(x); },
      [&state](const pause_dropped& x) { state.services.drop_pauses(state.self, x); },
      [&state](leave_atom) { state.carry_out(state.plan.leave()); },
      [&state](drain_atom) { state.drain(); },
      [](ping_atom, std::uint64_t x) { return x; },
      [&state](const job_ready& x) { state.know(x.what); },
      [&state](enter_atom, std::uint64_t session) { return state.rejoin(session); },
      [&state](const cluster_for_nodes_actor& x) { state.cluster = x; },
      [&state](std::uint64_t lease, const trainable_actor& whom) { state.attend(lease, whom); },
      [&state](std::uint64_t lease, const std::string& why, bool is_passing) {
        state.not_started(lease, {why, is_passing});
      },
      [&state](const files_gone& x) { state.lose_files(x); },
  };
}

} // namespace

node_offer offer_of(const node_settings& node) {
  node_offer result{node.name, node.capacity, node.labels};
  result.devices = node.gpus;
  if (node.trainables != nullptr) {
    for (const auto* x : node.trainables->entries())
      result.labels.insert(trainable_label(x->name));
  }
  return result;
}

node_actor spawn_node(caf::actor_system& system, node_settings settings,
                      cluster_for_nodes_actor cluster) {
  return spawn_local_node(system, std::move(settings), std::move(cluster));
}

node_local_actor spawn_local_node(caf::actor_system& system, node_settings settings,
                                  cluster_for_nodes_actor cluster) {
  return system.spawn(node, std::make_shared<const node_settings>(std::move(settings)),
                      std::move(cluster));
}

} // namespace tune

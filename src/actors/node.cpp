// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/node.hpp"

#include "envoy.hpp"
#include "kept_hosts.hpp"
#include "trainables.hpp"

#include "tune/actors/firm.hpp"
#include "tune/actors/keeper.hpp"
#include "tune/io/checkpoint/pause_memory.hpp"
#include "tune/io/process/leftovers.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

namespace tune {

namespace {

/// What the launcher tells the node: the trainable of this lease runs, or never will.
using node_impl = extend<node_desk_actor, caf::result<void>(std::uint64_t, trainable_actor),
                         caf::result<void>(std::uint64_t, std::string)>;

} // namespace

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_node, 100)
TUNE_LOCAL_TYPE(tune_node, tune::trainable_start)
TUNE_LOCAL_HANDLE(tune_node, tune::node_impl)
TUNE_END_LOCAL_TYPES(tune_node)

namespace tune {

namespace {

/// Starts processes: makes directories and, once, the guard. On a thread of its own, because it
/// blocks on the disk; so it speaks to its node only: see docs/decisions/0005.
using launcher_actor
    = typed_actor<caf::result<void>(trainable_start, node_impl), caf::result<void>(job_over)>;

attempt_ended ended(attempt_key attempt, end_class how, std::string why) {
  attempt_ended result;
  result.attempt = attempt;
  result.how = static_cast<std::uint8_t>(how);
  result.detail = std::move(why);
  return result;
}

/// What runs on a node, or is about to.
struct occupant {
  attempt_key attempt;
  trial_actor trial;
  trainable_actor trainable;
  attempt_claim who;
  /// See `attempt_prepared`.
  std::filesystem::path checkpoints = {};
};

struct launcher_state {
  static inline const char* name = "tune.launcher";
  std::shared_ptr<const node_settings> settings;
  std::shared_ptr<process_service> processes;
  std::shared_ptr<kept_hosts> hosts;
  std::shared_ptr<pattern_thread> reading;
  std::set<std::filesystem::path> swept;
  /// By job, compiled once.
  std::map<std::string, expected<metric_pattern>> patterns;

  ~launcher_state() {
    if (hosts)
      hosts->close();
  }

  const expected<metric_pattern>* patterns_of(const job& what) {
    const auto* plan = std::get_if<run_command>(&what.plan);
    if (plan == nullptr || !plan->patterns)
      return nullptr;
    if (reading == nullptr)
      reading = std::make_shared<pattern_thread>();
    auto known = patterns.find(what.id);
    if (known == patterns.end())
      known = patterns.emplace(what.id, metric_pattern::make(*plan->patterns)).first;
    return &known->second;
  }

  /// Ends what an earlier node and guard left of this job when both were killed.
  void sweep(const job& what) {
    if (swept.insert(what.directory).second)
      end_leftovers([&] { return find_orphans_of(what.directory); }, what.kill_grace);
  }

  void forget(const std::string& job) {
    patterns.erase(job);
    if (hosts)
      hosts->end_job(job);
  }

  template <class Self>
  void launch(Self* self, const trainable_start& what, const node_impl& node) {
    auto lease = what.order.lease;
    sweep(*what.job);
    if (processes == nullptr) {
      auto started = process_service::start(settings->processes);
      if (!started) {
        send(self, node, lease, "no process can be started: " + to_text(started.error()));
        return;
      }
      processes = std::shared_ptr<process_service>{std::move(*started)};
    }
    if (hosts == nullptr)
      hosts = std::make_shared<kept_hosts>(processes);
    const auto* found = patterns_of(*what.job);
    auto made = spawn_process_trainable(self->system(), what, {processes, hosts, reading}, found);
    if (made)
      send(self, node, lease, *made);
    else
      send(self, node, lease, to_text(made.error()));
  }
};

launcher_actor::behavior_type launcher(launcher_actor::stateful_pointer<launcher_state> self,
                                       std::shared_ptr<const node_settings> settings) {
  auto& state = state_of(self);
  state.settings = std::move(settings);
  state.processes = state.settings->service;
  return {
      [self, &state](const trainable_start& what, const node_impl& node) {
        state.launch(self, what, node);
      },
      [&state](const job_over& x) { state.forget(x.job); },
  };
}

struct node_state {
  static inline const char* name = "tune.node";

  std::shared_ptr<const node_settings> settings;
  head_desk_actor desk;
  launcher_actor launches;
  keeper_actor keeper;
  std::shared_ptr<training_threads> threads;
  monitors watched;
  std::map<std::string, std::shared_ptr<const job>> jobs;
  /// Launches whose job is on its way.
  std::map<std::string, std::vector<std::pair<launch_order, trial_actor>>> waiting;
  /// Jobs that are over while something of them still runs.
  std::set<std::string> over;
  /// By lease. Those whose process is being started have no trainable yet.
  std::unordered_map<std::uint64_t, occupant> running;
  /// Leases whose trainable is gone, which the runner may not have heard yet, and their trials.
  std::map<std::uint64_t, caf::actor_addr> closing;
  /// Leases whose process is being started although nobody wants it any more.
  std::set<std::uint64_t> unwanted;
  /// Of leases whose head is on another node.
  std::unordered_map<std::uint64_t, envoy_desk_actor> envoys;
  /// Leases that the head has given to others, until nothing of them runs here; and launches that
  /// wait for that.
  std::set<std::uint64_t> superseded;
  std::vector<std::pair<launch_order, trial_actor>> held;
  /// The newest launch that came.
  std::uint64_t turn = 0;
  /// Of the newest head of each job.
  std::map<std::string, std::uint32_t> epochs;
  /// It takes no more; it does not even finish what runs.
  bool leaving = false;
  bool draining = false;

  ~node_state() {
    for (const auto& [lease, envoy] : envoys)
      caf::anon_send_exit(envoy, caf::exit_reason::user_shutdown);
  }

  template <class Self>
  void launch(Self* self, const launch_order& order, const trial_actor& trial) {
    if (!settings->gate)
      return admit(self, order, trial);
    if (auto known = envoys.find(order.lease); known != envoys.end())
      return send(self, known->second, trial);
    // The head will launch it again when this node is back, or elsewhere.
    if (!settings->gate->is_open())
      return;
    turn = std::max(turn, order.turn);
    auto envoy = spawn_envoy(self->system(), order.attempt, settings->gate, trial);
    envoys.emplace(order.lease, envoy);
    if (superseded.empty())
      admit(self, order, envoy);
    else
      held.emplace_back(order, envoy);
  }

  template <class Self>
  void admit(Self* self, const launch_order& order, const trial_actor& trial) {
    if (leaving)
      return refuse(self, order, trial, end_class::preempted, "its node leaves");
    auto& newest = epochs[order.job];
    if (order.attempt.epoch < newest)
      return refuse(self, order, trial, end_class::preempted,
                    "a newer head leads its experiment than the one that launched it");
    newest = order.attempt.epoch;
    auto known = jobs.find(order.job);
    if (known != jobs.end())
      return make_ready(self, {order, trial, settings, known->second});
    if (!settings->finder)
      return decline(self, order, trial, "it does not know experiment " + order.job);
    auto& queue = waiting[order.job];
    queue.emplace_back(order, trial);
    if (queue.size() == 1)
      find(self, order.job);
  }

  /// Fetching may take as long as the files are large; the finder lives on this node, and CAF
  /// answers for it if it is gone.
  template <class Self>
  void find(Self* self, const std::string& id) {
    // It was resumed.
    over.erase(id);
    auto answer = [this, self, id](const job_ready& found) { take(self, id, found); };
    request(self, settings->finder, caf::infinite, job_wanted{id})
        .then(answer, [self, answer](const caf::error& why) {
          answer({nullptr, render(self->system(), why)});
        });
  }

  template <class Self>
  void take(Self* self, const std::string& id, const job_ready& found) {
    auto queue = waiting.extract(id);
    if (queue.empty() || queue.mapped().empty())
      return;
    if (found.what)
      jobs[id] = found.what;
    for (auto& [order, trial] : queue.mapped()) {
      if (found.what)
        admit(self, order, trial);
      else
        decline(self, order, trial, found.why);
    }
  }

  template <class Self>
  void forget(Self* self, const job_over& what) {
    jobs.erase(what.job);
    if (launches)
      send(self, launches, what);
    over.insert(what.job);
    leave_job(self, what.job);
  }

  template <class Self>
  void forget_paused_of(Self* self, const pause_dropped& what) {
    const auto& all = settings->memory;
    if (keeper && !all.empty())
      send(self, keeper,
           forget_paused{what.job.empty() ? all : pause_directory(all, what.job), what.location});
  }

  /// What brought the job may remove it once nothing of it runs.
  template <class Self>
  void leave_job(Self* self, const std::string& job) {
    auto runs = [&](const auto& x) { return x.second.who.job == job; };
    if (!over.contains(job) || std::any_of(running.begin(), running.end(), runs))
      return;
    over.erase(job);
    // It may be begun anew, where its directory was removed.
    epochs.erase(job);
    forget_paused_of(self, {{}, job, {}});
    if (keeper)
      send(self, keeper, job_over{job});
    if (settings->finder)
      send(self, settings->finder, job_over{job});
  }

  /// What it is restored from may be far away.
  template <class Self>
  void make_ready(Self* self, trainable_start what) {
    const auto lease = what.order.lease;
    running[lease] = {what.order.attempt, what.trial, {}, attempt_claim{what.order}, {}};
    if (!keeper && !std::holds_alternative<replay_table>(what.job->plan))
      keeper = settings->keeper ? settings->keeper : own_keeper(self);
    what.keeper = keeper;
    if (is_ready(what)) {
      const attempt_prepared here{what.job->directory, {}, {}, false};
      return begin(self, std::move(what), here);
    }
    prepare_attempt wanted{attempt_claim{what.order}, what.job->directory, memory_of(what)};
    auto answer = [this, self, what = std::move(what)](const attempt_prepared& how) {
      begin(self, what, how);
    };
    // It lives on this node, and has limits of its own.
    request(self, keeper, caf::infinite, std::move(wanted))
        .then(answer, [self, answer](const caf::error& why) {
          answer(attempt_prepared{{}, {}, render(self->system(), why), false});
        });
  }

  /// Recorded curves have no state but their position, and what begins from scratch here finds its
  /// place by itself.
  [[nodiscard]] bool is_ready(const trainable_start& what) const {
    return std::holds_alternative<replay_table>(what.job->plan)
           || (!settings->keeper && what.order.restore_from.empty());
  }

  template <class Self>
  static keeper_actor own_keeper(Self* self) {
    auto result = spawn_keeper(self->system());
    share_end(self, result);
    return result;
  }

  template <class Self>
  launcher_actor begin_launcher(Self* self) const {
    auto result = self->template spawn<caf::detached>(launcher, settings);
    share_end(self, result);
    return result;
  }

  template <class Self>
  void begin(Self* self, trainable_start what, const attempt_prepared& how) {
    const auto lease = what.order.lease;
    running.at(lease).checkpoints = how.checkpoints;
    // It waited for what nobody wants any more.
    if (draining || unwanted.contains(lease))
      return not_begun(self, lease, end_class::preempted, "its node was told to let it be");
    if (how.is_bad)
      return not_begun(self, lease, end_class::bad_checkpoint, how.why);
    if (!how.why.empty())
      return not_started(self, lease, how.why);
    what.checkpoints = how.checkpoints;
    what.restore = how.restore;
    start(self, lease, std::move(what));
  }

  template <class Self>
  void start(Self* self, std::uint64_t lease, trainable_start what) {
    if (std::holds_alternative<run_in_thread>(what.job->plan)) {
      if (threads == nullptr)
        threads = std::make_shared<training_threads>();
      attend(self, lease, spawn_thread_trainable(self->system(), std::move(what), threads));
    } else if (std::holds_alternative<replay_table>(what.job->plan)) {
      attend(self, lease, spawn_table_trainable(self->system(), std::move(what)));
    } else {
      if (!launches)
        launches = begin_launcher(self);
      send(self, launches, std::move(what), caf::actor_cast<node_impl>(self));
    }
  }

  template <class Self>
  void refuse(Self* self, const launch_order& order, const trial_actor& trial, end_class how,
              std::string why) {
    send(self, trial, ended(order.attempt, how, std::move(why)));
    release(self, order.lease, trial);
  }

  /// It cannot make ready what the trial needs, which is none of the trial's fault. The head hears
  /// of it before the trial does: the next is not to come here at once.
  template <class Self>
  void decline(Self* self, const launch_order& order, const trial_actor& trial,
               const std::string& why) {
    tell_desk(self, launch_declined{order.lease, why});
    refuse(self, order, trial, end_class::preempted, text_of_refusal(why));
  }

  [[nodiscard]] std::string text_of_refusal(const std::string& why) const {
    return "node " + settings->name + " is not ready for it: " + why;
  }

  /// A lease is given back once its trainable is gone, and with it its thread or process, and the
  /// runner has heard of that: it is not to see the next trial begin before the last one ends.
  template <class Self>
  void attend(Self* self, std::uint64_t lease, const trainable_actor& whom) {
    auto& entry = running.at(lease);
    entry.trainable = whom;
    watched.watch(self, whom, [this, self, lease](const caf::error&) { close(self, lease); });
    if (draining || unwanted.erase(lease) > 0)
      end(self, entry);
  }

  /// Nothing of it runs here any more.
  template <class Self>
  occupant take_out(Self* self, std::uint64_t lease) {
    auto result = std::move(running.extract(lease).mapped());
    unwanted.erase(lease);
    // Here nothing stays for its sake.
    if (settings->keeper && !result.checkpoints.empty())
      send(self, keeper, attempt_left{result.who, result.checkpoints});
    leave_job(self, result.who.job);
    return result;
  }

  template <class Self>
  void close(Self* self, std::uint64_t lease) {
    const auto trial = take_out(self, lease).trial;
    if (superseded.erase(lease) > 0)
      return go_on(self);
    // The head may be out of reach, and nobody waits for the lease.
    if (draining)
      return free(self, lease);
    await_hearing(self, lease, trial);
  }

  template <class Self>
  void await_hearing(Self* self, std::uint64_t lease, const trial_actor& trial) {
    closing.emplace(lease, trial.address());
    // A trial that is gone had no more to tell. For one of this process CAF answers then; for one
    // on another node nobody does. No time limit: it would cost a timer per trial that stays until
    // it is due.
    watched.watch(self, trial,
                  [this, self, whom = trial.address()](const caf::error&) { forget(self, whom); });
    request(self, trial, caf::infinite, ping_atom_v, lease)
        .then([this, self, lease](std::uint64_t) { settle(self, lease); },
              [this, self, lease](const caf::error&) { settle(self, lease); });
  }

  /// The runner has heard that the trainable is gone.
  template <class Self>
  void settle(Self* self, std::uint64_t lease) {
    if (closing.contains(lease))
      free(self, lease);
  }

  template <class Self>
  void forget(Self* self, const caf::actor_addr& trial) {
    std::vector<std::uint64_t> leases;
    for (const auto& [lease, whom] : closing) {
      if (whom == trial)
        leases.push_back(lease);
    }
    for (auto lease : leases)
      free(self, lease);
  }

  /// None of the trial's fault: see `decline`.
  template <class Self>
  void not_started(Self* self, std::uint64_t lease, const std::string& why) {
    tell_desk(self, launch_declined{lease, why});
    not_begun(self, lease, end_class::preempted, text_of_refusal(why));
  }

  template <class Self>
  void not_begun(Self* self, std::uint64_t lease, end_class how, const std::string& why) {
    const auto gone = take_out(self, lease);
    if (superseded.erase(lease) > 0)
      return go_on(self);
    send(self, gone.trial, ended(gone.attempt, how, why));
    release(self, lease, gone.trial);
  }

  /// Its end was told. From another node's books it goes when that was heard.
  template <class Self>
  void release(Self* self, std::uint64_t lease, const trial_actor& trial) {
    if (settings->gate && !draining)
      await_hearing(self, lease, trial);
    else
      free(self, lease);
  }

  // -- A head that was out of reach.

  [[nodiscard]] node_inventory inventory() const {
    node_inventory result;
    result.turn = turn;
    for (const auto& [lease, envoy] : envoys)
      result.leases.push_back(lease);
    std::sort(result.leases.begin(), result.leases.end());
    return result;
  }

  /// The others were placed anew: nothing more is heard of them.
  template <class Self>
  void keep_only(Self* self, const leases_kept& what) {
    if (what.is_new)
      forget_paused_of(self, {});
    const std::set<std::uint64_t> kept(what.leases.begin(), what.leases.end());
    auto is_over = [&](std::uint64_t lease) { return !kept.contains(lease); };
    for (const auto& [lease, whom] : running) {
      if (is_over(lease) && superseded.insert(lease).second)
        supersede(self, lease, whom);
    }
    std::erase_if(closing, [&](const auto& x) { return is_over(x.first); });
    for (auto& [id, queue] : waiting)
      std::erase_if(queue, [&](const auto& x) { return is_over(x.first.lease); });
    std::erase_if(held, [&](const auto& x) { return is_over(x.first.lease); });
    std::erase_if(envoys, [&](const auto& x) {
      if (!is_over(x.first))
        return false;
      self->send_exit(x.second, caf::exit_reason::user_shutdown);
      return true;
    });
    if (settings->gate)
      settings->gate->open();
    if (settings->when_open)
      settings->when_open();
    go_if_done(self);
  }

  template <class Self>
  void supersede(Self* self, std::uint64_t lease, const occupant& whom) {
    if (whom.trainable)
      end(self, whom);
    else
      unwanted.insert(lease);
  }

  /// What waited for room goes on once all is gone that had it.
  template <class Self>
  void go_on(Self* self) {
    if (superseded.empty()) {
      for (auto& [order, trial] : std::exchange(held, {}))
        admit(self, order, trial);
    }
    go_if_done(self);
  }

  template <class Self, class Word>
  void tell_desk(Self* self, const Word& what) {
    if (!settings->gate || settings->gate->is_open())
      send(self, desk, what);
  }

  template <class Self>
  void revoke(Self* self, std::uint64_t lease) {
    if (auto known = running.find(lease); known != running.end()) {
      if (known->second.trainable)
        end(self, known->second);
      else
        unwanted.insert(lease);
      return;
    }
    auto is_it = [lease](const auto& x) { return x.first.lease == lease; };
    for (auto& [id, queue] : waiting)
      std::erase_if(queue, is_it);
    std::erase_if(held, is_it);
    free(self, lease);
  }

  template <class Self>
  void end(Self* self, const occupant& whom) {
    send(self, whom.trainable, attempt_halt{{}, static_cast<std::uint8_t>(halt_mode::kill)});
  }

  template <class Self>
  void free(Self* self, std::uint64_t lease) {
    closing.erase(lease);
    if (auto envoy = envoys.extract(lease))
      self->send_exit(envoy.mapped(), caf::exit_reason::user_shutdown);
    tell_desk(self, lease_over{lease_id{lease}});
    go_if_done(self);
  }

  template <class Self>
  void leave(Self* self) {
    leaving = true;
    go_if_done(self);
  }

  /// What runs is handed back first: how it ends on the way out is nobody's failure.
  template <class Self>
  void drain(Self* self) {
    leaving = true;
    draining = true;
    if (keeper)
      send(self, keeper, leave_atom_v);
    // What was printed still reaches the head, unless it is out of reach.
    if (settings->outputs && settings->gate && !settings->gate->is_open())
      send(self, settings->outputs, leave_atom_v);
    for (const auto& [lease, whom] : running) {
      send(self, whom.trial, ended(whom.attempt, end_class::preempted, "its node leaves"));
      if (whom.trainable)
        end(self, whom);
    }
    for (const auto& [lease, trial] : std::exchange(closing, {}))
      free(self, lease);
    for (auto& [id, queue] : std::exchange(waiting, {})) {
      for (auto& [order, trial] : queue)
        refuse(self, order, trial, end_class::preempted, "its node leaves");
    }
    for (auto& [order, trial] : std::exchange(held, {}))
      refuse(self, order, trial, end_class::preempted, "its node leaves");
    go_if_done(self);
  }

  template <class Self>
  void go_if_done(Self* self) {
    if (!leaving || !running.empty() || !closing.empty() || !waiting.empty() || !held.empty())
      return;
    if (launches)
      self->send_exit(launches, caf::exit_reason::user_shutdown);
    self->quit();
  }
};

node_impl::behavior_type node(node_impl::stateful_pointer<node_state> self,
                              std::shared_ptr<const node_settings> settings, head_desk_actor desk) {
  auto& state = state_of(self);
  state.settings = std::move(settings);
  state.desk = std::move(desk);
  for (const auto& x : state.settings->jobs)
    state.jobs[x->id] = x;
  stand_firm(self);
  state.watched.init(self);
  // What a node before it left: its head has given it up.
  if (state.settings->keeper && !state.settings->memory.empty())
    send(self, state.settings->keeper, forget_paused{state.settings->memory, {}});
  return {
      [self, &state](const launch_order& order, const trial_actor& trial) {
        // Its head names a trial of its own, and not nobody.
        if (is_of_sender(self, trial))
          state.launch(self, order, trial);
      },
      [self, &state](const leases_kept& x) { state.keep_only(self, x); },
      [self, &state](lease_revoked x) { state.revoke(self, x.lease); },
      [self, &state](const job_over& x) { state.forget(self, x); },
      [self, &state](const pause_dropped& x) { state.forget_paused_of(self, x); },
      [self, &state](leave_atom) { state.leave(self); },
      [self, &state](drain_atom) { state.drain(self); },
      [](ping_atom, std::uint64_t x) { return x; },
      [&state](const job_ready& x) { state.jobs[x.what->id] = x.what; },
      [&state](status_atom) { return state.inventory(); },
      [&state](const head_desk_actor& x) { state.desk = x; },
      [self, &state](std::uint64_t lease, const trainable_actor& whom) {
        state.attend(self, lease, whom);
      },
      [self, &state](std::uint64_t lease, const std::string& why) {
        state.not_started(self, lease, why);
      },
  };
}

} // namespace

std::string node_label(const std::string& name) {
  return "node " + name;
}

std::string trainable_label(const std::string& name) {
  return "trainable " + name;
}

node_offer offer_of(const node_settings& node) {
  node_offer result{node.name, node.capacity, {}};
  if (node.trainables != nullptr) {
    for (const auto* x : node.trainables->entries())
      result.labels.insert(trainable_label(x->name));
  }
  return result;
}

node_actor spawn_node(caf::actor_system& system, node_settings settings, head_desk_actor desk) {
  return spawn_node_desk(system, std::move(settings), std::move(desk));
}

node_desk_actor spawn_node_desk(caf::actor_system& system, node_settings settings,
                                head_desk_actor desk) {
  return system.spawn(node, std::make_shared<const node_settings>(std::move(settings)),
                      std::move(desk));
}

} // namespace tune

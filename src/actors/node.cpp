// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/node.hpp"

#include "trainables.hpp"

#include "tune/io/process/leftovers.hpp"

#include <map>
#include <set>
#include <unordered_map>

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(tune::trainable_start)

namespace tune {

namespace {

/// What the launcher tells the node: the trainable of this lease runs, or never will.
using node_impl = extend<node_actor, caf::result<void>(std::uint64_t, trial_actor, trainable_actor),
                         caf::result<void>(std::uint64_t)>;

/// Starts processes: makes directories and, once, the guard. On a thread of its own, because it
/// blocks on the disk.
using launcher_actor = typed_actor<caf::result<void>(trainable_start, node_impl)>;

attempt_ended never_began(const launch_order& order, std::string why) {
  attempt_ended result;
  result.attempt = order.attempt;
  result.how = static_cast<std::uint8_t>(end_class::user_error);
  result.detail = std::move(why);
  return result;
}

struct launcher_state {
  static inline const char* name = "tune.launcher";
  std::shared_ptr<const node_settings> settings;
  std::shared_ptr<process_service> processes;

  std::shared_ptr<pattern_thread> reading;
  std::set<std::filesystem::path> swept;
  /// By job, compiled once.
  std::map<std::string, expected<metric_pattern>> patterns;

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
      end_leftovers(find_orphans_of(what.directory), what.kill_grace);
  }

  template <class Self>
  void launch(Self* self, const trainable_start& what, const node_impl& node) {
    auto lease = what.order.lease;
    sweep(*what.job);
    if (processes == nullptr) {
      auto started = process_service::start(settings->processes);
      if (!started) {
        auto why = "no process can be started: " + to_text(started.error());
        send(self, what.trial, never_began(what.order, std::move(why)));
        send(self, node, lease);
        return;
      }
      processes = std::shared_ptr<process_service>{std::move(*started)};
    }
    auto trial = what.trial;
    const auto* found = patterns_of(*what.job);
    auto trainable = spawn_process_trainable(self->system(), what, {processes, reading}, found);
    send(self, node, lease, trial, trainable);
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
  };
}

struct node_state {
  static inline const char* name = "tune.node";

  std::shared_ptr<const node_settings> settings;
  head_desk_actor desk;
  launcher_actor launches;
  std::shared_ptr<training_threads> threads;
  monitors watched;
  std::map<std::string, std::shared_ptr<const job>> jobs;
  /// Launches whose job is on its way.
  std::map<std::string, std::vector<std::pair<launch_order, trial_actor>>> waiting;
  /// Trainables by lease.
  std::unordered_map<std::uint64_t, trainable_actor> running;
  /// Leases whose process is being started, and those of them that nobody wants any more.
  std::set<std::uint64_t> starting;
  std::set<std::uint64_t> unwanted;
  /// Leases whose trainable is gone, which the runner may not have heard yet.
  std::set<std::uint64_t> closing;
  bool draining = false;

  template <class Self>
  void launch(Self* self, const launch_order& order, const trial_actor& trial) {
    if (draining)
      return refuse(self, order, trial, "its node leaves");
    auto known = jobs.find(order.job);
    if (known != jobs.end())
      return begin(self, {order, trial, settings, known->second});
    if (!settings->finder)
      return refuse(self, order, trial, "the node does not know experiment " + order.job);
    auto& queue = waiting[order.job];
    queue.emplace_back(order, trial);
    if (queue.size() == 1)
      find(self, order.job);
  }

  /// Fetching may take as long as the files are large; the finder lives on this node, and CAF
  /// answers for it if it is gone.
  template <class Self>
  void find(Self* self, const std::string& id) {
    auto answer = [this, self, id](job_ready found) { take(self, id, std::move(found)); };
    request(self, settings->finder, caf::infinite, job_wanted{id})
        .then(answer, [self, answer](const caf::error& why) {
          answer({nullptr, render(self->system(), why)});
        });
  }

  template <class Self>
  void take(Self* self, const std::string& id, job_ready found) {
    auto queue = waiting.extract(id);
    if (found.what)
      jobs[id] = found.what;
    if (queue.empty())
      return;
    for (auto& [order, trial] : queue.mapped()) {
      if (found.what)
        launch(self, order, trial);
      else
        refuse(self, order, trial, "node " + settings->name + " is not ready for it: " + found.why);
    }
  }

  template <class Self>
  void begin(Self* self, trainable_start what) {
    auto lease = what.order.lease;
    auto trial = what.trial;
    if (std::holds_alternative<run_in_thread>(what.job->plan)) {
      if (threads == nullptr)
        threads = std::make_shared<training_threads>();
      attend(self, lease, trial, spawn_thread_trainable(self->system(), std::move(what), threads));
    } else if (std::holds_alternative<replay_table>(what.job->plan)) {
      attend(self, lease, trial, spawn_table_trainable(self->system(), std::move(what)));
    } else {
      starting.insert(lease);
      if (!launches)
        launches = self->template spawn<caf::detached>(launcher, settings);
      send(self, launches, std::move(what), caf::actor_cast<node_impl>(self));
    }
  }

  template <class Self>
  void refuse(Self* self, const launch_order& order, const trial_actor& trial, std::string why) {
    send(self, trial, never_began(order, std::move(why)));
    free(self, order.lease);
  }

  /// A lease is given back once its trainable is gone, and with it its thread or process, and the
  /// runner has heard of that: it is not to see the next trial begin before the last one ends.
  template <class Self>
  void attend(Self* self, std::uint64_t lease, const trial_actor& trial, trainable_actor whom) {
    running.emplace(lease, whom);
    watched.watch(self, whom, [this, self, lease, trial](const caf::error&) {
      running.erase(lease);
      closing.insert(lease);
      // The head may be out of reach, and nobody waits for the lease.
      if (draining)
        return free(self, lease);
      // A trial that is gone had no more to tell, and CAF answers for it. No time limit: it would
      // cost a timer per trial that stays until it is due.
      request(self, trial, caf::infinite, ping_atom_v, lease)
          .then([this, self, lease](std::uint64_t) { free(self, lease); },
                [this, self, lease](const caf::error&) { free(self, lease); });
    });
    if (draining || unwanted.erase(lease) > 0)
      end(self, whom);
  }

  template <class Self>
  void started(Self* self, std::uint64_t lease, const trial_actor& trial,
               const trainable_actor& whom) {
    starting.erase(lease);
    attend(self, lease, trial, whom);
  }

  template <class Self>
  void not_started(Self* self, std::uint64_t lease) {
    starting.erase(lease);
    unwanted.erase(lease);
    closing.insert(lease);
    free(self, lease);
  }

  template <class Self>
  void revoke(Self* self, std::uint64_t lease) {
    if (starting.contains(lease)) {
      unwanted.insert(lease);
      return;
    }
    if (auto known = running.find(lease); known != running.end())
      return end(self, known->second);
    for (auto& [id, queue] : waiting)
      std::erase_if(queue, [lease](const auto& x) { return x.first.lease == lease; });
    free(self, lease);
  }

  template <class Self>
  void end(Self* self, const trainable_actor& whom) {
    send(self, whom, attempt_halt{{}, static_cast<std::uint8_t>(halt_mode::kill)});
  }

  template <class Self>
  void free(Self* self, std::uint64_t lease) {
    closing.erase(lease);
    send(self, desk, lease_over{lease_id{lease}});
    leave_if_done(self);
  }

  template <class Self>
  void drain(Self* self) {
    draining = true;
    for (const auto& [lease, whom] : running)
      end(self, whom);
    for (auto lease : std::exchange(closing, {}))
      free(self, lease);
    for (auto& [id, queue] : std::exchange(waiting, {})) {
      for (auto& [order, trial] : queue)
        refuse(self, order, trial, "its node leaves");
    }
    leave_if_done(self);
  }

  template <class Self>
  void leave_if_done(Self* self) {
    if (!draining || !running.empty() || !closing.empty() || !starting.empty() || !waiting.empty())
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
  state.watched.init(self);
  return {
      [self, &state](const launch_order& order, const trial_actor& trial) {
        state.launch(self, order, trial);
      },
      [self, &state](lease_revoked x) { state.revoke(self, x.lease); },
      [self, &state](drain_atom) { state.drain(self); },
      [](ping_atom, std::uint64_t x) { return x; },
      [self, &state](std::uint64_t lease, const trial_actor& trial, const trainable_actor& whom) {
        state.started(self, lease, trial, whom);
      },
      [self, &state](std::uint64_t lease) { state.not_started(self, lease); },
  };
}

} // namespace

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
  return system.spawn(node, std::make_shared<const node_settings>(std::move(settings)),
                      std::move(desk));
}

} // namespace tune

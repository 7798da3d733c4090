// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/node.hpp"

#include "trainables.hpp"

#include <unordered_map>

namespace tune {

namespace {

/// What the launcher tells the node: the trainable of this lease runs, or never will.
using node_impl = extend<node_actor, caf::result<void>(std::uint64_t, trial_actor, trainable_actor),
                         caf::result<void>(std::uint64_t)>;

/// Starts processes: makes directories and, once, the guard. On a thread of its own, because it
/// blocks on the disk.
using launcher_actor = typed_actor<caf::result<void>(launch_order, trial_actor, node_impl)>;

struct launcher_state {
  static inline const char* name = "tune.launcher";
  std::shared_ptr<const node_settings> settings;
  std::shared_ptr<process_service> processes;

  template <class Self>
  void launch(Self* self, const launch_order& order, const trial_actor& trial,
              const node_impl& node) {
    if (processes == nullptr) {
      auto started = process_service::start(settings->processes);
      if (!started) {
        attempt_ended over;
        over.attempt = order.attempt;
        over.how = static_cast<std::uint8_t>(end_class::user_error);
        over.detail = "no process can be started: " + to_text(started.error());
        send(self, trial, std::move(over));
        send(self, node, order.lease);
        return;
      }
      processes = std::shared_ptr<process_service>{std::move(*started)};
    }
    auto trainable = spawn_process_trainable(self->system(), {order, trial, settings}, processes);
    send(self, node, order.lease, trial, trainable);
  }
};

launcher_actor::behavior_type launcher(launcher_actor::stateful_pointer<launcher_state> self,
                                       std::shared_ptr<const node_settings> settings) {
  auto& state = state_of(self);
  state.settings = std::move(settings);
  return {
      [self, &state](const launch_order& order, const trial_actor& trial, const node_impl& node) {
        state.launch(self, order, trial, node);
      },
  };
}

struct node_state {
  static inline const char* name = "tune.node";

  std::shared_ptr<const node_settings> settings;
  cluster_actor cluster;
  launcher_actor launches;
  std::shared_ptr<training_threads> threads;
  monitors watched;
  std::unordered_map<std::uint64_t, trainable_actor> running;
  std::size_t starting = 0;
  bool draining = false;

  template <class Self>
  void launch(Self* self, const launch_order& order, const trial_actor& trial) {
    trainable_start what{order, trial, settings};
    if (std::holds_alternative<run_in_thread>(settings->plan)) {
      if (threads == nullptr)
        threads = std::make_shared<training_threads>();
      attend(self, order.lease, trial,
             spawn_thread_trainable(self->system(), std::move(what), threads));
    } else if (std::holds_alternative<replay_table>(settings->plan)) {
      attend(self, order.lease, trial, spawn_table_trainable(self->system(), std::move(what)));
    } else {
      ++starting;
      if (!launches)
        launches = self->template spawn<caf::detached>(launcher, settings);
      send(self, launches, order, trial, caf::actor_cast<node_impl>(self));
    }
  }

  /// A lease is given back once its trainable is gone, and with it its thread or process, and the
  /// runner has heard of that: it is not to see the next trial begin before the last one ends.
  template <class Self>
  void attend(Self* self, std::uint64_t lease, const trial_actor& trial, trainable_actor whom) {
    running.emplace(lease, whom);
    watched.watch(self, whom, [this, self, lease, trial](const caf::error&) {
      // A trial that is gone had no more to tell, and CAF answers for it. No time limit: it would
      // cost a timer per trial that stays until it is due.
      request(self, trial, caf::infinite, ping_atom_v, lease)
          .then([this, self, lease](std::uint64_t) { free(self, lease); },
                [this, self, lease](const caf::error&) { free(self, lease); });
    });
    if (draining)
      send(self, whom, attempt_halt{{}, static_cast<std::uint8_t>(halt_mode::kill)});
  }

  template <class Self>
  void free(Self* self, std::uint64_t lease) {
    running.erase(lease);
    send(self, cluster, lease_id{lease});
    leave_if_done(self);
  }

  template <class Self>
  void drain(Self* self) {
    draining = true;
    for (const auto& [lease, whom] : running)
      send(self, whom, attempt_halt{{}, static_cast<std::uint8_t>(halt_mode::kill)});
    leave_if_done(self);
  }

  template <class Self>
  void leave_if_done(Self* self) {
    if (!draining || !running.empty() || starting > 0)
      return;
    if (launches)
      self->send_exit(launches, caf::exit_reason::user_shutdown);
    self->quit();
  }
};

node_impl::behavior_type node(node_impl::stateful_pointer<node_state> self,
                              std::shared_ptr<const node_settings> settings,
                              cluster_actor cluster) {
  auto& state = state_of(self);
  state.settings = std::move(settings);
  state.cluster = std::move(cluster);
  state.watched.init(self);
  send(self, state.cluster, node_offer{state.settings->name, state.settings->capacity},
       node_actor{caf::actor_cast<node_impl>(self)});
  return {
      [self, &state](const launch_order& order, const trial_actor& trial) {
        state.launch(self, order, trial);
      },
      [self, &state](drain_atom) { state.drain(self); },
      [](ping_atom, std::uint64_t x) { return x; },
      [self, &state](std::uint64_t lease, const trial_actor& trial, const trainable_actor& whom) {
        --state.starting;
        state.attend(self, lease, trial, whom);
      },
      [self, &state](std::uint64_t lease) {
        --state.starting;
        state.free(self, lease);
      },
  };
}

} // namespace

node_actor spawn_node(caf::actor_system& system, node_settings settings, cluster_actor cluster) {
  return system.spawn(node, std::make_shared<const node_settings>(std::move(settings)),
                      std::move(cluster));
}

} // namespace tune

/// The actors that serve the jobs of a node: launchers, and those that look after checkpoints.
/// Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "process_launcher.hpp"

#include "tune/actors/checkpoint_service.hpp"
#include "tune/actors/job_servers.hpp"
#include "tune/actors/node.hpp"
#include "tune/io/checkpoint/pause_memory.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

namespace tune {

/// Has one launcher for each job, and one checkpoint service, unless the node's settings name one
/// for all jobs. Lives in the state of the node.
class node_services {
public:
  template <class Self>
  void begin(Self* self, std::shared_ptr<const node_settings> settings) {
    settings_ = std::move(settings);
    // Remove what an earlier node left in memory: its head has given that up.
    if (is_shared() && !settings_->memory.empty())
      send(self, settings_->checkpoint_service, forget_paused{{}, settings_->memory, {}});
  }

  /// Whether one checkpoint service, which carries them to the head, serves all jobs.
  [[nodiscard]] bool is_shared() const { return static_cast<bool>(settings_->checkpoint_service); }

  /// @errors `ec::shortage` where this machine has no room for another thread.
  template <class Self>
  expected<checkpoint_service_actor> checkpoint_service_for(Self* self, const std::string& job) {
    if (is_shared())
      return settings_->checkpoint_service;
    return server_of(self, checkpoint_services_, job, true,
                     [self] { return spawn_checkpoint_service(self->system()); });
  }

  /// @errors As above.
  template <class Self>
  expected<process_launcher_actor> launcher_for(Self* self, const std::string& job) {
    return server_of(self, launchers_, job, true, [this, self] {
      return spawn_process_launcher(self->system(), settings_, launching_);
    });
  }

  /// The head launches nothing more of the job.
  template <class Self>
  void end_job(Self* self, const job_over& what) {
    end_service(self, launchers_, what.job, what);
  }

  /// Nothing of the job runs here any more.
  template <class Self>
  void leave_job(Self* self, const std::string& job) {
    drop_pauses(self, {{}, job, {}});
    end_service(self, checkpoint_services_, job, job_over{job});
    if (is_shared())
      send(self, settings_->checkpoint_service, job_over{job});
  }

  /// Nothing of the attempt runs here any more: on a worker nothing stays on the disk for it.
  /// @param checkpoints See `attempt_prepared`.
  template <class Self>
  void leave_attempt(Self* self, const launch_order& order,
                     const std::filesystem::path& checkpoints) {
    // Further ranks write no checkpoints; those of the attempt are rank 0's.
    if (is_shared() && !checkpoints.empty() && order.rank == 0)
      send(self, settings_->checkpoint_service, attempt_left{attempt_claim{order}, checkpoints});
  }

  /// Removes checkpoints of paused trials from memory.
  template <class Self>
  void drop_pauses(Self* self, const pause_dropped& what) {
    if (is_shared())
      drop_pauses(self, settings_->checkpoint_service, what);
    else if (const auto* mine = checkpoint_services_.of(what.job))
      drop_pauses(self, *mine, what);
  }
  template <class Self>
  void drop_all_pauses(Self* self) {
    for_each([this, self](const checkpoint_service_actor& x) { drop_pauses(self, x, {}); });
  }

  /// The node gives up its trials.
  template <class Self>
  void give_up(Self* self) {
    for_each([self](const checkpoint_service_actor& x) { send(self, x, leave_atom_v); });
  }

  /// The node goes.
  template <class Self>
  void end(Self* self) {
    launchers_.for_each([self](const process_launcher_actor& x) {
      self->send_exit(x, caf::exit_reason::user_shutdown);
    });
  }

private:
  std::shared_ptr<const node_settings> settings_;
  job_pool<process_launcher_actor> launchers_;
  std::shared_ptr<launch_means> launching_ = std::make_shared<launch_means>();
  /// The node's own, where `settings_` name none.
  job_pool<checkpoint_service_actor> checkpoint_services_;

  template <class F>
  void for_each(F f) const {
    if (is_shared())
      f(settings_->checkpoint_service);
    checkpoint_services_.for_each(f);
  }

  /// An empty job means all pauses of this node.
  template <class Self>
  void drop_pauses(Self* self, const checkpoint_service_actor& whom, const pause_dropped& what) {
    const auto& all = settings_->memory;
    if (!all.empty())
      send(self, whom,
           forget_paused{what.job, what.job.empty() ? all : pause_directory(all, what.job),
                         what.location});
  }
};

} // namespace tune

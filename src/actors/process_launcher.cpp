// SPDX-License-Identifier: BSD-3-Clause
#include "process_launcher.hpp"

#include "kept_hosts.hpp"
#include "not_ready.hpp"

#include "tune/io/devices/device_meter.hpp"
#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/process/leftovers.hpp"

#include <map>
#include <set>

namespace tune {

namespace {

struct process_launcher_state {
  static inline const char* name = "tune.launcher";
  std::shared_ptr<const node_settings> settings;
  process_launcher_actor::pointer self = nullptr;
  std::shared_ptr<launch_means> common;
  /// Set once a program was started.
  launch_means::means means;
  std::shared_ptr<pattern_thread> reading;
  std::set<std::filesystem::path> swept;
  /// Patterns by job, compiled once.
  std::map<std::string, expected<metric_pattern>> patterns;

  ~process_launcher_state() {
    // All launchers of a node end together, so the shared hosts can be closed.
    if (means.hosts)
      means.hosts->close();
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

  /// Ends leftovers of this job that an earlier node and its guard left when both were killed.
  void sweep(const job& what) {
    if (!swept.insert(what.directory).second)
      return;
    auto unclear = sweep_leftovers(what.directory, what.kill_grace);
    if (!unclear.empty() && settings->tell)
      settings->tell(unclear);
  }

  static std::string missing(const files_in_use& what) {
    if (!what.brought)
      return {};
    if (auto all = look_for(*what.brought); !all)
      return all.error().detail;
    if (what.directory.empty())
      return {};
    // Only the parent is asked: a file system that the trial mounted may never answer.
    auto above = guarded_directory::open(what.directory.parent_path());
    if (!above || above->has_any(what.directory.filename()))
      return {};
    return "the trial's directory is gone: " + what.directory.string();
  }

  void forget(const std::string& job) {
    patterns.erase(job);
    if (means.hosts)
      means.hosts->end_job(job);
  }

  void launch(trainable_start what, const launch_listener_actor& node) {
    what.maker = caf::actor_cast<directory_maker_actor>(self);
    if (auto gone = missing({what.job->files, {}}); !gone.empty())
      return send(self, node, files_gone{what.order.lease, gone});
    sweep(*what.job);
    if (means.processes == nullptr) {
      auto started = common->take(*settings);
      if (!started) {
        return decline(what, node,
                       {"no process can be started: " + to_text(started.error()),
                        started.error().code == ec::shortage});
      }
      means = std::move(*started);
    }
    const auto* found = patterns_of(*what.job);
    auto made = spawn_process_trainable(self->system(), what,
                                        {means.processes, means.hosts, reading, means.devices,
                                         caf::actor_cast<file_looker_actor>(self)},
                                        found);
    if (made)
      send(self, node, what.order.lease, *made);
    else
      decline(what, node, not_ready{made.error()});
  }

  void decline(const trainable_start& what, const launch_listener_actor& node,
               const not_ready& why) {
    send(self, node, what.order.lease, why.why, why.is_passing);
  }
};

process_launcher_actor::behavior_type
process_launcher(process_launcher_actor::stateful_pointer<process_launcher_state> self,
                 std::shared_ptr<const node_settings> settings,
                 std::shared_ptr<launch_means> means) {
  auto& state = state_of(self);
  state.self = self;
  state.settings = std::move(settings);
  state.common = std::move(means);
  return {
      [&state](const trainable_start& what, const launch_listener_actor& node) {
        try {
          state.launch(what, node);
        } catch (...) {
          state.decline(what, node, not_ready_after_exception());
        }
      },
      [](const directory_wanted& x) { return make_here(x); },
      [](const directory_unwanted& x) { remove_directory(x.where); },
      [](const files_in_use& x) { return process_launcher_state::missing(x); },
      [&state](const job_over& x) { state.forget(x.job); },
  };
}

} // namespace

expected<launch_means::means> launch_means::take(const node_settings& settings) {
  std::lock_guard lock{mutex_};
  means result{settings.service ? settings.service : processes_.lock(), hosts_.lock(),
               devices_.lock()};
  if (result.processes == nullptr) {
    auto started = process_service::start(settings.processes);
    if (!started)
      return started.error();
    result.processes = std::shared_ptr<process_service>{std::move(*started)};
  }
  if (result.hosts == nullptr)
    result.hosts = std::make_shared<kept_hosts>(result.processes);
  if (result.devices == nullptr)
    result.devices
        = std::make_shared<device_meter>(device_meter::options{settings.gpus, settings.tell});
  processes_ = result.processes;
  hosts_ = result.hosts;
  devices_ = result.devices;
  return result;
}

process_launcher_actor spawn_process_launcher(caf::actor_system& system,
                                              std::shared_ptr<const node_settings> settings,
                                              std::shared_ptr<launch_means> means) {
  return system.spawn<caf::detached>(process_launcher, std::move(settings), std::move(means));
}

} // namespace tune

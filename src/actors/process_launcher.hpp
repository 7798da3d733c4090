/// The PROCESS LAUNCHER of a node: starts programs beside the node's mailbox. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trainables.hpp"

#include "tune/actors/node.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace tune {

/// The trial was not launched: files that had been brought for its job are gone.
struct files_gone {
  std::uint64_t lease = 0;
  std::string why;
};

/// Receives the result of a launch.
using launch_listener_actor = typed_actor<
    // The trainable of this lease runs.
    caf::result<void>(std::uint64_t, trainable_actor),
    // The trainable will never run: why the node was not ready for it, and whether that may pass.
    caf::result<void>(std::uint64_t, std::string, bool), caf::result<void>(files_gone)>;

/// Creates directories and, once, the guard. Runs on a thread of its own, because it blocks on the
/// disk; so it speaks to its node only: see docs/decisions/0005. A node has one launcher for each
/// job that it works for: if the disk of one job hangs, the other jobs go on.
using process_launcher_actor
    = typed_actor<caf::result<void>(trainable_start, launch_listener_actor),
                  caf::result<directory_made>(directory_wanted),
                  caf::result<void>(directory_unwanted),
                  // Answers which of the files are gone, in words; empty: none.
                  caf::result<std::string>(files_in_use),
                  // The job is over: hosts that wait for its trials are ended. Answers when the
                  // launcher is free for another job.
                  caf::result<void>(job_over)>;

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_node)
TUNE_LOCAL_TYPE(tune_node, tune::trainable_start)
TUNE_LOCAL_TYPE(tune_node, tune::files_gone)
TUNE_LOCAL_TYPE(tune_node, tune::files_in_use)
TUNE_LOCAL_HANDLE(tune_node, tune::launch_listener_actor)
TUNE_END_LOCAL_TYPES(tune_node)

namespace tune {

class device_meter;
class kept_hosts;

/// Resources shared by the launchers of a node, as long as one of them lives. For any thread.
class launch_means {
public:
  struct means {
    std::shared_ptr<process_service> processes;
    std::shared_ptr<kept_hosts> hosts;
    std::shared_ptr<device_meter> devices;
  };

  /// Starts the guard if there is none.
  [[nodiscard]] expected<means> take(const node_settings& settings);

private:
  std::mutex mutex_;
  std::weak_ptr<process_service> processes_;
  std::weak_ptr<kept_hosts> hosts_;
  std::weak_ptr<device_meter> devices_;
};

/// Spawns a launcher of a node; it ends when its node tells it to.
[[nodiscard]] process_launcher_actor
spawn_process_launcher(caf::actor_system& system, std::shared_ptr<const node_settings> settings,
                       std::shared_ptr<launch_means> means);

} // namespace tune

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

/// It was not launched: files that were brought for its job are gone.
struct files_gone {
  std::uint64_t lease = 0;
  std::string why;
};

/// Who hears what came of a launch.
using launch_listener_actor = typed_actor<
    // The trainable of this allocation runs.
    caf::result<void>(std::uint64_t, trainable_actor),
    // It never will: why the node was not ready for it, and whether that may pass.
    caf::result<void>(std::uint64_t, std::string, bool), caf::result<void>(files_gone)>;

/// Makes directories and, once, the guard. On a thread of its own, because it blocks on the disk;
/// so it speaks to its node only: see docs/decisions/0005. A node has one for each job that it
/// works for: where the disk of one stands still, the others go on.
using process_launcher_actor
    = typed_actor<caf::result<void>(trainable_start, launch_listener_actor),
                  caf::result<directory_made>(directory_wanted),
                  caf::result<void>(directory_unwanted),
                  // Which of them are gone, in words; empty: none.
                  caf::result<std::string>(files_in_use),
                  // Nothing more of the job comes: the processes that wait for it end. It answers
                  // when it is free for another one.
                  caf::result<void>(job_over)>;

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_node)
TUNE_LOCAL_TYPE(tune_node, tune::trainable_start)
TUNE_LOCAL_TYPE(tune_node, tune::files_gone)
TUNE_LOCAL_TYPE(tune_node, tune::files_in_use)
TUNE_LOCAL_HANDLE(tune_node, tune::launch_listener_actor)
TUNE_END_LOCAL_TYPES(tune_node)

namespace tune {

class kept_hosts;

/// What the launchers of a node have in common, as long as one of them lives. For any thread.
class launch_means {
public:
  struct means {
    std::shared_ptr<process_service> processes;
    std::shared_ptr<kept_hosts> hosts;
  };

  /// The guard is started where there is none.
  [[nodiscard]] expected<means> take(const node_settings& settings);

private:
  std::mutex mutex_;
  std::weak_ptr<process_service> processes_;
  std::weak_ptr<kept_hosts> hosts_;
};

/// Spawns a launcher of a node; it ends when its node tells it to.
[[nodiscard]] process_launcher_actor
spawn_process_launcher(caf::actor_system& system, std::shared_ptr<const node_settings> settings,
                       std::shared_ptr<launch_means> means);

} // namespace tune

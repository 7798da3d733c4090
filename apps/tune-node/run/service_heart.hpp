/// Shows a service manager's watchdog that the actors of this process still move.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"

#include <optional>

namespace tune::cli {

/// Beats as long as it lives, if the service manager watches this process: see
/// `notify_service_manager`. Each beat goes through the system's clock and threads, and at a head
/// through its cluster and back; where one of these hangs there is no beat.
class service_heart {
public:
  /// @param system  Must outlive it.
  /// @param cluster The head's; nothing: a worker.
  explicit service_heart(caf::actor_system& system,
                         const std::optional<cluster_actor>& cluster = std::nullopt);
  ~service_heart();
  service_heart(const service_heart&) = delete;
  service_heart& operator=(const service_heart&) = delete;

private:
  std::optional<typed_actor<caf::result<void>(tick_atom)>> beats_;
};

} // namespace tune::cli

/// The port of one experiment where workers join.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/spec/load.hpp"
#include "tune/tuner/head_services.hpp"

#include <memory>
#include <optional>

namespace tune {

/// Listen options from `[cluster] listen`; nothing if no worker may join. Creates and opens
/// nothing.
/// @errors `ec::bad_option`; `ec::refused` if there are no certificates, or if the port is taken.
[[nodiscard]] expected<std::optional<listen_options>> listening(const loaded_spec& from);

/// A configuration whose system can open ports; without `port`, one that cannot.
[[nodiscard]] std::unique_ptr<caf::actor_system_config>
config_for(const std::optional<listen_options>& port);

/// Whether the threads that a run begins with can be started. Those of its trials do not count.
/// @errors `ec::process`.
[[nodiscard]] expected<void> can_begin(const std::optional<listen_options>& port);

} // namespace tune

/// The port of one experiment where workers join.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/spec/load.hpp"
#include "tune/tuner/head_services.hpp"

#include <memory>
#include <optional>

namespace tune {

/// What `[cluster] listen` asks for; nothing where no worker may join. Nothing is made or opened.
/// @errors `ec::bad_option`; `ec::refused` where there are no certificates, or where the port is
///         taken.
[[nodiscard]] expected<std::optional<listen_options>> listening(const loaded_spec& from);

/// A configuration whose system can open ports where workers may join, and only there.
[[nodiscard]] std::unique_ptr<caf::actor_system_config>
config_for(const std::optional<listen_options>& port);

/// Whether the threads can be had with which a run begins. Its trials' are not among them.
/// @errors `ec::process`.
[[nodiscard]] expected<void> can_begin(const std::optional<listen_options>& port);

} // namespace tune

/// The port of a run where workers join.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "run/screen.hpp"
#include "tune/io/spec/load.hpp"
#include "tune/tuner/premises.hpp"

#include <memory>
#include <optional>

namespace tune::cli {

/// What is told to workers that join; nothing where none may.
/// @errors `ec::bad_option`; `ec::refused` where there are no certificates.
[[nodiscard]] expected<std::optional<listen_options>> listening(const loaded_spec& loaded);

/// A configuration whose system opens ports only where workers may join.
[[nodiscard]] std::unique_ptr<caf::actor_system_config>
config_for(const std::optional<listen_options>& port);

/// Opens the port for workers and says where it is. @errors as `premises::listen`.
[[nodiscard]] expected<void> open_to_workers(premises& place, listen_options port,
                                             const std::shared_ptr<screen>& shown);

} // namespace tune::cli

/// The actor system's configuration, made in one place.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"

#include <cstddef>

namespace tune {

/// Registers our message types; once per process, before the first configuration.
void init_message_types();

/// Sets what our actors need on any configuration: message types, and a number of messages per turn
/// that keeps a flood of reports from starving control messages.
///
/// CAF's own command-line and file parsing is never used.
/// @param threads Scheduler threads; 0: one per core, at least two, at most four.
void configure(caf::actor_system_config& config, std::size_t threads = 0);

/// A configuration with `configure` applied.
class system_config : public caf::actor_system_config {
public:
  explicit system_config(std::size_t threads = 0) { configure(*this, threads); }
};

} // namespace tune

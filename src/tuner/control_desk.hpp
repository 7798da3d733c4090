/// Carries out what clients of a control socket want. Private to the tuner.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/actors/rules.hpp"
#include "tune/core/space/space.hpp"
#include "tune/io/control/control_server.hpp"
#include "tune/tuner/premises.hpp"

#include <filesystem>
#include <memory>

namespace tune {

/// Whom it asks. References outlive it.
struct control_desk_parts {
  caf::actor_system& system;
  runner_actor runner;
  premises& where;
  std::filesystem::path directory;
  std::shared_ptr<const search_space> space;
  /// How the scheduler stands; null: nobody knows.
  std::shared_ptr<const outline_board> board = nullptr;
};

/// Turns requests into orders for the runner, whose answers come when they are on disk.
[[nodiscard]] control_handler control_desk(control_desk_parts parts);

} // namespace tune

/// Rules of a user's own that throw in a simulation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/simulate/simulation.hpp"

#include <exception>
#include <new>
#include <string>

namespace tune::cli {

/// Runs a simulation to its end. @returns how a scheduler, searcher or condition has failed, in the
/// words of what it threw; empty: none has. The simulation has not ended then.
[[nodiscard]] inline std::string run_unless_a_rule_fails(simulation& world) {
  try {
    world.run();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& why) {
    return std::string{"the scheduler or the searcher failed: "} + why.what();
  }
  return {};
}

} // namespace tune::cli

/// What an error of somebody else's actor says, for people.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/caf.hpp"

#include <string>

namespace tune {

/// What somebody wrote into an error, or CAF's words for it.
inline std::string text_of(caf::actor_system& system, const caf::error& why) {
  // Made by itself, `caf::error{}` means that nothing is wrong, and has no context.
  if (!why)
    return "an error that says nothing";
  if (why.context().match_elements<std::string>()) {
    auto text = why.context().get_as<std::string>(0);
    if (!text.empty())
      return text;
  }
  return render(system, why);
}

} // namespace tune

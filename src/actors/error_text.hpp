/// The text of an error of a foreign actor, for people.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/caf.hpp"

#include <string>

namespace tune {

/// The text in an error, or CAF's description of it.
inline std::string text_of(caf::actor_system& system, const caf::error& why) {
  // A default-constructed `caf::error{}` means success, and has no context.
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

/// Watches for actors that end although nobody told them to.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/caf.hpp"

#include <functional>
#include <string>
#include <utility>

namespace tune {

/// Why an actor has ended, for people; empty: regularly, by itself or told to.
[[nodiscard]] inline std::string text_of_break(const std::string& name, const caf::error& why) {
  // An actor that nobody refers to any more ends as "unreachable".
  if (!why || why == caf::exit_reason::normal || why == caf::exit_reason::user_shutdown
      || why == caf::exit_reason::unreachable)
    return {};
  // A handler threw an exception. CAF keeps no more of it than that.
  if (why == caf::make_error(caf::sec::runtime_error))
    return name
           + " could not go on: there were no more threads or memory, or tune-node is at fault";
  return name + " was ended (" + caf::to_string(why) + "): tune-node is at fault";
}

/// Calls back, from another thread, if the actor ends for any other reason than that its work is
/// done or that it was told to go.
template <class Handle>
void tell_of_break(const Handle& whom, std::string name,
                   std::function<void(const std::string&)> call) {
  when_gone(whom, [name = std::move(name), call = std::move(call)](const caf::error& why) {
    if (auto text = text_of_break(name, why); !text.empty())
      call(text);
  });
}

} // namespace tune

/// Hears of actors that end by an exception.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/caf.hpp"

#include <functional>
#include <string>
#include <utility>

namespace tune {

/// Calls back, from another thread, where a handler of the actor let an exception pass. CAF keeps
/// no more of it than that.
template <class Handle>
void tell_of_break(const Handle& whom, std::string name,
                   std::function<void(const std::string&)> call) {
  when_gone(whom, [name = std::move(name), call = std::move(call)](const caf::error& why) {
    if (why == caf::make_error(caf::sec::runtime_error))
      call(name
           + " could not go on: there were no more threads or memory, or tune-node is at fault");
  });
}

} // namespace tune

/// Makes actors that others depend on robust: only messages of this process can end them.
///
/// The first line of defence is the border that messages cross (src/net/border.hpp); this is the
/// second. Each actor that peers may speak to (src/net/reach.cpp) calls `stand_firm`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/caf.hpp"

#include <utility>

namespace tune {

/// Whether the current message was sent by this process. A message without a sender was: those of
/// other processes do not cross the border.
template <class Self>
[[nodiscard]] bool is_from_here(Self* self) {
  const auto& sender = self->current_sender();
  return sender == nullptr || sender->node() == self->node();
}

/// Whether `whom` lives in the process of the current message's sender: nobody speaks for others.
template <class Self, class Handle>
[[nodiscard]] bool is_of_sender(Self* self, const Handle& whom) {
  auto named = caf::actor_cast<caf::strong_actor_ptr>(whom);
  if (named == nullptr)
    return false;
  const auto& sender = self->current_sender();
  return named->node() == (sender == nullptr ? self->node() : sender->node());
}

/// Whether `whom` is an actor of this process.
template <class Self, class Handle>
[[nodiscard]] bool is_here(Self* self, const Handle& whom) {
  auto named = caf::actor_cast<caf::strong_actor_ptr>(whom);
  return named != nullptr && named->node() == self->node();
}

/// Makes an actor ignore CAF's own error and down messages, and all messages that it has no handler
/// for; they are not logged either. An exit message from its own process still ends it. Call before
/// `monitors::init`.
///
/// An exception in a handler still ends the actor, so its owner watches it (`tell_of_break`).
template <class Self>
void stand_firm(Self* self) {
  self->set_default_handler(caf::drop);
  self->set_error_handler([](caf::error&) {});
  self->set_down_handler([](caf::down_msg&) {});
  self->set_exit_handler([self](caf::exit_msg& told) {
    const auto source = caf::actor_cast<caf::strong_actor_ptr>(told.source);
    const auto named_here = source == nullptr || source->node() == self->node();
    if (is_from_here(self) && named_here && told.reason)
      self->quit(std::move(told.reason));
  });
}

/// Ends each of two actors when the other one has ended, for whatever reason.
/// @param whom Works only for `self`.
template <class Self, class Handle>
void share_end(Self* self, const Handle& whom) {
  take_along(self, whom);
  caf::actor_cast<caf::abstract_actor*>(whom)->attach_functor(
      [owner = caf::actor_addr{self->address()}](const caf::error& why) {
        if (auto there = caf::actor_cast<caf::strong_actor_ptr>(owner); there != nullptr && why)
          send_from_outside(caf::actor_cast<caf::actor>(there), caf::exit_msg{{}, why});
      });
}

} // namespace tune

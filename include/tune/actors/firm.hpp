/// Manners of actors that others depend on: no message makes them go but one of this process.
///
/// The first line of defence is the border that messages cross (src/net/border.hpp); this is the
/// second. Each actor that peers may speak to (src/net/reach.cpp) stands firm.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/caf.hpp"

#include <utility>

namespace tune {

/// Whether the message that is being handled was sent by this process. One from nobody was: those
/// of other processes do not cross the border.
template <class Self>
[[nodiscard]] bool is_from_here(Self* self) {
  const auto& sender = self->current_sender();
  return sender == nullptr || sender->node() == self->node();
}

/// Whether `whom` lives where the sender of the message that is being handled does: nobody speaks
/// for others.
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

/// Has an actor stay whatever it is sent: CAF's own messages of errors, of the end of others, and
/// those that nobody handles have no effect and are not written anywhere. Told to go by its own
/// process, it goes. Call before `monitors::init`.
///
/// An exception in a handler still ends the actor: whoever owns it watches it (`tell_of_end`).
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

/// Has two actors go where one of them has gone, for whatever reason.
/// @param whom Works for `self`, and for nobody else.
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

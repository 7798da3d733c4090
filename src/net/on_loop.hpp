/// Actors on the thread that serves all connections. Private to net.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/net/caf_streams.hpp"

#include <utility>

namespace tune::detail {

#if !TUNE_CAF_1

/// Has an actor take its messages on the thread of the connections. Where many peers get a short
/// answer each, that spares two changes of threads for each message; but all connections wait
/// meanwhile, so it is for actors that never take long.
/// @tparam Base An event-based actor of CAF.
template <class Base>
class on_loop : public Base {
public:
  using Base::Base;
  using Base::enqueue;

  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit*) override {
    Base::enqueue(std::move(what), &connection_loop(this->system()));
  }
  void launch(caf::execution_unit*, bool is_lazy, bool is_hidden) override {
    Base::launch(&connection_loop(this->system()), is_lazy, is_hidden);
  }
  [[nodiscard]] caf::resumable::subtype_t subtype() const override {
    return caf::resumable::io_actor;
  }
};

#endif

} // namespace tune::detail

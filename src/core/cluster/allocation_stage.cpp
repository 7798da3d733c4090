// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/allocation_stage.hpp"

#include <cstddef>

namespace tune {

namespace {

using stage = allocation_stage;
using input = allocation_event;

stage after_order(input what) {
  if (what == input::ordered)
    return stage::fetching;
  return what == input::ordered_ready ? stage::preparing : stage::blocked;
}

stage after_absent(input what) {
  switch (what) {
    case input::ordered:
    case input::ordered_ready:
    case input::ordered_blocked:
      return after_order(what);
    case input::not_started:
      return stage::closing;
    default:
      return stage::absent;
  }
}

stage after_fetching(input what) {
  switch (what) {
    case input::found:
      return stage::preparing;
    case input::not_started:
      return stage::closing;
    case input::unwanted:
      return stage::absent;
    default:
      return stage::fetching;
  }
}

stage after_blocked(input what) {
  switch (what) {
    case input::room:
      return stage::fetching;
    case input::not_started:
      return stage::closing;
    case input::unwanted:
      return stage::absent;
    default:
      return stage::blocked;
  }
}

stage after_preparing(stage from, input what) {
  switch (what) {
    case input::started:
      return from == stage::preparing ? stage::running : stage::ending;
    case input::not_started:
      return stage::closing;
    case input::files_gone:
      return from == stage::preparing ? stage::fetching : from;
    case input::unwanted:
      return stage::cancelled;
    default:
      return from;
  }
}

stage after_running(stage from, input what) {
  if (what == input::gone || what == input::not_started)
    return stage::closing;
  return what == input::unwanted ? stage::ending : from;
}

} // namespace

allocation_stage next(allocation_stage from, allocation_event what) {
  switch (from) {
    case stage::absent:
      return after_absent(what);
    case stage::fetching:
      return after_fetching(what);
    case stage::blocked:
      return after_blocked(what);
    case stage::preparing:
    case stage::cancelled:
      return after_preparing(from, what);
    case stage::running:
    case stage::ending:
      return after_running(from, what);
    case stage::closing:
      break;
  }
  return what == input::heard || what == input::unwanted ? stage::absent : stage::closing;
}

std::string_view to_text(allocation_stage x) {
  static constexpr std::string_view names[]
      = {"absent", "fetching", "blocked", "preparing", "cancelled", "running", "ending", "closing"};
  return names[static_cast<std::size_t>(x)];
}

} // namespace tune

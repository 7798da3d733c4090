/// What a head's log says of an experiment that it has taken.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/cluster/allocation_terms.hpp"
#include "tune/core/cluster/queue_claim.hpp"

#include <string>

namespace tune::cli {

/// Whether it waits to be served.
[[nodiscard]] inline bool is_held_back(const allocation_view& x) {
  return x.place > 0 || x.stands_aside;
}

/// "is queued at place 2", "waits, as no node can run its trials". @pre It is held back.
[[nodiscard]] inline std::string waiting_words(const allocation_view& x) {
  return x.stands_aside ? "waits, as no node can run its trials"
                        : "is queued at place " + std::to_string(x.place);
}

/// "runs", "is queued at place 2", …; empty: nothing is to be said.
/// @param goes_on Whether it goes on after a head that died: it hears of its place once all are
///        back.
/// @param claim What that head knew of it.
[[nodiscard]] inline std::string beginning_words(const allocation_view& x, bool goes_on,
                                                 const queue_claim& claim) {
  if (!is_held_back(x))
    return "runs";
  if (x.stands_aside || !goes_on)
    return waiting_words(x);
  return claim.was_served ? std::string{} : "is queued";
}

} // namespace tune::cli

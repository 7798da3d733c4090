/// Hostile messages: no honest node sends them, but any member of the cluster that uses CAF could.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/net/caf_streams.hpp"
#include "tune/net/submission_actors.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tune::support {

/// One message and how to send it.
struct attack {
  std::string name;
  caf::message what;
  /// Message number; CAF encodes in it whether this is a request or an answer.
  caf::message_id id = caf::make_message_id();
};

/// CAF's own messages: errors, ends of actors and groups, streams, timeouts, system questions.
/// @param me The sender they name. @param other The actor they are about.
[[nodiscard]] std::vector<attack> system_attacks(const caf::strong_actor_ptr& me,
                                                 const caf::strong_actor_ptr& other);

/// Every wire type and every atom, alone and in the combinations that the actors accept: empty,
/// full, doubled, with the largest numbers, and with null handles or handles of `me` and `other`.
[[nodiscard]] std::vector<attack> foreign_attacks(const caf::strong_actor_ptr& me,
                                                  const caf::strong_actor_ptr& other);

/// Messages that the interfaces allow, about leases, attempts, sessions and nodes that do not
/// belong to the sender.
[[nodiscard]] std::vector<attack> false_attacks(const caf::strong_actor_ptr& me);

} // namespace tune::support

/// Messages that no node sends to another: what a member of the cluster could do with CAF at hand.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/net/caf_streams.hpp"
#include "tune/net/submission_actors.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tune::support {

/// A message, and how it is sent.
struct attack {
  std::string name;
  caf::message what;
  /// As CAF numbers requests and answers.
  caf::message_id id = caf::make_message_id();
};

/// CAF's own messages: errors, ends of actors and groups, streams, timeouts, system questions.
/// @param me In whose name. @param other Whom they speak of.
[[nodiscard]] std::vector<attack> system_attacks(const caf::strong_actor_ptr& me,
                                                 const caf::strong_actor_ptr& other);

/// Each type that crosses the wire, and each atom, alone and in set of actors: empty, full,
/// doubled, with the largest numbers there are, with handles of nobody, of `me` and of `other`.
[[nodiscard]] std::vector<attack> foreign_attacks(const caf::strong_actor_ptr& me,
                                                  const caf::strong_actor_ptr& other);

/// What the interfaces allow, about leases, attempts, sessions and nodes that are not the sender's.
[[nodiscard]] std::vector<attack> false_attacks(const caf::strong_actor_ptr& me);

} // namespace tune::support

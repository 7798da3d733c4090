/// Answers to heartbeats at the connection that brings them. Private to net.
///
/// On CAF's way, a heartbeat becomes a message with a sender, waits in a mailbox for a turn of its
/// receiver, and its answer for a turn of the actor that serves the connections: more work than to
/// receive and to send them. Where a node is waited for, its answer is always the same.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/net/caf_streams.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tune::detail {

/// An actor on the thread of the connections that hears heartbeats between its own messages.
class prompt_listener {
public:
  virtual ~prompt_listener() = default;
  /// A heartbeat came of a node that is not frozen. @returns whether all is said: the node is to be
  /// told that it counts. If not, the actor takes the heartbeat as a message.
  [[nodiscard]] virtual bool hears(std::uint64_t session) = 0;
};

/// How a heartbeat and its answer look on the wire. From any thread.
class quick_heartbeats {
public:
  using header = caf::io::basp::header;

  explicit quick_heartbeats(caf::actor_system& system);

  /// Whether the message that follows may be a heartbeat: its payload is worth a look.
  [[nodiscard]] bool may_be(const header& what) const;
  /// The session of a heartbeat of a node that is not frozen; nothing: it is something else.
  [[nodiscard]] std::optional<std::uint64_t> session_in(const std::vector<char>& payload) const;
  /// Has the receiver hear the heartbeat and appends the answer to `to`. For the thread of the
  /// connections. @returns false if the message is to go CAF's way; nothing was done then.
  [[nodiscard]] bool answer(const header& what, const std::vector<char>& payload,
                            io_buffer& to) const;

private:
  caf::actor_system& system_;
  /// A heartbeat of session 0; empty: this version of CAF writes it in a way that is not known
  /// here.
  std::vector<char> form_;
  /// Where the session is.
  std::size_t at_ = 0;
  std::vector<char> answer_;
};

/// Counts the silence of a connection anew, as if CAF had got its message.
void note_heard(caf::io::abstract_broker& by, caf::io::connection_handle over);

} // namespace tune::detail

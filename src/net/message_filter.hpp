/// Checks what a connection brings before CAF reads it: see docs/decisions/0014.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reachable_actors.hpp"

#include "tune/net/caf_streams.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tune::detail {

/// Largest message. [bytes] Files and checkpoints come in pieces of 1 MiB, records of experiments
/// have 4 MiB at most; a report is as long as its trial makes it.
inline constexpr std::size_t largest_message = 64 * 1024 * 1024;
/// Largest greeting and largest error. [bytes] Both may nest, and are read by recursion.
inline constexpr std::size_t largest_greeting = 64 * 1024;
inline constexpr std::size_t largest_failure = 4 * 1024;

/// An actor that whoever connects can reach, whatever its name.
struct published {
  caf::actor_id whom = 0;
  wire_words words = {};
};

/// Filters the messages of a connection's peer, part after part: header, payload, header, …
///
/// A message that its receiver does not take from peers is made unreadable, and CAF drops it. The
/// connection is closed if the peer does not behave as a node does, speaks for others, or tries to
/// reach others through this node.
class message_filter {
public:
  enum class side { accepted, connected };
  enum class verdict { goes_on, ends };

  /// @param open The actor that the port was opened for; empty on the side that connected.
  message_filter(caf::actor_system& system, side which,
                 std::shared_ptr<const reachable_actors> words,
                 std::optional<published> open = std::nullopt);

  /// Checks the next part. May overwrite its bytes, but does not change their number.
  [[nodiscard]] verdict look(std::vector<char>& part);

  /// The peer's node; none before it has greeted.
  [[nodiscard]] const caf::node_id& peer() const { return peer_; }

  /// The header that came last, which is checked.
  [[nodiscard]] const caf::io::basp::header& now() const { return now_; }
  /// Whether that was the last part, and a payload follows.
  [[nodiscard]] bool is_header() const { return awaits_payload_; }
  /// Somebody else has taken the payload that was to come.
  void skip_payload() { awaits_payload_ = false; }

  /// Why the last part did not pass, for people; empty: it did. Told once for each kind.
  [[nodiscard]] const std::string& complaint() const { return complaint_; }

private:
  using header = caf::io::basp::header;
  using kind = caf::io::basp::message_type;

  caf::actor_system& system_;
  side side_;
  std::shared_ptr<const reachable_actors> words_;
  std::optional<published> open_;
  header now_{};
  bool awaits_payload_ = false;
  caf::node_id peer_;
  std::string complaint_;

  [[nodiscard]] verdict end(std::string why);
  [[nodiscard]] verdict look_at_header(const std::vector<char>& part);
  [[nodiscard]] verdict look_at_greeting(const std::vector<char>& part);
  [[nodiscard]] verdict look_at_nodes(const std::vector<char>& part);
  void look_at_message(std::vector<char>& part);
  [[nodiscard]] bool is_greeting() const;
  [[nodiscard]] std::size_t most_bytes() const;
  [[nodiscard]] bool may_pass(const std::string& who, const std::string& word,
                              std::size_t bytes) const;
};

/// The name of a message as in `wire_words`; empty if it does not begin like one.
/// @param payload The message as CAF writes it.
[[nodiscard]] std::optional<std::string> word_of(const std::vector<char>& payload);

} // namespace tune::detail

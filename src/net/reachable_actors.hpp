/// Actors that peers may send to, and the messages they may send. No other message reaches an
/// actor.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/net/caf_message_names.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace tune {

/// The actors that peers may send to, by name: the rows of the table in docs/security.md.
///
/// Actors of the same name share a row. An actor that is not named receives nothing from the
/// network, and neither does a user's actor or one of CAF's own.
class reachable_actors {
public:
  explicit reachable_actors(caf::actor_system& system);

  /// Whether a peer may send this message to an actor of this name.
  /// @param word See `wire_words`.
  [[nodiscard]] bool may_receive(std::string_view who, const std::string& word) const;
  /// Whether an actor of this name asks peers, and this may be an answer.
  [[nodiscard]] bool may_be_answered(std::string_view who, const std::string& word) const;
  /// Names of all rows.
  [[nodiscard]] std::set<std::string> names() const;

private:
  struct row {
    wire_words words;
    bool asks = false;
  };
  std::map<std::string, row, std::less<>> rows_;
  /// Answers of all rows.
  std::set<std::string> answers_;

  template <class Handle>
  void may_receive(caf::actor_system& system, const char* who);
  void asks(const char* who);
};

} // namespace tune

/// Connections of a port, and which of them must go if there are too many or they leave too much
/// unread. A pure value. Who a peer is by its certificate, `network_config` in
/// include/tune/net/system.hpp knows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tune::detail {

/// Connections begin as strangers; a peer that greets, with a certificate of the CA, is a member
/// from then on.
class connection_book {
public:
  /// Counts up: an older connection has a lower number.
  using number = std::uint64_t;

  /// Adds a stranger.
  /// @param source Its address: one machine, or several that share it.
  number come(std::string source);
  /// Makes a stranger a member. Unknown numbers are ignored.
  /// @param certificate Distinguishes it from other members; the same for all without TLS.
  void know(number who, std::string certificate);
  /// Sets how much was sent to the peer that it has not read. [bytes]
  void owe(number who, std::size_t unread);
  void leave(number who);

  [[nodiscard]] bool has(number who) const { return all_.contains(who); }
  [[nodiscard]] bool is_stranger(number who) const;
  [[nodiscard]] std::size_t strangers() const { return strangers_.size(); }
  /// The stranger that came first. Empty: there are none.
  [[nodiscard]] std::optional<number> oldest_stranger() const;
  [[nodiscard]] std::size_t members() const { return all_.size() - strangers_.size(); }
  /// Unread bytes of one peer; 0 if it is not here. [bytes]
  [[nodiscard]] std::size_t unread_by(number who) const;
  /// Unread bytes of all connections. [bytes]
  [[nodiscard]] std::size_t unread() const { return unread_; }

  /// The oldest stranger from the source of most strangers: a crowd from one place displaces only
  /// its own. Empty: there are none.
  [[nodiscard]] std::optional<number> least_wanted_stranger() const;
  /// The newest member among those with the most common certificate, and of these from the most
  /// common source. Empty: there are none.
  [[nodiscard]] std::optional<number> least_wanted_member() const;
  /// The peer that leaves most unread, among those whose certificate leaves most unread in total.
  /// Empty: everything was read.
  [[nodiscard]] std::optional<number> slowest_reader() const;

private:
  struct peer {
    std::string source;
    /// Empty: a stranger.
    std::optional<std::string> certificate;
    std::size_t unread = 0;
  };
  using entry = std::pair<const number, peer>;

  std::map<number, peer> all_;
  /// Those of them without a certificate: a crowd of strangers costs the same beside many members.
  std::set<number> strangers_;
  number last_ = 0;
  std::size_t unread_ = 0;

  [[nodiscard]] std::vector<const entry*> newest_members() const;
};

} // namespace tune::detail

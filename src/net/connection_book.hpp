/// Who is connected at a port, and who has to go where they are too many or leave too much unread.
/// A pure value.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tune::detail {

/// Connections come as strangers; whoever greets, with a certificate of the CA, is a member from
/// then on.
class connection_book {
public:
  /// Counts up: the older peer has the lower one.
  using number = std::uint64_t;

  /// A stranger comes.
  /// @param source Where from: one machine, or those that share its address.
  number come(std::string source);
  /// The stranger is a member. Nobody whom it does not know.
  /// @param certificate Tells it from other members; the same for all where there is no TLS.
  void know(number who, std::string certificate);
  /// So much was sent to it that it has not read. [bytes]
  void owe(number who, std::size_t unread);
  void leave(number who);

  [[nodiscard]] bool has(number who) const { return all_.contains(who); }
  [[nodiscard]] bool is_stranger(number who) const;
  [[nodiscard]] std::size_t strangers() const { return all_.size() - members_; }
  [[nodiscard]] std::size_t members() const { return members_; }
  /// Of one peer; 0 where it is not here. [bytes]
  [[nodiscard]] std::size_t unread_by(number who) const;
  /// Of all connections. [bytes]
  [[nodiscard]] std::size_t unread() const { return unread_; }

  /// The oldest stranger of the source that most of them come from: a crowd from there drives out
  /// its own kind. Nothing: there are none.
  [[nodiscard]] std::optional<number> least_wanted_stranger() const;
  /// The newest member with the certificate that most of them have; of those, from the source that
  /// most come from. Nothing: there are none.
  [[nodiscard]] std::optional<number> least_wanted_member() const;
  /// The peer that leaves most unread, of those whose certificate leaves most unread altogether.
  /// Nothing: everything was read.
  [[nodiscard]] std::optional<number> slowest_reader() const;

private:
  struct peer {
    std::string source;
    /// Nothing: a stranger.
    std::optional<std::string> certificate;
    std::size_t unread = 0;
  };
  using entry = std::pair<const number, peer>;

  std::map<number, peer> all_;
  number last_ = 0;
  std::size_t members_ = 0;
  std::size_t unread_ = 0;

  [[nodiscard]] std::vector<const entry*> newest_first(bool want_members) const;
};

} // namespace tune::detail

/// Which connections a server has, and which of them has to go for a new one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace tune::http {

using client_id = std::uint64_t;

/// The connections of a server. Strangers, who have not shown the token yet, go before others,
/// whatever they do; of the others those that ask for nothing at the moment; the one that has done
/// nothing for longest goes first.
class client_book {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// @param most Connections at a time. [>= 1]
  explicit client_book(std::size_t most) : most_{most} {}

  /// Whether one has to go before another may come.
  [[nodiscard]] bool is_full() const { return clients_.size() >= most_; }
  /// The one that has to go; nothing if all are being served.
  [[nodiscard]] std::optional<client_id> next_to_go() const;

  void add(client_id who, time_point now) { clients_[who] = {now, false, false}; }
  void remove(client_id who) { clients_.erase(who); }
  /// It showed the token.
  void prove(client_id who);
  /// It is being served, from now on or no longer.
  void serve(client_id who, bool begins, time_point now);

  [[nodiscard]] std::size_t size() const { return clients_.size(); }

private:
  struct client {
    time_point since;
    bool is_proven = false;
    bool is_served = false;
  };
  std::size_t most_;
  std::map<client_id, client> clients_;
};

} // namespace tune::http

/// The connections at one port, each with its socket, and the limits of their number and of unread
/// data: see docs/security.md.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "connection_book.hpp"

#include "tune/io/certificates/revocation_list.hpp"
#include "tune/net/caf_streams.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace tune::detail {

class connection_pass;

/// The certificate that a peer showed; without TLS it showed none.
struct shown_certificate {
  shown_certificate(std::string fingerprint_ = {}, std::optional<certificate_facts> facts_ = {})
      : fingerprint{std::move(fingerprint_)}, facts{std::move(facts_)} {}

  /// Distinguishes members; the same for all without TLS.
  std::string fingerprint;
  std::optional<certificate_facts> facts;
};

/// For any thread: CAF serves connections in one, and deadlines come from others.
class port_connections : public std::enable_shared_from_this<port_connections> {
public:
  /// Reports that a peer, given by its address, was disconnected.
  using complaint = std::function<void(const std::string&)>;
  using time_point = std::chrono::steady_clock::time_point;

  port_connections(port_rules rules, complaint tell)
      : rules_{std::move(rules)}, tell_{std::move(tell)} {}

  /// Adds a connection. If there are too many strangers, one of them is closed.
  /// @param socket Must stay open at least as long as the pass exists.
  /// @param now Counts for the patience with a stranger.
  [[nodiscard]] std::unique_ptr<connection_pass>
  admit(int socket, time_point now = std::chrono::steady_clock::now());

  /// Closes a connection now. No effect if it has gone.
  void hang_up(connection_book::number who);
  /// Closes the connections of members whose certificate is on the list, now and later; the list
  /// replaces the former one.
  void revoke(revocation_list which);
  /// Whether nobody looks after late strangers yet: the caller has to do it from now on.
  [[nodiscard]] bool wants_looks();
  /// Closes the connections of strangers that have not greeted in time.
  /// @returns the time until the next look; empty if no stranger is left, so that no look is
  /// needed.
  [[nodiscard]] std::optional<std::chrono::milliseconds>
  hang_up_on_late_strangers(time_point now = std::chrono::steady_clock::now());

private:
  friend class connection_pass;
  struct connection {
    int socket;
    std::string where;
    time_point came;
    std::optional<certificate_facts> shown = {};
  };

  port_rules rules_;
  complaint tell_;
  std::mutex mutex_;
  connection_book all_;
  std::map<connection_book::number, connection> open_;
  revocation_list revoked_;
  bool is_looked_after_ = false;

  void know(connection_book::number who, shown_certificate what);
  std::string shut_revoked(connection_book::number who);
  bool owe(connection_book::number who, std::size_t unread);
  void leave(connection_book::number who);
  std::string shut(connection_book::number who);
  std::string turn_one_away();
};

/// A connection's entry in its `port_connections`, for as long as its socket is open. For use by
/// one thread.
class connection_pass {
public:
  connection_pass(std::shared_ptr<port_connections> at, connection_book::number who)
      : at_{std::move(at)}, who_{who} {}
  ~connection_pass() { at_->leave(who_); }
  connection_pass(const connection_pass&) = delete;
  connection_pass& operator=(const connection_pass&) = delete;

  [[nodiscard]] connection_book::number number() const { return who_; }

  /// To be called when the peer has sent data, so that the handshake is complete.
  /// @param certificate Called the first time only.
  template <class Certificate>
  void heard(Certificate certificate) {
    if (!certificate_)
      certificate_ = certificate();
  }
  /// To be called when the peer has greeted as a node does: it is a member now.
  void greeted() {
    if (!std::exchange(is_known_, true))
      at_->know(who_, certificate_.value_or(shown_certificate{}));
  }

  /// Sets the buffer that collects what is to be sent next.
  void sends(const io_buffer& next) { next_ = &next; }
  /// Sets how much is left of what was being sent. If nothing is, CAF goes on with the collected
  /// data.
  void wrote(std::size_t left);
  /// Notes that more was collected. @returns whether the connection goes on.
  [[nodiscard]] bool collected() { return at_->owe(who_, sending_ + next_->size()); }

private:
  std::shared_ptr<port_connections> at_;
  connection_book::number who_;
  std::optional<shown_certificate> certificate_;
  bool is_known_ = false;
  const io_buffer* next_ = nullptr;
  std::size_t sending_ = 0;
};

} // namespace tune::detail

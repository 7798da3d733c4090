// SPDX-License-Identifier: BSD-3-Clause
#include "port_connections.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

namespace tune::detail {

namespace {

/// The bytes of an address that identify a machine. A machine with IPv6 usually has 2^64 addresses,
/// so only the network part counts.
std::string source_from(const sockaddr_storage& x) {
  constexpr std::size_t network_bytes = 8;
  std::array<char, sizeof(in6_addr)> bytes{};
  if (x.ss_family == AF_INET) {
    const auto& found = reinterpret_cast<const sockaddr_in&>(x).sin_addr;
    std::memcpy(bytes.data(), &found, sizeof found);
    return {bytes.data(), sizeof found};
  }
  if (x.ss_family != AF_INET6)
    return {};
  const auto& found = reinterpret_cast<const sockaddr_in6&>(x).sin6_addr;
  std::memcpy(bytes.data(), &found, sizeof found);
  if (IN6_IS_ADDR_V4MAPPED(&found))
    return {bytes.end() - sizeof(in_addr), bytes.end()};
  return {bytes.data(), network_bytes};
}

std::string text_of(const sockaddr_storage& x, socklen_t size) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (::getnameinfo(reinterpret_cast<const sockaddr*>(&x), size, host.data(), host.size(),
                    port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV)
      != 0)
    return "an unknown address";
  return std::string{host.data()} + ":" + port.data();
}

std::string mebibytes(std::size_t bytes) {
  return std::to_string(bytes / (1024 * 1024)) + " MiB";
}

} // namespace

std::unique_ptr<connection_pass> port_connections::admit(int socket, time_point now) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    address.ss_family = AF_UNSPEC;
  auto where = text_of(address, size);
  std::string words;
  connection_book::number who = 0;
  {
    std::lock_guard guard{mutex_};
    while (all_.strangers() >= rules_.strangers.most)
      words = turn_one_away();
    who = all_.come(source_from(address));
    open_.emplace(who, connection{socket, std::move(where), now});
  }
  if (!words.empty())
    tell_(words);
  return std::make_unique<connection_pass>(shared_from_this(), who);
}

std::string port_connections::turn_one_away() {
  const auto most = std::to_string(all_.strangers());
  return shut(*all_.least_wanted_stranger()) + " was hung up on before it had shown who it is: "
         + most + " such connections are open, and most come from there";
}

/// @returns the peer's name, for people.
std::string port_connections::shut(connection_book::number who) {
  auto gone = open_.extract(who);
  all_.leave(who);
  if (gone.empty())
    return {};
  // CAF then finds the connection closed, and closes the socket.
  ::shutdown(gone.mapped().socket, SHUT_RDWR);
  return "the peer at " + gone.mapped().where;
}

void port_connections::hang_up(connection_book::number who) {
  std::lock_guard guard{mutex_};
  shut(who);
}

bool port_connections::wants_looks() {
  std::lock_guard guard{mutex_};
  return !std::exchange(is_looked_after_, true);
}

std::optional<std::chrono::milliseconds>
port_connections::hang_up_on_late_strangers(time_point now) {
  using std::chrono::milliseconds;
  std::lock_guard guard{mutex_};
  while (auto oldest = all_.oldest_stranger()) {
    const auto left = open_.at(*oldest).came + rules_.strangers.patience - now;
    if (left > time_point::duration::zero())
      return std::chrono::ceil<milliseconds>(left);
    shut(*oldest);
  }
  is_looked_after_ = false;
  return std::nullopt;
}

void port_connections::leave(connection_book::number who) {
  std::lock_guard guard{mutex_};
  all_.leave(who);
  open_.erase(who);
}

void port_connections::know(connection_book::number who, shown_certificate what) {
  std::string words;
  {
    std::lock_guard guard{mutex_};
    all_.know(who, std::move(what.fingerprint));
    auto here = open_.find(who);
    if (here != open_.end())
      here->second.shown = std::move(what.facts);
    const auto is_revoked
        = here != open_.end() && here->second.shown && revoked_.has(*here->second.shown);
    if (!is_revoked && all_.members() <= rules_.members.most)
      return;
    // It may have been revoked after the handshake.
    words = is_revoked
                ? shut_revoked(who)
                : shut(*all_.least_wanted_member()) + " was hung up on: members have more than "
                      + std::to_string(rules_.members.most)
                      + " connections, and most are of its certificate";
  }
  tell_(words);
}

std::string port_connections::shut_revoked(connection_book::number who) {
  const auto subject = open_.at(who).shown->subject;
  return shut(who) + " was hung up on: its certificate (" + subject + ") was revoked";
}

void port_connections::revoke(revocation_list which) {
  std::vector<std::string> words;
  {
    std::lock_guard guard{mutex_};
    revoked_ = std::move(which);
    std::vector<connection_book::number> gone;
    for (const auto& [who, there] : open_) {
      if (there.shown && revoked_.has(*there.shown))
        gone.push_back(who);
    }
    for (auto who : gone)
      words.push_back(shut_revoked(who));
  }
  for (const auto& text : words)
    tell_(text);
}

bool port_connections::owe(connection_book::number who, std::size_t unread) {
  std::string words;
  auto goes_on = true;
  {
    std::lock_guard guard{mutex_};
    const auto before = all_.unread_by(who);
    all_.owe(who, unread);
    const auto is_more = unread > before;
    // A single message may exceed the limit.
    if (is_more && before > rules_.members.most_unread)
      words = shut(who) + " was hung up on: it leaves " + mebibytes(before)
              + " unread that were sent to it";
    else if (is_more && all_.unread() > rules_.members.most_unread_by_all)
      words = "peers leave " + mebibytes(all_.unread()) + " unread: " + shut(*all_.slowest_reader())
              + ", with most of it, was hung up on";
    goes_on = all_.has(who);
  }
  if (!words.empty())
    tell_(words);
  return goes_on;
}

void connection_pass::wrote(std::size_t left) {
  sending_ = left;
  if (left == 0 && next_ != nullptr)
    sending_ = next_->size();
  static_cast<void>(
      at_->owe(who_, left == 0 || next_ == nullptr ? sending_ : sending_ + next_->size()));
}

} // namespace tune::detail

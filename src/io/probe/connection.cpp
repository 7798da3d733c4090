// SPDX-License-Identifier: BSD-3-Clause
#include "connection.hpp"

#include "resolve.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

namespace tune {
namespace {

using std::chrono::milliseconds;

/// Waits for `events`, or an error on the socket. @returns whether either came in time.
bool wait_for(const unique_fd& which, short events, probe_deadline until) {
  for (;;) {
    auto left = std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now()).count();
    constexpr milliseconds::rep longest = std::numeric_limits<int>::max();
    pollfd watched{which.get(), events, 0};
    auto ready
        = ::poll(&watched, 1, static_cast<int>(std::clamp(left, milliseconds::rep{0}, longest)));
    if (ready > 0)
      return true;
    if (ready == 0 && left <= 0)
      return false;
    if (ready < 0 && errno != EINTR)
      return true; // the next call on the socket reports the error
  }
}

probe_outcome outcome_of(int number) {
  switch (number) {
    case ECONNREFUSED:
      return probe_outcome::refused;
    case ETIMEDOUT:
      return probe_outcome::timed_out;
    case ECONNRESET:
      return probe_outcome::closed;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
      return probe_outcome::local_fault;
    default:
      return probe_outcome::unreachable;
  }
}

probe_result failed_to_connect(const peer_address& whom, const socket_address& where, int number) {
  auto why = number == ECONNREFUSED ? std::string{"nobody listens there (connection refused)"}
             : number == ETIMEDOUT  ? std::string{"no answer in time"}
                                    : "cannot be reached: " + std::string{std::strerror(number)};
  auto address = to_text(where);
  return failed(whom, outcome_of(number), address == whom.host ? why : why + ", at " + address);
}

std::variant<unique_fd, probe_result>
connect_one(const peer_address& whom, const socket_address& where, probe_deadline until) {
  unique_fd result{::socket(where.bytes.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!result)
    return failed_to_connect(whom, where, errno);
  if (::connect(result.get(), where.get(), where.size) == 0)
    return result;
  if (errno != EINPROGRESS && errno != EINTR)
    return failed_to_connect(whom, where, errno);
  if (!wait_for(result, POLLOUT, until))
    return failed_to_connect(whom, where, ETIMEDOUT);
  int fault = 0;
  socklen_t size = sizeof fault;
  if (::getsockopt(result.get(), SOL_SOCKET, SO_ERROR, &fault, &size) != 0)
    fault = errno;
  if (fault != 0)
    return failed_to_connect(whom, where, fault);
  return result;
}

/// Whether the failure says more than that there is no route to the address.
bool is_telling(const probe_result& x) {
  return x.outcome != probe_outcome::unreachable;
}

} // namespace

probe_result failed(const peer_address& whom, probe_outcome what, const std::string& why) {
  return {what, to_text(whom) + ": " + why};
}

std::variant<unique_fd, probe_result> connect_to(const peer_address& whom, probe_deadline until) {
  auto found = resolve(whom, until);
  if (auto* fault = std::get_if<probe_result>(&found))
    return std::move(*fault);
  const auto& addresses = std::get<std::vector<socket_address>>(found);
  probe_result fault{probe_outcome::unreachable, {}};
  auto untried = static_cast<int>(addresses.size());
  for (const auto& x : addresses) {
    // Share the time, so that a silent address does not use up that of the others.
    auto now = std::chrono::steady_clock::now();
    auto result = connect_one(whom, x, now + (until - now) / untried--);
    if (std::holds_alternative<unique_fd>(result))
      return result;
    if (auto& latest = std::get<probe_result>(result); is_telling(latest) || !is_telling(fault))
      fault = std::move(latest);
  }
  return fault;
}

transfer send_all(const unique_fd& to, std::span<const char> bytes, probe_deadline until) {
  while (!bytes.empty()) {
    if (!wait_for(to, POLLOUT, until))
      return transfer::timed_out;
    auto count = ::send(to.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count > 0)
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    else if (count < 0 && errno != EAGAIN && errno != EINTR)
      return transfer::closed;
  }
  return transfer::done;
}

transfer receive(const unique_fd& from, std::span<char> into, std::size_t& size,
                 probe_deadline until) {
  for (;;) {
    if (!wait_for(from, POLLIN, until))
      return transfer::timed_out;
    auto count = ::recv(from.get(), into.data(), into.size(), 0);
    if (count > 0) {
      size = static_cast<std::size_t>(count);
      return transfer::done;
    }
    if (count == 0 || (errno != EAGAIN && errno != EINTR))
      return transfer::closed;
  }
}

} // namespace tune

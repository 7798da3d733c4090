// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/dial.hpp"

#include "tune/io/probe/probe.hpp"
#include "tune/net/caf_tls.hpp"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

namespace tune {

namespace {

/// Whether a retry may succeed later.
bool may_pass(probe_outcome what) {
  switch (what) {
    case probe_outcome::name_not_found:
    case probe_outcome::refused:
    case probe_outcome::unreachable:
    case probe_outcome::timed_out:
    case probe_outcome::closed:
    // Its files are being replaced, say: they were in order when it began.
    case probe_outcome::local_fault:
      return true;
    default:
      return false;
  }
}

expected<void> try_out(const peer_address& whom, const transport& how,
                       std::chrono::milliseconds patience) {
  auto until = std::chrono::steady_clock::now() + patience;
  auto result = how.identity ? probe_tls(whom, *how.identity, until) : probe_plain(whom, until);
  if (result)
    return {};
  return error{may_pass(result.outcome) ? ec::unreachable : ec::refused, result.detail};
}

} // namespace

head_dialer dial(caf::actor_system& system, peer_address whom, transport how,
                 std::chrono::milliseconds patience) {
  return [&system, whom = std::move(whom), how = std::move(how),
          patience]() -> expected<node_registry_actor> {
    if (auto there = try_out(whom, how, patience); !there)
      return there.error();
    auto node_registry
        = how.identity ? connect_tls<node_registry_actor>(system, whom.host, whom.port, patience)
                       : connect_plain<node_registry_actor>(system, whom.host, whom.port, patience);
    if (node_registry)
      return std::move(*node_registry);
    return error{ec::unreachable, to_text(whom) + " answers, but not as a head of tune-node: "
                                      + node_registry.error().detail};
  };
}

expected<void> can_listen(const peer_address& where) {
  auto refused = [&](const std::string& why) {
    return error{ec::refused, "cannot listen on " + to_text(where) + ": " + why};
  };
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  auto port = std::to_string(where.port);
  if (auto fault = ::getaddrinfo(where.host.c_str(), port.c_str(), &hints, &found); fault != 0)
    return refused(::gai_strerror(fault));
  std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> first{found, &::freeaddrinfo};
  auto descriptor = ::socket(first->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0)
    return refused(std::strerror(errno));
  int yes = 1;
  ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  auto is_free = ::bind(descriptor, first->ai_addr, first->ai_addrlen) == 0;
  auto fault = errno;
  ::close(descriptor);
  if (!is_free)
    return refused(std::strerror(fault));
  return {};
}

expected<std::uint16_t> open_port(caf::actor_system& system,
                                  const node_registry_actor& node_registry,
                                  const peer_address& where, const transport& how) {
  auto port = how.identity ? publish_tls(system, node_registry, where.port, where.host.c_str())
                           : publish_plain(system, node_registry, where.port, where.host.c_str());
  if (!port)
    return error{ec::refused, "cannot listen on " + to_text(where) + ": " + port.error().detail};
  return *port;
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/probe/probe.hpp"

#include "connection.hpp"
#include "resolve.hpp"

#include <array>

namespace tune {

std::string_view to_text(probe_outcome x) {
  static constexpr std::array<std::string_view, 18> names{
      "reached",      "name_not_found",  "refused",      "unreachable",
      "timed_out",    "closed",          "not_tls",      "tls_failed",
      "wants_tls",    "peer_is_foreign", "peer_expired", "peer_not_yet_valid",
      "peer_unfit",   "we_are_foreign",  "we_expired",   "certificate_required",
      "we_are_unfit", "local_fault"};
  static_assert(static_cast<std::size_t>(probe_outcome::local_fault) + 1 == names.size());
  return names[static_cast<std::size_t>(x)];
}

probe_result probe_name(const peer_address& whom, probe_deadline until,
                        std::vector<std::string>& addresses) {
  auto found = resolve(whom, until);
  if (auto* fault = std::get_if<probe_result>(&found))
    return std::move(*fault);
  for (const auto& x : std::get<0>(found))
    addresses.push_back(to_text(x));
  return {};
}

probe_result probe_tcp(const peer_address& whom, probe_deadline until) {
  auto connected = connect_to(whom, until);
  auto* fault = std::get_if<probe_result>(&connected);
  return fault == nullptr ? probe_result{} : std::move(*fault);
}

expected<int> open_connection(const peer_address& whom, probe_deadline until) {
  auto connected = connect_to(whom, until);
  if (auto* fault = std::get_if<probe_result>(&connected))
    return error{ec::unreachable, std::move(fault->detail)};
  return std::get<unique_fd>(connected).release();
}

probe_result probe_plain(const peer_address& whom, probe_deadline until) {
  auto connected = connect_to(whom, until);
  if (auto* fault = std::get_if<probe_result>(&connected))
    return std::move(*fault);
  std::array<char, 1> byte{};
  std::size_t size = 0;
  switch (receive(std::get<unique_fd>(connected), byte, size, until)) {
    case transfer::done:
      return {};
    case transfer::closed:
      return failed(whom, probe_outcome::closed, "hung up without a word");
    case transfer::timed_out:
      break;
  }
  return failed(whom, probe_outcome::wants_tls,
                "says nothing to a client without TLS; the peer seems to want TLS");
}

} // namespace tune

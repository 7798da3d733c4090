// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/probe/own_hosts.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/if.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace tune {

namespace {

std::string text_of(const sockaddr& from) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* address = nullptr;
  if (from.sa_family == AF_INET)
    address = &reinterpret_cast<const sockaddr_in&>(from).sin_addr;
  if (from.sa_family == AF_INET6) {
    const auto& six = reinterpret_cast<const sockaddr_in6&>(from).sin6_addr;
    // An address of a link means nothing on another machine.
    address = IN6_IS_ADDR_LINKLOCAL(&six) ? nullptr : &six;
  }
  if (address == nullptr
      || ::inet_ntop(from.sa_family, address, text.data(), text.size()) == nullptr)
    return {};
  return text.data();
}

void add_addresses(std::vector<std::string>& to, bool loopback) {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0)
    return;
  for (const auto* x = all; x != nullptr; x = x->ifa_next) {
    const auto is_up = (x->ifa_flags & IFF_UP) != 0;
    const auto is_loopback = (x->ifa_flags & IFF_LOOPBACK) != 0;
    if (x->ifa_addr == nullptr || !is_up || is_loopback != loopback)
      continue;
    auto text = text_of(*x->ifa_addr);
    if (!text.empty() && std::find(to.begin(), to.end(), text) == to.end())
      to.push_back(std::move(text));
  }
  ::freeifaddrs(all);
}

} // namespace

std::vector<std::string> own_hosts() {
  std::vector<std::string> result;
  add_addresses(result, false);
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0')
    result.emplace_back(name.data());
  add_addresses(result, true);
  return result;
}

} // namespace tune

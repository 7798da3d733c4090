// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/node_route.hpp"

#include <algorithm>

namespace tune {

namespace {

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address.starts_with("::ffff:127.") || address == "::1";
}

bool is_at_head(const node_route& x) {
  return x.own.empty() || is_loopback(x.own);
}

} // namespace

std::vector<std::string> addresses_of(const std::vector<node_route>& nodes) {
  auto is_elsewhere = [](const node_route& x) { return !is_at_head(x) && !x.head.empty(); };
  auto other = std::find_if(nodes.begin(), nodes.end(), is_elsewhere);
  const std::string head = other == nodes.end() ? "127.0.0.1" : other->head;
  std::vector<std::string> result;
  result.reserve(nodes.size());
  for (const auto& x : nodes)
    result.push_back(is_at_head(x) ? head : x.own);
  return result;
}

} // namespace tune

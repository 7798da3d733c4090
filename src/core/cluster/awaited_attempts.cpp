// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/awaited_attempts.hpp"

#include <utility>

namespace tune {

void awaited_attempts::add(awaited_attempt what) {
  const auto id = what.what.id;
  all_.insert_or_assign(id, std::move(what));
}

bool awaited_attempts::remove(lease_id which) {
  return all_.erase(which) > 0;
}

void awaited_attempts::forget(std::uint64_t owner) {
  std::erase_if(all_, [owner](const auto& x) { return x.second.owner == owner; });
}

awaited_attempts::claims awaited_attempts::arrived(const node_arrival& who) {
  const std::set<lease_id> there(who.has.leases.begin(), who.has.leases.end());
  // One that begins now has the number of its own first session.
  const auto is_back = who.has.incarnation != who.session;
  claims result;
  for (auto i = all_.begin(); i != all_.end();) {
    auto& x = i->second;
    if (x.node() != who.node) {
      ++i;
      continue;
    }
    const auto runs = is_back && there.contains(i->first);
    (runs ? result.running : result.lost).push_back(std::move(x));
    i = all_.erase(i);
  }
  return result;
}

std::vector<awaited_attempt> awaited_attempts::give_up() {
  std::vector<awaited_attempt> result;
  for (auto& [id, x] : std::exchange(all_, {}))
    result.push_back(std::move(x));
  return result;
}

std::set<std::string> awaited_attempts::nodes() const {
  std::set<std::string> result;
  for (const auto& [id, x] : all_)
    result.insert(x.node());
  return result;
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/membership.hpp"

#include <algorithm>
#include <utility>

namespace tune {

membership::arrival membership::arrive(const node_arrival& what) {
  auto found = nodes_.find(what.node);
  if (found == nodes_.end())
    return join(what);
  auto& known = found->second;
  const auto have_sessions = what.session != 0 && known.session != 0;
  // The process with the later session is the current one; a message of the other was delayed.
  if (have_sessions && what.session < known.session)
    return {reception::stale, {}, {}, {}, {}, {}};
  const auto is_same_process = have_sessions && known.worker == what.worker;
  if (!is_same_process || known.incarnation != what.has.incarnation)
    return {reception::replaces, {}, {}, {}, {}, {}};
  known.session = what.session;
  known.is_away = false;
  return take_back(known, what);
}

membership::arrival membership::join(const node_arrival& what) {
  nodes_[what.node] = {what.worker, what.session, what.has.incarnation, what.has.turn};
  return {};
}

membership::arrival membership::take_back(member& known, const node_arrival& what) const {
  arrival result;
  result.how = reception::returned;
  const std::set<lease_id> there(what.has.leases.begin(), what.has.leases.end());
  std::vector<std::pair<std::uint64_t, lease_id>> missed;
  for (auto id : known.open) {
    const auto& x = allocations_.at(id);
    const auto arrived = x.turn != 0 && x.turn <= what.has.turn;
    if (arrived && !there.contains(id)) {
      result.over.push_back(id);
      continue;
    }
    result.kept.push_back(id);
    if (arrived)
      result.known.push_back(id);
    else if (x.turn != 0)
      missed.emplace_back(x.turn, id);
    if (x.is_revoked)
      result.revoked.push_back(id);
  }
  std::sort(missed.begin(), missed.end());
  for (const auto& x : missed)
    result.missed.push_back(x.second);
  return result;
}

void membership::part(const std::string& node) {
  nodes_.at(node).is_away = true;
}

bool membership::leave(const std::string& node) {
  auto known = nodes_.find(node);
  return known != nodes_.end() && !std::exchange(known->second.is_leaving, true);
}

std::vector<lease_id> membership::lose(const std::string& node) {
  auto gone = nodes_.extract(node);
  if (gone.empty())
    return {};
  const auto& open = gone.mapped().open;
  for (auto id : open)
    allocations_.erase(id);
  return {open.begin(), open.end()};
}

bool membership::is_away(const std::string& node) const {
  auto known = nodes_.find(node);
  return known != nodes_.end() && known->second.is_away;
}

bool membership::is_leaving(const std::string& node) const {
  auto known = nodes_.find(node);
  return known != nodes_.end() && known->second.is_leaving;
}

std::optional<std::string> membership::node_of(std::uint64_t session) const {
  auto is_it = [&](const auto& x) { return session != 0 && x.second.session == session; };
  auto found = std::find_if(nodes_.begin(), nodes_.end(), is_it);
  return found == nodes_.end() ? std::nullopt : std::optional{found->first};
}

// -- Allocations.

void membership::granted(lease_id which, const std::string& node) {
  allocations_[which] = {node};
  nodes_.at(node).open.insert(which);
}

/// All launches that the node has seen count as those of the head before: only later ones are new.
void membership::adopted(lease_id which, const std::string& node) {
  granted(which, node);
  allocations_.at(which).turn = std::max<std::uint64_t>(nodes_.at(node).launches, 1);
}

std::optional<membership::launch_number> membership::launched(lease_id which) {
  auto known = allocations_.find(which);
  if (known == allocations_.end())
    return std::nullopt;
  auto& node = nodes_.at(known->second.node);
  known->second.turn = ++node.launches;
  return launch_number{node.launches, node.session};
}

membership::launch_number membership::number_of(lease_id which) const {
  const auto& known = allocations_.at(which);
  return {known.turn, nodes_.at(known.node).session};
}

std::optional<std::string> membership::revoke(lease_id which) {
  auto known = allocations_.find(which);
  if (known == allocations_.end())
    return std::nullopt;
  known->second.is_revoked = true;
  return known->second.node;
}

bool membership::over(lease_id which) {
  auto gone = allocations_.extract(which);
  if (gone.empty())
    return false;
  nodes_.at(gone.mapped().node).open.erase(which);
  return true;
}

std::vector<lease_id> membership::open_on(const std::string& node) const {
  auto known = nodes_.find(node);
  if (known == nodes_.end())
    return {};
  return {known->second.open.begin(), known->second.open.end()};
}

std::optional<std::string> membership::node_of(lease_id which) const {
  auto known = allocations_.find(which);
  return known == allocations_.end() ? std::nullopt : std::optional{known->second.node};
}

} // namespace tune

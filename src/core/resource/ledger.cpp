// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/resource/ledger.hpp"

#include "size_of.hpp"

#include "tune/core/resource/demands.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace tune {

namespace {

using strategy = resource_request::strategy;

/// Gives equal requests the same form: no custom resources of amount zero, at least one bundle, and
/// one strategy where several mean the same.
resource_request normal_form(resource_request what) {
  if (what.bundles.empty())
    what.bundles.emplace_back();
  if (what.bundles.size() == 1 && what.placement == strategy::strict_pack)
    what.placement = strategy::pack;
  if (what.bundles.size() == 1 && what.placement == strategy::strict_spread)
    what.placement = strategy::spread;
  for (auto& bundle : what.bundles)
    std::erase_if(bundle.custom, [](const auto& x) { return x.second.units == 0; });
  return what;
}

/// The nodes without any grants; leaves out nodes that are gone or in `without`.
node_accounts emptied(const node_accounts& nodes, const std::set<std::string>& without) {
  node_accounts result;
  for (const auto& [name, node] : nodes) {
    if (!node.gone && !without.contains(name)) {
      result[name].capacity = node.capacity;
      result[name].labels = node.labels;
    }
  }
  return result;
}

/// Why no cluster of any size could grant the bundle; empty if one could.
std::string flaw_of(const resources& bundle) {
  auto negative = [](const auto& x) { return x.second.units < 0; };
  if (bundle.cpu.units < 0 || bundle.gpu.units < 0
      || std::any_of(bundle.custom.begin(), bundle.custom.end(), negative))
    return "an amount is negative in " + to_text(bundle);
  if (bundle.gpu.units > amount::scale && bundle.gpu.units % amount::scale != 0)
    return to_text(bundle.gpu) + " GPU cannot be granted: above 1, GPUs are given whole";
  return {};
}

amount amount_of(const resources& of, const std::string& kind) {
  const auto known = of.custom.find(kind);
  return known == of.custom.end() ? amount{} : known->second;
}

/// The node that comes closest: with the most of the first custom resource asked for, otherwise the
/// largest.
std::string largest_text(const node_accounts& nodes, const resources& asked) {
  if (nodes.size() < 2)
    return {};
  const auto kind = asked.custom.empty() ? std::string{} : asked.custom.begin()->first;
  auto i = std::max_element(nodes.begin(), nodes.end(), [&](const auto& x, const auto& y) {
    const auto& a = x.second.capacity;
    const auto& b = y.second.capacity;
    return std::pair{amount_of(a, kind), size_of(a)} < std::pair{amount_of(b, kind), size_of(b)};
  });
  if (!kind.empty() && amount_of(i->second.capacity, kind).units == 0)
    return " (no node has " + kind + ")";
  return " (largest node: " + i->first + " with " + to_text(i->second.capacity) + ")";
}

bool has_all(const node_account& node, const node_labels& asked) {
  return std::includes(node.labels.begin(), node.labels.end(), asked.begin(), asked.end());
}

/// Why no node has this label.
std::string lack_of(const std::string& label) {
  if (!is_demand(label))
    return "no node has " + label;
  return label.starts_with(tolerate_word({}))
             ? "every node has a taint that the trials do not tolerate"
             : "no node meets " + demand_text(label);
}

/// Why no node has these labels, whatever it can hold; empty if one has.
std::string lack_of_labels(const node_accounts& nodes, const node_labels& labels) {
  std::string all;
  for (const auto& label : labels) {
    // Without any nodes, what they would have to be like is not what is missing.
    const auto is_lacked = nodes.empty()
                               ? !is_demand(label)
                               : std::none_of(nodes.begin(), nodes.end(), [&](const auto& x) {
                                   return x.second.labels.contains(label);
                                 });
    if (is_lacked)
      return lack_of(label);
    all += (all.empty() ? "" : " and ") + (is_demand(label) ? demand_text(label) : label);
  }
  const auto has = std::any_of(nodes.begin(), nodes.end(),
                               [&](const auto& x) { return has_all(x.second, labels); });
  return has || nodes.empty() ? std::string{} : "no node has all of this: " + all;
}

/// " with require = zone == b", " without taints"; empty for demands that exclude no node.
std::string demands_text(const node_labels& demands, const node_accounts& nodes) {
  std::string result;
  for (const auto& x : demands) {
    if (x != tolerate_word({}))
      result += (result.empty() ? " with " : " and ") + demand_text(x);
  }
  const auto has_taints = demands.contains(tolerate_word({}))
                          && std::any_of(nodes.begin(), nodes.end(), [](const auto& x) {
                               return !x.second.labels.contains(tolerate_word({}));
                             });
  return result + (has_taints ? " without taints" : "");
}

} // namespace

void ledger::set_node(const std::string& node, resources capacity, node_labels labels) {
  auto& account = nodes_[node];
  account.capacity = std::move(capacity);
  account.labels = std::move(labels);
  account.gone = false;
  account.closed_to.clear();
  wake_all();
}

void ledger::hold(const std::string& node, std::uint64_t owner) {
  if (auto known = nodes_.find(node); known != nodes_.end())
    known->second.closed_to.insert(owner);
}

void ledger::unhold(const std::string& node, std::uint64_t owner) {
  if (auto known = nodes_.find(node); known != nodes_.end() && known->second.closed_to.erase(owner))
    wake_all();
}

void ledger::remove_node(const std::string& node) {
  auto i = nodes_.find(node);
  if (i == nodes_.end())
    return;
  i->second.gone = true;
  forget_if_settled(i);
}

std::optional<error> ledger::impossible(const resource_request& what, const node_labels& labels,
                                        const std::set<std::string>& without) const {
  auto request = normal_form(what);
  auto refuse = [](std::string why) { return error{ec::impossible_request, std::move(why)}; };
  for (const auto& bundle : request.bundles) {
    if (auto flaw = flaw_of(bundle); !flaw.empty())
      return refuse(std::move(flaw));
  }
  auto nodes = emptied(nodes_, without);
  if (find_placement(request, labels, nodes))
    return std::nullopt;
  if (auto lack = lack_of_labels(nodes, labels); !lack.empty())
    return refuse(lack + ": the cluster has " + summary());
  const auto demands = demands_of(labels);
  const auto which = demands_text(demands, nodes);
  std::erase_if(nodes, [&](const auto& x) { return !has_all(x.second, demands); });
  auto cluster = [&](const resources& asked) {
    return ": the cluster has " + summary() + largest_text(nodes, asked);
  };
  for (const auto& bundle : request.bundles) {
    if (!find_placement({{bundle}, strategy::pack}, {}, nodes))
      return refuse("no node" + which + " can hold " + to_text(bundle) + cluster(bundle));
  }
  if (request.placement == strategy::strict_pack)
    return refuse("no single node" + which + " can hold " + to_text(request)
                  + cluster(request.bundles.front()));
  if (request.placement == strategy::strict_spread)
    return refuse("no " + std::to_string(request.bundles.size()) + " different nodes" + which
                  + " can hold " + to_text(request) + cluster(request.bundles.front()));
  return refuse("all nodes" + which + " together cannot hold " + to_text(request)
                + cluster(request.bundles.front()));
}

void ledger::enqueue(std::uint64_t token, resource_request what, node_labels labels,
                     std::uint64_t owner) {
  cancel(token);
  auto [where, fresh]
      = lines_.try_emplace({owner, normal_form(std::move(what)), std::move(labels)});
  auto arrival = next_arrival_++;
  where->second.emplace(arrival, token);
  waiters_.emplace(token, waiter{arrival, where});
  if (fresh)
    hope(where);
}

bool ledger::cancel(std::uint64_t token) {
  auto i = waiters_.find(token);
  if (i == waiters_.end())
    return false;
  auto [arrival, where] = i->second;
  waiters_.erase(i);
  where->second.erase(arrival);
  auto hoped = give_up(where->first.owner, arrival);
  if (where->second.empty())
    lines_.erase(where);
  else if (hoped)
    hope(where);
  return true;
}

std::vector<ledger::granted> ledger::grant() {
  std::vector<granted> result;
  while (!hopeful_.empty()) {
    auto owner = next_owner();
    auto [arrival, where] = *hopeful_.at(owner).begin();
    give_up(owner, arrival);
    auto bundles = find_placement(where->first.what, where->first.labels, nodes_, owner);
    // A request that does not fit now, or one like it, cannot fit before something is freed.
    if (!bundles)
      continue;
    auto first = where->second.begin();
    result.push_back({first->second, book(std::move(*bundles), owner)});
    waiters_.erase(first->second);
    where->second.erase(first);
    if (where->second.empty())
      lines_.erase(where);
    else
      hope(where);
  }
  return result;
}

std::vector<ledger::stranded> ledger::stranded_requests() const {
  std::vector<stranded> result;
  for (const auto& [kind, waiting] : lines_) {
    if (auto why = impossible(kind.what, kind.labels))
      result.push_back({kind.owner, why->detail});
  }
  return result;
}

bool ledger::release(lease_id id) {
  auto i = leases_.find(id);
  if (i == leases_.end())
    return false;
  for (const auto& bundle : i->second.what.bundles) {
    auto node = nodes_.find(bundle.node);
    give_back(node->second, bundle);
    forget_if_settled(node);
  }
  if (auto held = held_.find(i->second.owner); --held->second == 0)
    held_.erase(held);
  leases_.erase(i);
  wake_all();
  return true;
}

resources ledger::total() const {
  resources result;
  for (const auto& [name, node] : nodes_) {
    if (!node.gone)
      result += node.capacity;
  }
  return result;
}

resources ledger::used() const {
  resources result;
  for (const auto& [name, node] : nodes_) {
    if (!node.gone)
      result += node.used;
  }
  return result;
}

resources ledger::held_on_removed(const std::string& node) const {
  const auto known = nodes_.find(node);
  return known == nodes_.end() || !known->second.gone ? resources{} : known->second.used;
}

room_on_nodes ledger::room_with(const node_labels& labels) const {
  room_on_nodes result;
  auto is_open = [&](const node_account& x) { return !x.gone && has_all(x, labels); };
  for (const auto& [name, node] : nodes_) {
    if (is_open(node)) {
      result.nodes.insert(name);
      result.total += node.capacity;
    } else if (!node.gone) {
      result.is_of_all_nodes = false;
    }
  }
  for (const auto& [id, x] : leases_) {
    for (const auto& bundle : x.what.bundles) {
      const auto node = nodes_.find(bundle.node);
      if (node != nodes_.end() && is_open(node->second))
        result.held[x.owner] += bundle.what;
    }
  }
  return result;
}

std::string ledger::awaited_node(const resource_request& what, const node_labels& labels,
                                 std::uint64_t owner) const {
  auto is_on_hold = [owner](const auto& x) { return x.second.closed_to.contains(owner); };
  if (std::none_of(nodes_.begin(), nodes_.end(), is_on_hold))
    return {};
  auto open = nodes_;
  for (auto& [name, node] : open)
    node.closed_to.erase(owner);
  const auto place = find_placement(normal_form(what), labels, open, owner);
  const auto& node = place ? place->front().node : std::string{};
  return place && is_on_hold(*nodes_.find(node)) ? node : std::string{};
}

bool ledger::has_room_for(const resource_request& what, const node_labels& labels,
                          std::uint64_t owner) const {
  auto open = nodes_;
  return find_placement(normal_form(what), labels, open, owner).has_value();
}

bool ledger::has_node_with(const node_labels& labels, const std::set<std::string>& among) const {
  return std::any_of(among.begin(), among.end(), [&](const std::string& name) {
    const auto known = nodes_.find(name);
    return known != nodes_.end() && !known->second.gone && has_all(known->second, labels);
  });
}

std::string ledger::summary() const {
  auto count
      = std::count_if(nodes_.begin(), nodes_.end(), [](const auto& x) { return !x.second.gone; });
  if (count == 0)
    return "no nodes";
  return std::to_string(count) + (count == 1 ? " node: " : " nodes: ") + to_text(total());
}

void ledger::forget_if_settled(node_accounts::iterator node) {
  if (node->second.gone && node->second.grants == 0)
    nodes_.erase(node);
}

void ledger::wake_all() {
  for (auto i = lines_.begin(); i != lines_.end(); ++i)
    hope(i);
}

void ledger::hope(lines::iterator where) {
  hopeful_[where->first.owner].emplace(where->second.begin()->first, where);
}

bool ledger::give_up(std::uint64_t owner, std::uint64_t arrival) {
  auto lines_of_owner = hopeful_.find(owner);
  if (lines_of_owner == hopeful_.end() || lines_of_owner->second.erase(arrival) == 0)
    return false;
  if (lines_of_owner->second.empty())
    hopeful_.erase(lines_of_owner);
  return true;
}

/// Owner with the fewest grants; among equals, the one that has waited longest.
std::uint64_t ledger::next_owner() const {
  auto rank = [this](const auto& x) {
    auto held = held_.find(x.first);
    return std::pair{held == held_.end() ? 0 : held->second, x.second.begin()->first};
  };
  return std::min_element(hopeful_.begin(), hopeful_.end(),
                          [&](const auto& x, const auto& y) { return rank(x) < rank(y); })
      ->first;
}

lease ledger::book(std::vector<bundle_grant> bundles, std::uint64_t owner) {
  lease result{{next_lease_}, std::move(bundles)};
  next_lease_ += result.bundles.size();
  enter(result, owner);
  return result;
}

void ledger::enter(const lease& what, std::uint64_t owner) {
  for (const auto& bundle : what.bundles)
    take(nodes_.at(bundle.node), bundle);
  leases_.emplace(what.id, booking{what, owner});
  ++held_[owner];
}

void ledger::adopt(const lease& what, std::uint64_t owner) {
  enter(what, owner);
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/resource/placement.hpp"

#include "size_of.hpp"

#include "tune/core/resource/demands.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>
#include <utility>

namespace tune {

namespace {

using strategy = resource_request::strategy;

constexpr amount one_device{amount::scale};

bool fits(amount wanted, amount capacity, amount used) {
  return wanted.units == 0 || (wanted.units > 0 && wanted <= capacity - used);
}

amount find_or_zero(const std::map<std::string, amount>& where, const std::string& name) {
  auto i = where.find(name);
  return i == where.end() ? amount{} : i->second;
}

/// Whether everything but the GPUs fits.
bool plain_part_fits(const resources& wanted, const node_account& node) {
  if (!fits(wanted.cpu, node.capacity.cpu, node.used.cpu))
    return false;
  auto free_memory = node.capacity.memory - std::min(node.capacity.memory, node.used.memory);
  if (wanted.memory > free_memory)
    return false;
  return std::all_of(wanted.custom.begin(), wanted.custom.end(), [&](const auto& x) {
    return fits(x.second, find_or_zero(node.capacity.custom, x.first),
                find_or_zero(node.used.custom, x.first));
  });
}

amount free_of(const node_account& node, std::uint32_t device) {
  return device < node.gpu_used.size() ? one_device - node.gpu_used[device] : one_device;
}

/// The ways to serve `wanted` GPUs from a node, best first; a single empty way if none are wanted,
/// and no way if they do not fit. Of equally full devices only one is tried.
std::vector<std::vector<gpu_share>> device_choices(amount wanted, const node_account& node) {
  if (wanted.units == 0)
    return {{}};
  auto devices = device_count(node.capacity);
  if (wanted.units < 0 || (wanted > one_device && wanted.units % amount::scale != 0))
    return {};
  if (wanted >= one_device) {
    std::vector<gpu_share> whole;
    auto count = static_cast<std::size_t>(wanted.units / amount::scale);
    for (std::uint32_t i = 0; i < devices && whole.size() < count; ++i) {
      if (free_of(node, i) == one_device)
        whole.push_back({i, one_device});
    }
    if (whole.size() < count)
      return {};
    return {std::move(whole)};
  }
  std::map<amount, std::uint32_t> by_rest;
  for (std::uint32_t i = 0; i < devices; ++i) {
    if (auto rest = free_of(node, i); wanted <= rest)
      by_rest.emplace(rest, i);
  }
  std::vector<std::vector<gpu_share>> result;
  for (const auto& [rest, device] : by_rest)
    result.push_back({{device, wanted}});
  return result;
}

/// One search. Bundles are placed in the order of their size, largest first.
class search {
public:
  search(const resource_request& what, const node_labels& labels, node_accounts& nodes,
         std::uint64_t owner)
      : what_{what}
      , labels_{labels}
      , demands_{what.bundles.size() > 1 ? demands_of(labels) : node_labels{}}
      , nodes_{nodes}
      , owner_{owner}
      , order_(what.bundles.size())
      , result_(what.bundles.size())
      , steps_left_{2000 + 4 * what.bundles.size()} {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t x, std::size_t y) {
      return size_of(what_.bundles[x]) > size_of(what_.bundles[y]);
    });
  }

  std::optional<std::vector<bundle_grant>> run() {
    if (!place(0))
      return std::nullopt;
    for (const auto& x : result_)
      give_back(nodes_.at(x.node), x);
    return std::move(result_);
  }

private:
  /// Sort key of a candidate: smaller is better, compared element by element.
  using rank = std::array<std::int64_t, 6>;
  struct candidate {
    rank order;
    node_accounts::iterator node;
    std::vector<gpu_share> gpus;
  };

  const resource_request& what_;
  const node_labels& labels_;
  /// Those that the nodes of further bundles must have, too.
  node_labels demands_;
  node_accounts& nodes_;
  std::uint64_t owner_;
  std::vector<std::size_t> order_;
  std::vector<bundle_grant> result_;
  std::size_t steps_left_;
  /// Bundles of this request per node.
  std::map<std::string, std::uint32_t> mine_;

  bool may_use(const std::string& node, std::uint32_t mine) const {
    switch (what_.placement) {
      case strategy::strict_pack:
        return mine_.empty() || mine_.contains(node);
      case strategy::strict_spread:
        return mine == 0;
      default:
        return true;
    }
  }

  rank rank_of(const resources& wanted, const node_account& node, std::uint32_t mine,
               const std::vector<gpu_share>& gpus) const {
    auto needless = std::int64_t{wanted.gpu.units == 0 ? device_count(node.capacity) : 0u};
    auto rest = gpus.size() == 1 ? free_of(node, gpus.front().device).units : 0;
    auto cpu = (node.capacity.cpu - node.used.cpu).units;
    auto memory = static_cast<std::int64_t>(
        (node.capacity.memory - std::min(node.capacity.memory, node.used.memory)) >> 1);
    auto is_apart
        = what_.placement == strategy::spread || what_.placement == strategy::strict_spread;
    auto kin = is_apart ? std::int64_t{mine} : std::int64_t{mine == 0 ? 1 : 0};
    if (!is_apart && what_.policy == placement_policy::pack)
      return {kin, needless, rest, cpu, memory, 0};
    auto gpu = wanted.gpu.units == 0 ? 0 : (node.capacity.gpu - node.used.gpu).units;
    return {kin, needless, -gpu, -cpu, -memory, rest};
  }

  bool can_host(std::size_t index, const node_account& node) const {
    const auto& asked = index > 0 ? demands_ : labels_;
    return (index > 0 || !node.closed_to.contains(owner_))
           && std::includes(node.labels.begin(), node.labels.end(), asked.begin(), asked.end());
  }

  std::vector<candidate> candidates(std::size_t index) {
    const auto& wanted = what_.bundles[index];
    std::vector<candidate> result;
    for (auto node = nodes_.begin(); node != nodes_.end(); ++node) {
      auto known = mine_.find(node->first);
      auto mine = known == mine_.end() ? 0u : known->second;
      if (node->second.gone || !plain_part_fits(wanted, node->second) || !may_use(node->first, mine)
          || !can_host(index, node->second))
        continue;
      for (auto& gpus : device_choices(wanted.gpu, node->second)) {
        auto order = rank_of(wanted, node->second, mine, gpus);
        result.push_back({order, node, std::move(gpus)});
      }
    }
    return result;
  }

  /// The best of `candidates`. Most requests have a single bundle, and clusters many nodes: labels,
  /// which are texts, are looked at last.
  std::optional<candidate> best_candidate(std::size_t index) {
    const auto& wanted = what_.bundles[index];
    std::optional<candidate> result;
    auto consider
        = [&](node_accounts::iterator node, std::uint32_t mine, std::vector<gpu_share> gpus) {
            const auto order = rank_of(wanted, node->second, mine, gpus);
            if ((!result || order < result->order) && can_host(index, node->second))
              result = candidate{order, node, std::move(gpus)};
          };
    for (auto node = nodes_.begin(); node != nodes_.end(); ++node) {
      if (node->second.gone || !plain_part_fits(wanted, node->second))
        continue;
      auto known = mine_.find(node->first);
      const auto mine = known == mine_.end() ? 0u : known->second;
      if (!may_use(node->first, mine))
        continue;
      if (wanted.gpu.units == 0) {
        consider(node, mine, {});
        continue;
      }
      for (auto& gpus : device_choices(wanted.gpu, node->second))
        consider(node, mine, std::move(gpus));
    }
    return result;
  }

  bool place_last(std::size_t index) {
    auto best = steps_left_ > 0 ? best_candidate(index) : std::nullopt;
    if (!best)
      return false;
    --steps_left_;
    result_[index] = {best->node->first, what_.bundles[index], std::move(best->gpus)};
    enter(best->node, result_[index]);
    return true;
  }

  bool place(std::size_t depth) {
    if (depth == order_.size())
      return true;
    auto index = order_[depth];
    if (depth + 1 == order_.size())
      return place_last(index);
    const auto& wanted = what_.bundles[index];
    auto open = candidates(index);
    // A heap finds the best in linear time; the rest rarely needs sorting.
    auto worse = [](const candidate& x, const candidate& y) {
      return std::tie(x.order, x.node->first) > std::tie(y.order, y.node->first);
    };
    std::make_heap(open.begin(), open.end(), worse);
    while (!open.empty() && steps_left_ > 0) {
      --steps_left_;
      std::pop_heap(open.begin(), open.end(), worse);
      auto best = std::move(open.back());
      open.pop_back();
      result_[index] = {best.node->first, wanted, std::move(best.gpus)};
      enter(best.node, result_[index]);
      if (place(depth + 1))
        return true;
      leave(best.node, result_[index]);
      // Candidates like one that failed would fail as well.
      while (!open.empty() && alike(open.front(), best)) {
        std::pop_heap(open.begin(), open.end(), worse);
        open.pop_back();
      }
    }
    return false;
  }

  static bool alike(const candidate& x, const candidate& y) {
    const auto& a = x.node->second;
    const auto& b = y.node->second;
    return x.node != y.node && x.order == y.order && a.capacity == b.capacity && a.used == b.used
           && a.labels == b.labels && a.closed_to == b.closed_to && a.gpu_used == b.gpu_used;
  }

  void enter(node_accounts::iterator node, const bundle_grant& what) {
    take(node->second, what);
    ++mine_[node->first];
  }

  void leave(node_accounts::iterator node, const bundle_grant& what) {
    give_back(node->second, what);
    auto i = mine_.find(node->first);
    if (--i->second == 0)
      mine_.erase(i);
  }
};

} // namespace

std::uint32_t device_count(const resources& capacity) {
  return static_cast<std::uint32_t>(std::max<std::int64_t>(0, capacity.gpu.units) / amount::scale);
}

void take(node_account& account, const bundle_grant& what) {
  account.used += what.what;
  for (const auto& x : what.gpus) {
    if (account.gpu_used.size() <= x.device)
      account.gpu_used.resize(x.device + 1);
    account.gpu_used[x.device] += x.share;
  }
  ++account.grants;
}

void give_back(node_account& account, const bundle_grant& what) {
  account.used -= what.what;
  for (const auto& x : what.gpus)
    account.gpu_used[x.device] -= x.share;
  --account.grants;
}

std::optional<std::vector<bundle_grant>> find_placement(const resource_request& what,
                                                        const node_labels& labels,
                                                        node_accounts& nodes, std::uint64_t owner) {
  if (what.bundles.size() > 1 && what.placement == strategy::pack) {
    auto together = what;
    together.placement = strategy::strict_pack;
    if (auto result = search{together, labels, nodes, owner}.run())
      return result;
  }
  return search{what, labels, nodes, owner}.run();
}

} // namespace tune

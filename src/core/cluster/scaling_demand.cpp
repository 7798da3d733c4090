// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/scaling_demand.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace tune {

namespace {

using strategy = resource_request::strategy;

constexpr auto no_bound = std::numeric_limits<std::uint64_t>::max();

std::uint64_t times(amount what, amount room) {
  if (what.units <= 0)
    return no_bound;
  return room.units < what.units ? 0 : static_cast<std::uint64_t>(room.units / what.units);
}

/// How often the bundle fits into what is free.
std::uint64_t times(const resources& what, const resources& room) {
  auto result = std::min(times(what.cpu, room.cpu), times(what.gpu, room.gpu));
  if (what.memory > 0)
    result = std::min(result, room.memory / what.memory);
  for (const auto& [name, much] : what.custom) {
    const auto known = room.custom.find(name);
    result = std::min(result, times(much, known == room.custom.end() ? amount{} : known->second));
  }
  return result;
}

amount many(amount x, std::uint64_t count) {
  return {x.units * static_cast<std::int64_t>(count)};
}

void take(resources& from, const resources& what, std::uint64_t count) {
  resources all{many(what.cpu, count), many(what.gpu, count), what.memory * count, {}};
  for (const auto& [name, much] : what.custom)
    all.custom[name] = many(much, count);
  from -= all;
}

bool may_take(const idle_room& where, const pending_bundle& what) {
  return where.counts_for_all
         || std::includes(where.labels.begin(), where.labels.end(), what.demands.begin(),
                          what.demands.end());
}

/// @returns the number that found no room.
std::uint64_t lay(const pending_bundle& what, std::uint64_t count, std::vector<idle_room>& into) {
  for (auto& x : into) {
    if (count == 0)
      break;
    if (!may_take(x, what))
      continue;
    const auto fits = std::min(count, times(what.what, x.room));
    // A bundle that asks for nothing takes nothing.
    if (fits > 0)
      take(x.room, what.what, fits);
    count -= fits;
  }
  return count;
}

void add(std::vector<worker_kind>& to, const node_labels& demands, std::uint64_t count) {
  auto known
      = std::find_if(to.begin(), to.end(), [&](const auto& x) { return x.demands == demands; });
  if (known == to.end())
    known = to.insert(to.end(), {demands, 0});
  known->count += count;
}

bool is_larger(const pending_bundle& x, const pending_bundle& y) {
  auto rank = [](const resources& r) { return std::tie(r.gpu, r.cpu, r.memory, r.custom); };
  return rank(x.what) > rank(y.what) || (rank(x.what) == rank(y.what) && x.demands > y.demands);
}

/// The request whose bundles need most nodes, as many as there are bundles; null if there is none.
const pending_request* most_spread(const std::vector<pending_request>& all) {
  const pending_request* result = nullptr;
  for (const auto& x : all) {
    if (x.what.placement == strategy::strict_spread
        && (result == nullptr || x.what.bundles.size() > result->what.bundles.size()))
      result = &x;
  }
  return result;
}

/// New workers, with what they have to meet and what is left of them.
struct new_workers {
  const std::optional<resources>& of;
  std::uint64_t most;
  std::vector<idle_room> all = {};
  worker_demand told = {};

  void lay_into(const pending_bundle& what, std::uint64_t left) {
    left = lay(what, left, all);
    while (left > 0 && all.size() < most) {
      all.push_back({*of, what.demands});
      const auto fits = std::min(left, times(what.what, *of));
      take(all.back().room, what.what, fits);
      left -= fits;
      add(told.kinds, what.demands, 1);
    }
  }
};

} // namespace

std::vector<pending_bundle> bundles_of(const std::vector<pending_request>& all) {
  std::map<std::pair<resources, node_labels>, std::uint64_t> counts;
  for (const auto& x : all) {
    const auto& parts = x.what.bundles;
    if (x.what.placement == strategy::strict_pack || parts.empty()) {
      resources sum;
      for (const auto& part : parts)
        sum += part;
      counts[{sum, x.demands}] += x.count;
    } else {
      for (const auto& part : parts)
        counts[{part, x.demands}] += x.count;
    }
  }
  std::vector<pending_bundle> result;
  for (const auto& [what, count] : counts)
    result.push_back({what.first, count, what.second});
  std::sort(result.begin(), result.end(), is_larger);
  return result;
}

worker_demand demand_of(const std::vector<pending_request>& pending,
                        const std::optional<resources>& of, const std::vector<idle_room>& idle,
                        std::uint64_t there, std::uint64_t most) {
  new_workers fresh{of, most};
  auto& result = fresh.told;
  auto rooms = idle;
  for (const auto& x : bundles_of(pending)) {
    const auto left = lay(x, x.count, rooms);
    if (left > 0 && !of && result.workers == 0 && most > 0) {
      result.workers = 1;
      add(result.kinds, x.demands, 1);
    } else if (left > 0 && of && times(x.what, *of) == 0) {
      result.too_large.push_back({x.what, left, x.demands});
    } else if (left > 0 && of) {
      fresh.lay_into(x, left);
    }
  }
  result.workers = std::max<std::uint64_t>(result.workers, fresh.all.size());
  if (const auto* widest = most_spread(pending)) {
    const auto nodes = std::min<std::uint64_t>(widest->what.bundles.size(), there + most);
    if (nodes > there + result.workers) {
      add(result.kinds, widest->demands, nodes - there - result.workers);
      result.workers = nodes - there;
    }
  }
  return result;
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/scaling_demand.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

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

/// @returns the number that found no room.
std::uint64_t lay(const resources& what, std::uint64_t count, std::vector<resources>& into) {
  for (auto& room : into) {
    if (count == 0)
      break;
    const auto fits = std::min(count, times(what, room));
    // A bundle that asks for nothing takes nothing.
    if (fits > 0)
      take(room, what, fits);
    count -= fits;
  }
  return count;
}

bool is_larger(const pending_bundle& x, const pending_bundle& y) {
  auto rank = [](const resources& r) { return std::tie(r.gpu, r.cpu, r.memory, r.custom); };
  return rank(x.what) > rank(y.what);
}

/// Requests whose bundles need as many nodes as there are bundles.
std::uint64_t nodes_for(const std::vector<pending_request>& all) {
  std::uint64_t result = 0;
  for (const auto& x : all) {
    if (x.what.placement == strategy::strict_spread)
      result = std::max<std::uint64_t>(result, x.what.bundles.size());
  }
  return result;
}

} // namespace

std::vector<pending_bundle> bundles_of(const std::vector<pending_request>& all) {
  std::map<resources, std::uint64_t> counts;
  for (const auto& x : all) {
    const auto& parts = x.what.bundles;
    if (x.what.placement == strategy::strict_pack || parts.empty()) {
      resources sum;
      for (const auto& part : parts)
        sum += part;
      counts[sum] += x.count;
    } else {
      for (const auto& part : parts)
        counts[part] += x.count;
    }
  }
  std::vector<pending_bundle> result;
  for (const auto& [what, count] : counts)
    result.push_back({what, count});
  std::sort(result.begin(), result.end(), is_larger);
  return result;
}

worker_demand demand_of(const std::vector<pending_request>& pending,
                        const std::optional<resources>& of, const std::vector<resources>& idle,
                        std::uint64_t there, std::uint64_t most) {
  worker_demand result;
  auto rooms = idle;
  std::vector<resources> fresh;
  for (const auto& x : bundles_of(pending)) {
    auto left = lay(x.what, x.count, rooms);
    if (left > 0 && !of) {
      result.workers = std::min<std::uint64_t>(1, most);
      continue;
    }
    if (left > 0 && times(x.what, *of) == 0) {
      result.too_large.push_back({x.what, left});
      continue;
    }
    left = lay(x.what, left, fresh);
    while (left > 0 && fresh.size() < most) {
      fresh.push_back(*of);
      const auto fits = std::min(left, times(x.what, *of));
      take(fresh.back(), x.what, fits);
      left -= fits;
    }
  }
  result.workers = std::max<std::uint64_t>(result.workers, fresh.size());
  if (const auto nodes = nodes_for(pending); nodes > there)
    result.workers = std::max(result.workers, nodes - there);
  result.workers = std::min(result.workers, most);
  return result;
}

} // namespace tune

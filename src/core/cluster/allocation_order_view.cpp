// What people and those who make room are told of the order.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/allocation_order.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace tune {

namespace {

/// A kind of resource that is asked for, and its amounts.
struct scarce {
  std::string unit;
  std::function<double(const resources&)> of;
};

/// The kinds that are asked for, the dearest first. Not empty.
std::vector<scarce> kinds_of(const resources& asked) {
  std::vector<scarce> result;
  if (asked.gpu.units > 0)
    result.push_back({"GPU", [](const resources& x) { return x.gpu.number(); }});
  for (const auto& [name, amount] : asked.custom) {
    if (amount.units > 0)
      result.push_back({name, [name = name](const resources& x) {
                          const auto found = x.custom.find(name);
                          return found == x.custom.end() ? 0.0 : found->second.number();
                        }});
  }
  if (asked.cpu.units > 0)
    result.push_back({"CPU", [](const resources& x) { return x.cpu.number(); }});
  if (asked.memory > 0)
    result.push_back({"GiB memory", [](const resources& x) {
                        return static_cast<double>(x.memory) / (1024.0 * 1024 * 1024);
                      }});
  if (result.empty())
    result.push_back({"CPU", [](const resources& x) { return x.cpu.number(); }});
  return result;
}

/// The first kind of which less is free, on all these nodes together, than is asked for.
std::optional<scarce> lacking_kind(const resources& asked, const room_on_nodes& open) {
  constexpr double least = 1e-9;
  for (const auto& x : kinds_of(asked)) {
    auto free = x.of(open.total);
    for (const auto& [owner, held] : open.held)
      free -= x.of(held);
    if (x.of(asked) > free + least)
      return x;
  }
  return std::nullopt;
}

/// How much of a kind an owner holds on these nodes.
double held_of(const scarce& kind, const room_on_nodes& open, std::uint64_t owner) {
  const auto known = open.held.find(owner);
  return known == open.held.end() ? 0.0 : kind.of(known->second);
}

std::string amount_text(double x) {
  return to_text(amount::of(x));
}

std::string called(const std::string& name, const char* otherwise) {
  return name.empty() ? otherwise : name;
}

} // namespace

std::vector<allocation_order::candidate> allocation_order::wanted_above(std::int32_t over,
                                                                        std::size_t most) const {
  std::vector<std::tuple<std::int32_t, std::uint64_t, candidate>> found;
  for (const auto& [owner, x] : parties_) {
    if (x.standing.priority <= over || !x.is_served)
      continue;
    for (const auto& [what, waiting] : x.lines) {
      std::size_t taken = 0;
      for (auto i = waiting.begin(); i != waiting.end() && taken < most; ++i, ++taken)
        found.emplace_back(-x.standing.priority, i->first, candidate{i->second, owner, &what});
    }
  }
  std::sort(found.begin(), found.end(), [](const auto& x, const auto& y) {
    return std::tie(std::get<0>(x), std::get<1>(x)) < std::tie(std::get<0>(y), std::get<1>(y));
  });
  std::map<std::string, holding> more;
  std::vector<candidate> result;
  for (const auto& [rank, arrival, x] : found) {
    auto& of_user = more[standing_of(x.owner).user];
    if (result.size() == most || !allows(x.owner, x.what->what, of_user))
      continue;
    of_user.what += sum_of(x.what->what);
    ++of_user.leases;
    result.push_back(x);
  }
  return result;
}

const allocation_order::shape* allocation_order::waiting_of(std::uint64_t owner) const {
  const auto known = parties_.find(owner);
  return known == parties_.end() || known->second.lines.empty()
             ? nullptr
             : &known->second.lines.begin()->first;
}

room_on_nodes allocation_order::room_on_all_nodes() const {
  room_on_nodes result;
  result.total = total_;
  for (const auto& [owner, x] : parties_) {
    result.held[owner] = x.held.what;
    result.rivals.insert(owner);
  }
  return result;
}

std::vector<std::uint64_t> allocation_order::take_newly_waiting() {
  std::vector<std::uint64_t> result;
  for (auto owner : std::exchange(newly_waiting_, {})) {
    const auto known = parties_.find(owner);
    if (known != parties_.end() && !known->second.is_gone && !known->second.is_served)
      result.push_back(owner);
  }
  return result;
}

allocation_view allocation_order::view_of(std::uint64_t owner) const {
  return view_of(owner, room_on_all_nodes());
}

allocation_view allocation_order::view_of(std::uint64_t owner, const room_on_nodes& open) const {
  allocation_view result;
  const auto known = parties_.find(owner);
  if (known == parties_.end())
    return result;
  const auto& x = known->second;
  result.standing = x.standing;
  result.held = x.held;
  result.of_user = users_.at(x.standing.user).held;
  if (const auto* most = limits_.quota_of(x.standing.user))
    result.quota = *most;
  result.waiting = x.waiting;
  result.stands_aside = x.stands_aside;
  if (x.stands_aside) {
    const auto never = beyond_quota(x.standing.user, x.lines.begin()->first.what);
    result.why = !never.empty()
                     ? "trials wait, as " + never
                     : "no node can run its trials now: it takes no place among the "
                           + std::to_string(limits_.max_experiments)
                           + " experiments that the head serves at" + " once, nor in the queue";
  } else if (!x.is_served && !x.is_gone) {
    const auto at = queue_.find(turn_of(owner, x));
    result.place = static_cast<std::uint64_t>(std::distance(queue_.begin(), at)) + 1;
    result.why = "it is queued at place " + std::to_string(result.place) + ": the head serves "
                 + std::to_string(limits_.max_experiments) + " experiment"
                 + (limits_.max_experiments == 1 ? "" : "s") + " at once";
  } else if (x.waiting > 0) {
    result.why = why_waits(x, open);
  }
  return result;
}

std::string allocation_order::why_waits(const party& x, const room_on_nodes& open) const {
  const auto& asked = x.lines.begin()->first.what;
  const auto& user = x.standing.user;
  const auto& of_user = users_.at(user);
  auto with = of_user.held;
  with.what += sum_of(asked);
  ++with.leases;
  if (auto never = beyond_quota(user, asked); !never.empty())
    return "trials wait, as " + never;
  if (const auto* quota = limits_.quota_of(user); !keeps_to(with, quota))
    return "trials wait for the quota of " + called(user, "this user") + ", " + to_text(*quota)
           + ": one more would make it " + excess_text(with, *quota);
  if (least_ && x.standing.priority < *least_)
    return "trials wait until room is made for priority " + std::to_string(*least_);
  const party* ahead = nullptr;
  for (const auto& [owner, y] : parties_) {
    // One that its quota holds back, or that waits for other nodes, is not served before it.
    const auto is_ahead = y.waiting > 0 && y.standing.priority > x.standing.priority
                          && open.rivals.contains(owner)
                          && allows(owner, y.lines.begin()->first.what, {});
    if (is_ahead && (ahead == nullptr || y.standing.priority > ahead->standing.priority))
      ahead = &y;
  }
  if (ahead != nullptr)
    return "trials wait behind " + called(ahead->standing.name, "an experiment") + ", of priority "
           + std::to_string(ahead->standing.priority);
  return why_no_room(x, sum_of(asked), open);
}

/// Nobody who waits goes first: who holds what it waits for. Experiments of another priority have
/// no part in what shares decide.
std::string allocation_order::why_no_room(const party& x, const resources& asked,
                                          const room_on_nodes& open) const {
  if (!open.awaited.empty())
    return "trials wait until node " + open.awaited + " is ready for them";
  const auto& user = x.standing.user;
  const std::string where = open.is_of_all_nodes ? "" : " on the nodes that may run them";
  const auto lacking = lacking_kind(asked, open);
  if (!lacking && !open.scattered.empty())
    return "trials wait for room" + where + ": " + open.scattered;
  const auto kind = lacking ? *lacking : kinds_of(asked).front();
  const auto out_of_all = " of " + amount_text(kind.of(open.total)) + " " + kind.unit;
  auto held_by = [&](std::uint64_t owner) { return held_of(kind, open, owner); };
  double above = 0, below = 0, beside = 0;
  const party* highest = nullptr;
  const party* lowest = nullptr;
  double most_above = 0, most_below = 0;
  std::map<std::string, double> by_user;
  for (const auto& [owner, y] : parties_) {
    const auto amount = held_by(owner);
    by_user[y.standing.user] += amount;
    const auto is_above = y.standing.priority > x.standing.priority;
    const auto is_below = y.standing.priority < x.standing.priority;
    (is_above ? above : is_below ? below : beside) += amount;
    auto& most = is_above ? most_above : most_below;
    if ((is_above || is_below) && amount > most) {
      (is_above ? highest : lowest) = &y;
      most = amount;
    }
  }
  if (above > 0 && above >= std::max(below, beside))
    return "trials wait for room" + where + ": " + called(highest->standing.name, "an experiment")
           + ", of higher priority " + std::to_string(highest->standing.priority) + ", holds "
           + amount_text(most_above) + out_of_all;
  if (below > 0 && below >= beside)
    return "trials wait for room" + where + ": " + called(lowest->standing.name, "an experiment")
           + ", of lower priority " + std::to_string(lowest->standing.priority) + ", holds "
           + amount_text(most_below) + out_of_all + " until its trials pause or end";
  // The user who holds most, or where that is its own, the experiment.
  const std::string* who = nullptr;
  double most = 0;
  for (const auto& [name, amount] : by_user) {
    if (amount > most) {
      most = amount;
      who = &name;
    }
  }
  if (who == nullptr)
    return {};
  if (*who == user) {
    most = 0;
    for (const auto& [owner, y] : parties_) {
      if (y.standing.user == user && held_by(owner) > most) {
        most = held_by(owner);
        who = &y.standing.name;
      }
    }
    if (*who == x.standing.name)
      return "trials wait for room" + where + ": it holds " + amount_text(most) + out_of_all
             + " itself";
  }
  return "trials wait for their share" + where + ": " + called(*who, "another") + " holds "
         + amount_text(most) + out_of_all;
}

} // namespace tune

// Room for requests of higher priority.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/lease_book.hpp"

#include "tune/core/cluster/making_room.hpp"

#include <algorithm>

namespace tune {

namespace {

/// Requests for which room is made at a time: what else waits is looked at when one of them has it.
constexpr std::size_t most_at_once = 32;

} // namespace

/// Those of the lowest priority first, and of equal priority the newest, in which least is lost.
std::vector<endable_lease> lease_book::endable_below(std::int32_t priority) const {
  std::vector<std::pair<std::int32_t, const std::pair<const lease_id, std::set<std::string>>*>>
      found;
  for (const auto& x : places_) {
    const auto known = leases_.find(x.first);
    if (known == leases_.end() || !known->second.attempt || making_room_.contains(x.first)
        || !owners_.contains(known->second.owner) || unsaving_.contains(known->second.owner))
      continue;
    const auto& standing = order_.standing_of(known->second.owner);
    if (standing.can_make_room && standing.priority < priority)
      found.emplace_back(standing.priority, &x);
  }
  std::sort(found.begin(), found.end(), [](const auto& x, const auto& y) {
    return x.first != y.first ? x.first < y.first : y.second->first < x.second->first;
  });
  std::vector<endable_lease> result;
  for (const auto& [of, x] : found)
    result.push_back({x->first, x->second});
  return result;
}

std::vector<lease_book::room_maker> lease_book::make_room() {
  std::vector<room_maker> result;
  const auto lowest = order_.lowest_that_yields();
  if (!lowest)
    return result;
  const auto wanted = order_.wanted_above(*lowest, most_at_once);
  if (wanted.empty())
    return result;
  // As if what makes room, or is not wanted any more, had ended.
  auto soon = books_;
  for (const auto& [id, x] : places_) {
    const auto known = leases_.find(id);
    const auto is_wanted = known != leases_.end() && owners_.contains(known->second.owner);
    if (!is_wanted || making_room_.contains(id))
      soon.release(id);
  }
  for (const auto& x : wanted) {
    if (grant_in(soon, x.owner, *x.what))
      continue;
    const auto priority = order_.standing_of(x.owner).priority;
    for (auto id : leases_in_the_way(soon, x.owner, *x.what, endable_below(priority))) {
      making_room_[id] = priority;
      soon.release(id);
      result.push_back({id, x.owner});
    }
    static_cast<void>(grant_in(soon, x.owner, *x.what));
  }
  note_floor();
  return result;
}

void lease_book::note_room_made(std::uint64_t owner, const std::string& for_whom) {
  if (!owners_.contains(owner))
    return;
  auto& made = made_room_[owner];
  ++made.times;
  made.for_whom = for_whom;
}

void lease_book::note_saving(std::uint64_t owner, bool can_save) {
  if (can_save || !owners_.contains(owner)) {
    unsaving_.erase(owner);
    return;
  }
  unsaving_.insert(owner);
  std::erase_if(making_room_, [&](const auto& x) {
    const auto known = leases_.find(x.first);
    return known != leases_.end() && known->second.owner == owner;
  });
  note_floor();
  wake();
}

/// What becomes free goes to nobody of lower priority meanwhile.
void lease_book::note_floor() {
  std::optional<std::int32_t> least;
  for (const auto& [id, priority] : making_room_)
    least = std::max(least.value_or(priority), priority);
  order_.serve_only_from(least);
}

} // namespace tune

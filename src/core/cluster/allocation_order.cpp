// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/allocation_order.hpp"

#include <algorithm>

namespace tune {

namespace {

holding& operator+=(holding& x, const resources& what) {
  x.what += what;
  ++x.leases;
  return x;
}

holding& operator-=(holding& x, const resources& what) {
  x.what -= what;
  --x.leases;
  return x;
}

holding& operator+=(holding& x, const holding& y) {
  x.what += y.what;
  x.leases += y.leases;
  return x;
}

} // namespace

resources sum_of(const resource_request& what) {
  resources result;
  for (const auto& bundle : what.bundles)
    result += bundle;
  return result;
}

// -- Ranks.

void allocation_order::rank(std::uint64_t owner, party& x) {
  const auto& standing = x.standing;
  auto& whose = users_.at(standing.user);
  auto& among = whose.groups[standing.priority].parties;
  if (x.rank)
    among.erase(*x.rank);
  x.rank.reset();
  if (x.is_served && !x.hopeful.empty()) {
    const need of{dominant_share(x.held, total_) / standing.share,
                  static_cast<double>(x.held.leases) / standing.share, x.hopeful.begin()->first};
    x.rank = {of, owner};
    among.insert(*x.rank);
  }
  rank(standing.user, whose, standing.priority);
}

void allocation_order::rank(const std::string& name, user& whose, std::int32_t priority) {
  auto& of = whose.groups[priority];
  if (of.rank)
    groups_.erase(*of.rank);
  if (of.parties.empty()) {
    whose.groups.erase(priority);
    return;
  }
  const auto longest = std::get<2>(of.parties.begin()->first);
  of.rank
      = {-priority,
         need{dominant_share(whose.held, total_), static_cast<double>(whose.held.leases), longest},
         name};
  groups_.insert(*of.rank);
}

void allocation_order::rank_all(const std::string& name, user& whose) {
  for (auto i = whose.groups.begin(); i != whose.groups.end();) {
    const auto priority = i->first;
    ++i; // The group may go.
    rank(name, whose, priority);
  }
}

void allocation_order::rank_everything() {
  for (auto& [owner, x] : parties_)
    rank(owner, x);
  for (auto& [name, x] : users_)
    rank_all(name, x);
}

void allocation_order::set_total(const resources& what) {
  if (what == total_)
    return;
  total_ = what;
  rank_everything();
}

// -- Owners.

void allocation_order::note_priority(std::int32_t which, bool is_there) {
  auto& count = priorities_[which];
  count += is_there ? 1 : -std::uint64_t{1};
  if (count == 0)
    priorities_.erase(which);
}

allocation_order::party& allocation_order::party_of(std::uint64_t owner) {
  auto [known, is_new] = parties_.try_emplace(owner);
  if (is_new) {
    ++users_[known->second.standing.user].parties;
    note_priority(known->second.standing.priority, true);
  }
  return known->second;
}

void allocation_order::enter(std::uint64_t owner, owner_standing what, queue_claim claim) {
  auto& x = party_of(owner);
  const auto hopeful = std::exchange(x.hopeful, {});
  rank(owner, x);
  auto& before = users_.at(x.standing.user);
  before.held.what -= x.held.what;
  before.held.leases -= x.held.leases;
  rank_all(x.standing.user, before);
  if (--before.parties == 0)
    users_.erase(x.standing.user);
  note_priority(x.standing.priority, false);
  queue_.erase(turn_of(owner, x));
  x.standing = std::move(what);
  auto& now = users_[x.standing.user];
  ++now.parties;
  now.held += x.held;
  note_priority(x.standing.priority, true);
  if (x.entered == 0) {
    x.entered = claim.arrival != 0 ? claim.arrival : last_entered_ + 1;
    last_entered_ = std::max(last_entered_, x.entered);
    x.was_served = claim.was_served;
    x.is_served = false;
    // What runs already goes on.
    if (limits_.max_experiments == 0 || x.held.leases > 0)
      serve(owner, x);
  }
  if (!x.is_served && !x.stands_aside)
    queue_.insert(turn_of(owner, x));
  x.hopeful = hopeful;
  rank(owner, x);
  rank_all(x.standing.user, now);
  settle(owner, x);
  admit();
}

void allocation_order::admit() {
  while (!is_closed_ && !queue_.empty() && served_ < limits_.max_experiments) {
    const auto owner = std::get<3>(*queue_.begin());
    auto& x = parties_.at(owner);
    serve(owner, x);
    rank(owner, x);
  }
}

void allocation_order::serve(std::uint64_t owner, party& x) {
  queue_.erase(turn_of(owner, x));
  x.is_served = true;
  x.was_served = false;
  ++served_;
  newly_served_.push_back(owner);
}

void allocation_order::note_ran_before(std::uint64_t owner) {
  const auto known = parties_.find(owner);
  if (known == parties_.end() || queue_.erase(turn_of(owner, known->second)) == 0)
    return;
  known->second.was_served = true;
  queue_.insert(turn_of(owner, known->second));
}

void allocation_order::open_queue() {
  is_closed_ = false;
  admit();
}

std::vector<std::uint64_t> allocation_order::take_newly_served() {
  std::vector<std::uint64_t> result;
  std::erase_if(newly_served_, [&](std::uint64_t owner) {
    const auto known = parties_.find(owner);
    if (known == parties_.end() || known->second.is_gone || !known->second.is_served)
      return true;
    const auto has_begun = known->second.waiting > 0 || known->second.held.leases > 0;
    if (has_begun)
      result.push_back(owner);
    return has_begun;
  });
  return result;
}

/// Something has changed about what the experiment holds or waits for: its place may be another.
void allocation_order::settle(std::uint64_t owner, party& x) {
  if (!has_queue() || x.entered == 0 || x.is_gone)
    return;
  const auto is_stuck = x.held.leases == 0 && !x.lines.empty()
                        && std::all_of(x.lines.begin(), x.lines.end(), [&](const auto& line) {
                             return x.unmet.contains(line.first);
                           });
  if (is_stuck == x.stands_aside)
    return;
  x.stands_aside = is_stuck;
  newly_waiting_.insert(owner);
  if (!is_stuck) {
    queue_.insert(turn_of(owner, x));
  } else if (x.is_served) {
    x.is_served = false;
    --served_;
    rank(owner, x);
  } else {
    queue_.erase(turn_of(owner, x));
  }
}

void allocation_order::set_unmet(const std::vector<waiting_line>& which) {
  for (auto& [owner, x] : parties_)
    x.unmet.clear();
  for (const auto& line : which)
    parties_.at(line.owner).unmet.insert(*line.what);
  for (auto& [owner, x] : parties_)
    settle(owner, x);
  admit();
}

void allocation_order::leave(std::uint64_t owner) {
  auto known = parties_.find(owner);
  if (known == parties_.end() || known->second.is_gone)
    return;
  auto& x = known->second;
  if (x.entered != 0 && !x.is_served)
    queue_.erase(turn_of(owner, x));
  else if (x.entered != 0)
    --served_;
  x.is_gone = true;
  note_priority(x.standing.priority, false);
  forget_if_settled(owner);
  admit();
}

void allocation_order::forget_if_settled(std::uint64_t owner) {
  auto& x = parties_.at(owner);
  if (!x.is_gone || x.held.leases > 0)
    return;
  const auto name = x.standing.user;
  x.hopeful.clear();
  rank(owner, x);
  parties_.erase(owner);
  if (--users_.at(name).parties == 0)
    users_.erase(name);
}

// -- Requests.

void allocation_order::hope(party& whose, line_map::iterator where) {
  whose.hopeful.emplace(where->second.begin()->first, where);
}

void allocation_order::add(std::uint64_t token, std::uint64_t owner, shape what, bool is_unmet) {
  auto& x = party_of(owner);
  if (is_unmet)
    x.unmet.insert(what);
  auto [where, is_new] = x.lines.try_emplace(std::move(what));
  const auto arrival = next_arrival_++;
  where->second.emplace(arrival, token);
  waiters_.emplace(token, waiter{owner, arrival, where});
  ++x.waiting;
  if (is_new) {
    hope(x, where);
    rank(owner, x);
  }
  settle(owner, x);
  admit();
}

bool allocation_order::remove(std::uint64_t token) {
  auto gone = waiters_.extract(token);
  if (gone.empty())
    return false;
  const auto [owner, arrival, where] = gone.mapped();
  auto& x = parties_.at(owner);
  const auto was_hopeful = x.hopeful.erase(arrival) > 0;
  where->second.erase(arrival);
  --x.waiting;
  if (where->second.empty()) {
    x.unmet.erase(where->first);
    x.lines.erase(where);
  } else if (was_hopeful) {
    hope(x, where);
  }
  rank(owner, x);
  settle(owner, x);
  admit();
  return true;
}

std::optional<allocation_order::candidate> allocation_order::next() {
  while (!groups_.empty()) {
    const auto priority = -std::get<0>(*groups_.begin());
    if (least_ && priority < *least_)
      return std::nullopt;
    const auto& whose = users_.at(std::get<2>(*groups_.begin()));
    const auto owner = whose.groups.at(priority).parties.begin()->second;
    const auto& x = parties_.at(owner);
    const auto& where = x.hopeful.begin()->second;
    const candidate result{where->second.begin()->second, owner, &where->first};
    if (allows(owner, where->first.what, {}))
      return result;
    set_aside(result);
  }
  return std::nullopt;
}

void allocation_order::set_aside(const candidate& what) {
  auto& x = parties_.at(what.owner);
  x.hopeful.erase(waiters_.at(what.token).arrival);
  rank(what.owner, x);
}

void allocation_order::grant(const candidate& what, lease_id as) {
  const auto taken = sum_of(what.what->what);
  remove(what.token);
  adopt(as, what.owner, taken);
}

void allocation_order::wake() {
  for (auto& [owner, x] : parties_) {
    for (auto i = x.lines.begin(); i != x.lines.end(); ++i)
      hope(x, i);
    rank(owner, x);
  }
}

// -- Leases.

void allocation_order::adopt(lease_id which, std::uint64_t owner, const resources& what) {
  auto& x = party_of(owner);
  leases_[which] = {owner, what};
  x.held += what;
  auto& whose = users_.at(x.standing.user);
  whose.held += what;
  rank(owner, x);
  rank_all(x.standing.user, whose);
  settle(owner, x);
  // What runs already goes on.
  if (x.entered != 0 && !x.is_served && !x.is_gone) {
    serve(owner, x);
    rank(owner, x);
  }
  admit();
}

void allocation_order::free(lease_id which) {
  auto gone = leases_.extract(which);
  if (gone.empty())
    return;
  const auto& [owner, what] = gone.mapped();
  auto& x = parties_.at(owner);
  x.held -= what;
  auto& whose = users_.at(x.standing.user);
  whose.held -= what;
  rank(owner, x);
  rank_all(x.standing.user, whose);
  settle(owner, x);
  forget_if_settled(owner);
  admit();
}

// -- What is there.

bool allocation_order::allows(std::uint64_t owner, const resource_request& what,
                              const holding& more) const {
  const auto known = parties_.find(owner);
  return known == parties_.end()
         || (known->second.is_served && keeps_quota(known->second, what, more));
}

bool allocation_order::keeps_quota(const party& x, const resource_request& what,
                                   const holding& more) const {
  const auto& user = x.standing.user;
  const auto* quota = limits_.quota_of(user);
  if (quota == nullptr)
    return true;
  auto all = users_.at(user).held;
  all += more;
  all += sum_of(what);
  return keeps_to(all, quota);
}

std::uint64_t allocation_order::lacking_room(const waiting_line& which, holding& more) const {
  const auto& x = parties_.at(which.owner);
  if (!x.is_served && !x.stands_aside)
    return 0;
  const auto& asked = which.what->what;
  if (limits_.quota_of(x.standing.user) == nullptr)
    return which.count;
  std::uint64_t result = 0;
  for (; result < which.count && keeps_quota(x, asked, more); ++result)
    more += sum_of(asked);
  return result;
}

bool allocation_order::stands_aside(std::uint64_t owner) const {
  const auto known = parties_.find(owner);
  return known != parties_.end() && known->second.stands_aside;
}

std::string allocation_order::beyond_quota(std::uint64_t owner,
                                           const resource_request& what) const {
  return beyond_quota(standing_of(owner).user, what);
}

std::string allocation_order::beyond_quota(const std::string& user,
                                           const resource_request& what) const {
  const auto* quota = limits_.quota_of(user);
  if (quota == nullptr)
    return {};
  holding alone;
  alone += sum_of(what);
  return keeps_to(alone, quota) ? std::string{}
                                : "the quota of " + (user.empty() ? "this user" : user) + ", "
                                      + to_text(*quota) + ", never allows " + to_text(what);
}

std::vector<allocation_order::waiting_line> allocation_order::lines() const {
  std::vector<waiting_line> result;
  for (const auto& [owner, x] : parties_) {
    for (const auto& [what, waiting] : x.lines)
      result.push_back({owner, &what, waiting.size()});
  }
  return result;
}

const owner_standing& allocation_order::standing_of(std::uint64_t owner) const {
  static const owner_standing unknown;
  const auto known = parties_.find(owner);
  return known == parties_.end() ? unknown : known->second.standing;
}

std::optional<std::int32_t> allocation_order::lowest_that_yields() const {
  std::optional<std::int32_t> result;
  if (priorities_.size() < 2)
    return result;
  for (const auto& [owner, x] : parties_) {
    if (x.standing.can_make_room && !x.is_gone && x.held.leases > 0)
      result = std::min(result.value_or(x.standing.priority), x.standing.priority);
  }
  return result;
}

} // namespace tune

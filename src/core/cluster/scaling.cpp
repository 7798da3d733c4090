// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/scaling.hpp"

#include <algorithm>
#include <utility>

namespace tune {

namespace {

constexpr std::uint64_t most_workers = 10'000;
/// Most workers that one call names: their names have to fit into what a program is started with.
constexpr std::size_t most_named = 100;
constexpr instant first_back_off = std::chrono::seconds{10};
constexpr instant longest_back_off = std::chrono::minutes{10};

bool is_span(instant x) {
  return x >= std::chrono::seconds{1} && x <= std::chrono::hours{24};
}

std::string text_of(const std::vector<pending_bundle>& all) {
  std::string result;
  for (const auto& x : all)
    result
        += (result.empty() ? "" : "; ") + std::to_string(x.count) + " x (" + to_text(x.what) + ")";
  return result;
}

} // namespace

expected<void> validate(const scaling_rules& x) {
  if (x.most < 1 || x.most > most_workers)
    return error{ec::bad_option, "scale_max must be 1 to 10000"};
  if (x.least > x.most)
    return error{ec::bad_option, "scale_min must be 0 to scale_max"};
  if (!is_span(x.cooldown))
    return error{ec::bad_option, "scale_cooldown must be 1s to 24h"};
  if (!is_span(x.down_cooldown))
    return error{ec::bad_option, "scale_down_cooldown must be 1s to 24h"};
  if (x.idle.count() != 0 && !is_span(x.idle))
    return error{ec::bad_option, "scale_idle must be 0, or 1s to 24h"};
  if (!is_span(x.patience))
    return error{ec::bad_option, "scale_patience must be 1s to 24h"};
  return {};
}

instant scaling::back_off(std::uint64_t failures) {
  auto result = instant{0};
  for (std::uint64_t i = 0; i < failures && result < longest_back_off; ++i)
    result = i == 0 ? first_back_off : result * 2;
  return std::min(result, longest_back_off);
}

// -- What is there.

void scaling::note(const cluster_need& need, instant now) {
  std::map<std::string, scaling_worker> there;
  for (const auto& x : need.workers)
    there[x.name] = x;
  for (const auto& [name, x] : there) {
    if (!known_.contains(name))
      note_arrival(x);
    if (x.is_busy) {
      idle_since_.erase(name);
      unproven_.erase(name);
    } else {
      idle_since_.try_emplace(name, now);
    }
  }
  auto is_gone = [&](const auto& x) { return !there.contains(x.first); };
  std::erase_if(idle_since_, is_gone);
  std::erase_if(given_, is_gone);
  std::erase_if(unproven_, [&](const auto& name) { return !there.contains(name); });
  known_ = std::move(there);
  for (; !asked_.empty() && now - asked_.front().when >= rules_.patience; asked_.pop_front())
    missed_ += asked_.front().count;

  std::vector<idle_room> idle;
  for (const auto& [name, since] : idle_since_) {
    const auto& x = known_.at(name);
    if (!given_.contains(name))
      idle.push_back({x.capacity, x.labels, unproven_.contains(name)});
  }
  pending_ = bundles_of(need.pending);
  demand_ = demand_of(need.pending, rules_.worker ? rules_.worker : need.newest, idle, staying(),
                      rules_.most);
}

/// Whoever comes counts for the most demanding kind that it meets, of what was asked for, and for
/// the oldest of all if it meets none.
void scaling::note_arrival(const scaling_worker& who) {
  if (asked_.empty())
    return;
  auto found = asked_.end();
  for (auto i = asked_.begin(); i != asked_.end(); ++i) {
    const auto meets_it
        = std::includes(who.labels.begin(), who.labels.end(), i->demands.begin(), i->demands.end());
    if (meets_it && (found == asked_.end() || i->demands.size() > found->demands.size()))
      found = i;
  }
  if (found == asked_.end())
    found = asked_.begin();
  if (--found->count == 0)
    asked_.erase(found);
  unproven_.insert(who.name);
}

/// What is needed of each kind beside what was asked for, `more` of them in all.
std::vector<scaling_call::kind> scaling::kinds_of(std::uint64_t more) const {
  std::vector<scaling_call::kind> result;
  auto asked_of = [this](const node_labels& demands) {
    std::uint64_t sum = 0;
    for (const auto& x : asked_)
      sum += x.demands == demands ? x.count : 0;
    return sum;
  };
  auto add = [&](const node_labels& demands, std::uint64_t count) {
    count = std::min(count, more);
    more -= count;
    if (count > 0)
      result.push_back({demands, count, asked_of(demands)});
  };
  for (const auto& x : demand_.kinds) {
    const auto before = asked_of(x.demands);
    add(x.demands, x.count > before ? x.count - before : 0);
  }
  // Those that `scale_min` wants, whatever they are.
  add({}, more);
  return result;
}

std::uint64_t scaling::asked() const {
  std::uint64_t result = 0;
  for (const auto& x : asked_)
    result += x.count;
  return result;
}

std::uint64_t scaling::staying() const {
  return known_.size() - given_.size();
}

/// The number that there should be, whatever was asked for already.
std::uint64_t scaling::wanted() const {
  const auto needed = std::max(staying() + demand_.workers, rules_.least);
  return std::max(std::min(needed, rules_.most), staying());
}

// -- What to do.

bool scaling::may_call(instant now, instant cooldown) const {
  if (open_ || is_holding_)
    return false;
  return !was_called_ || now - last_end_ >= std::max(cooldown, back_off(failures_));
}

scaling::action scaling::look(const cluster_need& need, instant now) {
  note(need, now);
  if (auto late = overstayed(now); !std::holds_alternative<std::monostate>(late))
    return late;
  if (auto more = grow(now); !std::holds_alternative<std::monostate>(more))
    return more;
  return shrink(now);
}

scaling::action scaling::overstayed(instant now) {
  if (open_ || is_holding_)
    return {};
  release result{{}, "was free to go, and did not"};
  for (const auto& [name, since] : given_) {
    if (now - since >= rules_.patience)
      result.workers.push_back(name);
  }
  if (result.workers.empty())
    return {};
  for (const auto& name : result.workers) {
    given_.erase(name);
    idle_since_[name] = now;
  }
  return result;
}

scaling::action scaling::grow(instant now) {
  const auto expected_soon = staying() + asked();
  if (wanted() <= expected_soon || !may_call(now, rules_.cooldown))
    return {};
  // Those that were given back may still be there.
  const auto all = known_.size() + asked();
  const auto room = rules_.most > all ? rules_.most - all : 0;
  const auto more = std::min(wanted() - expected_soon, room);
  if (more == 0)
    return {};
  auto what = words();
  what.more = more;
  what.wanted = expected_soon + more;
  what.kinds = kinds_of(more);
  // They may come before the call has ended.
  for (const auto& x : what.kinds)
    asked_.push_back({x.more, now, x.demands});
  return begin(std::move(what), now);
}

scaling::action scaling::shrink(instant now) {
  if (rules_.idle.count() == 0 || !may_call(now, rules_.down_cooldown))
    return {};
  const auto spare = staying() > rules_.least ? staying() - rules_.least : 0;
  std::vector<std::pair<instant, std::string>> idle;
  for (const auto& [name, since] : idle_since_) {
    if (!given_.contains(name) && now - since >= rules_.idle)
      idle.emplace_back(since, name);
  }
  // Those first that were idle for longest.
  std::sort(idle.begin(), idle.end());
  hold result;
  for (const auto& [since, name] : idle) {
    if (result.workers.size() < std::min<std::uint64_t>(spare, most_named))
      result.workers.push_back(name);
  }
  if (result.workers.empty())
    return {};
  is_holding_ = true;
  return result;
}

scaling::action scaling::held(std::vector<std::string> workers, instant now) {
  is_holding_ = false;
  std::erase_if(workers, [&](const auto& name) { return !known_.contains(name); });
  if (workers.empty())
    return {};
  auto what = words();
  for (const auto& name : workers)
    given_[name] = now;
  what.wanted = staying() + asked();
  what.idle = std::move(workers);
  return begin(std::move(what), now);
}

scaling_call scaling::words() const {
  scaling_call result;
  // Those that were named before are no longer counted on.
  result.now = staying();
  result.asked = asked();
  result.pending = pending_;
  result.least = rules_.least;
  result.most = rules_.most;
  return result;
}

scaling::action scaling::begin(scaling_call what, instant now) {
  ++calls_;
  was_called_ = true;
  last_begin_ = now;
  last_end_ = now;
  told_wanted_ = what.wanted;
  wanted_then_ = wanted();
  open_ = call{std::move(what)};
  return *open_;
}

scaling::action scaling::called(const expected<std::optional<std::uint64_t>>& how, instant now) {
  if (!open_)
    return {};
  const auto what = std::exchange(open_, std::nullopt)->what;
  last_end_ = now;
  not_asked(what.more - (how ? std::min(how->value_or(what.more), what.more) : 0));
  if (how) {
    failures_ = 0;
    return {};
  }
  ++failures_;
  last_failure_ = how.error().detail;
  release result{{}, "is kept, as the command failed"};
  for (const auto& name : what.idle) {
    if (given_.erase(name) > 0)
      result.workers.push_back(name);
  }
  if (result.workers.empty())
    return {};
  return result;
}

/// The last call asked for so many fewer.
void scaling::not_asked(std::uint64_t count) {
  while (count > 0 && !asked_.empty() && asked_.back().when == last_begin_) {
    auto& newest = asked_.back().count;
    const auto fewer = std::min(newest, count);
    newest -= fewer;
    count -= fewer;
    if (newest == 0)
      asked_.pop_back();
  }
}

scaling_state scaling::state() const {
  scaling_state result;
  result.wanted = was_called_ && wanted() == wanted_then_ ? told_wanted_ : wanted();
  result.now = known_.size();
  result.asked = asked();
  result.given_back = given_.size();
  result.calls = calls_;
  result.failures = failures_;
  if (was_called_)
    result.last_call = last_begin_;
  result.is_calling = open_.has_value();
  result.last_failure = last_failure_;
  result.missed = missed_;
  result.too_large = text_of(demand_.too_large);
  return result;
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/resource_changing/allocation.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tune::resource_changing {

namespace {

constexpr auto unlimited = std::numeric_limits<std::int64_t>::max();

std::int64_t floor_of(std::int64_t x, std::int64_t by) {
  return x / by - (x % by < 0 ? 1 : 0);
}

std::int64_t amount_of(const std::map<std::string, amount>& from, const std::string& name) {
  auto i = from.find(name);
  return i == from.end() ? 0 : i->second.units;
}

/// How many times `unit` fits into `offered` less `times` times `taken` less `reserve`; negative if
/// more is taken than there is. Dimensions that `unit` lacks do not count.
std::int64_t times_left(const resources& unit, const resources& offered, const resources& taken,
                        std::int64_t times, const resources& reserve) {
  auto result = unlimited;
  auto count = [&](std::int64_t per, std::int64_t there, std::int64_t gone, std::int64_t kept) {
    if (per > 0)
      result = std::min(result, floor_of(there - kept - gone * times, per));
  };
  auto bytes = [](std::uint64_t x) { return static_cast<std::int64_t>(x); };
  count(unit.cpu.units, offered.cpu.units, taken.cpu.units, reserve.cpu.units);
  count(unit.gpu.units, offered.gpu.units, taken.gpu.units, reserve.gpu.units);
  count(bytes(unit.memory), bytes(offered.memory), bytes(taken.memory), bytes(reserve.memory));
  for (const auto& [name, per] : unit.custom)
    count(per.units, amount_of(offered.custom, name), amount_of(taken.custom, name),
          amount_of(reserve.custom, name));
  return result == unlimited ? 0 : result;
}

/// The base plus `times` times `unit`.
resource_request grown(const resource_request& base, const resources& unit, std::int64_t times,
                       bool add_bundles) {
  auto result = base;
  if (add_bundles) {
    result.bundles.insert(result.bundles.end(), static_cast<std::size_t>(times), unit);
    return result;
  }
  auto& own = result.bundles.front();
  auto more = [&](amount& to, amount per) { to += amount{per.units * times}; };
  more(own.cpu, unit.cpu);
  more(own.gpu, unit.gpu);
  own.memory += unit.memory * static_cast<std::uint64_t>(times);
  for (const auto& [name, per] : unit.custom) {
    if (per.units > 0 && times > 0)
      more(own.custom[name], per);
  }
  return result;
}

/// How many times a request has `unit` on top of the base.
std::int64_t times_of(const resource_request& what, const resource_request& base,
                      const resources& unit, bool add_bundles) {
  if (add_bundles)
    return static_cast<std::int64_t>(what.bundles.size())
           - static_cast<std::int64_t>(base.bundles.size());
  auto result = times_left(unit, what.bundles.front(), base.bundles.front(), 1, {});
  return std::max<std::int64_t>(result, 0);
}

/// One question, with what both kinds of allocation need to answer it.
class deal {
public:
  deal(const dealing& how, const situation& now)
      : how_{how}
      , now_{now}
      , unit_{unit_of(how, now.base)}
      , most_{how.increase_by_times == 0 ? unlimited
                                         : static_cast<std::int64_t>(how.increase_by_times)}
      , has_{times(now.live.at(now.trial))}
      , free_{times_left(unit_, now.total, now.used, 1, how.reserve)} {}

  [[nodiscard]] std::int64_t has() const { return has_; }
  [[nodiscard]] std::int64_t free() const { return free_; }

  [[nodiscard]] std::int64_t times(const member& of) const {
    return times_of(*of.counted(), now_.base, unit_, how_.add_bundles);
  }
  [[nodiscard]] bool is_below_limit(const member& of) const { return times(of) < most_; }

  /// Share of the first trial if all units are dealt out anew, one at a time in turn.
  [[nodiscard]] std::int64_t even_share() const {
    auto trials = static_cast<std::int64_t>(now_.live.size());
    auto units = times_left(unit_, now_.total, sum_of(now_.base), trials, how_.reserve);
    return units <= 0 ? 0 : (units + trials - 1) / trials;
  }

  /// Number of units after taking what is free, up to `limit`, or giving back.
  [[nodiscard]] std::int64_t changed(std::int64_t limit) const {
    if (free_ <= 0)
      return std::max<std::int64_t>(has_ + free_, 0);
    return std::min({has_ + free_, limit, most_});
  }

  /// The base with so many units, or with as many as some node could grant.
  [[nodiscard]] resource_request with(std::int64_t wanted) const {
    auto result = grown(now_.base, unit_, wanted, how_.add_bundles);
    const auto& who = now_.live.at(now_.trial);
    if ((wanted == has_ && who.has) || now_.fits(result))
      return result;
    // Find the largest number that fits by bisection: all below it fit, all above do not.
    std::int64_t low = 0;
    auto high = wanted;
    while (high - low > 1) {
      auto middle = low + (high - low) / 2;
      (now_.fits(grown(now_.base, unit_, middle, how_.add_bundles)) ? low : high) = middle;
    }
    return grown(now_.base, unit_, low, how_.add_bundles);
  }

private:
  const dealing& how_;
  const situation& now_;
  resources unit_;
  std::int64_t most_;
  std::int64_t has_;
  std::int64_t free_;

  static resources unit_of(const dealing& how, const resource_request& base) {
    if (how.increase_by)
      return *how.increase_by;
    if (how.add_bundles)
      return base.bundles.back();
    resources result;
    (base.bundles.front().gpu.units > 0 ? result.gpu : result.cpu) = amount::of(1);
    return result;
  }
};

trial_id top_job(const deal& of, const situation& now) {
  for (const auto& x : now.ranking) {
    if (of.is_below_limit(now.live.at(x.trial)))
      return x.trial;
  }
  return now.ranking.begin()->trial;
}

} // namespace

resources sum_of(const resource_request& what) {
  resources result;
  for (const auto& x : what.bundles)
    result += x;
  return result;
}

allocation distribute(dealing how) {
  return [how = std::move(how)](const situation& now) {
    deal what{how, now};
    return what.with(what.changed(what.even_share()));
  };
}

allocation distribute_to_top_job(dealing how) {
  return [how = std::move(how)](const situation& now) {
    deal what{how, now};
    auto only_gives = what.free() >= 0 && top_job(what, now) != now.trial;
    return what.with(only_gives ? what.has() : what.changed(unlimited));
  };
}

} // namespace tune::resource_changing

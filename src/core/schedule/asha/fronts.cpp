// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/asha/fronts.hpp"

#include "tune/core/pareto/dominance.hpp"
#include "tune/core/rng.hpp"

#include <algorithm>

namespace tune::asha {

namespace {

/// Fronts larger than this are cut by a random draw.
constexpr std::size_t most_spread = 256;

std::span<const double> point_at(std::span<const double> values, std::size_t objectives,
                                 std::size_t i) {
  return values.subspan(i * objectives, objectives);
}

/// Uniform draw that depends on the slot alone, whatever other points are added.
std::uint64_t lot_of(std::uint32_t slot) {
  return philox({slot, 0, 0, 0}, {0x61736861, 0x6c6f74})[0];
}

} // namespace

std::uint32_t fronts::insert(std::span<const double> point) {
  auto slot = static_cast<std::uint32_t>(front_of_.size());
  front_of_.push_back(0);
  marked_.push_back(0);
  auto place = std::partition_point(order_.begin(), order_.end(),
                                    [&](std::uint32_t id) { return reaches(fronts_[id], point); });
  auto index = static_cast<std::size_t>(place - order_.begin());
  group moving{{slot}, {point.begin(), point.end()}};
  for (; index < order_.size(); ++index) {
    auto id = order_[index];
    auto pushed = push_back(fronts_[id], moving);
    if (fronts_[id].slots.empty()) {
      // The whole front is pushed back together, and so are those behind it.
      join(id, pushed);
      break;
    }
    join(id, moving);
    sizes_[index] = static_cast<std::uint32_t>(fronts_[id].slots.size());
    if (pushed.slots.empty())
      return slot;
    moving = std::move(pushed);
  }
  make_front(index, moving);
  return slot;
}

std::uint32_t fronts::index_of(std::uint32_t slot) const {
  return place_[front_of_[slot]];
}

std::size_t fronts::before(std::uint32_t index) const {
  std::size_t result = 0;
  for (std::uint32_t i = 0; i < index; ++i)
    result += sizes_[i];
  return result;
}

const std::vector<std::uint32_t>& fronts::members(std::uint32_t index) const {
  return fronts_[order_[index]].slots;
}

fronts::cut fronts::best(std::size_t most) const {
  cut result;
  auto left = most;
  while (result.whole < sizes_.size() && sizes_[result.whole] <= left)
    left -= sizes_[result.whole++];
  if (left == 0 || result.whole == order_.size())
    return result;
  const auto& partly = fronts_[order_[result.whole]];
  if (partly.slots.size() <= most_spread) {
    for (auto i : spread(partly.values, objectives_, left))
      result.rest.push_back(partly.slots[i]);
    return result;
  }
  std::vector<std::pair<std::uint64_t, std::uint32_t>> lots;
  for (auto slot : partly.slots)
    lots.emplace_back(lot_of(slot), slot);
  auto middle = lots.begin() + static_cast<std::ptrdiff_t>(left);
  std::nth_element(lots.begin(), middle, lots.end());
  std::sort(lots.begin(), middle);
  for (auto i = lots.begin(); i != middle; ++i)
    result.rest.push_back(i->second);
  return result;
}

void fronts::mark(std::uint32_t slot, bool on) {
  auto& where = fronts_[front_of_[slot]];
  where.marked -= marked_[slot] != 0 ? 1 : 0;
  where.marked += on ? 1 : 0;
  marked_[slot] = on ? 1 : 0;
}

std::uint32_t fronts::marked_in(std::uint32_t index) const {
  return fronts_[order_[index]].marked;
}

void fronts::describe(fingerprint& into) const {
  into.add(std::uint64_t{order_.size()});
  for (auto id : order_) {
    const auto& x = fronts_[id];
    into.add(std::uint64_t{x.slots.size()});
    for (std::size_t i = 0; i < x.slots.size(); ++i)
      into.add(std::uint64_t{x.slots[i]}).add(std::uint64_t{is_marked(x.slots[i])});
    for (auto y : x.values)
      into.add(y);
  }
}

/// First position whose first score is less than this, or less or equal.
std::size_t fronts::below(const front& where, double score, bool or_equal) const {
  std::size_t low = 0;
  auto high = where.slots.size();
  while (low < high) {
    auto middle = (low + high) / 2;
    auto x = where.values[middle * objectives_];
    if (or_equal ? x > score : x >= score)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Whether a point of the front dominates this one.
bool fronts::reaches(const front& where, std::span<const double> point) const {
  auto end = below(where, point[0], false);
  // With two scores, the second rises as the first falls: the last candidate has the largest one.
  for (auto i = objectives_ == 2 && end > 0 ? end - 1 : 0; i < end; ++i) {
    if (dominates(point_at(where.values, objectives_, i), point))
      return true;
  }
  return false;
}

/// Removes the points that the group dominates.
fronts::group fronts::push_back(front& from, const group& by) const {
  auto m = objectives_;
  std::vector<double> most{by.values.begin(), by.values.begin() + m};
  for (std::size_t i = m; i < by.values.size(); ++i)
    most[i % m] = std::max(most[i % m], by.values[i]);
  group result;
  auto kept = below(from, most[0], true);
  auto i = kept;
  for (; i < from.slots.size(); ++i) {
    auto x = point_at(from.values, m, i);
    if (m == 2 && x[1] > most[1])
      break;
    auto falls = false;
    for (std::size_t j = 0; j < by.slots.size() && !falls; ++j)
      falls = dominates(point_at(by.values, m, j), x);
    if (falls) {
      result.slots.push_back(from.slots[i]);
      result.values.insert(result.values.end(), x.begin(), x.end());
      from.marked -= is_marked(from.slots[i]) ? 1 : 0;
    } else {
      from.slots[kept] = from.slots[i];
      std::copy(x.begin(), x.end(), from.values.begin() + static_cast<std::ptrdiff_t>(kept * m));
      ++kept;
    }
  }
  auto at = [](std::size_t n) { return static_cast<std::ptrdiff_t>(n); };
  from.slots.erase(from.slots.begin() + at(kept), from.slots.begin() + at(i));
  from.values.erase(from.values.begin() + at(kept * m), from.values.begin() + at(i * m));
  return result;
}

void fronts::join(std::uint32_t id, const group& what) {
  auto& where = fronts_[id];
  for (std::size_t i = 0; i < what.slots.size(); ++i) {
    auto x = point_at(what.values, objectives_, i);
    auto place = static_cast<std::ptrdiff_t>(below(where, x[0], false));
    where.slots.insert(where.slots.begin() + place, what.slots[i]);
    where.values.insert(where.values.begin() + place * objectives_, x.begin(), x.end());
    front_of_[what.slots[i]] = id;
    where.marked += is_marked(what.slots[i]) ? 1 : 0;
  }
}

void fronts::make_front(std::size_t index, const group& of) {
  auto id = static_cast<std::uint32_t>(fronts_.size());
  fronts_.emplace_back();
  place_.push_back(0);
  join(id, of);
  auto at = static_cast<std::ptrdiff_t>(index);
  order_.insert(order_.begin() + at, id);
  sizes_.insert(sizes_.begin() + at, static_cast<std::uint32_t>(of.slots.size()));
  for (auto i = index; i < order_.size(); ++i)
    place_[order_[i]] = static_cast<std::uint32_t>(i);
}

} // namespace tune::asha

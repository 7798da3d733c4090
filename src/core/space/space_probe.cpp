// SPDX-License-Identifier: BSD-3-Clause
#include "space_words.hpp"

#include <algorithm>

namespace tune {

namespace {

constexpr double nearly_one = 1 - 0x1p-53;

/// Quantile of a parameter in configuration `n` of a probe: first all at their lower and all at
/// their upper ends, then each at either end or anywhere.
double quantile_of(std::uint64_t n, rng& from) {
  auto u = from.unit();
  auto end = from.below(2) == 0 ? 0 : nearly_one;
  if (n < 2)
    return n == 0 ? 0 : nearly_one;
  if (n % 4 == 3)
    return from.below(2) == 0 ? end : u;
  return n % 2 == 0 ? u : end;
}

} // namespace

/// Configurations in which ranges that may be empty are checked.
struct search_space::probe {
  search_space& space;
  /// Parameters that influence such ranges.
  std::vector<bool> wanted;
  std::vector<value> values;
  std::vector<bool> alive;

  explicit probe(search_space& of) : space{of}, wanted(of.parameters_.size()) {
    for (const auto& x : of.ranges_) {
      if (!x.is_certain)
        add(x.parameter);
    }
  }

  void add(std::size_t i) {
    if (wanted[i])
      return;
    wanted[i] = true;
    for (auto p : space.parents_[i])
      add(p);
    for (auto p : space.range_parents(i))
      add(p);
  }

  [[nodiscard]] std::vector<const value*> pointers(const std::vector<std::size_t>& parents) const {
    std::vector<const value*> result;
    for (auto p : parents)
      result.push_back(alive[p] ? &values[p] : nullptr);
    return result;
  }

  /// @returns an error if a range is empty in configuration `n`.
  std::optional<error> look(std::uint64_t n) {
    rng from{0, "ranges of a space", n};
    values.assign(wanted.size(), {});
    alive.assign(wanted.size(), false);
    for (auto i : space.order_) {
      if (!wanted[i])
        continue;
      auto u = quantile_of(n, from);
      const auto& x = space.parameters_[i];
      alive[i] = !x.active_if || x.active_if->decide(pointers(space.parents_[i])).value_or(false);
      if (!alive[i])
        continue;
      if (!space.is_dependent(i)) {
        values[i] = at_quantile(x.what, u);
        continue;
      }
      auto& of = space.ranges_[space.range_numbers_[i]];
      auto read = pointers(of.reads);
      auto here = space.range_of(i, read);
      if (!here)
        return is_refused() ? std::nullopt : std::optional{why(of, read)};
      values[i] = at_quantile(*here, u);
      note(of, read);
    }
    return std::nullopt;
  }

  /// Whether the constraint refuses the configuration anyway.
  [[nodiscard]] bool is_refused() const {
    return space.constraint_ && !space.constraint_->allows(pointers(space.constrained_));
  }

  void note(range& of, const std::vector<const value*>& read) const {
    const auto& what = space.written(of);
    auto here = bounds_of(what, read);
    if (of.meeting.empty() && meets(what, *here.low, *here.high))
      of.meeting = shown(of.reads);
  }

  /// Text such as "a = 1 and kernel = rbf", of the parents that are present.
  [[nodiscard]] std::string shown(const std::vector<std::size_t>& parents) const {
    std::string result;
    std::vector<bool> had(wanted.size());
    for (auto p : parents) {
      if (!alive[p] || had[p])
        continue;
      had[p] = true;
      result += (result.empty() ? "" : " and ") + space.parameters_[p].name + " = "
                + to_text(values[p]);
    }
    return result;
  }

  [[nodiscard]] error why(const range& of, const std::vector<const value*>& read) const {
    const auto& x = space.parameters_[of.parameter];
    auto absent = std::find(read.begin(), read.end(), nullptr);
    if (absent != read.end()) {
      const auto& missing
          = space.parameters_[of.reads[static_cast<std::size_t>(absent - read.begin())]];
      auto where = shown(space.parents_[of.reads[static_cast<std::size_t>(absent - read.begin())]]);
      return about(x.name,
                   "its range " + to_text(x.what) + " reads " + in_quotes(missing.name)
                       + ", which is absent where " + (where.empty() ? "others are" : where)
                       + "; give it a condition that implies: " + missing.active_if->text(),
                   ec::bad_option);
    }
    return about(x.name,
                 "its range " + to_text(x.what) + " is empty where " + shown(of.reads) + ": "
                     + why_empty(space.written(of), bounds_of(space.written(of), read))
                     + "; change the bounds, with min or max, or add a constraint",
                 ec::bad_option);
  }
};

std::optional<error> search_space::look_for_empty_ranges() {
  are_certain_
      = std::all_of(ranges_.begin(), ranges_.end(), [](const range& x) { return x.is_certain; });
  if (are_certain_)
    return std::nullopt;
  probe uut{*this};
  constexpr std::size_t most_values = 400'000;
  auto size = static_cast<std::size_t>(std::count(uut.wanted.begin(), uut.wanted.end(), true));
  auto draws = std::clamp<std::size_t>(most_values / size, 200, 4'000);
  for (std::uint64_t n = 0; n < draws; ++n) {
    if (auto wrong = uut.look(n))
      return wrong;
  }
  return std::nullopt;
}

} // namespace tune

// What all explorers need; the usual one draws in perturbation.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/pbt/explorer.hpp"

#include "tune/core/space/quantum.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace tune::pbt {

namespace {

std::int64_t clamped(double x, std::int64_t low, std::int64_t high) {
  // Compared as floats, since the cast is undefined beyond 2^63.
  if (x <= static_cast<double>(low))
    return low;
  return x >= static_cast<double>(high) ? high : static_cast<std::int64_t>(x);
}

/// Puts a number into the domain.
struct fitter {
  double x;

  value operator()(const float_range& d) const {
    if (d.step <= 0)
      return std::clamp(x, d.low, d.high);
    auto k = std::clamp(std::nearbyint(x / d.step), std::round(d.low / d.step),
                        std::round(d.high / d.step));
    return multiple_of(d.step, k);
  }
  value operator()(const int_range& d) const {
    if (d.step <= 1)
      return clamped(std::nearbyint(x), d.low, d.high - 1);
    auto [first, last] = steps_between(d.low, d.high, d.step);
    return d.step * clamped(std::nearbyint(x / static_cast<double>(d.step)), first, last);
  }
  value operator()(const normal_range& d) const {
    return d.step > 0 ? multiple_of(d.step, std::nearbyint(x / d.step)) : x;
  }
  value operator()(const constant& d) const { return d.what; }
  template <class List>
  value operator()(const List&) const {
    return x;
  }
};

/// Sets a dotted path in nested objects; creates missing ones.
void set_path(object& where, std::string_view path, const value& what) {
  auto dot = path.find('.');
  if (where.contains(path) || dot == path.npos) {
    where.set(path, what);
    return;
  }
  auto* inner = where.find(path.substr(0, dot));
  if (inner == nullptr || inner->as_object() == nullptr)
    inner = &where.set(path.substr(0, dot), object{});
  set_path(*inner->as_object(), path.substr(dot + 1), what);
}

/// The values of a configuration in the order of the space's parameters.
struct filled {
  std::vector<value> values;
  std::vector<bool> given;
};

filled read(const search_space& space, const object& from, const std::vector<change>& changes) {
  filled result;
  for (const auto& x : space.parameters()) {
    const auto* known = find_parameter(from, x.name);
    auto changed = std::find_if(changes.begin(), changes.end(),
                                [&](const change& y) { return y.parameter == x.name; });
    result.values.push_back(changed != changes.end() ? changed->to
                            : known != nullptr       ? *known
                                                     : value{});
    result.given.push_back(changed != changes.end() || known != nullptr);
  }
  return result;
}

/// Domain that a parameter is drawn from.
const domain& domain_of(const parameter& what, std::span<const mutable_parameter> own) {
  auto known = std::find_if(own.begin(), own.end(),
                            [&](const mutable_parameter& x) { return x.name == what.name; });
  return known == own.end() ? what.what : known->what;
}

/// Notes a further change of a value, beyond the one that was wanted.
void note(std::vector<change>& changes, const std::string& name, const value& from, const value& to,
          const std::string& how) {
  auto known = std::find_if(changes.begin(), changes.end(),
                            [&](const change& x) { return x.parameter == name; });
  if (known == changes.end())
    changes.push_back({name, from, to, how});
  else
    *known = {name, known->from, to, known->how + ", " + how};
}

/// Moves a value into the range that holds now. @returns false if there is no such range.
bool fit_into_range(const search_space& space, std::size_t i, filled& what,
                    std::vector<change>& changes) {
  auto range = space.range_here(i, what.values);
  if (!range)
    return false;
  auto& now = what.values[i];
  auto number = now.number();
  if (contains(*range, now) || !number)
    return true;
  auto moved = nearest_in(*range, *number);
  note(changes, space.parameters()[i].name, now, moved, "moved into its range");
  now = std::move(moved);
  return true;
}

/// Draws active parameters without a value, and moves values that are out of range. Parents come
/// first, since others depend on them. @returns the name of a parameter without a range.
std::string_view complete(const search_space& space, filled& what, std::vector<change>& changes,
                          dice& with, std::span<const mutable_parameter> own) {
  for (auto i : space.order()) {
    auto depends = space.is_dependent(i);
    if ((what.given[i] && !depends) || !space.active(what.values)[i])
      continue;
    const auto& x = space.parameters()[i];
    if (!what.given[i]) {
      const auto& wanted = domain_of(x, own);
      auto here = std::holds_alternative<dependent_range>(wanted) ? space.range_here(i, what.values)
                                                                  : std::optional{wanted};
      if (!here)
        return x.name;
      const auto* only = std::get_if<constant>(&*here);
      what.values[i] = only != nullptr ? only->what : at_quantile(*here, with.unit());
      what.given[i] = true;
      changes.push_back({x.name, {}, what.values[i], "newly active"});
    }
    if (depends && !fit_into_range(space, i, what, changes))
      return x.name;
  }
  return {};
}

/// Name of the random stream. Those of rounds differ from those of iterations with the same number.
std::string stream_of(std::string_view rule, const occasion& when, trial_id target) {
  auto result = std::string{rule} + "." + std::to_string(target.number);
  return when.lineage == 0 ? result : result + "." + std::to_string(when.lineage);
}

/// Copies what is not part of the space.
void copy_others(const search_space& space, const object& from, object& to) {
  for (const auto& [name, what] : from) {
    auto is_of_space = [&name = name](const parameter& x) {
      return x.name == name || x.name.starts_with(name + '.');
    };
    const auto& all = space.parameters();
    if (std::none_of(all.begin(), all.end(), is_of_space))
      to.set(name, what);
  }
}

} // namespace

seeded_dice::seeded_dice(std::uint64_t seed, std::string_view rule, const occasion& when,
                         trial_id target)
    : draw_{seed, stream_of(rule, when, target), when.number} {}

value nearest_in(const domain& range, double x) {
  return std::visit(fitter{x}, range);
}

std::vector<value> changed_values(const search_space& space, const object& from,
                                  const std::vector<change>& changes) {
  return read(space, from, changes).values;
}

explored settle(const search_space* space, const object& from, std::vector<change> changes,
                dice& with, std::span<const mutable_parameter> own) {
  explored result{from, std::move(changes)};
  if (space == nullptr) {
    for (const auto& x : result.changes)
      set_path(result.config, x.parameter, x.to);
    return result;
  }
  auto now = read(*space, from, result.changes);
  if (auto empty = complete(*space, now, result.changes, with, own); !empty.empty())
    return {from, {}, "nothing was changed: \"" + std::string{empty} + "\" would have no range"};
  auto active = space->active(now.values);
  for (std::size_t i = 0; i < active.size(); ++i) {
    const auto& name = space->parameters()[i].name;
    if (active[i])
      continue;
    std::erase_if(result.changes, [&](const change& x) { return x.parameter == name; });
    if (const auto* before = find_parameter(from, name))
      result.changes.push_back({name, *before, {}, "no longer active"});
  }
  result.config = space->assemble(now.values);
  copy_others(*space, from, result.config);
  return result;
}

} // namespace tune::pbt

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/pbt/explorer.hpp"

#include <algorithm>
#include <string>

namespace tune::pbt {

namespace {

/// Sets a dotted path in nested objects, which are made where missing.
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

/// What a parameter is drawn from.
const domain& domain_of(const parameter& what, std::span<const mutable_parameter> own) {
  auto known = std::find_if(own.begin(), own.end(),
                            [&](const mutable_parameter& x) { return x.name == what.name; });
  return known == own.end() ? what.what : known->what;
}

/// Draws what is active and has no value yet: parents first, for they decide about the others.
void draw_missing(const search_space& space, filled& what, std::vector<change>& changes, dice& with,
                  std::span<const mutable_parameter> own) {
  for (auto i : space.order()) {
    if (what.given[i] || !space.active(what.values)[i])
      continue;
    const auto& x = space.parameters()[i];
    const auto& from = domain_of(x, own);
    const auto* only = std::get_if<constant>(&from);
    what.values[i] = only != nullptr ? only->what : at_quantile(from, with.unit());
    what.given[i] = true;
    changes.push_back({x.name, {}, what.values[i], "newly active"});
  }
}

/// Rounds have streams of their own: the same number may be that of an iteration.
std::string stream_of(std::string_view rule, const occasion& when, trial_id target) {
  auto result = std::string{rule} + "." + std::to_string(target.number);
  return when.lineage == 0 ? result : result + "." + std::to_string(when.lineage);
}

/// What the space says nothing about.
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

explored settle(const search_space* space, const object& from, std::vector<change> changes,
                dice& with, std::span<const mutable_parameter> own) {
  explored result{from, std::move(changes)};
  if (space == nullptr) {
    for (const auto& x : result.changes)
      set_path(result.config, x.parameter, x.to);
    return result;
  }
  auto now = read(*space, from, result.changes);
  draw_missing(*space, now, result.changes, with, own);
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

// SPDX-License-Identifier: BSD-3-Clause
#include "loading.hpp"

#include "tune/core/space/comparison.hpp"
#include "tune/core/space/space.hpp"

#include <utility>

namespace tune {

namespace {

/// A copy of `config` in which keys such as "optimizer.lr" became nested objects.
object nested(const object& config, const search_space& space) {
  object result;
  for (const auto& [name, what] : config) {
    auto dot = name.find('.');
    if (dot == name.npos || space.find(name) == nullptr) {
      result.set(name, what);
      continue;
    }
    auto* level = &result;
    std::size_t begin = 0;
    for (; dot != name.npos; begin = dot + 1, dot = name.find('.', begin)) {
      auto part = std::string_view{name}.substr(begin, dot - begin);
      auto* next = level->find(part);
      if (next == nullptr || next->as_object() == nullptr)
        next = &level->set(part, object{});
      level = next->as_object();
    }
    level->set(std::string_view{name}.substr(begin), what);
  }
  return result;
}

/// JSON writes 1 where a float 1.0 is meant.
void make_floats(object& config, const search_space& space, const std::string& prefix) {
  for (const auto& [name, what] : object{config}) {
    auto full = prefix.empty() ? name : prefix + "." + name;
    const auto* parameter = space.find(full);
    if (parameter == nullptr && what.as_object() != nullptr)
      make_floats(*config.find(name)->as_object(), space, full);
    if (parameter == nullptr || what.as_int() == nullptr)
      continue;
    if (std::holds_alternative<float_range>(parameter->what)
        || std::holds_alternative<normal_range>(parameter->what))
      config.set(name, static_cast<double>(*what.as_int()));
  }
}

/// Removes the parameter at a dotted path.
void erase_parameter(object& from, std::string_view name) {
  auto dot = name.find('.');
  if (from.erase(name) || dot == name.npos)
    return;
  auto* inner = from.find(name.substr(0, dot));
  if (inner != nullptr && inner->as_object() != nullptr)
    erase_parameter(*inner->as_object(), name.substr(dot + 1));
}

/// Whether a parameter is a constant of a source that goes before that of the points: fixed for
/// this once.
bool is_fixed_over_points(const loading& x, const parameter& of) {
  const auto* points = x.find("search", "points");
  const auto* entry = x.find("space", of.name);
  return std::holds_alternative<constant>(of.what) && points != nullptr && entry != nullptr
         && entry->origin.from > points->origin.from;
}

/// Says what of a point gives way to what.
void note_given_way(loading& x, std::size_t number, const parameter& which, const value& given,
                    const parameter& fixed) {
  x.warnings.push_back(to_text(x.origin("search", "points")) + ": [search] points: number "
                       + std::to_string(number) + ": " + which.name + " = " + to_text(given)
                       + " gives way to " + fixed.name + " = " + to_text(fixed.what) + " ("
                       + to_text(x.origin("space", fixed.name)) + ")");
}

/// Takes out of a point what a parameter that was fixed for this once makes impossible: other
/// values of it, and what is inactive now.
void give_way(loading& x, std::size_t number, object& point) {
  const parameter* fixed = nullptr;
  for (const auto& each : x.space->parameters()) {
    const auto* given = find_parameter(point, each.name);
    if (given == nullptr || !is_fixed_over_points(x, each))
      continue;
    if (!compare(*given, relation::equal, std::get<constant>(each.what).what)) {
      note_given_way(x, number, each, *given, each);
      fixed = &each;
    }
    erase_parameter(point, each.name);
  }
  // What is known and in its domain can only be refused because it is not active.
  while (auto why = fixed == nullptr ? std::nullopt : x.space->reject(point, true)) {
    const auto* inactive = x.space->find(leading_name(why->detail));
    const auto* given = inactive == nullptr ? nullptr : find_parameter(point, inactive->name);
    if (given == nullptr || !inactive->active_if || !contains(inactive->what, *given))
      return;
    note_given_way(x, number, *inactive, *given, *fixed);
    erase_parameter(point, inactive->name);
  }
}

} // namespace

void check_points(loading& x) {
  std::size_t number = 0;
  for (auto& point : x.what.search.points) {
    ++number;
    point = nested(point, *x.space);
    make_floats(point, *x.space, "");
    give_way(x, number, point);
    if (auto why = x.space->reject(point, true))
      x.refuse("search", "points", "points: number " + std::to_string(number) + ": " + why->detail);
  }
}

} // namespace tune

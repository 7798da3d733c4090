// SPDX-License-Identifier: BSD-3-Clause
#include "loading.hpp"

#include "tune/core/space/comparison.hpp"
#include "tune/core/space/space.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/fit_config.hpp"

#include <cmath>
#include <utility>

namespace tune {

namespace {

/// Removes the parameter at a dotted path.
void erase_parameter(object& from, std::string_view name) {
  auto dot = name.find('.');
  if (from.erase(name) || dot == name.npos)
    return;
  auto* inner = from.find(name.substr(0, dot));
  if (inner != nullptr && inner->as_object() != nullptr)
    erase_parameter(*inner->as_object(), name.substr(dot + 1));
}

/// Whether a parameter is a constant from a source with precedence over that of the points, and so
/// fixed for this run.
bool is_fixed_over_points(const loading& x, const parameter& of) {
  const auto* points = x.find("search", "points");
  const auto* entry = x.find("space", of.name);
  return std::holds_alternative<constant>(of.what) && points != nullptr && entry != nullptr
         && entry->origin.from > points->origin.from;
}

/// Warns that a value in a point is dropped in favour of a fixed parameter.
void note_given_way(loading& x, std::size_t number, const parameter& which, const value& given,
                    const parameter& fixed) {
  x.warnings.push_back(to_text(x.origin("search", "points")) + ": [search] points: number "
                       + std::to_string(number) + ": " + which.name + " = " + to_text(given)
                       + " gives way to " + fixed.name + " = " + to_text(fixed.what) + " ("
                       + to_text(x.origin("space", fixed.name)) + ")");
}

/// Removes values from a point that conflict with a parameter fixed for this run: other values of
/// it, and parameters that are now inactive.
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
  // A known parameter with a value in its domain can only be rejected for being inactive.
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

namespace {

/// Why a known result cannot be used in this experiment; empty if it can.
std::string why_unknown(const loading& x, known_point& point) {
  const auto rule = repeat_rule_of(x.what);
  if (rule.is_on() && point.config.find(rule.parameter) != nullptr)
    return "\"" + rule.parameter
           + "\": a result is that of all runs of a configuration; leave it out";
  auto whole = complete_config(point.config, *x.space);
  if (!whole)
    return whole.error().detail;
  point.config = std::move(*whole);
  for (const auto& each : x.what.experiment.objectives) {
    const auto* found = find_path(point.metrics, each.metric);
    auto number = found == nullptr ? std::nullopt : found->number();
    if (!number || !std::isfinite(*number))
      return "its metrics have no finite number for " + each.metric;
  }
  const auto* iteration = point.metrics.find("training_iteration");
  if (iteration != nullptr && (iteration->as_int() == nullptr || *iteration->as_int() < 1))
    return "training_iteration must be a whole number >= 1";
  return {};
}

} // namespace

void check_known(loading& x) {
  std::size_t number = 0;
  for (auto& point : x.what.search.known) {
    ++number;
    if (auto why = why_unknown(x, point); !why.empty())
      x.refuse("search", "known", "known: number " + std::to_string(number) + ": " + why);
  }
}

void check_points(loading& x) {
  std::size_t number = 0;
  const auto rule = repeat_rule_of(x.what);
  for (auto& point : x.what.search.points) {
    ++number;
    point = fit_config(point, *x.space);
    if (rule.is_on() && point.find(rule.parameter) != nullptr)
      x.refuse("search", "points",
               "points: number " + std::to_string(number) + ": \"" + rule.parameter
                   + "\": each run of a configuration gets a number of its own; leave it out");
    give_way(x, number, point);
    if (auto why = x.space->reject(point, true))
      x.refuse("search", "points", "points: number " + std::to_string(number) + ": " + why->detail);
  }
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/fit_config.hpp"

#include "tune/core/space/nearest.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tune {

namespace {

/// A copy of `config` in which keys such as "optimizer.lr" are nested objects.
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

/// Writes each value as its domain does: whole numbers as floats where the space has floats, and
/// the other way round, since programs write 1 for 1.0 in JSON, and 1.0 for 1; and the members of
/// subsets in the domain's order.
void rewrite(object& config, const search_space& space, const std::string& prefix) {
  for (const auto& [name, what] : object{config}) {
    auto full = prefix.empty() ? name : prefix + "." + name;
    const auto* parameter = space.find(full);
    if (parameter == nullptr && what.as_object() != nullptr)
      rewrite(*config.find(name)->as_object(), space, full);
    if (parameter == nullptr)
      continue;
    config.set(name, as_drawn(parameter->what, what));
  }
}

/// The value of each parameter; omitted constants get their values, too.
std::vector<value> values_of(const object& config, const search_space& space) {
  std::vector<value> result;
  for (const auto& x : space.parameters()) {
    const auto* given = find_parameter(config, x.name);
    const auto* fixed = std::get_if<constant>(&x.what);
    result.push_back(given != nullptr ? *given : fixed != nullptr ? fixed->what : value{});
  }
  return result;
}

} // namespace

object fit_config(const object& config, const search_space& space) {
  auto result = nested(config, space);
  rewrite(result, space, "");
  return result;
}

expected<object> complete_config(const object& config, const search_space& space) {
  auto given = fit_config(config, space);
  if (auto why = space.reject(given, true))
    return error{ec::bad_option, why->detail};
  auto values = values_of(given, space);
  auto active = space.active(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& name = space.parameters()[i].name;
    if (active[i] && values[i].is_null() && find_parameter(given, name) == nullptr
        && !space.parameters()[i].numbers_runs)
      return error{ec::bad_option, "\"" + name + "\": is missing"};
  }
  auto result = space.assemble(values);
  for (const auto& x : space.parameters()) {
    if (x.numbers_runs && find_parameter(given, x.name) == nullptr)
      result.erase(x.name);
  }
  if (auto why = space.reject(result, false))
    return error{ec::bad_option, why->detail};
  return result;
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/space/object_parameters.hpp"

#include <algorithm>

namespace tune {

namespace {

/// Whether some values of the domain are objects.
bool has_objects(const domain& what) {
  auto are_some = [](const std::vector<value>& all) {
    return std::any_of(all.begin(), all.end(),
                       [](const value& x) { return x.as_object() != nullptr; });
  };
  if (const auto* choice = std::get_if<choice_of>(&what))
    return are_some(choice->options);
  if (const auto* grid = std::get_if<grid_of>(&what))
    return are_some(grid->options);
  const auto* fixed = std::get_if<constant>(&what);
  return fixed != nullptr && fixed->what.as_object() != nullptr;
}

void flatten_part(std::vector<std::pair<std::string, value>>& to, const std::string& prefix,
                  const object& from, std::span<const std::string> whole) {
  for (const auto& [name, what] : from) {
    auto path = prefix + name;
    const auto* inner = what.as_object();
    if (inner != nullptr && !inner->empty()
        && std::find(whole.begin(), whole.end(), path) == whole.end())
      flatten_part(to, path + '.', *inner, whole);
    else
      to.emplace_back(std::move(path), what);
  }
}

} // namespace

std::vector<std::string> object_parameters(const search_space& space) {
  std::vector<std::string> result;
  for (const auto& x : space.parameters()) {
    if (has_objects(x.what))
      result.push_back(x.name);
  }
  return result;
}

std::vector<std::pair<std::string, value>> flatten(const object& config,
                                                   std::span<const std::string> whole) {
  std::vector<std::pair<std::string, value>> result;
  flatten_part(result, {}, config, whole);
  return result;
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/variant/exclusion.hpp"

#include <algorithm>
#include <optional>

namespace tune::variant_search {

namespace {

/// Whether each parameter is active; empty if that depends on unknown values.
///
/// Despite a missing value, conditions and constraints decide only if they decide alike for every
/// value; otherwise they are undecided.
std::vector<std::optional<bool>> activity(const search_space& space,
                                          const std::vector<const value*>& known) {
  std::vector<std::optional<bool>> result(known.size(), true);
  for (auto i : space.order()) {
    const auto& rule = space.parameters()[i].active_if;
    if (!rule)
      continue;
    std::vector<const value*> read;
    auto open = false;
    for (auto p : space.parents(i)) {
      read.push_back(result[p] == true ? known[p] : nullptr);
      open = open || !result[p] || (result[p] == true && known[p] == nullptr);
    }
    result[i] = rule->decide(read);
    if (!result[i] && !open)
      result[i] = false;
  }
  return result;
}

} // namespace

bool excludes(const search_space& space, const std::vector<const value*>& known) {
  const auto* rule = space.constraint();
  if (rule == nullptr)
    return false;
  const auto alive = activity(space, known);
  const auto& parameters = space.parameters();
  std::vector<const value*> read;
  for (const auto& name : rule->names()) {
    auto found = std::find_if(parameters.begin(), parameters.end(),
                              [&](const parameter& x) { return x.name == name; });
    auto i = static_cast<std::size_t>(found - parameters.begin());
    read.push_back(alive[i] == true ? known[i] : nullptr);
  }
  return !rule->allows(read);
}

} // namespace tune::variant_search

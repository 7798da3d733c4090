// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/readiness.hpp"

#include <algorithm>

namespace tune {

unsigned readiness::refusals(const pair& of) const {
  auto known = counts_.find(of);
  return known == counts_.end() ? 0 : known->second.times;
}

std::optional<readiness::pause> readiness::refused(const pair& of, unsigned seen, bool is_passing) {
  auto& known = counts_[of];
  if (known.times != seen)
    return std::nullopt;
  ++known.times;
  known.lasting = is_passing ? 0 : known.lasting + 1;
  return pause{length(known.times, is_passing), known.times};
}

std::optional<readiness::pause> readiness::was_ready(const pair& of, unsigned seen) {
  auto known = counts_.find(of);
  if (known == counts_.end())
    return std::nullopt;
  if (known->second.times == seen) {
    counts_.erase(known);
    return std::nullopt;
  }
  if (known->second.lasting > 0)
    return std::nullopt;
  return pause{rules_.first, known->second.times};
}

bool readiness::ends(const pair& of, unsigned times) const {
  auto known = counts_.find(of);
  return known != counts_.end() && known->second.times == times;
}

std::set<std::string> readiness::never_ready(std::uint64_t owner) const {
  std::set<std::string> result;
  for (auto i = counts_.lower_bound({owner, {}}); i != counts_.end() && i->first.first == owner;
       ++i) {
    if (i->second.lasting >= rules_.most_refusals)
      result.insert(i->first.second);
  }
  return result;
}

void readiness::forget_node(const std::string& node) {
  std::erase_if(counts_, [&](const auto& x) { return x.first.second == node; });
}

void readiness::forget_owner(std::uint64_t owner) {
  std::erase_if(counts_, [&](const auto& x) { return x.first.first == owner; });
}

std::chrono::seconds readiness::length(unsigned times, bool is_passing) const {
  const auto longest = is_passing ? rules_.longest_passing : rules_.longest;
  auto result = rules_.first;
  while (--times > 0 && result < longest)
    result *= rules_.growth;
  return std::min(result, longest);
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/variant/odometer.hpp"

#include <algorithm>

namespace tune::variant_search {

namespace {

/// Compares paths part by part, as Ray Tune does: "a.b" before "a-b".
bool path_before(std::string_view a, std::string_view b) {
  auto rank = [](char c) { return c == '.' ? 0 : static_cast<unsigned char>(c) + 1; };
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [&](char x, char y) { return rank(x) < rank(y); });
}

/// Everything that decides whether parameter `i` is active.
std::vector<std::size_t> ancestors(const search_space& space, std::size_t i) {
  std::vector<bool> seen(space.parameters().size());
  std::vector<std::size_t> result;
  std::vector<std::size_t> open = space.parents(i);
  while (!open.empty()) {
    auto p = open.back();
    open.pop_back();
    if (seen[p])
      continue;
    seen[p] = true;
    result.push_back(p);
    open.insert(open.end(), space.parents(p).begin(), space.parents(p).end());
  }
  return result;
}

/// Number of combinations ahead that are duplicates for the same reason: an inactive `x` that
/// is not at its first value stays so until one of its causes turns, or it reaches its first value.
std::uint64_t hop_of(const digit& x, const std::vector<bool>& active) {
  auto result = x.stride * x.size;
  for (const auto& cause : x.causes) {
    // The value of an inactive parameter decides nothing; whatever makes it inactive is itself a
    // cause.
    if (active[cause.parameter])
      result = std::min(result, cause.stride);
  }
  return result;
}

} // namespace

expected<odometer> odometer::make(const search_space& space, const std::vector<bool>& fixed) {
  odometer result;
  const auto& parameters = space.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (const auto* grid = std::get_if<grid_of>(&parameters[i].what); grid && !fixed[i])
      result.digits_.push_back({i, grid->options.size(), 1, parameters[i].active_if.has_value()});
  }
  std::sort(result.digits_.begin(), result.digits_.end(), [&](const digit& a, const digit& b) {
    return path_before(parameters[a.parameter].name, parameters[b.parameter].name);
  });
  for (auto& x : result.digits_) {
    x.stride = result.combinations_;
    if (x.size > most / result.combinations_)
      return error{ec::bad_option, '"' + parameters[x.parameter].name
                                       + "\": with it the grids have more than 2^62 combinations"};
    result.combinations_ *= x.size;
    result.conditional_ = result.conditional_ || x.conditional;
  }
  result.find_causes(space, fixed);
  return result;
}

void odometer::find_causes(const search_space& space, const std::vector<bool>& fixed) {
  for (auto& x : digits_) {
    for (auto p : ancestors(space, x.parameter)) {
      if (fixed[p] || std::holds_alternative<constant>(space.parameters()[p].what))
        continue;
      auto i = std::find_if(digits_.begin(), digits_.end(),
                            [p](const digit& y) { return y.parameter == p; });
      x.causes.push_back({p, i == digits_.end() ? 1 : i->stride});
    }
  }
}

std::optional<std::uint64_t> odometer::skip(std::uint64_t c,
                                            const std::vector<bool>& active) const {
  std::uint64_t hop = 0;
  for (const auto& x : digits_) {
    if (x.conditional && !active[x.parameter] && x.at(c) != 0)
      hop = std::max(hop, hop_of(x, active));
  }
  if (hop == 0)
    return std::nullopt;
  return (c / hop + 1) * hop;
}

} // namespace tune::variant_search

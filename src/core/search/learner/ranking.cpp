// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/learner/ranking.hpp"

#include "tune/core/pareto/dominance.hpp"

#include <algorithm>
#include <cmath>

namespace tune::learning {

namespace {

/// Mean violation of each constraint among results that violate it; 1 if none does.
std::vector<double> scales(std::span<const result> of) {
  std::vector<double> sums;
  std::vector<double> counts;
  for (const auto& x : of) {
    sums.resize(std::max(sums.size(), x.missed.size()));
    counts.resize(sums.size());
    for (std::size_t i = 0; i < x.missed.size(); ++i) {
      if (x.missed[i] > 0 && std::isfinite(x.missed[i])) {
        sums[i] += x.missed[i];
        ++counts[i];
      }
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i)
    sums[i] = counts[i] > 0 ? sums[i] / counts[i] : 1;
  return sums;
}

} // namespace

std::vector<double> violations(std::span<const result> of) {
  auto units = scales(of);
  std::vector<double> all;
  for (const auto& x : of) {
    double sum = 0;
    for (std::size_t i = 0; i < x.missed.size(); ++i)
      sum += x.missed[i] / units[i];
    all.push_back(std::isfinite(sum) ? sum / (1 + sum) : 1);
  }
  return all;
}

std::uint32_t objectives_of(std::span<const result> of) {
  std::size_t others = 0;
  for (const auto& x : of)
    others = std::max(others, x.others.size());
  return static_cast<std::uint32_t>(others + 1);
}

std::vector<double> scores_of(std::span<const result> of, std::span<const std::size_t> which) {
  std::vector<double> all;
  for (auto i : which) {
    all.push_back(-of[i].value);
    for (auto x : of[i].others)
      all.push_back(-x);
  }
  return all;
}

namespace {

/// The `most` best by several objectives.
std::vector<std::size_t> by_fronts(std::span<const result> of, std::span<const std::size_t> which,
                                   std::size_t most) {
  auto objectives = objectives_of(of);
  std::vector<std::size_t> order;
  for (const auto& front : non_dominated_fronts(scores_of(of, which), objectives, most)) {
    std::vector<std::size_t> members;
    for (auto k : front)
      members.push_back(which[k]);
    auto wanted = std::min(members.size(), most - order.size());
    for (auto k : spread(scores_of(of, members), objectives, wanted))
      order.push_back(members[k]);
  }
  return order;
}

/// Moves the `most` best to the front, and drops the others.
template <class Less>
void sort_best(std::vector<std::size_t>& order, std::size_t most, Less is_better) {
  most = std::min(most, order.size());
  auto middle = order.begin() + static_cast<std::ptrdiff_t>(most);
  std::partial_sort(order.begin(), middle, order.end(), is_better);
  order.resize(most);
}

} // namespace

std::vector<std::size_t> ranking(std::span<const result> of, std::size_t most) {
  auto missed = violations(of);
  std::vector<std::size_t> good;
  std::vector<std::size_t> bad;
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (of[i].how == ending::finished)
      (missed[i] == 0 ? good : bad).push_back(i);
  }
  if (objectives_of(of) > 1)
    good = by_fronts(of, good, most);
  else
    sort_best(good, most, [&](auto a, auto b) {
      return of[a].value != of[b].value ? of[a].value < of[b].value : a < b;
    });
  sort_best(bad, most - good.size(),
            [&](auto a, auto b) { return missed[a] != missed[b] ? missed[a] < missed[b] : a < b; });
  good.insert(good.end(), bad.begin(), bad.end());
  return good;
}

} // namespace tune::learning

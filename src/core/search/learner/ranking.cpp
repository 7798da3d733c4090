// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/learner/ranking.hpp"

#include <algorithm>
#include <cmath>

namespace tune::learning {

namespace {

/// Mean of what is missed of each constraint where it is missed; 1 where it never is.
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

std::vector<std::size_t> ranking(std::span<const result> of, std::size_t most) {
  auto missed = violations(of);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (of[i].how == ending::finished)
      order.push_back(i);
  }
  most = std::min(most, order.size());
  auto middle = order.begin() + static_cast<std::ptrdiff_t>(most);
  std::partial_sort(order.begin(), middle, order.end(), [&](auto a, auto b) {
    if (missed[a] != missed[b])
      return missed[a] < missed[b];
    if (missed[a] == 0 && of[a].value != of[b].value)
      return of[a].value < of[b].value;
    return a < b;
  });
  order.resize(most);
  return order;
}

} // namespace tune::learning

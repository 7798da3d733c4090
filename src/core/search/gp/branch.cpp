// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/gp/branch.hpp"

#include "tune/core/search/learner/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tune::gp {

namespace {

constexpr double most_numbers = 12;

bool can_branch(const encoding& space, std::size_t i) {
  const auto& x = space.at(i);
  return space.root_children(i) > 0 && x.is_finite()
         && (x.is_category() || x.cells() <= most_numbers);
}

struct family {
  double at = 0;
  double tried = 0;
  /// Rank of its best result among all that finished.
  std::size_t best = std::numeric_limits<std::size_t>::max();
};

std::vector<family> families_of(const encoding& space, std::size_t axis,
                                std::span<const learning::result> results) {
  std::vector<family> all;
  for (double i = 0; i < space.at(axis).cells(); ++i)
    all.push_back({space.at(axis).coordinate_of_cell(i)});
  auto at = [&](std::size_t i) -> family& {
    return *std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
      return std::abs(a.at - results[i].at[axis]) < std::abs(b.at - results[i].at[axis]);
    });
  };
  for (std::size_t i = 0; i < results.size(); ++i)
    ++at(i).tried;
  auto order = learning::ranking(results);
  for (std::size_t rank = order.size(); rank-- > 0;)
    at(order[rank]).best = rank;
  return all;
}

} // namespace

std::optional<std::size_t> branching_axis(const encoding& space) {
  std::optional<std::size_t> result;
  for (std::size_t i = 0; i < space.dimensions(); ++i) {
    if (can_branch(space, i) && (!result || space.root_children(i) > space.root_children(*result)))
      result = i;
  }
  return result;
}

fixed_axis neglected_branch(const encoding& space, std::size_t axis,
                            std::span<const learning::result> results) {
  auto all = families_of(space, axis, results);
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.best < b.best; });
  double harmonic = 0;
  for (std::size_t i = 1; i <= all.size(); ++i)
    harmonic += 1 / static_cast<double>(i);
  fixed_axis result{axis, all.front().at};
  auto most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto share = 1 / (static_cast<double>(i + 1) * harmonic);
    auto behind = share * static_cast<double>(results.size()) - all[i].tried;
    if (behind > most) {
      most = behind;
      result.at = all[i].at;
    }
  }
  return result;
}

} // namespace tune::gp

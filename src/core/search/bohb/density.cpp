// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/bohb/density.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace tune::bohb {

density::density(const encoding& space, std::vector<cube_point> around, double least)
    : space_{&space}, around_{std::move(around)} {
  for (std::size_t i = 0; i < space.dimensions(); ++i)
    bandwidths_.push_back(bandwidth_of(i, least));
}

double density::bandwidth_of(std::size_t axis, double least) const {
  auto count = static_cast<double>(around_.size());
  double mean = 0;
  for (const auto& x : around_)
    mean += x[axis] / count;
  double square = 0;
  for (const auto& x : around_)
    square += (x[axis] - mean) * (x[axis] - mean) / count;
  auto dimensions = static_cast<double>(space_->dimensions());
  auto width = std::max(least, 1.06 * std::sqrt(square) * std::pow(count, -1 / (4 + dimensions)));
  const auto& what = space_->at(axis);
  return what.is_category() ? std::min(width, (what.cells() - 1) / what.cells()) : width;
}

double density::at(const cube_point& latent) const {
  double sum = 0;
  for (const auto& x : around_) {
    double square = 0;
    double share = 1;
    for (std::size_t i = 0; i < x.size(); ++i) {
      auto width = bandwidths_[i];
      if (!space_->at(i).is_category())
        square += (latent[i] - x[i]) * (latent[i] - x[i]) / (width * width);
      else
        share *= latent[i] == x[i] ? 1 - width : width / (space_->at(i).cells() - 1);
    }
    sum += share * std::exp(-square / 2);
  }
  auto result = sum / static_cast<double>(around_.size());
  for (std::size_t i = 0; i < bandwidths_.size(); ++i) {
    if (!space_->at(i).is_category())
      result /= bandwidths_[i] * std::sqrt(2 * std::numbers::pi);
  }
  return result;
}

void complete(const encoding& space, std::vector<cube_point>& points, rng& from) {
  // Coordinates that were filled in are not sources for others.
  const auto given = points;
  std::vector<std::size_t> sources;
  for (auto& x : points) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!std::isnan(x[i]))
        continue;
      sources.clear();
      for (std::size_t k = 0; k < given.size(); ++k) {
        if (!std::isnan(given[k][i]))
          sources.push_back(k);
      }
      x[i] = sources.empty() ? space.draw(i, from) : given[sources[from.below(sources.size())]][i];
    }
  }
}

} // namespace tune::bohb

// SPDX-License-Identifier: BSD-3-Clause
#include "quality/curves.hpp"

#include "quality/parts.hpp"
#include "quality/recorded.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

namespace tune::quality {

namespace {

constexpr std::size_t neighbours = 8;

struct neighbour {
  double distance = 0;
  std::size_t number = 0;
  friend bool operator<(const neighbour& x, const neighbour& y) {
    return x.distance != y.distance ? x.distance < y.distance : x.number < y.number;
  }
};

} // namespace

const std::vector<std::string>& curve_names() {
  static const std::vector<std::string> all{"boosting_cancer",  "network_digits",
                                            "linear_digits",    "boosting_diabetes",
                                            "network_diabetes", "digits_mlp"};
  return all;
}

curve_set curve_set::read(const std::string& name, between how) {
  auto path = std::string{TUNE_QUALITY_CURVES} + '/' + name + ".csv";
  std::ifstream in{path};
  if (!in)
    refuse(path, "cannot be read");
  curve_set result;
  result.name_ = name;
  result.how_ = how;
  auto parameters = read_parameters(in, path);
  result.space_ = space_of(parameters);
  parameters.push_back(
      {std::string{level_parameter}, "randint(1, " + std::to_string(curve_levels + 1) + ")"});
  result.with_level_ = space_of(parameters);
  result.cube_ = std::make_shared<const encoding>(*encoding::make(result.space_, "the benchmark"));
  result.best_ = std::numeric_limits<double>::infinity();
  for (std::string line; std::getline(in, line);)
    result.add(fields(line), path);
  if (result.curves_.size() <= neighbours)
    refuse(path, "has too few curves");
  return result;
}

void curve_set::add(const std::vector<std::string>& row, const std::string& path) {
  auto parameters = space_->parameters().size();
  if (row.size() != parameters + 1 + curve_levels)
    refuse(path, "a row has not one field per parameter and level");
  auto at = cube_->encoded(config_of(*space_, row));
  if (!at)
    refuse(path, "a row is no configuration of the space");
  curve made;
  made.seconds = std::stod(row[parameters]);
  for (auto i = parameters + 1; i < row.size(); ++i)
    made.losses.push_back(std::stod(row[i]));
  best_ = std::min(best_, made.losses.back());
  at_.push_back(std::move(*at));
  curves_.push_back(std::move(made));
}

double curve_set::distance(const cube_point& x, const cube_point& y) const {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i]) || std::isnan(y[i]))
      sum += std::isnan(x[i]) == std::isnan(y[i]) ? 0 : 1;
    else if (cube_->at(i).is_category())
      sum += x[i] == y[i] ? 0 : 1;
    else
      sum += (x[i] - y[i]) * (x[i] - y[i]);
  }
  return std::sqrt(sum);
}

curve curve_set::of(const object& config) const {
  auto at = cube_->encoded(config).value();
  std::vector<neighbour> all;
  for (std::size_t i = 0; i < at_.size(); ++i)
    all.push_back({distance(at, at_[i]), i});
  auto last = all.begin() + neighbours;
  std::partial_sort(all.begin(), last + 1, all.end());
  if (how_ == between::nearest || all.front().distance == 0)
    return curves_[all.front().number];
  curve result;
  result.losses.assign(curve_levels, 0);
  double sum = 0;
  for (auto i = all.begin(); i != last; ++i) {
    auto weight = std::pow(1 / i->distance - 1 / last->distance, 2) + 1e-12;
    const auto& x = curves_[i->number];
    sum += weight;
    result.seconds += weight * x.seconds;
    for (std::size_t k = 0; k < curve_levels; ++k)
      result.losses[k] += weight * x.losses[k];
  }
  result.seconds /= sum;
  for (auto& x : result.losses)
    x /= sum;
  return result;
}

} // namespace tune::quality

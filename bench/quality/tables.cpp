/// Losses of real trainings, recorded by make_tables.py on whole grids.
// SPDX-License-Identifier: BSD-3-Clause
#include "quality/parts.hpp"
#include "quality/recorded.hpp"

#include "tune/core/search/encoding/encoding.hpp"

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace tune::quality {

namespace {

using key = std::vector<double>;

/// The coordinates and the loss of each recorded configuration.
class table {
public:
  explicit table(encoding space) : space_{std::move(space)}, known_(space_.dimensions()) {}

  void add(const object& config, double loss) {
    auto at = space_.encoded(config).value();
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (std::isnan(at[i]))
        at[i] = nowhere;
      else
        known_[i].insert(at[i]);
    }
    losses_[at] = loss;
  }

  /// The loss of the nearest recorded configuration.
  [[nodiscard]] double loss(const object& config) const {
    auto at = space_.encoded(config).value();
    for (std::size_t i = 0; i < at.size(); ++i)
      at[i] = std::isnan(at[i]) ? nowhere : nearest(known_[i], at[i]);
    return losses_.at(at);
  }

private:
  /// Used instead of NaN, which cannot be a key.
  static constexpr double nowhere = -1;

  encoding space_;
  std::vector<std::set<double>> known_;
  std::map<key, double> losses_;

  static double nearest(const std::set<double>& among, double x) {
    auto above = among.lower_bound(x);
    if (above == among.end())
      return *among.rbegin();
    if (above == among.begin())
      return *above;
    auto below = std::prev(above);
    return x - *below < *above - x ? *below : *above;
  }
};

problem read(const std::string& name) {
  auto path = std::string{TUNE_QUALITY_TABLES} + '/' + name + ".csv";
  std::ifstream in{path};
  if (!in)
    refuse(path, "cannot be read");
  problem result;
  result.name = name;
  result.space = space_of(read_parameters(in, path));
  const auto& parameters = result.space->parameters();
  auto space = encoding::make(result.space, "the benchmark");
  result.conditional = space->is_conditional();
  auto all = std::make_shared<table>(std::move(*space));
  std::string line;
  std::getline(in, line);
  auto best = std::numeric_limits<double>::infinity();
  while (std::getline(in, line)) {
    auto row = fields(line);
    if (row.size() != parameters.size() + 1)
      refuse(path, "not one field per parameter: " + line);
    auto config = config_of(*result.space, row);
    auto loss = std::stod(row.back());
    all->add(config, loss);
    if (loss < best) {
      best = loss;
      result.best = config;
    }
  }
  // Upper bounds of floats are not values of theirs.
  auto cube = encoding::make(result.space, "the benchmark");
  result.best = cube->decoded(cube->encoded(result.best).value());
  result.optimum = best;
  result.f = [all](const object& config) { return all->loss(config); };
  return result;
}

} // namespace

std::vector<problem> table_problems() {
  return {read("svm_digits"), read("learners_diabetes"), read("mlp_digits"),
          read("boosting_cancer"), read("logistic_wine")};
}

} // namespace tune::quality

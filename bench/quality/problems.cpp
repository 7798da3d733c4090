// SPDX-License-Identifier: BSD-3-Clause
#include "quality/problems.hpp"

#include "quality/parts.hpp"

#include "tune/core/search/encoding/encoding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tune::quality {

double number(const object& config, std::string_view name) {
  return config.find(name)->number().value();
}

const std::string& text(const object& config, std::string_view name) {
  return *config.find(name)->as_string();
}

point rotated(point x, std::uint64_t seed) {
  rng from{seed, "rotation", 0};
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = i + 1; j < x.size(); ++j) {
      auto angle = from.unit() * 2 * pi;
      auto a = std::cos(angle) * x[i] - std::sin(angle) * x[j];
      x[j] = std::sin(angle) * x[i] + std::cos(angle) * x[j];
      x[i] = a;
    }
  }
  return x;
}

point numbers(const object& config, std::size_t d) {
  point x;
  for (std::size_t i = 0; i < d; ++i)
    x.push_back(number(config, "x" + std::to_string(i)));
  return x;
}

namespace {

std::string domain_of(unit in) {
  if (in == unit::logarithm)
    return "loguniform(1e-5, 1e5)";
  return in == unit::quarters ? "randint(-20, 21)" : "uniform(-5, 5)";
}

double coordinate(unit in, double x) {
  if (in == unit::logarithm)
    return std::log10(x);
  return in == unit::quarters ? x / 4 : x;
}

value number_at(unit in, double coordinate) {
  if (in == unit::quarters)
    return static_cast<std::int64_t>(std::lround(4 * coordinate));
  return in == unit::logarithm ? std::pow(10, coordinate) : coordinate;
}

} // namespace

problem box(std::string name, const frame& in, const function& g) {
  problem result;
  result.name = std::move(name);
  std::vector<parameter_text> lines;
  point origin;
  rng from{in.seed, "origin", 0};
  for (std::size_t i = 0; i < in.d; ++i) {
    auto at = number_at(in.in, (in.to - in.from) * from.unit() + in.from);
    lines.push_back({"x" + std::to_string(i), domain_of(in.in)});
    origin.push_back(coordinate(in.in, *at.number()));
    result.best.set(lines.back().name, at);
  }
  result.space = space_of(lines);
  result.f = [in, origin, g](const object& config) {
    auto x = numbers(config, in.d);
    for (std::size_t i = 0; i < in.d; ++i)
      x[i] = coordinate(in.in, x[i]) - origin[i];
    return g(in.rotates ? rotated(std::move(x), in.seed) : x);
  };
  return result;
}

problem plain(std::string name, const std::string& domain, point best, double optimum,
              const function& g) {
  problem result;
  result.name = std::move(name);
  std::vector<parameter_text> lines;
  for (std::size_t i = 0; i < best.size(); ++i) {
    lines.push_back({"x" + std::to_string(i), domain});
    result.best.set(lines.back().name, best[i]);
  }
  result.space = space_of(lines);
  result.optimum = optimum;
  result.f = [g, d = best.size()](const object& config) { return g(numbers(config, d)); };
  return result;
}

std::vector<problem> all_problems() {
  std::vector<problem> result;
  for (auto* part :
       {smooth_problems, rugged_problems, shaped_problems, tree_problems, table_problems}) {
    for (auto& x : part())
      result.push_back(std::move(x));
  }
  return result;
}

double scale::regret(double value) const {
  return std::isnan(value) ? 10 : std::clamp((value - optimum) / (ten_draws - optimum), 0.0, 10.0);
}

scale scale_of(const problem& what) {
  constexpr std::size_t draws = 20000;
  auto space = encoding::make(what.space, "the benchmark");
  rng from{99, "scale", 0};
  point all;
  for (std::size_t i = 0; i < draws; ++i) {
    auto y = what.f(space->decoded(space->canonical(space->random(from))));
    all.push_back(std::isnan(y) ? std::numeric_limits<double>::infinity() : y);
  }
  std::sort(all.begin(), all.end());
  auto quantile = 1 - std::pow(0.5, 0.1);
  return {what.optimum, all[static_cast<std::size_t>(quantile * draws)]};
}

} // namespace tune::quality

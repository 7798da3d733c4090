// SPDX-License-Identifier: BSD-3-Clause
#include "quality/fronts.hpp"

#include "quality/parts.hpp"

#include "tune/core/pareto/hypervolume.hpp"
#include "tune/core/search/encoding/encoding.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tune::quality {

namespace {

using values = std::vector<double>;

constexpr int along_front = 400;

/// A space of floats x0 … x(d-1) in [0, 1].
std::shared_ptr<const search_space> cube(std::size_t d) {
  std::vector<parameter_text> lines;
  for (std::size_t i = 0; i < d; ++i)
    lines.push_back({"x" + std::to_string(i), "uniform(0, 1)"});
  return space_of(lines);
}

object at(const point& x) {
  object result;
  for (std::size_t i = 0; i < x.size(); ++i)
    result.set("x" + std::to_string(i), x[i]);
  return result;
}

/// The best value of coordinate i: neither in the middle nor at a bound.
double hidden(std::size_t i) {
  return 0.25 + 0.5 * std::fmod(0.618 * static_cast<double>(i), 1.0);
}

/// A problem in the manner of Zitzler, Deb and Thiele: x0 selects the place along the front, and
/// the others the distance from it, which is 0 at hidden places.
front_problem zdt(std::string name, std::size_t d, double (*shape)(double f, double g)) {
  front_problem result;
  result.name = std::move(name);
  result.space = cube(d);
  result.f = [d, shape](const object& config) {
    auto x = numbers(config, d);
    double far = 0;
    for (std::size_t i = 1; i < d; ++i)
      far += std::abs(x[i] - hidden(i));
    auto g = 1 + 9 * far / static_cast<double>(d - 1);
    return values{x[0], g * shape(x[0], g)};
  };
  for (int k = 0; k < along_front; ++k) {
    point x{static_cast<double>(k) / along_front};
    for (std::size_t i = 1; i < d; ++i)
      x.push_back(hidden(i));
    result.best.push_back(at(x));
  }
  return result;
}

double convex(double f, double g) {
  return 1 - std::sqrt(f / g);
}

double concave(double f, double g) {
  return 1 - squared(f / g);
}

double in_pieces(double f, double g) {
  return 1 - std::sqrt(f / g) - f / g * std::sin(10 * pi * f);
}

/// A problem whose front is an eighth of a sphere, after Deb, Thiele, Laumanns and Zitzler.
front_problem sphere() {
  front_problem result;
  result.name = "dtlz2";
  result.objectives = 3;
  result.space = cube(6);
  result.f = [](const object& config) {
    auto x = numbers(config, 6);
    double far = 0;
    for (std::size_t i = 2; i < 6; ++i)
      far += squared(x[i] - hidden(i));
    auto a = x[0] * pi / 2;
    auto b = x[1] * pi / 2;
    auto r = 1 + 4 * far;
    return values{r * std::cos(a) * std::cos(b), r * std::cos(a) * std::sin(b), r * std::sin(a)};
  };
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < 20; ++j)
      result.best.push_back(at({i / 20.0, j / 20.0, hidden(2), hidden(3), hidden(4), hidden(5)}));
  }
  return result;
}

/// Two bells, after Fonseca and Fleming: the front is the line from one to the other.
front_problem bells() {
  front_problem result;
  result.name = "fonseca";
  std::vector<parameter_text> lines;
  for (int i = 0; i < 4; ++i)
    lines.push_back({"x" + std::to_string(i), "uniform(-4, 4)"});
  result.space = space_of(lines);
  result.f = [](const object& config) {
    double to_one = 0;
    double to_other = 0;
    for (auto x : numbers(config, 4)) {
      to_one += squared(x - 0.5);
      to_other += squared(x + 0.5);
    }
    return values{1 - std::exp(-to_one), 1 - std::exp(-to_other)};
  };
  for (int k = 0; k <= along_front; ++k)
    result.best.push_back(at(point(4, static_cast<double>(k) / along_front - 0.5)));
  return result;
}

/// Behaves like a network: the units of two layers cost weights and reduce errors, which other
/// parameters may spoil.
front_problem network() {
  front_problem result;
  result.name = "network";
  result.space = space_of({{"first", "lograndint(4, 257)"},
                           {"second", "choice(0, 8, 16, 32, 64)"},
                           {"lr", "loguniform(1e-5, 1)"},
                           {"decay", "loguniform(1e-6, 1)"},
                           {"optimizer", "choice(sgd, adam, rmsprop)"}});
  result.f = [](const object& config) {
    auto first = number(config, "first");
    auto second = number(config, "second");
    auto weights = 64 * first + (second > 0 ? first * second + 10 * second : 10 * first);
    auto rate = std::log10(number(config, "lr"));
    const auto& by = text(config, "optimizer");
    auto spoilt = squared(rate + (by == "sgd" ? 1 : 2.5)) * 0.02
                  + 0.005 * squared(std::log10(number(config, "decay")) + 4)
                  + (by == "adam"  ? 0
                     : by == "sgd" ? 0.01
                                   : 0.02);
    auto size = std::log2(first) + 0.5 * std::log2(1 + second);
    return values{0.02 + 0.6 * std::exp(-0.35 * size) + spoilt, std::log10(weights)};
  };
  for (int first = 4; first < 257; ++first) {
    for (int second : {0, 8, 16, 32, 64})
      result.best.push_back({{"first", first},
                             {"second", second},
                             {"lr", std::pow(10, -2.5)},
                             {"decay", 1e-4},
                             {"optimizer", "adam"}});
  }
  return result;
}

/// Families of models, each of which has a part of the front.
front_problem families() {
  front_problem result;
  result.name = "families";
  result.space = space_of({{"model", "choice(line, trees, net)"},
                           {"l2", "loguniform(1e-4, 1e2) if model == line"},
                           {"depth", "randint(1, 11) if model == trees"},
                           {"count", "lograndint(5, 501) if model == trees"},
                           {"units", "lograndint(8, 1025) if model == net"},
                           {"lr", "loguniform(1e-5, 1) if model == net"}});
  result.f = [](const object& config) {
    const auto& model = text(config, "model");
    if (model == "line")
      return values{0.3 + 0.02 * squared(std::log10(number(config, "l2"))), -1.0};
    if (model == "trees") {
      auto depth = number(config, "depth");
      auto count = std::log10(number(config, "count"));
      return values{0.15 + 0.06 * std::pow(3 - count, 2) / 2 + 0.006 * squared(depth - 6),
                    count + 0.15 * depth - 1};
    }
    auto units = std::log10(number(config, "units"));
    auto rate = std::log10(number(config, "lr"));
    return values{0.1 + 0.05 * squared(3 - units) + 0.04 * squared(rate + 3), units + 0.6};
  };
  result.best.push_back({{"model", "line"}, {"l2", 1.0}});
  for (int depth = 1; depth <= 10; ++depth) {
    for (int count = 5; count <= 500; count += 3)
      result.best.push_back({{"model", "trees"}, {"depth", depth}, {"count", count}});
  }
  for (int units = 8; units <= 1024; units += 4)
    result.best.push_back({{"model", "net"}, {"units", units}, {"lr", 1e-3}});
  return result;
}

} // namespace

std::vector<front_problem> front_problems() {
  std::vector<front_problem> result;
  result.push_back(zdt("zdt1", 8, convex));
  result.push_back(zdt("zdt2", 6, concave));
  result.push_back(zdt("zdt3", 6, in_pieces));
  result.push_back(sphere());
  result.push_back(bells());
  result.push_back(network());
  result.push_back(families());
  return result;
}

double front_scale::volume(const std::vector<double>& values) const {
  std::vector<double> scores;
  for (auto x : values)
    scores.push_back(-x);
  std::vector<double> floor;
  for (auto x : reference)
    floor.push_back(-x);
  return hypervolume(scores, objectives, floor);
}

double front_scale::missed(double volume) const {
  return std::clamp((best - volume) / (best - ten_draws), 0.0, 10.0);
}

namespace {

double quantile(std::vector<double> of, double share) {
  std::sort(of.begin(), of.end());
  return of[static_cast<std::size_t>(share * static_cast<double>(of.size() - 1))];
}

} // namespace

front_scale front_scale_of(const front_problem& what) {
  constexpr std::size_t draws = 4000;
  constexpr std::size_t set = 10;
  auto space = encoding::make(what.space, "the benchmark");
  rng from{99, "scale", 0};
  std::vector<double> all;
  for (std::size_t i = 0; i < draws; ++i) {
    auto y = what.f(space->decoded(space->canonical(space->random(from))));
    all.insert(all.end(), y.begin(), y.end());
  }
  front_scale result;
  result.objectives = what.objectives;
  for (std::size_t k = 0; k < what.objectives; ++k) {
    std::vector<double> each;
    for (auto i = k; i < all.size(); i += what.objectives)
      each.push_back(all[i]);
    result.reference.push_back(quantile(std::move(each), 0.95));
  }
  std::vector<double> volumes;
  auto step = static_cast<std::ptrdiff_t>(set * what.objectives);
  for (auto i = all.begin(); i != all.end(); i += step)
    volumes.push_back(result.volume({i, i + step}));
  result.ten_draws = quantile(std::move(volumes), 0.5);
  std::vector<double> front;
  for (const auto& config : what.best) {
    auto y = what.f(config);
    front.insert(front.end(), y.begin(), y.end());
  }
  result.best = result.volume(front);
  return result;
}

} // namespace tune::quality

/// Functions with one basin, or whose basins lie on a slope that leads to the best.
// SPDX-License-Identifier: BSD-3-Clause
#include "quality/parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tune::quality {

double rosenbrock(const point& z) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < z.size(); ++i) {
    auto a = 1 + 0.4 * z[i];
    auto b = 1 + 0.4 * z[i + 1];
    sum += 100 * squared(b - a * a) + squared(1 - a);
  }
  return sum;
}

double ellipsoid(const point& z) {
  double sum = 0;
  for (std::size_t i = 0; i < z.size(); ++i)
    sum += std::pow(1e4, static_cast<double>(i) / static_cast<double>(z.size() - 1))
           * squared(z[i]);
  return sum;
}

namespace {

problem branin() {
  problem result;
  result.name = "branin";
  result.space = space_of({{"x", "uniform(-5, 10)"}, {"y", "uniform(0, 15)"}});
  result.best = {{"x", pi}, {"y", 2.275}};
  result.optimum = 0.39788735772973816;
  result.f = [](const object& config) {
    auto x = number(config, "x");
    auto y = number(config, "y");
    return squared(y - 5.1 / (4 * pi * pi) * x * x + 5 / pi * x - 6)
           + 10 * (1 - 1 / (8 * pi)) * std::cos(x) + 10;
  };
  return result;
}

problem hartmann6() {
  static const double a[4][6] = {{10, 3, 17, 3.5, 1.7, 8},
                                 {0.05, 10, 17, 0.1, 8, 14},
                                 {3, 3.5, 1.7, 10, 17, 8},
                                 {17, 8, 0.05, 10, 0.1, 14}};
  static const double p[4][6] = {{1312, 1696, 5569, 124, 8283, 5886},
                                 {2329, 4135, 8307, 3736, 1004, 9991},
                                 {2348, 1451, 3522, 2883, 3047, 6650},
                                 {4047, 8828, 8732, 5743, 1091, 381}};
  static const double weights[4] = {1, 1.2, 3, 3.2};
  point best{0.20168951236729973, 0.1500106918429469, 0.47687397281138255,
             0.27533243004568386, 0.3116516165108393, 0.657300534427876};
  return plain("hartmann6", "uniform(0, 1)", std::move(best), -3.322368011415515,
               [](const point& x) {
                 double sum = 0;
                 for (int k = 0; k < 4; ++k) {
                   double inner = 0;
                   for (std::size_t i = 0; i < 6; ++i)
                     inner += a[k][i] * squared(x[i] - 1e-4 * p[k][i]);
                   sum -= weights[k] * std::exp(-inner);
                 }
                 return sum;
               });
}

/// Three of twelve inputs matter; the others hardly do.
double sparse(const point& z) {
  double sum = rosenbrock({z[1], z[6], z[10]});
  for (auto x : z)
    sum += 0.001 * x * x;
  return sum;
}

/// The ellipsoid in steps of a quarter, with the origin between them.
problem steps5() {
  problem result = box("steps5", {5, 17}, ellipsoid);
  std::vector<parameter_text> lines;
  for (int i = 0; i < 5; ++i)
    lines.push_back({"x" + std::to_string(i), "quniform(-5, 5, 0.25)"});
  result.space = space_of(lines);
  // Found by evaluating all configurations.
  result.best = {{"x0", 1.75}, {"x1", -0.25}, {"x2", 3.5}, {"x3", -3.25}, {"x4", -4.25}};
  result.optimum = 5.627391866775171;
  return result;
}

problem noisy(problem what, double deviation) {
  what.name = "noisy_" + what.name;
  what.noise = deviation;
  return what;
}

/// Trials fail outside of a ball, whose centre is not the best point.
problem island() {
  return plain("island4", "uniform(0, 1)", {0.62, 0.51, 0.4, 0.29}, 0, [](const point& x) {
    double from_middle = 0;
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      auto k = static_cast<double>(i);
      from_middle += squared(x[i] - (0.35 + 0.1 * k));
      sum += squared(x[i] - (0.62 - 0.11 * k));
    }
    return from_middle > 0.34 ? std::numeric_limits<double>::quiet_NaN() : sum;
  });
}

} // namespace

std::vector<problem> smooth_problems() {
  return {
      box("rosenbrock4", {4, 12}, rosenbrock),
      box("ellipsoid6", {6, 14}, ellipsoid),
      box("ellipsoid10", {10, 21, false}, ellipsoid),
      box("sparse12", {12, 22, false}, sparse),
      box("log_ellipsoid5", {5, 23, true, unit::logarithm}, ellipsoid),
      box("log_rosenbrock3", {3, 24, true, unit::logarithm}, rosenbrock),
      steps5(),
      branin(),
      hartmann6(),
      noisy(hartmann6(), 0.2),
      island(),
  };
}

} // namespace tune::quality

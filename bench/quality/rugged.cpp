/// Functions with many basins: on a slope towards the best, without a slope, or on a slope away
/// from it.
// SPDX-License-Identifier: BSD-3-Clause
#include "quality/parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace tune::quality {

double rastrigin(const point& z) {
  double sum = 0;
  for (auto x : z)
    sum += 0.2 * x * x + 1 - std::cos(2 * pi * x);
  return sum;
}

double ackley(const point& z) {
  double squares = 0;
  double waves = 0;
  for (auto x : z) {
    squares += x * x / static_cast<double>(z.size());
    waves += std::cos(2 * pi * x) / static_cast<double>(z.size());
  }
  return 20 + std::numbers::e - 20 * std::exp(-0.2 * std::sqrt(squares)) - std::exp(waves);
}

namespace {

double levy(const point& z) {
  auto w = [&](std::size_t i) { return 1 + z[i] / 2; };
  double sum = squared(std::sin(pi * w(0)));
  for (std::size_t i = 0; i + 1 < z.size(); ++i)
    sum += squared(w(i) - 1) * (1 + 10 * squared(std::sin(pi * w(i) + 1)));
  auto last = w(z.size() - 1);
  return sum + squared(last - 1) * (1 + squared(std::sin(2 * pi * last)));
}

/// Two basins, of which the wider one is not the deeper.
double two_funnels(const point& z) {
  double near = 0;
  double far = 2.5;
  double waves = 0;
  for (auto x : z) {
    near += x * x;
    far += 0.9 * squared(x - 2.6);
    waves += 1.5 * (1 - std::cos(2 * pi * x));
  }
  return std::min(near, far) + waves;
}

/// A bowl hidden by waves.
double griewank(const point& z) {
  double sum = 0;
  double product = 1;
  for (std::size_t i = 0; i < z.size(); ++i) {
    auto x = 8 * z[i];
    sum += x * x / 4000;
    product *= std::cos(x / std::sqrt(static_cast<double>(i + 1)));
  }
  return sum + 1 - product;
}

/// Rugged at every scale, and nearly periodic.
double weierstrass(const point& z) {
  double sum = 0;
  for (auto x : z) {
    sum += 0.05 * x * x;
    for (int k = 0; k < 12; ++k)
      sum += std::pow(0.5, k) * (1 - std::cos(2 * pi * std::pow(3.0, k) * x));
  }
  return sum;
}

/// Two funnels of waves; the wider one is not the deeper.
/// @source Lunacek, Whitley, Sutton, "The Impact of Global Structure on Search", PPSN 2008.
double bi_rastrigin(const point& z) {
  constexpr double stretch = 1.25;
  auto d = static_cast<double>(z.size());
  auto s = 1 - 1 / (2 * std::sqrt(d + 20) - 8.2);
  auto away = 2.5 + std::sqrt((2.5 * 2.5 - 1) / s);
  double deep = 0;
  double wide = d;
  double waves = 0;
  for (auto x : z) {
    deep += squared(stretch * x);
    wide += s * squared(stretch * x + away);
    waves += 10 * (1 - std::cos(2 * pi * stretch * x));
  }
  return std::min(deep, wide) + waves;
}

/// Has along each axis a narrow basin at the best, and a slope that leads to the far end.
problem trap4() {
  auto result = box("trap4", {4, 34, false}, {});
  result.f = [best = numbers(result.best, 4)](const object& config) {
    double sum = 0;
    auto x = numbers(config, 4);
    for (std::size_t i = 0; i < x.size(); ++i) {
      auto end = best[i] > 0 ? -5 : 5;
      sum += std::min(3 * std::abs(x[i] - best[i]), 0.6 + 0.15 * std::abs(x[i] - end));
    }
    return sum;
  };
  return result;
}

/// Hills at random places, of different heights and shapes.
/// @source Hansen, Finck, Ros, Auger, "Real-Parameter Black-Box Optimization Benchmarking 2009:
///         Noiseless Functions Definitions", f21 and f22.
problem peaks(std::string name, std::size_t d, std::size_t count, std::uint64_t seed) {
  auto result = box(std::move(name), {d, seed, false}, {});
  struct hill {
    point at;
    point shape;
    double height = 10;
  };
  std::vector<hill> hills(count);
  rng from{seed, "hills", 0};
  for (std::size_t k = 0; k < count; ++k) {
    auto rank = static_cast<double>(k) / static_cast<double>(count - 1);
    auto condition = std::pow(1000.0, k == 0 ? 1 : from.unit());
    hills[k].height = k == 0 ? 10 : 1.1 + 8 * rank;
    auto best = numbers(result.best, d);
    for (std::size_t i = 0; i < d; ++i) {
      hills[k].at.push_back(k == 0 ? best[i] : 9.8 * from.unit() - 4.9);
      hills[k].shape.push_back(std::pow(condition, from.unit() - 0.5) / std::sqrt(condition));
    }
  }
  result.f = [hills, d, seed](const object& config) {
    auto x = numbers(config, d);
    double highest = 0;
    for (const auto& hill : hills) {
      point z(d);
      for (std::size_t i = 0; i < d; ++i)
        z[i] = x[i] - hill.at[i];
      z = rotated(std::move(z), seed);
      double sum = 0;
      for (std::size_t i = 0; i < d; ++i)
        sum += hill.shape[i] * z[i] * z[i];
      highest = std::max(highest, hill.height * std::exp(-sum / (2 * static_cast<double>(d))));
    }
    return squared(10 - highest);
  };
  return result;
}

problem schwefel4() {
  return plain("schwefel4", "uniform(-500, 500)", point(4, 420.96874635998203), 0,
               [](const point& x) {
                 double sum = 0;
                 for (auto xi : x)
                   sum += 418.98288727243371 - xi * std::sin(std::sqrt(std::abs(xi)));
                 return sum;
               });
}

problem shekel4() {
  static const double at[10][4]
      = {{4, 4, 4, 4}, {1, 1, 1, 1}, {8, 8, 8, 8}, {6, 6, 6, 6}, {3, 7, 3, 7},
         {2, 9, 2, 9}, {5, 5, 3, 3}, {8, 1, 8, 1}, {6, 2, 6, 2}, {7, 3.6, 7, 3.6}};
  static const double width[10] = {0.1, 0.2, 0.2, 0.4, 0.4, 0.6, 0.3, 0.7, 0.5, 0.5};
  return plain("shekel4", "uniform(0, 10)",
               {4.0007465298130995, 4.000592931278886, 3.999663398312755, 3.9995098010198697},
               -10.536409816692045, [](const point& x) {
                 double sum = 0;
                 for (int k = 0; k < 10; ++k) {
                   auto r = width[k];
                   for (std::size_t i = 0; i < 4; ++i)
                     r += squared(x[i] - at[k][i]);
                   sum -= 1 / r;
                 }
                 return sum;
               });
}

problem langermann2() {
  static const double at[5][2] = {{3, 5}, {5, 2}, {2, 1}, {1, 4}, {7, 9}};
  static const double weight[5] = {1, 2, 5, 2, 3};
  return plain("langermann2", "uniform(0, 10)", {2.7934022068499083, 1.597232504228226},
               -4.155809291847786, [](const point& x) {
                 double sum = 0;
                 for (int k = 0; k < 5; ++k) {
                   auto r = squared(x[0] - at[k][0]) + squared(x[1] - at[k][1]);
                   sum += weight[k] * std::exp(-r / pi) * std::cos(pi * r);
                 }
                 return sum;
               });
}

/// Narrow valleys that cross each other.
problem michalewicz5() {
  return plain("michalewicz5", "uniform(0, 3.141592653589793)",
               {2.202905520142923, 1.570796326778263, 1.2849915705136004, 1.9230584698297473,
                1.7204697725280094},
               -4.687658179088148, [](const point& x) {
                 double sum = 0;
                 for (std::size_t i = 0; i < x.size(); ++i)
                   sum -= std::sin(x[i])
                          * std::pow(std::sin(static_cast<double>(i + 1) * x[i] * x[i] / pi), 20);
                 return sum;
               });
}

problem noisy(problem what, double deviation) {
  what.name = "noisy_" + what.name;
  what.noise = deviation;
  return what;
}

} // namespace

std::vector<problem> rugged_problems() {
  return {
      box("rastrigin3", {3, 11}, rastrigin),
      box("rastrigin6", {6, 25}, rastrigin),
      box("int_rastrigin4", {4, 26, false, unit::quarters}, rastrigin),
      box("ackley5", {5, 13}, ackley),
      box("int_ackley5", {5, 27, true, unit::quarters}, ackley),
      noisy(box("ackley3", {3, 28}, ackley), 0.5),
      box("levy4", {4, 15, false}, levy),
      box("funnels4", {4, 16}, two_funnels),
      box("griewank5", {5, 31}, griewank),
      box("weierstrass3", {3, 32}, weierstrass),
      box("lunacek4", {4, 33, false, unit::plain, 1.5, 4.5}, bi_rastrigin),
      trap4(),
      peaks("peaks2", 2, 101, 35),
      peaks("peaks5", 5, 21, 36),
      schwefel4(),
      shekel4(),
      langermann2(),
      michalewicz5(),
  };
}

} // namespace tune::quality

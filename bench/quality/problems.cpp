// SPDX-License-Identifier: BSD-3-Clause
#include "quality/problems.hpp"

#include "tune/core/search/encoding/encoding.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

namespace tune::quality {

namespace {

using point = std::vector<double>;
using function = std::function<double(const point&)>;

constexpr double pi = std::numbers::pi;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double squared(double x) {
  return x * x;
}

std::shared_ptr<const search_space> space_of(const std::vector<parameter_text>& lines) {
  auto made = search_space::parse(lines);
  if (!made) {
    std::cerr << made.error().detail << '\n';
    std::exit(1);
  }
  return std::make_shared<const search_space>(std::move(*made));
}

double number(const object& config, std::string_view name) {
  return config.find(name)->number().value();
}

const std::string& text(const object& config, std::string_view name) {
  return *config.find(name)->as_string();
}

/// Turns a point about the origin, in each plane of two axes by some angle.
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

/// A function with its minimum at the origin, shifted to anywhere in [-4, 4]^d of [-5, 5]^d.
problem box(std::string name, std::size_t d, std::uint64_t seed, bool rotates, const function& g,
            const std::string& domain = "uniform(-5, 5)") {
  problem result;
  result.name = std::move(name);
  std::vector<parameter_text> lines;
  point origin;
  rng from{seed, "origin", 0};
  for (std::size_t i = 0; i < d; ++i) {
    lines.push_back({"x" + std::to_string(i), domain});
    origin.push_back(8 * from.unit() - 4);
  }
  result.space = space_of(lines);
  result.f = [=](const object& config) {
    point x;
    for (std::size_t i = 0; i < d; ++i)
      x.push_back(number(config, "x" + std::to_string(i)) - origin[i]);
    return g(rotates ? rotated(std::move(x), seed) : x);
  };
  return result;
}

double rastrigin(const point& z) {
  double sum = 0;
  for (auto x : z)
    sum += 0.2 * x * x + 1 - std::cos(2 * pi * x);
  return sum;
}

double rosenbrock(const point& z) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < z.size(); ++i) {
    auto a = 1 + 0.4 * z[i];
    auto b = 1 + 0.4 * z[i + 1];
    sum += 100 * squared(b - a * a) + squared(1 - a);
  }
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

double ellipsoid(const point& z) {
  double sum = 0;
  for (std::size_t i = 0; i < z.size(); ++i)
    sum += std::pow(1e4, static_cast<double>(i) / static_cast<double>(z.size() - 1))
           * squared(z[i]);
  return sum;
}

double levy(const point& z) {
  auto w = [&](std::size_t i) { return 1 + z[i] / 2; };
  double sum = squared(std::sin(pi * w(0)));
  for (std::size_t i = 0; i + 1 < z.size(); ++i)
    sum += squared(w(i) - 1) * (1 + 10 * squared(std::sin(pi * w(i) + 1)));
  auto last = w(z.size() - 1);
  return sum + squared(last - 1) * (1 + squared(std::sin(2 * pi * last)));
}

/// Two basins, the wider one not the deeper.
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

problem branin() {
  problem result;
  result.name = "branin";
  result.space = space_of({{"x", "uniform(-5, 10)"}, {"y", "uniform(0, 15)"}});
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
  problem result;
  result.name = "hartmann6";
  std::vector<parameter_text> lines;
  for (int i = 0; i < 6; ++i)
    lines.push_back({"x" + std::to_string(i), "uniform(0, 1)"});
  result.space = space_of(lines);
  result.optimum = -3.32236801141551;
  result.f = [](const object& config) {
    double sum = 0;
    for (int k = 0; k < 4; ++k) {
      double inner = 0;
      for (int i = 0; i < 6; ++i)
        inner += a[k][i] * squared(number(config, "x" + std::to_string(i)) - 1e-4 * p[k][i]);
      sum -= weights[k] * std::exp(-inner);
    }
    return sum;
  };
  return result;
}

/// Shaped like the training of a network: a valley along learning rate and batch size, a cliff
/// beyond it.
double training_loss(const object& config) {
  auto rate = std::log10(number(config, "lr"));
  auto decay = std::log10(number(config, "decay"));
  auto batch = std::log2(number(config, "batch"));
  auto layers = number(config, "layers");
  auto width = std::log2(number(config, "width"));
  auto best = -2.4 + 0.15 * (batch - 5) - 0.1 * (layers - 3);
  auto above = std::max(0.0, rate - best);
  auto below = std::max(0.0, best - rate);
  return 0.05 * below * below + 0.3 * (1 - std::exp(-3 * above * above))
         + 0.01 * squared(decay + 4 - 0.3 * (width - 7)) + 0.02 * squared(layers - 4)
         + 0.004 * squared(width - 8) + 0.06 * squared(number(config, "dropout") - 0.25);
}

problem training(std::string name, double noise, bool fails) {
  problem result;
  result.name = std::move(name);
  result.space = space_of({{"lr", "loguniform(1e-5, 10)"},
                           {"decay", "loguniform(1e-6, 1)"},
                           {"batch", "lograndint(8, 513)"},
                           {"dropout", "uniform(0, 0.9)"},
                           {"layers", "randint(1, 9)"},
                           {"width", "lograndint(8, 2049)"}});
  result.noise = noise;
  result.optimum = unknown;
  result.f = [fails](const object& config) {
    auto memory = std::log2(number(config, "width")) + std::log2(number(config, "batch"))
                  + 0.4 * number(config, "layers");
    return fails && memory > 17 ? unknown : training_loss(config);
  };
  return result;
}

problem integers() {
  problem result;
  result.name = "integers";
  result.space = space_of({{"a", "randint(0, 21)"},
                           {"b", "randint(1, 13)"},
                           {"c", "lograndint(1, 513)"},
                           {"d", "quniform(0, 1, 0.05)"}});
  result.optimum = unknown;
  result.f = [](const object& config) {
    point z{number(config, "a") / 20 - 0.73, number(config, "b") / 12 - 0.31,
            std::log2(number(config, "c")) / 9 - 0.58, number(config, "d") - 0.22};
    return ellipsoid(rotated(z, 51));
  };
  return result;
}

problem categories() {
  problem result;
  result.name = "categories";
  result.space = space_of({{"a", "choice(p, q, r, s)"},
                           {"b", "choice(b0, b1, b2, b3, b4, b5, b6)"},
                           {"c", "choice(x, y, z)"},
                           {"u", "uniform(0, 1)"},
                           {"v", "uniform(0, 1)"}});
  result.optimum = unknown;
  result.f = [](const object& config) {
    rng main{stable_hash(text(config, "a")), "main a", 0};
    rng second{stable_hash(text(config, "b")), "main b", 0};
    rng both{stable_hash(text(config, "a") + text(config, "b")), "both", 0};
    rng third{stable_hash(text(config, "b") + text(config, "c")), "both", 1};
    auto at = 0.1 + 0.8 * main.unit();
    auto other = 0.1 + 0.8 * third.unit();
    return main.unit() + second.unit() + 0.5 * both.unit() + 0.5 * third.unit()
           + 3 * squared(number(config, "u") - at) + 3 * squared(number(config, "v") - other);
  };
  return result;
}

problem kernels() {
  problem result;
  result.name = "kernels";
  result.conditional = true;
  result.space = space_of({{"kernel", "choice(linear, poly, rbf, sigmoid)"},
                           {"C", "loguniform(1e-3, 1e4)"},
                           {"gamma", "loguniform(1e-6, 10) if kernel in (poly, rbf, sigmoid)"},
                           {"degree", "randint(2, 7) if kernel == poly"},
                           {"coef0", "uniform(-1, 1) if kernel in (poly, sigmoid)"}});
  result.optimum = unknown;
  result.f = [](const object& config) {
    const auto& kernel = text(config, "kernel");
    auto c = std::log10(number(config, "C"));
    if (kernel == "linear")
      return 0.2 + 0.02 * squared(c + 0.5);
    auto ridge = c + 1.1 * std::log10(number(config, "gamma")) + 1;
    auto g = std::log10(number(config, "gamma"));
    auto loss = 0.25 * (1 - std::exp(-ridge * ridge / 3)) + 0.02 * squared(g + 1.8);
    if (kernel == "rbf")
      return loss;
    loss += 0.1 * squared(number(config, "coef0") - 0.4);
    return kernel == "sigmoid" ? 0.08 + loss
                               : 0.03 + loss + 0.03 * squared(number(config, "degree") - 3);
  };
  return result;
}

problem layered() {
  problem result;
  result.name = "layered";
  result.conditional = true;
  result.space = space_of({{"n", "randint(1, 5)"},
                           {"u1", "lograndint(4, 513)"},
                           {"u2", "lograndint(4, 513) if n >= 2"},
                           {"u3", "lograndint(4, 513) if n >= 3"},
                           {"u4", "lograndint(4, 513) if n >= 4"},
                           {"solver", "choice(sgd, adam)"},
                           {"momentum", "uniform(0, 0.99) if solver == sgd"},
                           {"lr", "loguniform(1e-5, 1)"}});
  result.optimum = unknown;
  result.f = [](const object& config) {
    auto n = static_cast<int>(number(config, "n"));
    double loss = n == 3 ? 0 : n == 2 ? 0.02 : 0.05;
    for (int i = 1; i <= n; ++i)
      loss += 0.006 * squared(std::log2(number(config, "u" + std::to_string(i))) - (8.5 - i));
    auto sgd = text(config, "solver") == "sgd";
    auto best = sgd ? -1.3 - 1.5 * number(config, "momentum") : -2.8;
    return loss + 0.05 * squared(std::log10(number(config, "lr")) - best) + (sgd ? 0.015 : 0);
  };
  return result;
}

/// Families with parameters of their own; the best of them is hard to see at first.
problem families(std::string name, std::uint64_t seed, int count) {
  problem result;
  result.name = std::move(name);
  result.conditional = true;
  rng from{seed, "families", 0};
  struct leaf {
    std::string name;
    double at = 0;
    double weight = 1;
    bool log = false;
  };
  std::vector<std::vector<leaf>> leaves;
  point floors;
  std::string names;
  std::vector<parameter_text> lines{{}};
  for (int k = 0; k < count; ++k) {
    auto family = "f" + std::to_string(k);
    names += (k > 0 ? ", " : "") + family;
    floors.push_back(k == 0 ? 0 : 0.05 + 0.3 * from.unit());
    leaves.emplace_back();
    auto size = k == 0 ? 4u : 1 + from.below(4);
    for (std::uint64_t i = 0; i < size; ++i) {
      leaf x{family + "_" + std::to_string(i), 0.1 + 0.8 * from.unit(),
             std::exp(0.7 * from.normal()), from.unit() < 0.5};
      lines.push_back({x.name, std::string{x.log ? "loguniform(1e-5, 1)" : "uniform(0, 1)"}
                                   + " if family == " + family});
      leaves.back().push_back(std::move(x));
    }
  }
  lines.front() = {"family", "choice(" + names + ")"};
  result.space = space_of(lines);
  result.f = [leaves, floors](const object& config) {
    auto k = static_cast<std::size_t>(std::stoi(text(config, "family").substr(1)));
    auto loss = floors[k];
    for (const auto& x : leaves[k]) {
      auto u = number(config, x.name);
      loss += x.weight * squared((x.log ? std::log10(u) / 5 + 1 : u) - x.at);
    }
    return loss;
  };
  return result;
}

} // namespace

std::vector<problem> all_problems() {
  std::vector<problem> result{
      box("rastrigin3", 3, 11, true, rastrigin),
      box("rosenbrock4", 4, 12, true, rosenbrock),
      box("ackley5", 5, 13, true, ackley),
      box("ellipsoid6", 6, 14, true, ellipsoid),
      box("levy4", 4, 15, false, levy),
      box("funnels4", 4, 16, true, two_funnels),
      box("steps5", 5, 17, true, ellipsoid, "quniform(-5, 5, 0.25)"),
      branin(),
      hartmann6(),
      training("training", 0, false),
      training("noisy", 0.03, false),
      training("failing", 0, true),
      integers(),
      categories(),
      kernels(),
      layered(),
      families("families3", 71, 3),
      families("families6", 72, 6),
  };
  for (auto& x : result) {
    if (x.name == "steps5")
      x.optimum = unknown;
  }
  return result;
}

scale scale_of(const problem& what) {
  constexpr std::size_t draws = 20000;
  constexpr std::size_t starts = 20;
  auto space = encoding::make(what.space, "the benchmark");
  rng from{99, "scale", 0};
  auto value = [&](const cube_point& latent) {
    auto y = what.f(space->decoded(space->canonical(latent)));
    return std::isnan(y) ? std::numeric_limits<double>::infinity() : y;
  };
  std::vector<std::pair<double, cube_point>> all;
  for (std::size_t i = 0; i < draws; ++i) {
    auto x = space->random(from);
    all.emplace_back(value(x), std::move(x));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  auto quantile = 1 - std::pow(0.5, 0.1);
  scale result{what.optimum, all[static_cast<std::size_t>(quantile * draws)].first};
  if (!std::isnan(what.optimum))
    return result;
  result.optimum = all.front().first;
  for (std::size_t k = 0; k < starts; ++k) {
    auto [best, at] = all[k];
    auto step = 0.2;
    for (int i = 0; i < 4000; ++i, step *= 0.998) {
      auto next = at;
      space->mutate(next, step, 1 + static_cast<std::size_t>(from.below(2)), from);
      if (auto y = value(next); y <= best) {
        best = y;
        at = std::move(next);
      }
    }
    result.optimum = std::min(result.optimum, best);
  }
  return result;
}

} // namespace tune::quality

/// Problems that resemble training, and spaces of integers and categories.
// SPDX-License-Identifier: BSD-3-Clause
#include "quality/parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tune::quality {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Resembles the training of a network: a valley along learning rate and batch size, with a cliff
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
  result.best = {{"lr", std::pow(10, -2.5)},
                 {"decay", std::pow(10, -3.7)},
                 {"batch", 32},
                 {"dropout", 0.25},
                 {"layers", 4},
                 {"width", 256}};
  result.noise = noise;
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
  // Found by evaluating all configurations.
  result.best = {{"a", 15}, {"b", 4}, {"c", 43}, {"d", 0.1}};
  result.optimum = 0.055000094014846464;
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
  // The best of all combinations, with u and v at the vertices of the parabolas.
  result.best = {
      {"a", "s"}, {"b", "b1"}, {"c", "x"}, {"u", 0.21694514639109636}, {"v", 0.31304822320079206}};
  result.optimum = 0.94692675224608869;
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

} // namespace

std::vector<problem> shaped_problems() {
  return {training("training", 0, false), training("noisy", 0.03, false),
          training("failing", 0, true), integers(), categories()};
}

} // namespace tune::quality

/// Spaces in which some parameters decide whether others are active.
// SPDX-License-Identifier: BSD-3-Clause
#include "quality/parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tune::quality {

namespace {

problem kernels() {
  problem result;
  result.name = "kernels";
  result.conditional = true;
  result.space = space_of({{"kernel", "choice(linear, poly, rbf, sigmoid)"},
                           {"C", "loguniform(1e-3, 1e4)"},
                           {"gamma", "loguniform(1e-6, 10) if kernel in (poly, rbf, sigmoid)"},
                           {"degree", "randint(2, 7) if kernel == poly"},
                           {"coef0", "uniform(-1, 1) if kernel in (poly, sigmoid)"}});
  result.best = {{"kernel", "rbf"}, {"C", std::pow(10, 0.98)}, {"gamma", std::pow(10, -1.8)}};
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
  // Widths of 2^7.5, 2^6.5, 2^5.5 would be best if they were integers.
  result.best = {{"n", 3},   {"u1", 181},        {"u2", 91},
                 {"u3", 45}, {"solver", "adam"}, {"lr", std::pow(10, -2.8)}};
  result.optimum = 7.6291323619088785e-07;
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

/// A pipeline of two steps, each with a choice of methods, which depend on each other.
problem pipeline() {
  problem result;
  result.name = "pipeline";
  result.conditional = true;
  result.space = space_of({{"scale", "choice(none, standard, quantile)"},
                           {"bins", "lograndint(4, 513) if scale == quantile"},
                           {"reduce", "choice(none, pca, select)"},
                           {"components", "lograndint(2, 65) if reduce == pca"},
                           {"keep", "lograndint(2, 129) if reduce == select"},
                           {"model", "choice(svm, forest)"},
                           {"C", "loguniform(1e-3, 1e4) if model == svm"},
                           {"gamma", "loguniform(1e-6, 10) if model == svm"},
                           {"trees", "lograndint(8, 1025) if model == forest"},
                           {"depth", "randint(1, 31) if model == forest"}});
  result.best = {{"scale", "standard"}, {"reduce", "pca"}, {"components", 16},
                 {"model", "svm"},      {"C", 10.0},       {"gamma", 0.01}};
  result.f = [](const object& config) {
    auto size = [&](const char* name) { return std::log2(number(config, name)); };
    auto svm = text(config, "model") == "svm";
    auto gamma = -2.0;
    auto loss = svm ? 0.02 * squared(std::log10(number(config, "C")) - 1)
                    : 0.04 + 0.02 * std::max(0.0, 8 - size("trees"))
                          + 0.002 * squared(number(config, "depth") - 12);
    if (text(config, "scale") == "quantile")
      loss += 0.02 + 0.005 * squared(size("bins") - 6);
    else if (text(config, "scale") == "none")
      loss += svm ? 0.15 : 0;
    if (text(config, "reduce") == "pca") {
      gamma -= 0.3 * (size("components") - 4);
      loss += 0.01 * squared(size("components") - 4);
    } else {
      loss += text(config, "reduce") == "none" ? 0.06 : 0.03 + 0.01 * squared(size("keep") - 5);
    }
    return svm ? loss + 0.04 * squared(std::log10(number(config, "gamma")) - gamma) : loss;
  };
  return result;
}

/// Families with parameters of their own; the best family is hard to see at first.
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
  result.best.set("family", "f0");
  for (const auto& x : leaves.front())
    result.best.set(x.name, x.log ? std::pow(10, 5 * (x.at - 1)) : x.at);
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

std::vector<problem> tree_problems() {
  return {kernels(), layered(), pipeline(), families("families3", 71, 3),
          families("families6", 72, 6)};
}

} // namespace tune::quality

// SPDX-License-Identifier: BSD-3-Clause
#include "digits/optimizer.hpp"

#include <cassert>
#include <cmath>

namespace tune::examples {

namespace {

void step_sgd(optimizer& self, std::span<float> parameters, std::span<const float> gradient) {
  auto lr = static_cast<float>(self.options.lr);
  auto momentum = static_cast<float>(self.options.momentum);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    self.first[i] = momentum * self.first[i] - lr * gradient[i];
    parameters[i] += self.first[i];
  }
}

void step_adam(optimizer& self, std::span<float> parameters, std::span<const float> gradient) {
  constexpr auto beta1 = 0.9F;
  constexpr auto beta2 = 0.999F;
  constexpr auto epsilon = 1e-8F;
  auto t = static_cast<double>(self.steps);
  auto rate = static_cast<float>(self.options.lr / (1 - std::pow(0.9, t)));
  auto spread = static_cast<float>(1 / std::sqrt(1 - std::pow(0.999, t)));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    auto& mean = self.first[i];
    auto& square = self.second[i];
    mean = beta1 * mean + (1 - beta1) * gradient[i];
    square = beta2 * square + (1 - beta2) * gradient[i] * gradient[i];
    parameters[i] -= rate * mean / (std::sqrt(square) * spread + epsilon);
  }
}

} // namespace

optimizer::optimizer(const optimizer_options& how, std::size_t parameters)
    : options{how}, first(parameters, 0.0F), second(parameters, 0.0F) {}

void optimizer::step(std::span<float> parameters, std::span<const float> gradient) {
  assert(parameters.size() == first.size() && gradient.size() == first.size());
  ++steps;
  if (options.weight_decay > 0) {
    auto keep = static_cast<float>(1 - options.lr * options.weight_decay);
    for (auto& x : parameters)
      x *= keep;
  }
  if (options.kind == optimizer_kind::adam)
    step_adam(*this, parameters, gradient);
  else
    step_sgd(*this, parameters, gradient);
}

} // namespace tune::examples

/// Ways to follow a gradient: SGD with momentum, and Adam.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tune::examples {

enum class optimizer_kind : std::uint8_t { sgd, adam };

struct optimizer_options {
  optimizer_kind kind = optimizer_kind::sgd;
  /// Learning rate. [> 0]
  double lr = 0.05;
  /// Share of the last move that is repeated; SGD only. [0, 1)
  double momentum = 0.9;
  /// Share of each parameter that is taken off per unit of learning rate, apart from the gradient.
  /// [>= 0]
  /// @source Loshchilov, Hutter, "Decoupled Weight Decay Regularization", ICLR 2019.
  double weight_decay = 0;
};

/// An optimiser and its state. The public members hold everything needed to go on.
struct optimizer {
  optimizer_options options;
  /// Steps taken so far.
  std::uint64_t steps = 0;
  /// One entry per parameter: SGD's velocity or Adam's mean gradient.
  std::vector<float> first;
  /// One entry per parameter: Adam's mean squared gradient; unused by SGD.
  std::vector<float> second;

  optimizer() = default;
  optimizer(const optimizer_options& how, std::size_t parameters);

  /// Moves `parameters` along `gradient`. Both have as many entries as `first`.
  /// @source Kingma, Ba, "Adam", ICLR 2015, algorithm 1, with its default betas and epsilon.
  void step(std::span<float> parameters, std::span<const float> gradient);
};

} // namespace tune::examples

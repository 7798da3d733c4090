/// A multi-layer perceptron: ReLU between the layers, softmax at the end.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "digits/digit_set.hpp"
#include "tune/core/rng.hpp"

#include <span>
#include <vector>

namespace tune::examples {

/// Mean cross-entropy, and the share of images labelled right.
struct score {
  double loss = 0;
  double accuracy = 0;
};

/// The network as a value: its widths and one flat list of parameters.
///
/// Layer by layer the list holds the weights, column by column (one row per output, one column per
/// input), then the biases.
class perceptron {
public:
  /// @param widths Inputs, units of each hidden layer, outputs. [two or more, each >= 1]
  /// @param seed   Equal seeds give equal weights.
  /// @source He, Zhang, Ren, Sun, "Delving Deep into Rectifiers", ICCV 2015, equation 10.
  perceptron(std::vector<std::size_t> widths, std::uint64_t seed);

  [[nodiscard]] const std::vector<std::size_t>& widths() const { return widths_; }
  [[nodiscard]] std::span<float> parameters() { return parameters_; }
  [[nodiscard]] std::span<const float> parameters() const { return parameters_; }

  /// Computes the gradient of the batch's mean cross-entropy.
  /// @param dropout Share of each hidden layer's outputs that is switched off, the others scaled
  ///                up in return. [0, 1)
  /// @param draws   Chooses them; untouched without dropout.
  /// @param to      One entry per parameter.
  /// @returns the batch's mean cross-entropy.
  double gradient(const digit_set& batch, double dropout, rng& draws, std::span<float> to) const;

  /// Judges the network on `images`. [at least one]
  [[nodiscard]] score evaluate(const digit_set& images) const;

private:
  std::vector<std::size_t> widths_;
  std::vector<float> parameters_;
};

} // namespace tune::examples

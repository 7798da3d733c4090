// SPDX-License-Identifier: BSD-3-Clause
#include "digits/perceptron.hpp"

#include <Eigen/Core>

#include <cassert>
#include <cmath>

namespace tune::examples {

namespace {

using matrix = Eigen::MatrixXf;
using const_view = Eigen::Map<const matrix>;
using view = Eigen::Map<matrix>;

/// Place of a layer's weights and biases in the flat list.
struct layer {
  Eigen::Index inputs;
  Eigen::Index outputs;
  std::size_t offset;

  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>((inputs + 1) * outputs);
  }
  [[nodiscard]] std::size_t biases() const {
    return offset + static_cast<std::size_t>(inputs * outputs);
  }
};

std::vector<layer> layers_of(const std::vector<std::size_t>& widths) {
  std::vector<layer> result;
  std::size_t offset = 0;
  for (std::size_t i = 1; i < widths.size(); ++i) {
    result.push_back(
        {static_cast<Eigen::Index>(widths[i - 1]), static_cast<Eigen::Index>(widths[i]), offset});
    offset += result.back().size();
  }
  return result;
}

const_view images_of(const digit_set& from) {
  return {from.pixels.data(), pixels_per_digit, static_cast<Eigen::Index>(from.size())};
}

/// Computes weights * inputs + biases, one column per image.
matrix outputs_of(const layer& l, std::span<const float> parameters, const matrix& inputs) {
  auto weights = const_view{parameters.data() + l.offset, l.outputs, l.inputs};
  auto biases = const_view{parameters.data() + l.biases(), l.outputs, 1};
  matrix result = weights * inputs;
  result.colwise() += biases.col(0);
  return result;
}

void drop(matrix& outputs, double share, rng& draws) {
  auto scale = static_cast<float>(1 / (1 - share));
  for (auto& x : outputs.reshaped())
    x = draws.unit() < share ? 0.0F : x * scale;
}

/// Turns scores into probabilities, column by column. @returns the mean cross-entropy.
double softmax(matrix& scores, const std::vector<std::uint8_t>& labels) {
  auto loss = 0.0;
  for (Eigen::Index i = 0; i < scores.cols(); ++i) {
    auto column = scores.col(i).array();
    column -= column.maxCoeff();
    auto own = static_cast<double>(column(labels[static_cast<std::size_t>(i)]));
    column = column.exp();
    auto sum = column.sum();
    loss += std::log(static_cast<double>(sum)) - own;
    column /= sum;
  }
  return loss / static_cast<double>(scores.cols());
}

} // namespace

perceptron::perceptron(std::vector<std::size_t> widths, std::uint64_t seed)
    : widths_{std::move(widths)} {
  assert(widths_.size() >= 2 && widths_.front() == pixels_per_digit);
  for (const auto& l : layers_of(widths_)) {
    parameters_.resize(l.offset + l.size()); // biases stay zero
    auto draws = rng{seed, "digits.weights", l.offset};
    auto deviation = std::sqrt(2.0 / static_cast<double>(l.inputs));
    for (auto i = l.offset; i < l.biases(); ++i)
      parameters_[i] = static_cast<float>(deviation * draws.normal());
  }
}

double perceptron::gradient(const digit_set& batch, double dropout, rng& draws,
                            std::span<float> to) const {
  assert(to.size() == parameters_.size());
  auto layers = layers_of(widths_);
  std::vector<matrix> inputs{images_of(batch)}; // inputs of each layer
  for (std::size_t i = 0; i + 1 < layers.size(); ++i) {
    matrix hidden = outputs_of(layers[i], parameters_, inputs.back()).cwiseMax(0.0F);
    if (dropout > 0)
      drop(hidden, dropout, draws);
    inputs.push_back(std::move(hidden));
  }
  matrix delta = outputs_of(layers.back(), parameters_, inputs.back());
  auto loss = softmax(delta, batch.labels);
  for (Eigen::Index i = 0; i < delta.cols(); ++i)
    delta(batch.labels[static_cast<std::size_t>(i)], i) -= 1.0F;
  delta /= static_cast<float>(delta.cols());

  auto scale = static_cast<float>(1 / (1 - dropout));
  for (auto i = layers.size(); i-- > 0;) {
    const auto& l = layers[i];
    view{to.data() + l.offset, l.outputs, l.inputs}.noalias() = delta * inputs[i].transpose();
    view{to.data() + l.biases(), l.outputs, 1} = delta.rowwise().sum();
    if (i == 0)
      break;
    // Only values that passed ReLU and dropout are positive, and only they pass the gradient back.
    auto weights = const_view{parameters_.data() + l.offset, l.outputs, l.inputs};
    matrix back = weights.transpose() * delta;
    delta = (inputs[i].array() > 0.0F).select(back.array() * scale, 0.0F);
  }
  return loss;
}

score perceptron::evaluate(const digit_set& images) const {
  auto layers = layers_of(widths_);
  matrix outputs = images_of(images);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    outputs = outputs_of(layers[i], parameters_, outputs);
    if (i + 1 < layers.size())
      outputs = outputs.cwiseMax(0.0F);
  }
  auto right = 0;
  for (Eigen::Index i = 0; i < outputs.cols(); ++i) {
    Eigen::Index guess = 0;
    outputs.col(i).maxCoeff(&guess);
    right += guess == images.labels[static_cast<std::size_t>(i)] ? 1 : 0;
  }
  auto loss = softmax(outputs, images.labels);
  return {loss, right / static_cast<double>(images.size())};
}

} // namespace tune::examples

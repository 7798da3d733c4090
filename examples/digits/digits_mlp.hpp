/// The class trainable `digits_mlp`: a small network that learns to read digits.
///
/// It needs no machine learning library, reports its learning curve epoch by epoch, and goes on
/// from a checkpoint exactly where it was, to the last bit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "digits/optimizer.hpp"
#include "digits/perceptron.hpp"
#include "tune/trainable/trainable.hpp"

#include <filesystem>
#include <optional>

namespace tune::examples {

/// Options of a configuration. Other entries are ignored.
struct digits_options {
  /// `lr`, `optimizer` (sgd or adam), `momentum`, `weight_decay`.
  optimizer_options optimizer;
  /// Units of each hidden layer. [1 .. 4096]
  std::size_t hidden = 64;
  /// Hidden layers. [1 .. 8]
  std::size_t layers = 1;
  /// Share of hidden outputs switched off while learning. [0, 1)
  double dropout = 0;
  /// Images per step of the optimiser. [1 .. 1797]
  std::size_t batch = 32;
  /// Seed of first weights, order of images and dropout. [>= 0]
  std::uint64_t seed = 0;
  /// The CSV file; relative to the working directory.
  std::filesystem::path data;
};

/// Reads a configuration.
/// @param defaults Values for absent entries.
/// @errors `ec::bad_option` naming the entry, its value and the legal range.
[[nodiscard]] expected<digits_options> read_digits_options(const object& config,
                                                           digits_options defaults);

/// Each `step` is one epoch over the training images. It reports `loss` (training),
/// `validation_loss`, `accuracy` (validation; the one to optimise), `test_accuracy` (never to be
/// optimised), `weights` (number of weights and biases of the network) and `lr`.
///
/// The same configuration gives the same numbers on the same machine.
class digits_mlp final : public trainable {
public:
  /// @param default_data File with the digits, unless the configuration names its own `data`.
  explicit digits_mlp(std::filesystem::path default_data);

  void setup(const object& config, const trial_context& context) override;
  metrics step() override;
  void save(const std::filesystem::path& directory) override;
  /// Takes weights, optimiser and epoch from the checkpoint, but learning rate, batch size and the
  /// like from the configuration. Throws if the checkpoint is of a network of another shape.
  void load(const std::filesystem::path& directory) override;
  [[nodiscard]] bool can_save() const override { return true; }
  bool reset(const object& config) override;

  /// The network in its present state.
  [[nodiscard]] const perceptron& network() const { return *network_; }
  /// Number of epochs done.
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }

private:
  void begin(const object& config);
  [[nodiscard]] std::vector<std::size_t> image_order() const;
  double learn();

  std::filesystem::path default_data_;
  digits_options options_;
  std::filesystem::path loaded_from_;
  digits_split data_;
  std::optional<perceptron> network_;
  optimizer optimizer_;
  std::uint64_t epoch_ = 0;
};

} // namespace tune::examples

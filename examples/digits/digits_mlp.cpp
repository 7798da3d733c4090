// SPDX-License-Identifier: BSD-3-Clause
#include "digits/digits_mlp.hpp"

#include "digits/checkpoint.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace tune::examples {

namespace {

/// Turns errors into exceptions, which is how a `trainable` reports them.
template <class T>
T or_throw(expected<T> what) {
  if (!what)
    throw std::runtime_error{to_text(what.error())};
  if constexpr (!std::is_void_v<T>)
    return std::move(*what);
}

std::vector<std::size_t> widths(const digits_options& from) {
  std::vector<std::size_t> result(from.layers + 2, from.hidden);
  result.front() = pixels_per_digit;
  result.back() = digit_classes;
  return result;
}

/// Replaces `batch` by the images at `indices`.
void gather(const digit_set& from, std::span<const std::size_t> indices, digit_set& batch) {
  batch.pixels.clear();
  batch.labels.clear();
  for (auto i : indices) {
    auto first = from.pixels.begin() + static_cast<std::ptrdiff_t>(i * pixels_per_digit);
    batch.pixels.insert(batch.pixels.end(), first, first + pixels_per_digit);
    batch.labels.push_back(from.labels[i]);
  }
}

} // namespace

digits_mlp::digits_mlp(std::filesystem::path default_data)
    : default_data_{std::move(default_data)} {}

void digits_mlp::setup(const object& config, const trial_context&) {
  begin(config);
}

bool digits_mlp::reset(const object& config) {
  begin(config);
  return true;
}

void digits_mlp::begin(const object& config) {
  digits_options defaults;
  defaults.data = default_data_;
  options_ = or_throw(read_digits_options(config, std::move(defaults)));
  if (loaded_from_ != options_.data) {
    data_ = split_digits(or_throw(read_digits(options_.data)));
    loaded_from_ = options_.data;
  }
  network_.emplace(widths(options_), options_.seed);
  optimizer_ = optimizer{options_.optimizer, network_->parameters().size()};
  epoch_ = 0;
}

metrics digits_mlp::step() {
  auto loss = learn();
  auto validation = network_->evaluate(data_.validation);
  auto test = network_->evaluate(data_.test);
  return {{"loss", loss},
          {"validation_loss", validation.loss},
          {"accuracy", validation.accuracy},
          {"test_accuracy", test.accuracy},
          {"weights", static_cast<std::int64_t>(network_->parameters().size())},
          {"lr", options_.optimizer.lr}};
}

/// Derives the order from the epoch's number, so that a restored training sees the same order as an
/// uninterrupted one without saving any generator.
std::vector<std::size_t> digits_mlp::image_order() const {
  std::vector<std::size_t> result(data_.train.size());
  std::iota(result.begin(), result.end(), std::size_t{0});
  auto draws = rng{options_.seed, "digits.order", epoch_};
  for (auto left = result.size(); left > 1; --left)
    std::swap(result[left - 1], result[draws.below(left)]);
  return result;
}

/// Trains one epoch. @returns the mean loss over its batches.
double digits_mlp::learn() {
  ++epoch_;
  auto order = image_order();
  auto draws = rng{options_.seed, "digits.dropout", epoch_};
  std::vector<float> gradient(network_->parameters().size());
  digit_set batch;
  auto loss = 0.0;
  for (std::size_t first = 0; first < order.size(); first += options_.batch) {
    auto count = std::min(options_.batch, order.size() - first);
    gather(data_.train, {order.data() + first, count}, batch);
    loss += static_cast<double>(count)
            * network_->gradient(batch, options_.dropout, draws, gradient);
    optimizer_.step(network_->parameters(), gradient);
  }
  return loss / static_cast<double>(order.size());
}

void digits_mlp::save(const std::filesystem::path& directory) {
  or_throw(write_checkpoint(directory, epoch_, *network_, optimizer_));
}

void digits_mlp::load(const std::filesystem::path& directory) {
  epoch_ = or_throw(read_checkpoint(directory, *network_, optimizer_));
}

} // namespace tune::examples

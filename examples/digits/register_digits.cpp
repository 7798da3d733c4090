// SPDX-License-Identifier: BSD-3-Clause
#include "digits/register_digits.hpp"

#include "digits/digits_mlp.hpp"
#include "digits/quadratic.hpp"

namespace tune::examples {

void register_digits(trainable_registry& to, std::filesystem::path default_data) {
  to.add_class(
      "digits_mlp", [data = std::move(default_data)] { return std::make_unique<digits_mlp>(data); },
      "a small neural network that learns handwritten digits; one step is one epoch");
  to.add_function("quadratic", quadratic, "a noisy bowl over x and y; takes no time");
}

} // namespace tune::examples

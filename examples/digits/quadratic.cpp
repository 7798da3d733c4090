// SPDX-License-Identifier: BSD-3-Clause
#include "digits/quadratic.hpp"

#include "tune/core/rng.hpp"

#include <stdexcept>

namespace tune::examples {

namespace {

double number(const object& config, const char* name, double otherwise) {
  auto* x = config.find(name);
  if (!x)
    return otherwise;
  if (auto n = x->number())
    return *n;
  throw std::invalid_argument{std::string{name} + " = " + to_text(*x) + ": expected a number"};
}

} // namespace

void quadratic(session& with) {
  const auto& config = with.config();
  auto x = number(config, "x", 0) - 1;
  auto y = number(config, "y", 0) + 2;
  auto iterations = number(config, "iterations", 10);
  auto noise = number(config, "noise", 0.01);
  auto draws = rng{static_cast<std::uint64_t>(number(config, "seed", 0)), "quadratic", 0};
  for (auto n = 1; n <= iterations; ++n) {
    auto loss = x * x + y * y + 1.0 / n + noise * draws.normal();
    if (!with.report({{"loss", loss}, {"score", -loss}}))
      return;
  }
}

} // namespace tune::examples

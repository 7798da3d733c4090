// SPDX-License-Identifier: BSD-3-Clause
#include "trainables.hpp"

#include <fstream>
#include <limits>
#include <stdexcept>

namespace embed {

namespace {

double number(const tune::object& config, const char* name) {
  const auto* found = config.find(name);
  if (found == nullptr || !found->number())
    throw std::invalid_argument{std::string{name} + " must be a number"};
  return *found->number();
}

} // namespace

void parabola(tune::session& with) {
  auto x = number(with.config(), "x") - 1;
  for (auto n = 1; n <= 10; ++n) {
    if (!with.report({{"loss", x * x + 1.0 / n}}))
      return;
  }
}

void descent::setup(const tune::object& config, const tune::trial_context&) {
  lr_ = number(config, "lr");
}

tune::metrics descent::step() {
  x_ -= lr_ * 2 * (x_ - 1);
  return {{"loss", (x_ - 1) * (x_ - 1)}};
}

void descent::save(const std::filesystem::path& directory) {
  std::ofstream out{directory / "x"};
  out.precision(std::numeric_limits<double>::max_digits10);
  out << x_;
  if (!out.flush())
    throw std::runtime_error{"cannot write " + directory.string()};
}

void descent::load(const std::filesystem::path& directory) {
  if (!(std::ifstream{directory / "x"} >> x_))
    throw std::runtime_error{"cannot read " + directory.string()};
}

tune::trainable_registry trainables() {
  tune::trainable_registry result;
  result.add_function("parabola", parabola, "a parabola with its lowest point at x = 1");
  result.add_class<descent>("descent", "gradient descent; good steps are below 1");
  return result;
}

} // namespace embed

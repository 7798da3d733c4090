/// What the files that define problems share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quality/problems.hpp"

#include <numbers>
#include <string_view>

namespace tune::quality {

using point = std::vector<double>;
using function = std::function<double(const point&)>;

inline constexpr double pi = std::numbers::pi;

inline double squared(double x) {
  return x * x;
}

/// Ends the program where the lines are wrong: they are part of it.
[[nodiscard]] std::shared_ptr<const search_space>
space_of(const std::vector<parameter_text>& lines);
[[nodiscard]] double number(const object& config, std::string_view name);
[[nodiscard]] const std::string& text(const object& config, std::string_view name);

/// Turns a point about the origin, in each plane of two axes by some angle.
[[nodiscard]] point rotated(point x, std::uint64_t seed);

/// How numbers of a configuration become coordinates in [-5, 5].
enum class unit { plain, logarithm, quarters };

/// A cube [-5, 5]^d of coordinates, with a function's origin somewhere in it.
struct frame {
  std::size_t d = 1;
  /// Of origin and rotation.
  std::uint64_t seed = 0;
  bool rotates = true;
  unit in = unit::plain;
  /// Where each coordinate of the origin may be.
  double from = -4;
  double to = 4;
};

/// A function with its minimum, 0, at the origin, moved to anywhere in the frame.
[[nodiscard]] problem box(std::string name, const frame& in, const function& g);
/// x0 … x(d-1), as they stand in the configuration.
[[nodiscard]] point numbers(const object& config, std::size_t d);
/// A function of floats x0 … x(d-1) with the same bounds.
[[nodiscard]] problem plain(std::string name, const std::string& domain, point best, double optimum,
                            const function& g);

/// The functions that boxes are made of.
double rastrigin(const point& z);
double rosenbrock(const point& z);
double ackley(const point& z);
double ellipsoid(const point& z);

// Where the problems are defined.
[[nodiscard]] std::vector<problem> smooth_problems();
[[nodiscard]] std::vector<problem> rugged_problems();
[[nodiscard]] std::vector<problem> shaped_problems();
[[nodiscard]] std::vector<problem> tree_problems();
[[nodiscard]] std::vector<problem> table_problems();

} // namespace tune::quality

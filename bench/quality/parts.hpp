/// Shared parts of the files that define problems.
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

/// Parses a space; ends the program if the lines are wrong, since they are part of the program.
[[nodiscard]] std::shared_ptr<const search_space>
space_of(const std::vector<parameter_text>& lines);
[[nodiscard]] double number(const object& config, std::string_view name);
[[nodiscard]] const std::string& text(const object& config, std::string_view name);

/// Rotates a point about the origin, in each plane of two axes by some angle.
[[nodiscard]] point rotated(point x, std::uint64_t seed);

/// The way in which numbers of a configuration become coordinates in [-5, 5].
enum class unit { plain, logarithm, quarters };

/// A cube [-5, 5]^d of coordinates, with a function's origin somewhere in it.
struct frame {
  std::size_t d = 1;
  /// Seed of origin and rotation.
  std::uint64_t seed = 0;
  bool rotates = true;
  unit in = unit::plain;
  /// Bounds of each coordinate of the origin.
  double from = -4;
  double to = 4;
};

/// A problem from a function whose minimum, 0, is at its origin; the origin is moved to any place
/// in the frame.
[[nodiscard]] problem box(std::string name, const frame& in, const function& g);
/// The parameters x0 … x(d-1) of a configuration, as they are.
[[nodiscard]] point numbers(const object& config, std::size_t d);
/// A problem from a function of floats x0 … x(d-1) with the same domain.
[[nodiscard]] problem plain(std::string name, const std::string& domain, point best, double optimum,
                            const function& g);

/// Functions used in boxes.
double rastrigin(const point& z);
double rosenbrock(const point& z);
double ackley(const point& z);
double ellipsoid(const point& z);

// Problems by the file that defines them.
[[nodiscard]] std::vector<problem> smooth_problems();
[[nodiscard]] std::vector<problem> rugged_problems();
[[nodiscard]] std::vector<problem> shaped_problems();
[[nodiscard]] std::vector<problem> tree_problems();
[[nodiscard]] std::vector<problem> table_problems();

} // namespace tune::quality

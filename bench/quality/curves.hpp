/// Learning curves of real trainings, recorded by make_curves.py, as a surface over their space.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/encoding/encoding.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tune::quality {

/// Number of levels of every curve.
inline constexpr std::size_t curve_levels = 27;
/// Parameter of `curve_set::with_level`: the level at which the trial ends.
inline constexpr std::string_view level_parameter = "level";

struct curve {
  /// Duration of one level.
  double seconds = 0;
  /// Loss after each level; to be minimised.
  std::vector<double> losses;
};

/// The curve of a configuration that was not recorded.
enum class between : std::uint8_t {
  /// The nearest recorded curve.
  nearest,
  /// The mean of the eight nearest, weighted by (1/d - 1/D)² with d the distance and D that of the
  /// ninth: continuous, and equal to the recorded curve at each recorded configuration.
  blend,
};

/// Curves of random configurations of one space.
///
/// The square of the distance is the sum over the parameters of squared differences in the unit
/// cube, and 1 where categories differ or one of the two has no such parameter.
/// @source Franke, Nielson, "Smooth Interpolation of Large Sets of Scattered Data", International
///         Journal for Numerical Methods in Engineering 15, 1980.
class curve_set {
public:
  /// Reads a table; ends the program if it does not exist.
  [[nodiscard]] static curve_set read(const std::string& name, between how);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::shared_ptr<const search_space>& space() const { return space_; }
  /// The space extended by `level_parameter`.
  [[nodiscard]] const std::shared_ptr<const search_space>& with_level() const {
    return with_level_;
  }
  [[nodiscard]] curve of(const object& config) const;
  /// The best loss at the last level of any recorded curve.
  [[nodiscard]] double best() const { return best_; }

private:
  std::string name_;
  between how_ = between::blend;
  std::shared_ptr<const search_space> space_;
  std::shared_ptr<const search_space> with_level_;
  std::shared_ptr<const encoding> cube_;
  std::vector<cube_point> at_;
  std::vector<curve> curves_;
  double best_ = 0;

  void add(const std::vector<std::string>& row, const std::string& path);
  [[nodiscard]] double distance(const cube_point& x, const cube_point& y) const;
};

/// Names of all tables.
[[nodiscard]] const std::vector<std::string>& curve_names();

} // namespace tune::quality

/// One parameter, or a part of it, as a coordinate that models can compute with.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/domain.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tune {

/// The values of one domain, laid out on the unit interval or, if they have no order, by index.
///
/// Numbers are spread evenly over [0, 1], or evenly in their logarithm if the domain is drawn that
/// way. Each whole number and multiple of a step owns a cell; its coordinate is that of the number
/// itself. Normally distributed numbers are placed at their quantile. Lists of three or more
/// numbers that rise or fall throughout, and those of `ordinal`, are ordered: number i of K is
/// placed at (i + ½) / K. All other lists are categories: the coordinate is the index.
class axis {
public:
  /// The single axis of a domain; empty for domains with one value, which need no coordinate, and
  /// for those that need several.
  /// @param what Must not be a grid.
  [[nodiscard]] static std::optional<axis> make(const domain& what);
  /// All axes that the domain needs: for a permutation the rank of each item, in order; for a
  /// subset one category per item, 0 if it is left out and 1 if it is a member; else none or one.
  [[nodiscard]] static std::vector<axis> make_all(const domain& what);

  /// The axis of a range that depends on other parameters: the coordinate is the place in the range
  /// that holds for the configuration, which an axis of that range knows (`encoding::axis_at`).
  /// Empty if there is only one value.
  /// @param widest Covers all possible ranges; used for `is_discrete` and `cells`.
  [[nodiscard]] static std::optional<axis> make_relative(const domain& widest);

  /// Whether coordinates are indices without order.
  [[nodiscard]] bool is_category() const { return kind_ == kind::category; }
  /// Whether the values are countable.
  [[nodiscard]] bool is_discrete() const { return cells_ > 0; }
  /// Whether equal steps of the coordinate are equal steps of the value.
  [[nodiscard]] bool is_even() const { return kind_ != kind::normal && !log_; }
  /// Number of values; 0 if they are not countable. An estimate if they have no end; for a relative
  /// axis that of the widest range.
  [[nodiscard]] double cells() const { return cells_; }
  /// Whether there are exactly `cells()` values.
  [[nodiscard]] bool is_finite() const {
    return is_discrete() && kind_ != kind::normal && kind_ != kind::relative;
  }

  /// The coordinate of the value nearest to `u`; numbers outside of [0, 1] are clamped. On a
  /// relative axis the clamped `u`.
  [[nodiscard]] double snapped(double u) const;
  /// The value at a coordinate.
  [[nodiscard]] value at(double u) const;
  /// The coordinate of a value; a number outside of the domain gets that of the nearer end. Empty
  /// for values of another kind.
  [[nodiscard]] std::optional<double> coordinate(const value& x) const;
  /// The interval of coordinates that covers all values of `part`, including their cells, in [0,
  /// 1].
  /// @param part The axis of a part of the numbers, with the same steps.
  [[nodiscard]] interval cover(const axis& part) const;
  /// The coordinate of value number `i` of a finite axis. [0 … cells() - 1]
  [[nodiscard]] double coordinate_of_cell(double i) const;

private:
  enum class kind { category, ordered, real, stepped, normal, relative };

  kind kind_ = kind::real;
  bool log_ = false;
  bool whole_ = false;
  /// Ends of the interval; logarithms if `log_`.
  double low_ = 0;
  double high_ = 1;
  /// Bounds of the values: numbers, or numbers of steps.
  double first_ = 0;
  double last_ = 0;
  double step_ = 0;
  double cells_ = 0;
  /// Bounds of whole numbers: not all of them can be represented as floats.
  std::int64_t least_ = 0;
  std::int64_t most_ = 0;
  std::vector<value> options_;

  struct builder;
  [[nodiscard]] double number_at(double u) const;
  [[nodiscard]] double coordinate_of_number(double x) const;
};

/// Coordinates of a permutation or subset on the axes of its domain (`axis::make_all`), in their
/// order. Empty for values that are not in the domain, and for domains of other kinds.
[[nodiscard]] std::optional<std::vector<double>> list_coordinates(const domain& what,
                                                                  const value& x);

} // namespace tune

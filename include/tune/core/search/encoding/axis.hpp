/// One parameter, or a part of it, as a coordinate that models can compute with.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/domain.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tune {

/// The values of one domain, laid out on the unit interval or, where they have no order, by index.
///
/// Numbers stand evenly in [0, 1], or evenly in their logarithm where the domain is drawn so. Whole
/// numbers and multiples of a step own a cell each; their coordinate is that of the number itself.
/// Normally distributed ones stand at their quantile. Lists of three or more numbers that rise or
/// fall throughout, and those of `ordinal`, are ordered: number i of K stands at (i + ½) / K. All
/// other lists are categories: the coordinate is the index.
class axis {
public:
  /// Nothing for domains with a single value, which need no coordinate, and for those that need
  /// more than one.
  /// @param what Must be no grid.
  [[nodiscard]] static std::optional<axis> make(const domain& what);
  /// All that the domain needs: of a permutation the rank of each item, in order; of a subset for
  /// each item a category, 0 where it is left out and 1 where it is a member; else none or one.
  [[nodiscard]] static std::vector<axis> make_all(const domain& what);

  /// The axis of a range that depends on others: the coordinate is the place in the range that
  /// holds for the configuration, which an axis of that range knows (`encoding::axis_at`).
  /// Nothing where there is but one value.
  /// @param widest All that it may be, for `is_discrete` and `cells`.
  [[nodiscard]] static std::optional<axis> make_relative(const domain& widest);

  /// Whether coordinates are indices that know no order.
  [[nodiscard]] bool is_category() const { return kind_ == kind::category; }
  /// Whether the values are countable.
  [[nodiscard]] bool is_discrete() const { return cells_ > 0; }
  /// Whether equal steps of the coordinate are equal steps of the value.
  [[nodiscard]] bool is_even() const { return kind_ != kind::normal && !log_; }
  /// Number of values; 0 where they are not countable. Where they have no end an estimate, of a
  /// relative axis that of the widest range.
  [[nodiscard]] double cells() const { return cells_; }
  /// Whether there are `cells()` values and no more.
  [[nodiscard]] bool is_finite() const {
    return is_discrete() && kind_ != kind::normal && kind_ != kind::relative;
  }

  /// The coordinate of the value next to `u`; numbers outside of [0, 1] count as its ends. On a
  /// relative axis `u` itself.
  [[nodiscard]] double snapped(double u) const;
  /// The value at a coordinate.
  [[nodiscard]] value at(double u) const;
  /// The coordinate of a value; of numbers outside of the domain that of its nearer end. Nothing
  /// for values of another kind.
  [[nodiscard]] std::optional<double> coordinate(const value& x) const;
  /// Between which coordinates all that `part` has stands, cells and all, in [0, 1].
  /// @param part The axis of a part of the numbers, with the same steps.
  [[nodiscard]] interval cover(const axis& part) const;
  /// The coordinate of value number `i` of a finite axis. [0 … cells() - 1]
  [[nodiscard]] double coordinate_of_cell(double i) const;

private:
  enum class kind { category, ordered, real, stepped, normal, relative };

  kind kind_ = kind::real;
  bool log_ = false;
  bool whole_ = false;
  /// Ends of the interval, in logarithms where `log_`.
  double low_ = 0;
  double high_ = 1;
  /// Bounds of the values: numbers, or numbers of steps.
  double first_ = 0;
  double last_ = 0;
  double step_ = 0;
  double cells_ = 0;
  /// Bounds of whole numbers: not all of them are floats.
  std::int64_t least_ = 0;
  std::int64_t most_ = 0;
  std::vector<value> options_;

  struct builder;
  [[nodiscard]] double number_at(double u) const;
  [[nodiscard]] double coordinate_of_number(double x) const;
};

} // namespace tune

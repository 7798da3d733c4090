/// Points with several scores, ranked by dominance.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/fingerprint.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tune::asha {

/// Points in non-dominated fronts: no point of a front dominates another of it, and each point is
/// dominated by one of the previous front, if there is one. Points arrive one by one and stay.
///
/// No point can be forgotten: one that is far back is among the best `most` again once enough worse
/// ones have come. But the fronts are kept, and a new point moves only those that it pushes back:
/// its place among F fronts is found by looking into O(log F) of them, and the points it pushes
/// back move from front to front, mostly a few at a time, until a front is pushed back as a whole:
/// then those behind it just move back one place. At worst that is O(m · n) of n points with m
/// scores; with two scores O(F log n) if few are pushed back.
///
/// @source Li, Deb, Zhang, Zhang, "Efficient Nondomination Level Update Method for Steady-State
///         Evolutionary Multiobjective Optimization", IEEE Transactions on Cybernetics, 2017.
class fronts {
public:
  /// @param objectives Scores of each point. [>= 1]
  explicit fronts(std::uint32_t objectives) : objectives_{objectives} {}

  /// Adds a point without NaN. @returns its slot: the number of points before it.
  std::uint32_t insert(std::span<const double> point);

  [[nodiscard]] std::size_t size() const { return front_of_.size(); }
  /// Number of fronts that are better than the point's own.
  [[nodiscard]] std::uint32_t index_of(std::uint32_t slot) const;
  /// Number of points in fronts better than the one with this index.
  [[nodiscard]] std::size_t before(std::uint32_t index) const;
  /// The points of a front, in no meaningful order. [index < count()]
  [[nodiscard]] const std::vector<std::uint32_t>& members(std::uint32_t index) const;
  [[nodiscard]] std::size_t count() const { return order_.size(); }

  /// The best points: whole fronts, and a part of the next one.
  struct cut {
    /// Number of fronts that belong to the cut as a whole.
    std::uint32_t whole = 0;
    /// Points of the front with index `whole`, best first: spread evenly, or drawn by lot if it has
    /// more than 256 points, since then the lot is even, too.
    std::vector<std::uint32_t> rest;
  };
  /// @param most Largest number of points in the cut.
  [[nodiscard]] cut best(std::size_t most) const;

  /// Marks a point, or removes its mark.
  void mark(std::uint32_t slot, bool on);
  [[nodiscard]] bool is_marked(std::uint32_t slot) const { return marked_[slot] != 0; }
  /// Number of marked points in a front.
  [[nodiscard]] std::uint32_t marked_in(std::uint32_t index) const;

  /// Adds all state to `into`.
  void describe(fingerprint& into) const;

private:
  /// Points by falling first score: with two scores the second one rises, and the points that a
  /// point dominates are adjacent.
  struct front {
    std::vector<std::uint32_t> slots;
    /// Scores of `slots`, one after another in one array, since they are scanned often.
    std::vector<double> values;
    std::uint32_t marked = 0;
  };
  /// Points moving from one front to the next.
  struct group {
    std::vector<std::uint32_t> slots;
    std::vector<double> values;
  };

  std::uint32_t objectives_;
  /// Fronts in the order of their creation; never removed.
  std::vector<front> fronts_;
  /// Indices into `fronts_`, best front first; the size of each front; and the inverse of `order_`.
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> sizes_;
  std::vector<std::uint32_t> place_;
  /// By slot: index into `fronts_`, and whether the point is marked.
  std::vector<std::uint32_t> front_of_;
  std::vector<char> marked_;

  [[nodiscard]] std::size_t below(const front& where, double score, bool or_equal) const;
  [[nodiscard]] bool reaches(const front& where, std::span<const double> point) const;
  [[nodiscard]] group push_back(front& from, const group& by) const;
  void join(std::uint32_t id, const group& what);
  void make_front(std::size_t index, const group& of);
};

} // namespace tune::asha

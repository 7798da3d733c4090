/// Points with several scores, ranked by who is better in all of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/fingerprint.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tune::asha {

/// Points in non-dominated fronts: no point of a front is dominated by another of it, and each is
/// by one of the front before, if there is one. Points come one by one and stay.
///
/// Nothing can be forgotten: a point that is far back is among the best so many again as soon as
/// worse ones have come. But the fronts are kept, and a new point moves only those that it
/// pushes back: its place among F fronts is found by looking into O(log F) of them, and what it
/// pushes back goes from front to front, mostly a few points, until a front is pushed back as a
/// whole: then those behind it just move up one place. At worst that is O(m · n) of n points with m
/// scores; with two scores O(F log n) where few are pushed back.
///
/// @source Li, Deb, Zhang, Zhang, "Efficient Nondomination Level Update Method for Steady-State
///         Evolutionary Multiobjective Optimization", IEEE Transactions on Cybernetics, 2017.
class fronts {
public:
  /// @param objectives Scores of each point. [>= 1]
  explicit fronts(std::uint32_t objectives) : objectives_{objectives} {}

  /// Adds a point without NaN. @returns its slot: how many there were before.
  std::uint32_t insert(std::span<const double> point);

  [[nodiscard]] std::size_t size() const { return front_of_.size(); }
  /// How many fronts are better than the point's own.
  [[nodiscard]] std::uint32_t index_of(std::uint32_t slot) const;
  /// How many points are in better fronts than that of this index.
  [[nodiscard]] std::size_t before(std::uint32_t index) const;
  /// The points of a front, in no order that means anything. [index < count()]
  [[nodiscard]] const std::vector<std::uint32_t>& members(std::uint32_t index) const;
  [[nodiscard]] std::size_t count() const { return order_.size(); }

  /// The best so many: whole fronts, and a part of the next.
  struct cut {
    /// How many fronts belong to them as a whole.
    std::uint32_t whole = 0;
    /// Of the front of index `whole`: spread evenly, or by lot where it has more than 256 points,
    /// for then the lot is even, too. Best first.
    std::vector<std::uint32_t> rest;
  };
  /// @param most At most so many points are meant.
  [[nodiscard]] cut best(std::size_t most) const;

  /// Marks a point, or takes the mark back.
  void mark(std::uint32_t slot, bool on);
  [[nodiscard]] bool is_marked(std::uint32_t slot) const { return marked_[slot] != 0; }
  /// How many of a front are marked.
  [[nodiscard]] std::uint32_t marked_in(std::uint32_t index) const;

  /// Adds all state to `into`.
  void describe(fingerprint& into) const;

private:
  /// By falling first score: with two scores the second rises, and what a point dominates is a row
  /// of neighbours.
  struct front {
    std::vector<std::uint32_t> slots;
    /// Of those, one after the other: they are gone through often.
    std::vector<double> values;
    std::uint32_t marked = 0;
  };
  /// Points on their way from a front to the next.
  struct group {
    std::vector<std::uint32_t> slots;
    std::vector<double> values;
  };

  std::uint32_t objectives_;
  /// Fronts in the order in which they were made; never removed.
  std::vector<front> fronts_;
  /// Best first, as indices into `fronts_`; how many each has; and the way back.
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> sizes_;
  std::vector<std::uint32_t> place_;
  /// By slot: which of `fronts_`, and whether it is marked.
  std::vector<std::uint32_t> front_of_;
  std::vector<char> marked_;

  [[nodiscard]] std::size_t below(const front& where, double score, bool or_equal) const;
  [[nodiscard]] bool reaches(const front& where, std::span<const double> point) const;
  [[nodiscard]] group push_back(front& from, const group& by) const;
  void join(std::uint32_t id, const group& what);
  void make_front(std::size_t index, const group& of);
};

} // namespace tune::asha

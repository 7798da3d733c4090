/// The rungs of one bracket and what was recorded at each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/fingerprint.hpp"
#include "tune/core/schedule/asha/fronts.hpp"
#include "tune/core/schedule/running_quantile.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tune::asha {

/// grace · eta^(k + bracket) for k = 0, 1, … up to and including `max_t`, ascending. Products that
/// are whole numbers but for rounding are made whole.
///
/// @param most Stop after so many.
[[nodiscard]] std::vector<double> milestones(double grace, double eta, double max_t,
                                             std::uint32_t bracket, std::size_t most);

/// Where a trial with several scores stands among those at a rung, itself among them.
struct front_standing {
  /// How many fronts are better than its own.
  std::uint32_t front = 0;
  /// 1 is the best.
  std::uint64_t rank = 0;
  /// So many go on: ⌈all / eta⌉.
  std::uint64_t most = 0;
  /// It is one of them.
  bool goes_on = true;
};

/// What a trial found at a rung when it got there.
struct rung_visit {
  double milestone = 0;
  /// The first one.
  double score = 0;
  /// The quantile of what was there before; none at an empty rung, or with several scores.
  std::optional<double> cutoff;
  /// How many were there before.
  std::uint64_t recorded = 0;
  /// With several scores, none of them NaN.
  std::optional<front_standing> stands;

  /// Strictly below the cutoff, or not among the best fronts. Never with a NaN.
  [[nodiscard]] bool is_below() const {
    return stands ? !stands->goes_on : cutoff && score < *cutoff;
  }
};

/// One bracket.
class ladder {
public:
  /// @param marks      Ascending.
  /// @param eta        One visitor in `eta` is at or above the cutoff. [> 1]
  /// @param objectives How many scores are compared. [>= 1]
  ladder(const std::vector<double>& marks, double eta, std::uint32_t objectives = 1);

  /// Records the scores at the highest rung at or below `time`, unless the trial has passed it.
  ///
  /// @param scores As many as are compared.
  /// @param passed How many rungs the trial has passed, counted from the lowest; updated.
  /// @returns what it found there; nothing where no new rung was reached.
  std::optional<rung_visit> visit(double time, std::span<const double> scores,
                                  std::uint32_t& passed);

  [[nodiscard]] std::size_t size() const { return rungs_.size(); }

  /// "rung 1: 9, 4: 2": how many trials were recorded at each.
  [[nodiscard]] std::string outline() const;

  /// Adds all state to `into`.
  void describe(fingerprint& into) const;

private:
  struct rung {
    double milestone;
    /// By one score.
    running_quantile scores;
    /// By several.
    fronts points;
  };
  double eta_;
  std::uint32_t objectives_;
  std::vector<rung> rungs_;

  std::optional<front_standing> rank(fronts& among, std::span<const double> scores) const;
};

} // namespace tune::asha

/// The rungs of one bracket and what was recorded at each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/fingerprint.hpp"
#include "tune/core/schedule/running_quantile.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tune::asha {

/// grace · eta^(k + bracket) for k = 0, 1, … up to and including `max_t`, ascending. Products that
/// are whole numbers but for rounding are made whole.
///
/// @param most Stop after so many.
[[nodiscard]] std::vector<double> milestones(double grace, double eta, double max_t,
                                             std::uint32_t bracket, std::size_t most);

/// What a trial found at a rung when it got there.
struct rung_visit {
  double milestone = 0;
  double score = 0;
  /// The quantile of what was there before; none at an empty rung.
  std::optional<double> cutoff;
  /// How many numbers were there before.
  std::uint64_t recorded = 0;

  /// Strictly below the cutoff. Never with a NaN.
  [[nodiscard]] bool is_below() const { return cutoff && score < *cutoff; }
};

/// One bracket.
class ladder {
public:
  /// @param marks Ascending.
  /// @param eta   One visitor in `eta` is at or above the cutoff. [> 1]
  ladder(const std::vector<double>& marks, double eta);

  /// Records `score` at the highest rung at or below `time`, unless the trial has passed it.
  ///
  /// @param passed How many rungs the trial has passed, counted from the lowest; updated.
  /// @returns what it found there; nothing where no new rung was reached.
  std::optional<rung_visit> visit(double time, double score, std::uint32_t& passed);

  [[nodiscard]] std::size_t size() const { return rungs_.size(); }

  /// Adds all state to `into`.
  void describe(fingerprint& into) const;

private:
  struct rung {
    double milestone;
    running_quantile scores;
  };
  std::vector<rung> rungs_;
};

} // namespace tune::asha

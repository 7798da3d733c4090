/// The trials that finished a rung, and those of them that may be promoted: for the form that
/// promotes. The form that stops compares by `ladder`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/fingerprint.hpp"
#include "tune/core/ids.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tune::asha {

/// Standing of one trial among those that finished its rung.
struct standing {
  /// 1 is the best.
  std::uint64_t rank = 0;
  /// Number of trials that finished the rung, including this one.
  std::uint64_t recorded = 0;
  /// Number of promotable trials: the best ⌊recorded / eta⌋.
  std::uint64_t promotable = 0;
  /// The trial's own (first) score.
  double score = 0;
  /// Score of the last promotable trial; empty if there is none, or with several objectives.
  std::optional<double> cutoff;
  /// With several objectives: number of fronts that are better than the trial's own.
  std::optional<std::uint64_t> front;
};

/// All trials that finished one rung. Nothing is taken back: a trial that ends, or goes on, keeps
/// its score here.
///
/// A trial is named by its slot, the number of trials recorded before it. It is *open* while it can
/// be promoted: it waits, and was not promoted before.
class board {
public:
  virtual ~board() = default;

  /// Adds a trial, not open at first. One with a NaN is ranked last and is never promotable.
  /// @returns its slot.
  virtual std::uint32_t record(trial_id trial, std::span<const double> scores) = 0;
  virtual void set_open(std::uint32_t slot, bool open) = 0;

  [[nodiscard]] virtual bool is_promotable(std::uint32_t slot) const = 0;
  [[nodiscard]] virtual standing standing_of(std::uint32_t slot) const = 0;
  /// Appends open trials that are promotable, best first, until `into` has `count`.
  virtual void name(std::size_t count, std::vector<trial_id>& into) const = 0;

  /// Adds all state to `into`.
  virtual void describe(fingerprint& into) const = 0;
  /// Number of trials recorded.
  [[nodiscard]] virtual std::size_t size() const = 0;
};

/// A board that ranks by one score: O(log n) for each call, of n trials here.
/// @param eta [> 1]
[[nodiscard]] std::unique_ptr<board> make_score_board(double eta);

/// A board that ranks by the fronts of several scores, and within the front that is divided by
/// `fronts::best`, so that the trials that go on are spread evenly. Trials of one front have the
/// same rank, except in the divided one. `record` costs as much as inserting a point into `fronts`;
/// naming costs O(F) of F fronts.
/// @param objectives [>= 2]
[[nodiscard]] std::unique_ptr<board> make_front_board(double eta, std::uint32_t objectives);

/// A board for one or several scores.
[[nodiscard]] inline std::unique_ptr<board> make_board(double eta, std::uint32_t objectives) {
  return objectives > 1 ? make_front_board(eta, objectives) : make_score_board(eta);
}

} // namespace tune::asha

/// One run of CMA-ES over a search space, from its start until it has nothing left to gain.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/fingerprint.hpp"
#include "tune/core/search/cma_es/distribution.hpp"
#include "tune/core/search/encoding/encoding.hpp"
#include "tune/core/search/learner/archive.hpp"

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace tune::cma_es {

/// The axes of a space by kind: numbers, which the normal distribution draws, and categories.
struct layout {
  explicit layout(const encoding& space);

  std::vector<std::size_t> numbers;
  std::vector<std::size_t> categories;
};

/// Initial state of a run.
struct start {
  /// λ, the population size. [>= 4]
  std::size_t population = 4;
  /// Latent mean over all axes.
  cube_point mean;
  /// Step size in units of the cube's edge.
  double sigma = 0.2;
  /// Covariance of the numbers, row by row; empty: the identity matrix.
  vector covariance;
};

/// A point of the space in the coordinates of a run.
struct sample {
  /// Coordinates of the numbers, as drawn: before stretching and rounding.
  vector at;
  /// Indices of the categories; NaN for inactive ones.
  vector names;
  /// The generation that it was drawn in.
  std::size_t generation = 0;
  /// Whether it was drawn by the run; false: it was given from outside.
  bool drawn = true;
};

/// The order of a generation and the weights of its members: finished ones, best first; then those
/// that the scheduler stopped; then failed ones.
///
/// Equal results share alike, as do all stopped and all failed ones.
struct verdict {
  /// Indices into the results.
  std::vector<std::size_t> best_first;
  shares by;
};

/// @param weights See `constants::weights`.
[[nodiscard]] verdict judge(std::span<const learning::result> of, std::size_t parents,
                            const vector& weights);

/// The state of a run: N(m, σ²C) for the numbers, and for each category the probability of each
/// choice, which moves towards the choices of the better half.
///
/// Points drawn outside of the cube are drawn again, at most twice, and then moved to its nearest
/// border; whole numbers and lists are rounded to the nearest value, with a margin.
/// @source See `distribution`; for categories Baluja, "Population-Based Incremental Learning",
///         CMU-CS-94-163, with a floor of 1 / (λ · axes) for choices that were not made.
class strategy {
public:
  /// @param space Must outlive this object.
  strategy(const encoding& space, const start& from);

  [[nodiscard]] std::size_t population() const { return how_.population; }
  [[nodiscard]] const distribution& numbers() const { return normal_; }
  /// The probabilities of the choices of category number `k`.
  [[nodiscard]] const vector& chances(std::size_t k) const { return chances_[k]; }

  [[nodiscard]] sample draw(rng& from) const;
  /// The mean of all numbers; categories are drawn.
  [[nodiscard]] sample middle(rng& from) const;
  /// The sample that represents a configuration from outside.
  [[nodiscard]] sample given(const cube_point& canonical) const;
  /// The configuration of a sample.
  [[nodiscard]] cube_point canonical(const sample& of) const;

  /// Takes the result of a sample. Learns once there are as many results as the population.
  void take(const sample& of, learning::result what);
  /// Whether the run is to end: nothing is left to gain, or no trial finishes.
  [[nodiscard]] bool is_over() const { return over_; }
  /// Whether all of its last generation failed.
  [[nodiscard]] bool is_lost() const { return lost_; }

  void describe(fingerprint& into) const;

private:
  const encoding* space_;
  layout axes_;
  constants how_;
  distribution normal_;
  double first_sigma_;
  std::vector<vector> chances_;
  std::vector<sample> members_;
  std::vector<learning::result> results_;
  /// The best value of each generation, newest last.
  std::deque<double> bests_;
  bool over_ = false;
  bool lost_ = false;

  void learn();
  void keep_margins();
  void learn_names(const verdict& from);
  [[nodiscard]] bool is_inside(const vector& at) const;
  [[nodiscard]] bool is_done() const;
  [[nodiscard]] vector drawn_names(rng& from) const;
};

} // namespace tune::cma_es

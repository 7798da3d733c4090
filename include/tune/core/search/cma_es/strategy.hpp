/// One run of CMA-ES over a search space, from a start to the end of what it can gain.
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

/// The axes of a space: numbers, which the normal distribution draws, and categories.
struct layout {
  explicit layout(const encoding& space);

  std::vector<std::size_t> numbers;
  std::vector<std::size_t> categories;
};

/// Where a run begins.
struct start {
  /// λ. [>= 4]
  std::size_t population = 4;
  /// Of all axes, latent.
  cube_point mean;
  /// In units of the cube's edge.
  double sigma = 0.2;
  /// Of the numbers, row by row; empty: the identity.
  vector covariance;
};

/// A point of the space as a run sees it.
struct sample {
  /// Coordinates of the numbers, as drawn: before stretching and rounding.
  vector at;
  /// Indices of the categories; NaN where they are not active.
  vector names;
  /// The generation that it was drawn in.
  std::size_t generation = 0;
  /// Whether it was drawn, and not given by somebody.
  bool drawn = true;
};

/// The order of a generation and what its members count: those that finished, best first; those
/// that the scheduler stopped; those that failed.
///
/// Equal results, and all of the second and third kind, share alike.
struct verdict {
  /// Indices.
  std::vector<std::size_t> best_first;
  shares by;
};

/// @param weights As `constants::weights`.
[[nodiscard]] verdict judge(std::span<const learning::result> of, std::size_t parents,
                            const vector& weights);

/// The state of a run: N(m, σ²C) for the numbers, and for each category the probability of each
/// choice, which moves towards what the better half chose.
///
/// Points drawn outside of the cube are drawn again, twice at most, and then moved to its nearest
/// border; whole numbers and lists are rounded to the nearest value, with a margin.
/// @source As `distribution`; for categories Baluja, "Population-Based Incremental Learning",
///         CMU-CS-94-163, with a floor of 1 / (λ · axes) for what is not chosen.
class strategy {
public:
  /// @param space Must outlive it.
  strategy(const encoding& space, const start& from);

  [[nodiscard]] std::size_t population() const { return how_.population; }
  [[nodiscard]] const distribution& numbers() const { return normal_; }
  /// The probabilities of the choices of category number `k`.
  [[nodiscard]] const vector& chances(std::size_t k) const { return chances_[k]; }

  [[nodiscard]] sample draw(rng& from) const;
  /// The mean of all numbers; categories drawn.
  [[nodiscard]] sample middle(rng& from) const;
  /// What stands for a configuration that others chose.
  [[nodiscard]] sample given(const cube_point& canonical) const;
  /// The configuration of a sample.
  [[nodiscard]] cube_point canonical(const sample& of) const;

  /// Takes in the result of a sample. Once there are as many as the population it learns.
  void take(const sample& of, learning::result what);
  /// Whether it is to end: nothing is left to gain, or nothing finishes.
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
  /// The best of each generation, newest last.
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

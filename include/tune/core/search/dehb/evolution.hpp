/// Differential evolution with one population per budget.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/fingerprint.hpp"
#include "tune/core/rng.hpp"
#include "tune/core/search/dehb/plan.hpp"

#include <compare>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <set>
#include <vector>

namespace tune::dehb {

/// One number in [0, 1] per axis.
using genome = std::vector<double>;

/// Quality of a trial: smaller is better.
struct merit {
  /// Amount by which it misses its constraints.
  double missed = std::numeric_limits<double>::infinity();
  double loss = std::numeric_limits<double>::infinity();
  friend auto operator<=>(const merit&, const merit&) = default;
};

struct settings {
  /// Weight of the difference of two parents. (0, 2]
  double mutation = 0.5;
  /// Probability that a gene is the mutant's. [0, 1]
  double crossover = 0.5;
};

/// A trial of the evolution and its purpose.
struct attempt {
  job what;
  /// Its index in the population of its budget.
  std::size_t target = 0;
  genome genes;
  /// For a promoted one: its index in the population below.
  std::optional<std::size_t> from;
};

/// Populations, and the trials that improve them.
///
/// The first bracket is successive halving: it runs the random members of the lowest population,
/// then the best of each rung, which are trained anew at the next budget once the rung below is
/// over. After that each trial is a binomial crossover of the target, which is the next member in
/// its budget's population, with a mutant a + F (b - c). The mutant's three parents come from the
/// best of the population below (in the lowest budget, its own), as many as the rung has trials,
/// supplemented by members of any population if these are fewer than three. Genes beyond [0, 1] are
/// drawn anew. A trial takes its target's place as soon as it ends, unless it is worse.
///
/// @source Awad, Mallik, Hutter, "DEHB: Evolutionary Hyperband for Scalable, Robust and Efficient
///         Hyperparameter Optimization", IJCAI 2021.
class evolution {
public:
  evolution(plan what, settings how, std::size_t genes, std::uint64_t seed);

  [[nodiscard]] const plan& schedule() const { return plan_; }
  /// Number of trials that were begun and not given back.
  [[nodiscard]] std::uint64_t begun() const { return begun_; }

  /// The next trial. Empty while the rung below has to end first.
  /// @param again Number of times that this question was asked in vain: each time gives another
  ///              child.
  [[nodiscard]] std::optional<attempt> next(std::uint64_t again) const;
  /// The attempt is begun: `next` moves on.
  void begin(const attempt& what);
  /// The attempt has ended.
  void end(const attempt& what, const merit& how);
  /// The attempt was lost, and counts as if it had never begun: it is next.
  void give_back(attempt what);

  void describe(fingerprint& into) const;

private:
  struct member {
    genome genes;
    merit how;
  };

  plan plan_;
  settings how_;
  std::uint64_t seed_;
  std::vector<std::vector<member>> populations_;
  /// By budget: number of the next target.
  std::vector<std::size_t> next_target_;
  /// Trials of the first bracket that have ended, by budget.
  std::vector<std::size_t> ended_;
  /// Places that were promoted from each budget.
  std::vector<std::set<std::size_t>> promoted_;
  std::deque<attempt> again_;
  std::uint64_t begun_ = 0;

  [[nodiscard]] std::vector<std::size_t> order_of(std::size_t budget) const;
  [[nodiscard]] std::optional<attempt> promotion(attempt made) const;
  [[nodiscard]] genome child(const attempt& of, rng& chance) const;
  [[nodiscard]] std::vector<const genome*> parents(const attempt& of, rng& chance) const;
};

} // namespace tune::dehb

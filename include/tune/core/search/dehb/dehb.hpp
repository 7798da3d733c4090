/// DEHB: differential evolution in HyperBand's brackets, with a parameter as the budget of
/// training.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/dehb/evolution.hpp"
#include "tune/core/search/learner/rule.hpp"
#include "tune/core/search/points.hpp"
#include "tune/core/search/searcher.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace tune::dehb {

/// The budget of the evolution, and the plan of its trials.
struct plan_settings {
  /// Name of the parameter that is the budget: a range of numbers that does not depend on others.
  /// Empty: there is no budget, and all trials train alike.
  std::string budget;
  /// One trial in this many goes on, and trains this many times as long. [>= 1.5]
  double reduction_factor = 3;
  /// Size of the population if there is no budget. [>= 4]
  std::size_t population = 20;
};

/// Suggests configurations whose budget parameter is set by the plan.
///
/// A trial has to train for the time given by that parameter, and to end by itself: its last value
/// counts. A trial that failed, or that a scheduler stopped, is worse than all that ended; one that
/// was lost is suggested once more. Trials that miss constraints are worse than those that keep
/// them. The user's points come first; those that leave the budget open, or have the lowest, are
/// members of the first rung, others are not learnt from.
///
/// No configuration is suggested twice; if evolution makes none that is new, a random one is taken.
/// Suggestions are a function of the seed and of the facts applied so far.
class generator final : public searcher {
public:
  /// @errors `ec::bad_option` for grids, for points outside of the space, for more than one
  ///         objective, and for a budget that is no range of numbers, is conditional, spans less
  ///         than one reduction factor, or so many that the first rung has more than 10,000 trials;
  ///         `ec::unknown_name` for a budget that is no parameter.
  [[nodiscard]] static expected<generator> make(const plan_settings& what, settings how,
                                                const searcher_context& about);

  [[nodiscard]] searcher_traits traits() const override;
  void apply(const searcher_fact& what) override;
  [[nodiscard]] proposal propose(const ask& question) const override;
  void describe(fingerprint& into) const override;

private:
  struct open_trial {
    attempt what;
    std::uint64_t key = 0;
  };
  /// A suggestion and its purpose; `what` is empty if it is outside of the plan.
  struct choice {
    cube_point at;
    std::optional<attempt> what;
    config_ptr config;
    std::string origin;
  };

  generator(std::optional<std::size_t> budget, plan what, settings how,
            const searcher_context& about, initial_points points, encoding space);

  std::uint64_t seed_;
  initial_points points_;
  std::shared_ptr<const encoding> space_;
  /// Axis of the budget; empty: there is no budget.
  std::optional<std::size_t> budget_;
  evolution state_;
  learning::archive past_;
  std::map<trial_id, open_trial> open_;

  [[nodiscard]] std::optional<choice> next(learning::outlook& from, const evolution& state) const;
  [[nodiscard]] choice point(const learning::outlook& from, const evolution& state) const;
  [[nodiscard]] std::optional<choice> evolved(const learning::outlook& from,
                                              const evolution& state) const;
  [[nodiscard]] cube_point canonical(const attempt& of) const;
  [[nodiscard]] double coordinate_of(std::size_t budget) const;
  [[nodiscard]] genome genes_of(const cube_point& canonical, rng& chance) const;
  [[nodiscard]] std::string origin_of(const attempt& what) const;
  void remember(const suggested_fact& what);
  void hear_of_end(const observation& what, const learning::result* result);
};

/// "dehb".
[[nodiscard]] searcher_catalogue::entry make_entry();

} // namespace tune::dehb

/// DEHB: differential evolution in HyperBand's brackets, by a parameter that says how long trials
/// train.
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

/// What is evolved, and in which plan.
struct plan_settings {
  /// Name of the parameter that is the budget: a range of numbers that does not depend on others.
  /// Empty: there is none, and all trials are alike.
  std::string budget;
  /// One trial in so many goes on, and trains so many times as long. [>= 1.5]
  double reduction_factor = 3;
  /// Size of the population where there is no budget. [>= 4]
  std::size_t population = 20;
};

/// Suggests configurations whose budget is a parameter of theirs, as the plan wants it.
///
/// A trial has to train for what that parameter says, and to end by itself: the value that it ends
/// with is its value. One that failed, or that a scheduler stopped, is worse than all that ended;
/// one that was lost is suggested once more. Trials that miss constraints are worse than those that
/// keep them. The user's points come first; those that leave the budget open, or have the lowest,
/// are members of the first rung, others are not learnt from.
///
/// No configuration is suggested twice; where evolution makes none that is new, a random one is
/// taken. Suggestions are a function of the seed and of the facts applied so far.
class generator final : public searcher {
public:
  /// @errors `ec::bad_option` for grids, for points outside of the space, for more than one
  ///         objective, and for a budget that is no range of numbers, is conditional, spans less
  ///         than one reduction factor, or so many that the first rung has more than 10,000 trials;
  ///         `ec::unknown_name` for one that is no parameter.
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
  /// A suggestion, and what it is for; nothing: it is outside of the plan.
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
  /// The budget's axis.
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

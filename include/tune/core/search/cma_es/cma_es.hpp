/// CMA-ES: a normal distribution that moves towards good results and adapts its shape to them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/cma_es/strategy.hpp"
#include "tune/core/search/learner/rule.hpp"
#include "tune/core/search/points.hpp"
#include "tune/core/search/searcher.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

namespace tune::cma_es {

struct settings {
  /// λ of the first run; 0: chosen by the number of parameters. [0, or >= 4]
  std::size_t population = 0;
  /// σ at the start of each run, in units of each parameter's range. (0, 1]
  double sigma = 0.2;
  /// If true, a run with nothing left to gain is followed by one with twice the population, from a
  /// random mean.
  bool restarts = true;
};

/// Suggests the user's points, then the middle, then draws from the present distribution.
///
/// Trials end in any order: the distribution learns as soon as any λ trials of its run have ended,
/// and draws do not wait for that. The user's points count as members of the first generation.
/// Failed trials count as the worst, those that the scheduler stopped as worse than all that
/// finished, lost ones not at all. Results of trials that it did not suggest are learnt from once:
/// if there are 2 λ of them before its first draw, it begins where the best tenth of them is.
///
/// No configuration is suggested twice; if no draw is new, a random configuration is taken, and the
/// run is over. Suggestions are a function of the seed and of the facts applied so far.
///
/// @source See `distribution`; restarts: Auger, Hansen, "A Restart CMA Evolution Strategy With
///         Increasing Population Size", CEC 2005; the start from others' results: Nomura, Watanabe,
///         Akimoto, Ozaki, Onishi, "Warm Starting CMA-ES for Hyperparameter Optimization", AAAI
///         2021.
class generator final : public searcher {
public:
  /// @errors `ec::bad_option` for grids, for points outside of the space, and for more than one
  ///         objective.
  [[nodiscard]] static expected<generator> make(settings how, const searcher_context& about);
  generator(generator&&) noexcept = default;

  [[nodiscard]] searcher_traits traits() const override;
  void apply(const searcher_fact& what) override;
  [[nodiscard]] proposal propose(const ask& question) const override;
  void describe(fingerprint& into) const override;
  /// Details: `run`, `generation` and `population` of the distribution that the suggestion was
  /// drawn from, each counted from 1, and `sigma`, its step in units of the parameters' ranges.
  [[nodiscard]] std::optional<explanation> explain(const ask& question,
                                                   const std::vector<suggestion>& answer,
                                                   std::size_t which) const override;

private:
  /// Data about a suggestion that is needed until its trial ends.
  struct open_trial {
    sample drawn;
    std::uint64_t key = 0;
    std::uint64_t run = 0;
  };
  /// A suggestion and its derivation.
  struct choice {
    cube_point at;
    /// Empty if the suggestion does not count as a member of a generation.
    std::optional<sample> from;
    config_ptr config;
    std::string origin;
  };

  generator(settings how, const searcher_context& about, initial_points points, encoding space);

  settings how_;
  std::uint64_t seed_;
  initial_points points_;
  std::shared_ptr<const encoding> space_;
  learning::archive past_;
  std::shared_ptr<strategy> run_;
  /// Number of earlier runs.
  std::uint64_t run_number_ = 0;
  std::map<trial_id, open_trial> open_;
  /// Number of finished results of trials that it did not suggest, from before its first draw.
  std::size_t strangers_ = 0;

  void remember(const suggested_fact& what);
  void hear_of_end(trial_id of, const learning::result* what);
  void restart(std::size_t population);
  [[nodiscard]] bool has_drawn() const { return past_.suggested() > points_.size(); }
  /// The run that the next draw comes from.
  [[nodiscard]] std::shared_ptr<const strategy> present() const;
  [[nodiscard]] start warm_start() const;
  [[nodiscard]] std::size_t population() const;
  [[nodiscard]] std::optional<choice> next(learning::outlook& from, const strategy& run) const;
  [[nodiscard]] choice point(const learning::outlook& from, const strategy& run) const;
  [[nodiscard]] std::optional<choice> drawn(const learning::outlook& from,
                                            const strategy& run) const;
};

/// "cma_es".
[[nodiscard]] searcher_catalogue::entry make_entry();

} // namespace tune::cma_es

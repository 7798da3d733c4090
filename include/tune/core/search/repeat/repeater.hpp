/// Runs each configuration of another searcher several times, and confirms the best at the end.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/run_book.hpp"
#include "tune/core/experiment/run_numbers.hpp"
#include "tune/core/search/earlier_versions.hpp"
#include "tune/core/search/searcher.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tune {

/// A searcher around another one.
///
/// Each configuration that the inner searcher proposes becomes `rule.runs` suggestions in a row,
/// which differ only in `rule.parameter`: 0, 1, … A configuration that is proposed again, or was
/// added by a client before, goes on counting from its highest number. The inner searcher counts
/// configurations: it is asked for those, is told of each as if it were one trial, and is told each
/// result once, when all runs have ended: each objective of the runs' best reports is combined as
/// the rule says, and the constraints are averaged; runs without a value are left out. It is also
/// told the spread of the runs. Trials that clients added are told as configurations of one run.
///
/// With `rule.confirm` the best configurations are proposed again once the inner searcher is
/// exhausted and all trials that it was told of have ended, except confirming ones:
/// `rule.confirm_runs` times each, with numbers that follow those of the search, and an origin that
/// `is_confirming` recognises. The inner searcher is not told of these.
///
/// @source Ray Tune, Repeater; there the number of samples counts trials, and the last report
///         counts.
class repeater final : public searcher, public has_earlier_versions {
public:
  /// @param inner   Must not be null. Its space must not have a parameter `rule.parameter`.
  /// @param samples Number of configurations to take from an inner searcher that does not end by
  ///                itself. 0 = all.
  repeater(std::unique_ptr<searcher> inner, repeat_rule rule, std::uint64_t samples);

  [[nodiscard]] searcher_traits traits() const override;
  void apply(const searcher_fact& what) override;
  [[nodiscard]] proposal propose(const ask& question) const override;
  [[nodiscard]] deferred_proposal propose_later(const ask& question) const override;
  [[nodiscard]] std::vector<proposal> earlier_proposals(const ask& question) const override;
  void describe(fingerprint& into) const override;

  /// For a configuration's first run the inner searcher's explanation of the configuration; for
  /// others the statement that they are further runs. Trials have the names they have here: each
  /// configuration that of its first run.
  [[nodiscard]] std::optional<explanation> explain(const ask& question,
                                                   const std::vector<suggestion>& answer,
                                                   std::size_t which) const override;

  /// The proposals that it would make now if it had been made for fewer samples, all of which were
  /// suggested, and for more.
  [[nodiscard]] std::vector<proposal> with_other_samples(const ask& question) const;

private:
  /// A configuration as the inner searcher knows it.
  struct draw {
    /// The trial by which the inner searcher knows it.
    trial_id known_as;
    config_ptr config;
    /// Number of runs when it is complete.
    std::uint32_t wanted = 1;
    std::vector<trial_id> trials = {};
    std::uint32_t ended = 0;
  };
  /// A run of a draw.
  struct run {
    std::size_t draw = 0;
    /// Observation at its best report.
    observation best;
    outcome how = outcome::running;
    bool ended = false;
    bool diverged = false;
  };
  struct batch;

  static void add_run(batch& to, const run_numbers& taken, object config, std::string origin);
  static void repeat(batch& to, const run_numbers& taken, const suggestion& what,
                     std::uint32_t begun, std::uint32_t runs);
  static void add_all(batch& to, const run_numbers& taken, const proposal& from,
                      std::uint32_t runs);
  [[nodiscard]] std::size_t inner_count(std::size_t still, std::uint64_t samples) const;
  [[nodiscard]] proposal ask_inner(const ask& question, std::size_t still,
                                   std::uint64_t samples) const;
  [[nodiscard]] exhausted all_suggested() const;
  [[nodiscard]] batch batch_for(const ask& question) const;
  [[nodiscard]] proposal next_runs(batch& to, const ask& question, std::uint64_t samples) const;
  [[nodiscard]] proposal at_end(batch& to) const;
  void confirm(batch& to) const;
  void take(const suggestion& what, trial_id trial, std::vector<suggestion>& fresh);
  void take(const searcher_fact& at, const suggested_fact& what);
  void take(const searcher_fact& at, const observation& what);
  void enter(const observation& what);
  [[nodiscard]] observation joined(const draw& what) const;
  [[nodiscard]] object without_number(const object& config) const;
  [[nodiscard]] trial_id first_run_of(trial_id inner_name) const;
  [[nodiscard]] std::vector<suggestion> inner_answer(const std::vector<suggestion>& answer,
                                                     std::size_t which) const;

  std::unique_ptr<searcher> inner_;
  repeat_rule rule_;
  /// Number of configurations to take; 0 = all that come.
  std::uint64_t samples_ = 0;
  bool inner_learns_ = false;

  /// The latest proposal of the inner searcher, and the number of its runs that were suggested.
  suggestion under_way_;
  std::uint32_t begun_ = 0;
  /// Number of configurations that the inner searcher proposed, and of asks that it answered.
  std::uint64_t drawn_ = 0;
  std::uint64_t inner_asks_ = 0;
  /// Numbers of all suggested runs, and of those that clients added.
  run_numbers numbers_;

  // The members below are used only if results are needed.
  run_book book_;
  /// Trials that have not ended, except confirming ones.
  std::set<trial_id> searching_;
  std::set<trial_id> confirms_;
  std::map<trial_id, config_ptr> configs_;
  std::map<trial_id, std::optional<merit>> bests_;
  std::vector<draw> draws_;
  std::map<trial_id, run> runs_;
  /// Number of trial numbers given to configurations for the inner searcher.
  std::uint64_t names_ = 0;
};

} // namespace tune

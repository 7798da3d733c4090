/// Has each configuration of another searcher run several times, and the best confirmed at the end.
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
/// Each configuration that the inner one proposes becomes `rule.runs` suggestions in a row, which
/// differ in `rule.parameter` alone: 0, 1, … A configuration that is proposed once more, or was
/// added by a client before, goes on counting from the highest number that it had. The inner
/// searcher counts configurations: it is asked for those, told of each once, as if each were one
/// trial, and hears of each once, when all its runs have ended: of the runs' best reports each
/// objective is put together as the rule says, and the constraints are averaged; runs without a
/// value are left out. It hears, too, how far the runs lay apart. Trials that clients added are
/// told as configurations of one run.
///
/// With `rule.confirm` the best are proposed again once the inner searcher is exhausted and all
/// trials that it was told of have ended, but for those that confirm: `rule.confirm_runs` times
/// each, with numbers that follow those of the search, and an origin by which `is_confirming` knows
/// them. The inner searcher does not hear of these.
///
/// @source Ray Tune, Repeater; there the number of samples counts trials, and the last report does.
class repeater final : public searcher, public has_earlier_versions {
public:
  /// @param inner   must not be null. Its space has no parameter `rule.parameter`.
  /// @param samples Configurations to take of an inner searcher that does not end by itself.
  ///                0 = all.
  repeater(std::unique_ptr<searcher> inner, repeat_rule rule, std::uint64_t samples);

  [[nodiscard]] searcher_traits traits() const override;
  void apply(const searcher_fact& what) override;
  [[nodiscard]] proposal propose(const ask& question) const override;
  [[nodiscard]] deferred_proposal propose_later(const ask& question) const override;
  [[nodiscard]] std::vector<proposal> earlier_proposals(const ask& question) const override;
  void describe(fingerprint& into) const override;

  /// Of a configuration's first run, as the inner searcher explains the configuration; of others
  /// that they are further runs. Trials are named as they are here: each configuration by its first
  /// run.
  [[nodiscard]] std::optional<explanation> explain(const ask& question,
                                                   const std::vector<suggestion>& answer,
                                                   std::size_t which) const override;

  /// What it would propose now if it had been made for fewer samples, all of which were suggested,
  /// and for more.
  [[nodiscard]] std::vector<proposal> with_other_samples(const ask& question) const;

private:
  /// A configuration as the inner searcher knows it.
  struct draw {
    /// As the inner searcher calls it.
    trial_id known_as;
    config_ptr config;
    /// Runs that it has when it is complete.
    std::uint32_t wanted = 1;
    std::vector<trial_id> trials = {};
    std::uint32_t ended = 0;
  };
  /// A run of a draw.
  struct run {
    std::size_t draw = 0;
    /// With its best report.
    observation best;
    outcome how = outcome::running;
    bool ended = false;
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
  /// Configurations to take; 0 = all that come.
  std::uint64_t samples_ = 0;
  bool inner_learns_ = false;

  /// What the inner searcher proposed last, and how many of its runs were suggested.
  suggestion under_way_;
  std::uint32_t begun_ = 0;
  /// Configurations that the inner searcher proposed, and asks that it answered.
  std::uint64_t drawn_ = 0;
  std::uint64_t inner_asks_ = 0;
  /// Of what was suggested, and of what clients added.
  run_numbers numbers_;

  // The rest only where somebody wants to know of results.
  run_book book_;
  /// Trials that have not ended, but for those that confirm.
  std::set<trial_id> searching_;
  std::set<trial_id> confirms_;
  std::map<trial_id, config_ptr> configs_;
  std::map<trial_id, std::optional<merit>> bests_;
  std::vector<draw> draws_;
  std::map<trial_id, run> runs_;
  /// Numbers that the inner searcher was given for configurations.
  std::uint64_t names_ = 0;
};

} // namespace tune

/// A small simulated experiment for tests: one node or two, and trials that all learn alike.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/simulate/simulation.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tune::support {

/// Proposes `x = 0, 1, 2, …` until `count` are out; sometimes has nothing yet. Every other
/// suggestion is a draft if drafts are allowed.
class counting_searcher : public searcher {
public:
  counting_searcher(std::uint64_t count, std::uint32_t ahead) : count_{count}, ahead_{ahead} {}
  [[nodiscard]] searcher_traits traits() const override {
    searcher_traits result;
    result.ahead = ahead_;
    result.exhaustible = true;
    result.sketches = true;
    return result;
  }
  void apply(const searcher_fact& what) override;
  [[nodiscard]] proposal propose(const ask& question) const override;
  void describe(fingerprint& into) const override { into.add(made_).add(heard_).add(ended_); }

private:
  [[nodiscard]] proposal think_over(trial_id draft) const;

  std::uint64_t count_;
  std::uint32_t ahead_;
  std::uint64_t made_ = 0;
  std::set<trial_id> known_;
  std::uint64_t heard_ = 0;
  std::uint64_t ended_ = 0;
};

/// Each trial makes `iterations` iterations; its loss is 1 / (iteration + trial).
class falling_loss : public trial_model {
public:
  /// @param most_time Longest time of an iteration.
  falling_loss(std::uint64_t seed, std::uint64_t iterations, instant most_time)
      : seed_{seed}, iterations_{iterations}, most_time_{most_time} {}
  [[nodiscard]] simulated_step next(trial_id trial, const config_ptr& config,
                                    std::uint64_t done) override;

private:
  std::uint64_t seed_;
  std::uint64_t iterations_;
  instant most_time_;
};

/// How the world treats the engine.
struct world_options {
  std::uint64_t seed = 1;
  std::uint64_t trials = 10;
  std::uint64_t iterations = 8;
  std::uint64_t slots = 3;
  std::uint32_t ahead = 2;
  /// Longest delay of any answer, in virtual milliseconds; 0 = all answers come at once.
  std::uint64_t most_delay = 20;
  /// Chances that an iteration throws and that a save fails.
  double failure = 0;
  double save_failure = 0;
  /// Chance that a message arrives twice.
  double doubled = 0;
  /// Chance that a checkpoint turns out to be torn.
  double torn = 0;
  /// Whether each lease has a second bundle, on the node "there".
  bool helpers = false;
};

/// A simulation with the options above.
class world : public simulation {
public:
  using make_scheduler = std::function<std::unique_ptr<scheduler>()>;

  world(const world_options& how, experiment_settings settings, make_scheduler maker);

  /// The first violated promise; empty if there is none.
  [[nodiscard]] std::string violation() const;
};

/// The rules of a world.
[[nodiscard]] simulation::make_rules rules_of(const world_options& how,
                                              world::make_scheduler maker);

/// State hashes of fresh instances that were fed only `log`.
[[nodiscard]] std::vector<std::uint64_t> replay_hashes(const std::vector<event>& log,
                                                       const world_options& how,
                                                       const experiment_settings& settings,
                                                       const world::make_scheduler& maker);

} // namespace tune::support

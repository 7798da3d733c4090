// SPDX-License-Identifier: BSD-3-Clause
#include "quality/fidelity_run.hpp"

#include "tune/core/simulate/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <map>
#include <utility>

namespace tune::quality {

namespace {

constexpr auto infinity = std::numeric_limits<double>::infinity();
constexpr double worst = 2;

instant seconds(double x) {
  return instant{static_cast<std::int64_t>(x * 1e9)};
}

/// Trains along the curves, and records when which best value was known.
class recorded_trainable final : public trial_model {
public:
  explicit recorded_trainable(const curve_set& from) : from_{from} {}

  void follow(const simulation& world) { world_ = &world; }

  simulated_step next(trial_id trial, const config_ptr& config, std::uint64_t done) override {
    auto& [known, x] = running_[trial];
    if (known != config) {
      known = config;
      x = from_.of(*config);
    }
    const auto* last = config->find(level_parameter);
    if (done >= (last != nullptr ? static_cast<std::size_t>(*last->as_int()) : curve_levels))
      return {};
    auto loss = x.losses[done];
    auto takes = seconds(x.seconds);
    seen_.emplace_back(world_->now() + takes, loss);
    return {object{{"loss", loss}}, takes};
  }

  [[nodiscard]] double best_until(instant end) const {
    auto result = infinity;
    for (const auto& [at, loss] : seen_) {
      if (at <= end)
        result = std::min(result, loss);
    }
    return result;
  }
  [[nodiscard]] std::size_t trials() const { return running_.size(); }
  [[nodiscard]] std::size_t levels() const { return seen_.size(); }

private:
  const curve_set& from_;
  const simulation* world_ = nullptr;
  std::map<trial_id, std::pair<config_ptr, curve>> running_;
  std::vector<std::pair<instant, double>> seen_;
};

resources one_processor() {
  resources result;
  result.cpu = amount::of(1);
  return result;
}

experiment_settings settings_of(std::uint64_t seed, instant budget) {
  experiment_settings result;
  result.seed = seed;
  result.objectives = {{"loss", false}};
  result.saves = save_ability::on_request;
  result.request.bundles = {one_processor()};
  result.time_limit = budget;
  // A draft is thought over when its worker becomes free, however long that takes.
  result.drafts = drafting::quick;
  result.draft_patience = std::chrono::nanoseconds{0};
  return result;
}

} // namespace

double curve_scale::regret(double loss) const {
  return std::isfinite(loss) ? std::min(worst, (loss - best) / (ten_draws - best)) : worst;
}

curve_scale scale_of(const curve_set& of) {
  constexpr std::size_t draws = 2000;
  rng chance{1, "scale of curves", 0};
  auto cube = std::move(*encoding::make(of.space(), "the benchmark"));
  std::vector<double> finals;
  curve_scale result;
  result.best = of.best();
  result.training = 0;
  for (std::size_t i = 0; i < draws; ++i) {
    auto drawn = of.of(cube.decoded(cube.random(chance)));
    finals.push_back(drawn.losses.back());
    result.training += drawn.seconds * static_cast<double>(curve_levels) / draws;
  }
  std::sort(finals.begin(), finals.end());
  // All of ten draws are above a quantile q with probability (1 - q)^10.
  result.ten_draws = finals[static_cast<std::size_t>((1 - std::pow(0.5, 0.1)) * draws)];
  return result;
}

fidelity_result run_over(const curve_set& curves, const curve_scale& by,
                         const fidelity_setting& how, const std::function<rule_set()>& rules) {
  auto budget = seconds(how.trainings * by.training / static_cast<double>(how.workers));
  simulation_options world;
  world.seed = how.seed;
  world.records = false;
  for (std::size_t i = 0; i < how.workers; ++i)
    world.nodes.push_back({"worker" + std::to_string(i + 1), one_processor()});
  auto model = std::make_shared<recorded_trainable>(curves);
  simulation run{world, settings_of(how.seed, budget), rules, model};
  model->follow(run);
  run.run();
  if (!run.found().empty()) {
    std::cerr << to_text(run.found().kept().front()) << '\n';
    std::exit(1);
  }
  fidelity_result result;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    auto until = static_cast<double>(budget.count()) * marks[i];
    result.regret[i] = by.regret(model->best_until(instant{static_cast<std::int64_t>(until)}));
  }
  result.trials = model->trials();
  result.levels = model->levels();
  return result;
}

} // namespace tune::quality

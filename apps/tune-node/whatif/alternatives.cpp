// SPDX-License-Identifier: BSD-3-Clause
#include "whatif/alternatives.hpp"

#include "tune/core/simulate/simulation.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/tuner/rule_parts.hpp"
#include "whatif/recorded_order.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

namespace tune::cli {

namespace {

/// Watches the reports that a simulation makes: the best of them is known.
class watched_model : public trial_model {
public:
  watched_model(std::shared_ptr<recorded_model> of, objective by, constraint_list constraints)
      : of_{std::move(of)}, by_{std::move(by)}, constraints_{std::move(constraints)} {}

  [[nodiscard]] simulated_step next(trial_id trial, const config_ptr& config,
                                    std::uint64_t done) override {
    auto result = of_->next(trial, config, done);
    if (!result.metrics)
      return result;
    const auto* at = result.metrics->find("training_iteration");
    const auto iteration = at == nullptr ? std::nullopt : at->number();
    take_better(best_, trial, static_cast<std::uint64_t>(iteration.value_or(0)), *result.metrics,
                by_, constraints_);
    return result;
  }

  [[nodiscard]] const std::optional<recorded_best>& best() const { return best_; }

private:
  std::shared_ptr<recorded_model> of_;
  objective by_;
  constraint_list constraints_;
  std::optional<recorded_best> best_;
};

simulation_options world_of(const loaded_spec& loaded, const std::vector<simulated_node>& nodes) {
  simulation_options result;
  result.seed = loaded.what.experiment.seed;
  result.nodes = nodes;
  result.records = false;
  return result;
}

/// Whether trials could be saved, or nobody knows since the trainable is that of another program.
/// One that cannot be saved trains on where a scheduler would pause it.
bool may_be_saved(const loaded_spec& loaded, save_ability known, const choices& all) {
  const auto& what = loaded.what.trainable;
  const auto is_unknown
      = !what.name.empty() && what.plugin.empty() && all.trainables.find(what.name) == nullptr;
  return is_unknown || known != save_ability::none;
}

/// The rules' settings, for trials of which nothing is known but their reports.
experiment_settings settings_for(experiment_settings x, bool saves) {
  if (saves)
    x.saves = save_ability::on_request;
  x.checkpoints.frequency = 0;
  x.checkpoints.at_end = false;
  x.exports.clear();
  x.export_time = std::chrono::nanoseconds{0};
  x.max_trials = 0;
  x.sample_limit = 0;
  x.expected_samples = 0;
  x.max_pending = 0;
  x.in_batches = false;
  x.drafts = drafting::none;
  // What took long in the record was no failure.
  x.failures.progress_timeout = {};
  // A trial that failed for good does so at once: its retries are in its curve.
  x.failures.budget = {};
  return x;
}

/// Schedulers that give a trial another configuration, or other resources, than it had.
std::string why_not(const std::string& type) {
  constexpr std::array<std::string_view, 4> changing{"pbt", "pb2", "pbt_replay",
                                                     "resource_changing"};
  if (std::find(changing.begin(), changing.end(), type) == changing.end())
    return {};
  return type
         + " changes configurations or resources of running trials: no record has the curves that "
           "would follow";
}

struct replay_result {
  replayed_run run;
  std::map<trial_id, std::uint64_t> unknown;
};

expected<replay_result> replay_once(const loaded_spec& loaded,
                                    const std::shared_ptr<const recorded_run>& run,
                                    const std::vector<simulated_node>& nodes, beyond_record how,
                                    const choices& all) {
  auto parts = make_rule_parts(loaded, all);
  if (!parts)
    return parts.error();
  auto curves = std::make_shared<recorded_model>(run, how);
  auto watched = std::make_shared<watched_model>(curves, loaded.what.experiment.objectives.front(),
                                                 loaded.what.experiment.constraints);
  auto rules = [&] {
    auto result = std::move(make_rule_parts(loaded, all)->rules);
    result.source = std::make_unique<recorded_order>(run);
    return result;
  };
  const auto saves = may_be_saved(loaded, parts->settings.saves, all);
  simulation world{world_of(loaded, nodes), settings_for(std::move(parts->settings), saves), rules,
                   watched};
  world.run();
  if (!world.found().empty())
    return error{ec::internal, to_text(world.found().kept().front())};
  replay_result result;
  result.unknown = curves->unknown();
  auto& x = result.run;
  x.took = world.elapsed();
  x.trained = world.computed();
  for (auto count : world.machine().view().counts)
    x.trials += count;
  x.reports = curves->reports();
  x.best = watched->best();
  // Its number in the record may be another.
  if (x.best)
    x.best->trial = run->trials[x.best->trial.number].trial;
  if (const auto end = world.finished()) {
    x.status = end->status;
    x.why = end->why;
  }
  return result;
}

} // namespace

expected<scheduler_words> read_scheduler(std::string_view text) {
  std::istringstream words{std::string{text}};
  scheduler_words result;
  words >> result.type;
  if (result.type.empty() || result.type.find('=') != std::string::npos)
    return error{ec::bad_syntax, "--scheduler '" + std::string{text}
                                     + "': wants the name of a scheduler, then its options as "
                                       "name=value: 'asha max_t=50'"};
  for (std::string word; words >> word;) {
    const auto sign = word.find('=');
    if (sign == std::string::npos || sign == 0)
      return error{ec::bad_syntax, "--scheduler '" + std::string{text} + "': '" + word
                                       + "' is no option: name=value, without blanks"};
    result.options.push_back({word.substr(0, sign), word.substr(sign + 1)});
  }
  return result;
}

expected<alternative> replay_by(const loaded_spec& loaded, std::string name,
                                const std::shared_ptr<const recorded_run>& run,
                                const std::vector<simulated_node>& nodes, const choices& all) {
  if (auto why = why_not(loaded.what.scheduler.type); !why.empty())
    return error{ec::refused, why};
  auto judge = make_scheduler(loaded, all);
  if (!judge)
    return judge.error();
  alternative result;
  result.name = std::move(name);
  result.pauses = (*judge)->traits().needs_checkpoints;
  auto ends = replay_once(loaded, run, nodes, beyond_record::ends, all);
  if (!ends)
    return ends.error();
  auto trains_on = replay_once(loaded, run, nodes, beyond_record::trains_on, all);
  if (!trains_on)
    return trains_on.error();
  result.ends = std::move(ends->run);
  result.trains_on = std::move(trains_on->run);
  // Either way may lead another trial beyond its record.
  for (const auto& [trial, reports] : trains_on->unknown)
    result.unknown_reports += reports;
  auto both = std::move(trains_on->unknown);
  both.merge(ends->unknown);
  result.unknown_trials = both.size();
  return result;
}

} // namespace tune::cli

// Spawns the actors of an experiment, one by one, into an existing actor system.
// SPDX-License-Identifier: BSD-3-Clause
#include "climber.hpp"
#include "laggards.hpp"
#include "trainables.hpp"

#include <tune/actors/cluster.hpp>
#include <tune/actors/node.hpp>
#include <tune/actors/recorder.hpp>
#include <tune/actors/rules.hpp>
#include <tune/actors/runner.hpp>
#include <tune/actors/system.hpp>

#include <future>
#include <iostream>

namespace {

using namespace tune;

/// Makes the end of the run available to a waiting thread.
class watcher : public run_observer {
public:
  void finished(const run_summary& how) override { over.set_value(how); }
  std::promise<run_summary> over;
};

/// The resources of this machine that trials may use, and the job that they belong to.
node_settings make_node(const std::filesystem::path& directory) {
  job work;
  work.id = "by-hand";
  work.experiment = "by-hand";
  work.directory = directory;
  work.plan = run_in_thread{"parabola"};
  work.objective = "loss";
  node_settings result;
  result.capacity.cpu = amount::of(2);
  result.trainables = std::make_shared<const trainable_registry>(embed::trainables());
  result.jobs = {std::make_shared<const job>(std::move(work))};
  return result;
}

/// Minimises `loss` with ten trials of one processor each.
experiment_settings make_settings() {
  experiment_settings result;
  result.objectives = {{"loss", false}};
  result.max_trials = 10;
  resources each;
  each.cpu = amount::of(1);
  result.request = resource_request{{each}, {}};
  return result;
}

std::unique_ptr<searcher> make_searcher() {
  auto space = search_space::parse({{"x", "uniform(-5, 5)"}});
  searcher_context about;
  about.space = std::make_shared<const search_space>(std::move(*space));
  return std::make_unique<embed::climber>(about, 0.5);
}

run_summary run(caf::actor_system& system, const std::filesystem::path& directory) {
  auto rule = std::make_unique<embed::laggards>(3, 2.0);
  auto source = make_searcher();
  auto watch = std::make_shared<watcher>();
  experiment machine{make_settings(), rule->traits(), source->traits(), {}};

  auto cluster = spawn_cluster(system);
  // The experiment is kept in memory: everything counts as written at once.
  auto recorder
      = spawn_recorder(system, [](std::span<const store_item>) { return expected<void>{}; });
  auto judge = spawn_scheduler(system, std::move(rule));
  auto proposer = spawn_searcher(system, std::move(source));
  auto here = make_node(directory);
  auto node = spawn_node(system, here, cluster);
  send_from_outside(cluster, offer_of(here), node);
  runner_parts parts{std::move(machine),
                     {1, "own_system", "{}", 0},
                     judge,
                     proposer,
                     cluster,
                     recorder,
                     false,
                     watch};
  parts.job = "by-hand";
  auto runner = spawn_runner(system, std::move(parts));

  send_from_outside(runner, run_atom_v);
  auto result = watch->over.get_future().get();

  send_from_outside(node, drain_atom_v);
  for (const auto& whom :
       {caf::actor_cast<caf::actor>(runner), caf::actor_cast<caf::actor>(judge),
        caf::actor_cast<caf::actor>(proposer), caf::actor_cast<caf::actor>(recorder),
        caf::actor_cast<caf::actor>(cluster)})
    caf::anon_send_exit(whom, caf::exit_reason::user_shutdown);
  return result;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: own_system DIRECTORY\n";
    return 2;
  }
  // The program's own configuration, with the settings that tune's actors need.
  caf::actor_system_config config;
  tune::configure(config);
  caf::actor_system system{config};
  auto end = run(system, std::filesystem::absolute(argv[1]));
  if (!end.view.best) {
    std::cerr << "own_system: " << to_text(end.status) << ": " << end.why << '\n';
    return 1;
  }
  std::cout << end.view.succeeded << " trials, the best: " << to_text(value{*end.view.best->config})
            << '\n';
}

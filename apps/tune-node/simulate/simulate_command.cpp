// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/simulate_command.hpp"

#include "console/human.hpp"
#include "console/one_line.hpp"
#include "console/summary.hpp"
#include "console/text.hpp"
#include "output/format.hpp"
#include "run/ending.hpp"
#include "run/load_configuration.hpp"
#include "run/snapshot.hpp"
#include "simulate/table_model.hpp"
#include "simulate/target_watch.hpp"
#include "tune/core/program_name.hpp"
#include "tune/core/simulate/simulation.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/tuner/preparation.hpp"
#include "tune/tuner/rule_parts.hpp"

#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <utility>

namespace tune::cli {

namespace {

/// The offer of one node: enough for one trial, unless the user says otherwise.
resources offered_by_node(const simulate_request& what, const resource_request& one_trial) {
  resources result;
  for (const auto& bundle : one_trial.bundles)
    result += bundle;
  if (what.offers.cpus)
    result.cpu = amount::of(*what.offers.cpus);
  if (what.offers.gpus)
    result.gpu = amount::of(*what.offers.gpus);
  if (what.offers.memory)
    result.memory = *what.offers.memory;
  for (const auto& [name, much] : what.offers.custom)
    result.custom[name] = much;
  return result;
}

simulation_options world_of(const simulate_request& what, const loaded_spec& loaded) {
  simulation_options result;
  result.seed = what.seed.value_or(loaded.what.experiment.seed);
  auto capacity = offered_by_node(what, request_of(loaded.what));
  for (std::uint64_t i = 0; i < what.nodes; ++i) {
    auto name = std::to_string(i + 1);
    result.nodes.push_back(
        {"node" + std::string(name.size() < 3 ? 3 - name.size() : 0, '0') + name, capacity});
  }
  result.records = false;
  result.most_delay = what.latency;
  result.faults.failure = what.trial_failure;
  result.faults.node_mtbf = what.node_mtbf;
  result.faults.node_repair = what.node_repair;
  return result;
}

run_snapshot snapshot_in(const loaded_spec& loaded, const simulation& world) {
  auto result = snapshot_of(frame_of(loaded.what, {}), world.machine().view(), world.elapsed());
  // Checkpoints of a simulation lie nowhere.
  if (result.best) {
    result.best->checkpoint.clear();
    result.best->checkpoint_iteration = 0;
    result.best->checkpoint_metrics.reset();
  }
  return result;
}

double virtual_seconds(instant x) {
  return std::chrono::duration<double>(x).count();
}

/// Mean number of trials that trained at once.
double busy(const simulation& world) {
  auto elapsed = virtual_seconds(world.elapsed());
  return elapsed > 0 ? virtual_seconds(world.computed()) / elapsed : 0;
}

std::string short_number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", x);
  return text;
}

/// Time when the target was reached; nothing: never, or there was none.
using target_time = std::optional<instant>;

object told_of(const simulation& world, const simulate_request& what, target_time reached) {
  object result;
  result.set("nodes", static_cast<std::int64_t>(what.nodes));
  result.set("nodes_lost", static_cast<std::int64_t>(world.nodes_lost()));
  result.set("mean_running", busy(world));
  result.set("most_running", static_cast<std::int64_t>(world.most_running()));
  result.set("computed_s", virtual_seconds(world.computed()));
  result.set("events", static_cast<std::int64_t>(world.events()));
  if (what.target)
    result.set("target_s", reached ? value{virtual_seconds(*reached)} : value{});
  return result;
}

std::string told_to_people(const simulation& world, const simulate_request& what,
                           const resources& node, target_time reached) {
  auto result = "  simulated: " + std::to_string(what.nodes)
                + (what.nodes == 1 ? " node with " : " nodes with ") + to_text(node)
                + (what.nodes == 1 ? "" : " each");
  if (world.nodes_lost() > 0)
    result += ", lost " + std::to_string(world.nodes_lost()) + " times in all";
  result += "\n  trials at once: " + short_number(busy(world)) + " on average, "
            + std::to_string(world.most_running()) + " at most\n";
  if (what.target)
    result += "  target " + to_text(value{*what.target}) + ": "
              + (reached ? "reached after " + duration_text(*reached) : "not reached") + "\n";
  return result;
}

/// Wraps `model` to watch for the target, if there is one.
std::shared_ptr<target_watch> watch(const simulate_request& what, const loaded_spec& loaded,
                                    std::shared_ptr<trial_model> model,
                                    const std::unique_ptr<simulation>& world) {
  if (!what.target)
    return nullptr;
  return std::make_shared<target_watch>(std::move(model), loaded.what.experiment.objectives.front(),
                                        *what.target, [&world] { return world->elapsed(); });
}

/// Why this experiment cannot be simulated; empty: it can.
std::string misfit(const loaded_spec& loaded) {
  if (loaded.what.trainable.kind != trainable_kind::table)
    return "only recorded curves can be simulated: [trainable] kind = table";
  if (loaded.what.search.type == "none")
    return "[search] type = none waits for trials that somebody adds: nobody does in a simulation";
  if (loaded.what.search.type == "external")
    return "[search] type = external asks a process, and a simulation starts none";
  return {};
}

} // namespace

exit_code simulate_experiment(const command_line& line, const simulate_request& what,
                              const choices& all) {
  auto format = line.output.value_or(output_format::table);
  if (format != output_format::table && format != output_format::json) {
    std::cerr << program_name() << ": simulate writes table or json, not " << to_text(format)
              << '\n';
    return exit_code::usage;
  }
  auto loaded = load_or_complain(what.file, what.overrides, all, line.quiet);
  if (!loaded)
    return exit_code::configuration;
  auto refuse = [](const std::string& why) {
    std::cerr << program_name() << ": " << in_one_line(why) << '\n';
    return exit_code::configuration;
  };
  if (auto why = misfit(*loaded); !why.empty())
    return refuse(why);
  auto table = curve_table::load(against_ini(loaded->what, loaded->what.trainable.path),
                                 parameter_names(*loaded->space));
  if (!table)
    return refuse(to_text(table.error()));
  std::vector<std::string> omitted;
  if (auto found = look_elsewhere(*loaded, std::filesystem::current_path(), omitted); !found)
    return refuse(to_text(found.error()));
  warn(omitted, line.quiet);
  auto parts = make_rule_parts(*loaded, all);
  if (!parts)
    return refuse(to_text(parts.error()));
  auto options = world_of(what, *loaded);
  auto node = options.nodes.front().capacity;
  std::unique_ptr<simulation> made;
  std::shared_ptr<trial_model> model
      = std::make_shared<table_model>(std::move(*table), loaded->space, what.iteration_time);
  auto target = watch(what, *loaded, model, made);
  made = std::make_unique<simulation>(
      std::move(options), parts->settings,
      [&] { return std::move(make_rule_parts(*loaded, all)->rules); }, target ? target : model);
  auto& world = *made;
  world.run();
  if (!world.found().empty()) {
    std::cerr << program_name() << ": " << printable(to_text(world.found().kept().front())) << '\n';
    return exit_code::internal;
  }
  auto end = *world.finished();
  auto reached = target ? target->reached() : std::nullopt;
  auto last = snapshot_in(*loaded, world);
  if (format == output_format::table) {
    auto environment = terminal_environment::of_process();
    style look{wants_color(line.color, environment, ::isatty(STDOUT_FILENO) == 1)};
    std::cout << summary_text(last, {end.status, end.why, {}}, look)
              << told_to_people(world, what, node, reached);
  } else {
    std::cout << summary_json(last, end.status, end.why, told_of(world, what, reached));
  }
  run_summary how;
  how.status = end.status;
  how.view = world.machine().view();
  return exit_code_of(how, what.strict, 0);
}

} // namespace tune::cli

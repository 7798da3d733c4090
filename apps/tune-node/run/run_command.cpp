// SPDX-License-Identifier: BSD-3-Clause
#include "run/run_command.hpp"

#include "console/summary.hpp"
#include "console/text.hpp"
#include "run/interrupts.hpp"
#include "run/screen.hpp"

#include "tune/actors/cluster.hpp"
#include "tune/actors/recorder.hpp"
#include "tune/actors/rules.hpp"
#include "tune/actors/sink.hpp"
#include "tune/actors/system.hpp"
#include "tune/io/sinks/trial_files/trial_files.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/store/experiment_store.hpp"
#include "tune/io/store/store_reader.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <iostream>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

using std::chrono::seconds;

exit_code complain(const error& what) {
  std::cerr << "tune-node: " << printable(to_text(what)) << '\n';
  return exit_code_for(what.code);
}

/// All actors of one run, and the order in which they go.
struct cast {
  caf::actor_system& system;
  cluster_actor cluster;
  recorder_actor recorder;
  std::optional<sink_actor> files;
  scheduler_actor judge;
  searcher_actor source;
  node_actor node;
  runner_actor runner;

  /// Waits for what was handed over to be taken in. @returns what went wrong, or nothing.
  template <class Handle>
  std::string drained(const Handle& whom) {
    caf::scoped_actor self{system};
    std::string result;
    tune::request(self.operator->(), whom, std::chrono::minutes{10}, drain_atom_v)
        .receive([&](const std::string& trouble) { result = trouble; },
                 [&](const caf::error& why) { result = render(system, why); });
    return result;
  }

  std::optional<runner_status> status() {
    caf::scoped_actor self{system};
    std::optional<runner_status> result;
    tune::request(self.operator->(), runner, seconds{2}, status_atom_v, std::uint32_t{50})
        .receive([&](const runner_status& x) { result = x; }, [](const caf::error&) {});
    return result;
  }

  std::optional<cluster_status> resources() {
    caf::scoped_actor self{system};
    std::optional<cluster_status> result;
    tune::request(self.operator->(), cluster, seconds{2}, status_atom_v)
        .receive([&](const cluster_status& x) { result = x; }, [](const caf::error&) {});
    return result;
  }

  void dismiss() {
    send_from_outside(node, drain_atom_v);
    for (const auto& x : {caf::actor_cast<caf::actor>(runner), caf::actor_cast<caf::actor>(judge),
                          caf::actor_cast<caf::actor>(source), caf::actor_cast<caf::actor>(cluster),
                          caf::actor_cast<caf::actor>(recorder)})
      caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
    if (files)
      caf::anon_send_exit(*files, caf::exit_reason::user_shutdown);
  }
};

best_row row_of(const best_trial& x) {
  best_row result;
  result.trial = x.trial;
  result.config = x.config;
  result.metrics = x.at->metrics;
  result.iteration = x.at->iteration;
  return result;
}

run_snapshot snapshot_of(const screen_options& fixed, const experiment_view& view, instant at) {
  run_snapshot result;
  result.experiment = fixed.experiment;
  result.directory = fixed.directory;
  result.objectives = fixed.objectives;
  result.counts = view.counts;
  result.planned = fixed.planned;
  result.elapsed = at;
  result.time_limit = fixed.time_limit;
  if (view.best)
    result.best = row_of(*view.best);
  return result;
}

std::optional<run_snapshot> take_snapshot(cast& actors, const screen_options& fixed) {
  auto state = actors.status();
  auto books = actors.resources();
  if (!state || !books)
    return std::nullopt;
  auto result = snapshot_of(fixed, state->view, state->at);
  result.used = books->used;
  result.total = books->total;
  for (const auto& x : state->running) {
    listed_trial row;
    row.trial = x.trial;
    row.status = trial_status::running;
    row.config = x.config;
    row.age = state->at - x.since;
    if (x.last != nullptr) {
      row.iterations = x.last->iteration;
      for (const auto& what : fixed.objectives)
        row.objectives.push_back(metric(*x.last, what.metric));
    }
    result.trials.push_back(std::move(row));
  }
  return result;
}

exit_code code_of(const run_summary& how, bool strict, int signal) {
  if (!how.storage_error.empty())
    return exit_code::storage;
  auto errored = how.view.counts[static_cast<std::size_t>(trial_status::errored)];
  switch (how.status) {
    case experiment_status::interrupted:
      return signal == SIGTERM ? exit_code::terminated : exit_code::interrupted;
    case experiment_status::time_limit:
      return exit_code::done;
    case experiment_status::stalled:
      return exit_code::internal;
    case experiment_status::failed:
      return how.view.succeeded == 0 ? exit_code::none_succeeded : exit_code::some_failed;
    case experiment_status::done:
    case experiment_status::stopped:
      break;
  }
  if (how.view.succeeded == 0)
    return exit_code::none_succeeded;
  return strict && errored > 0 ? exit_code::some_failed : exit_code::done;
}

void write_summary(const command_line& line, const run_request& what, const run_snapshot& last,
                   const run_summary& how, const style& look) {
  auto format = line.output.value_or(output_format::table);
  if (format == output_format::json || format == output_format::jsonl)
    std::cout << summary_json(last, how.status);
  else if (!line.quiet)
    std::cout << summary_text(last, {how.status, how.why, what.file}, look);
  std::cout.flush();
}

/// Whatever is wrong with the directory is found before anything else begins.
expected<experiment_store> open_store(const fs::path& directory) {
  auto state = inspect_directory(directory);
  if (!state)
    return state.error();
  if (*state == directory_state::experiment) {
    return error{ec::refused, directory.string()
                                  + " holds an experiment already; choose another name with"
                                    " --experiment.name NAME, or remove the directory"};
  }
  return experiment_store::create(directory);
}

catch_up_function file_writer(const fs::path& directory) {
  // Opened by the sink's own thread, when there is something to read.
  auto files = std::make_shared<std::unique_ptr<trial_files>>();
  return [files, directory](sequence committed) -> expected<void> {
    if (*files == nullptr) {
      auto made = trial_files::open(directory);
      if (!made)
        return made.error();
      *files = std::move(*made);
    }
    return (*files)->catch_up(committed);
  };
}

cast spawn_all(caf::actor_system& system, run_parts parts, std::shared_ptr<experiment_store> store,
               on::opened opening, const std::shared_ptr<screen>& shown) {
  auto cluster = spawn_cluster(system);
  auto recorder = spawn_recorder(
      system, [store](std::span<const store_item> items) { return store->write(items); });
  std::optional<sink_actor> files;
  if (parts.node.trial_files) {
    files = spawn_sink(system, file_writer(store->directory()), [shown](const error& why) {
      shown->say("trial files are not written any more: " + printable(to_text(why)));
    });
    send_from_outside(recorder, *files);
  }
  auto queue = parts.settings.queue_trials;
  experiment machine{std::move(parts.settings), parts.judge->traits(), parts.source->traits(),
                     std::move(parts.stoppers)};
  auto judge = spawn_scheduler(system, std::move(parts.judge));
  auto source = spawn_searcher(system, std::move(parts.source));
  auto node = spawn_node(system, std::move(parts.node), cluster);
  auto runner = spawn_runner(system, {std::move(machine), std::move(opening), judge, source,
                                      cluster, recorder, queue, shown});
  return {system, cluster, recorder, files, judge, source, node, runner};
}

screen_options options_of(const command_line& line, const loaded_spec& loaded,
                          const fs::path& directory, std::uint64_t planned) {
  auto environment = terminal_environment::of_process();
  auto terminal = ::isatty(STDERR_FILENO) == 1;
  screen_options result;
  result.experiment = loaded.what.experiment.name;
  result.directory = directory.string();
  result.trials = trials_directory(directory);
  result.objectives = loaded.what.experiment.objectives;
  if (planned > 0)
    result.planned = planned;
  result.time_limit = loaded.what.experiment.time_limit;
  result.redraw = can_redraw(environment, terminal) && !line.quiet;
  result.quiet = line.quiet;
  result.look = style{wants_color(line.color, environment, terminal)};
  return result;
}

} // namespace

std::optional<loaded_spec> load_or_complain(const std::string& file,
                                            const std::vector<named_text>& with,
                                            const choices& all) {
  load_request wanted;
  wanted.overrides = with;
  wanted.environment = environment_of(environ);
  wanted.schedulers = all.schedulers;
  wanted.searchers = all.searchers;
  wanted.trainables = &all.trainables;
  auto result = load_spec(file, wanted);
  for (const auto& warning : result.warnings)
    std::cerr << "tune-node: warning: " << printable(warning) << '\n';
  if (!result)
    std::cerr << to_text(result.faults);
  return std::move(result.loaded);
}

exit_code run_experiment(const command_line& line, const run_request& what, const choices& all) {
  auto loaded = load_or_complain(what.file, what.overrides, all);
  if (!loaded)
    return exit_code::configuration;
  if (what.dry_run)
    return show_dry_run(line, *loaded, all);
  auto directory = fs::absolute(experiment_directory(loaded->what, fs::current_path()));
  auto parts = make_parts(*loaded, all, directory);
  if (!parts) {
    complain(parts.error());
    return exit_code::configuration;
  }
  auto opened = open_store(directory);
  if (!opened)
    return complain(opened.error());
  auto store = std::make_shared<experiment_store>(std::move(*opened));
  on::opened opening{store->epoch(), TUNE_VERSION, to_json(loaded->what),
                     loaded->what.experiment.seed};

  system_config config;
  caf::actor_system system{config};
  auto fixed = options_of(line, *loaded, directory, parts->planned);
  std::optional<cast> actors;
  auto look = fixed.look;
  auto shown_options = fixed;
  shown_options.snapshot = [&actors, &fixed] { return take_snapshot(*actors, fixed); };
  auto shown = std::make_shared<screen>(std::move(shown_options));
  actors.emplace(spawn_all(system, std::move(*parts), store, std::move(opening), shown));

  std::atomic<int> signal = 0;
  interrupts watch{[&](int number) {
                     signal = number;
                     shown->say("leaving off in order; once more to stop at once");
                     send_from_outside(actors->runner, news{on::interrupted{"interrupted"}});
                   },
                   [](int number) { ::_exit(128 + number); }};
  send_from_outside(actors->runner, run_atom_v);
  auto how = shown->run();

  auto trouble = actors->drained(actors->recorder);
  if (!trouble.empty() && how.storage_error.empty())
    how.storage_error = trouble;
  if (actors->files && how.storage_error.empty()) {
    send_from_outside(*actors->files, durable_up_to{store->last_seq()});
    actors->drained(*actors->files);
  }
  if (!how.storage_error.empty())
    std::cerr << "tune-node: " << printable(how.storage_error) << '\n';
  write_summary(line, what, snapshot_of(fixed, how.view, how.elapsed), how, look);
  actors->dismiss();
  actors.reset();
  return code_of(how, what.strict, signal);
}

} // namespace tune::cli

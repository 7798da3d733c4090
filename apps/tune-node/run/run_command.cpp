// SPDX-License-Identifier: BSD-3-Clause
#include "run/run_command.hpp"

#include "console/summary.hpp"
#include "console/text.hpp"
#include "inspect/trials.hpp"
#include "run/interrupts.hpp"
#include "run/listening.hpp"
#include "run/screen.hpp"
#include "run/snapshot.hpp"

#include "tune/actors/run_log.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/spec/resource_check.hpp"
#include "tune/tuner/company.hpp"
#include "tune/tuner/storage.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <iostream>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

exit_code complain(const error& what) {
  std::cerr << "tune-node: " << printable(to_text(what)) << '\n';
  return exit_code_for(what.code);
}

exit_code code_of(const run_summary& how, bool strict, int signal) {
  if (!how.storage_error.empty())
    return exit_code::storage;
  auto errored = how.view.counts[static_cast<std::size_t>(trial_status::errored)];
  switch (how.status) {
    case experiment_status::interrupted:
      return static_cast<exit_code>(128 + (signal == 0 ? SIGINT : signal));
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

/// The result on stdout: the trials, the summary or both, as the format wants it.
/// @returns whether the trials could be read; complains if not.
bool write_result(const command_line& line, const run_request& what, const run_snapshot& last,
                  const run_summary& how, const style& look) {
  expected<void> read;
  auto format = line.output.value_or(output_format::table);
  if (format == output_format::table)
    std::cout << summary_text(last, {how.status, how.why, what.file}, look);
  if (format == output_format::csv || format == output_format::jsonl) {
    trials_request all;
    all.directory = last.directory;
    read = show_trials(all, format, {}, std::cout);
  }
  if (format == output_format::json || format == output_format::jsonl)
    std::cout << summary_json(last, how.status);
  if (!read)
    complain(read.error());
  return read.has_value();
}

snapshot_frame frame_of(const loaded_spec& loaded, const fs::path& directory) {
  snapshot_frame result;
  result.experiment = loaded.what.experiment.name;
  result.directory = directory.string();
  result.objectives = loaded.what.experiment.objectives;
  result.time_limit = loaded.what.experiment.time_limit;
  return result;
}

screen_options screen_of(const command_line& line, const snapshot_frame& fixed) {
  auto environment = terminal_environment::of_process();
  auto terminal = ::isatty(STDERR_FILENO) == 1;
  screen_options result;
  result.objectives = fixed.objectives;
  result.redraw = can_redraw(environment, terminal) && !line.quiet;
  result.quiet = line.quiet;
  result.look = style{wants_color(line.color, environment, terminal)};
  return result;
}

/// Whether trials can ever run on this machine; complains if not. Where workers may join, nobody
/// knows.
bool can_run(const loaded_spec& loaded, const host_resources& machine) {
  if (!loaded.what.cluster.listen.empty())
    return true;
  auto fault = impossible_request(
      loaded, {{node_settings{}.name, offered_by(loaded.what, machine.capacity())}});
  if (fault)
    std::cerr << to_text(*fault) << '\n';
  return !fault;
}

/// Runs the actors until all is over and on disk.
/// @errors `ec::storage` where the log cannot be opened; `ec::refused` where the port cannot.
expected<run_summary> conduct(run_parts parts, company_options how,
                              std::optional<listen_options> port, const snapshot_frame& fixed,
                              screen_options look, const log_section& wanted,
                              std::atomic<int>& signal) {
  auto config = config_for(port);
  caf::actor_system system{*config};
  std::optional<company> actors;
  look.snapshot = [&] { return take_snapshot(*actors, fixed); };
  auto shown = std::make_shared<screen>(std::move(look));
  how.observer = shown;
  if (!wanted.file.empty()) {
    auto log = open_run_log({fs::path{fixed.directory} / wanted.file, wanted.level,
                             [shown](const std::string& why) { shown->say(printable(why)); }});
    if (!log)
      return log.error();
    // The screen is last: whoever waits for it goes when it hears of the end.
    how.observer = joined_observers({*log, shown});
  }
  how.on_files_failed = [shown](const error& why) {
    shown->say("trial files are not written any more: " + printable(to_text(why)));
  };
  actors.emplace(system, std::move(parts), std::move(how));
  interrupts watch{[&](int number) {
                     signal = number;
                     shown->say("leaving off in order; once more to stop at once");
                     actors->interrupt();
                   },
                   [](int number) { ::_exit(128 + number); }};
  if (port) {
    if (auto opened = open_to_workers(*actors, std::move(*port), shown); !opened) {
      actors->dismiss();
      return opened.error();
    }
  }
  actors->start();
  auto result = shown->run();
  if (auto trouble = actors->settle(); !trouble.empty() && result.storage_error.empty())
    result.storage_error = trouble;
  actors->dismiss();
  return result;
}

} // namespace

std::optional<loaded_spec> load_or_complain(const std::string& file,
                                            const std::vector<named_text>& with, const choices& all,
                                            bool quiet) {
  load_request wanted;
  wanted.overrides = with;
  wanted.environment = environment_of(environ);
  wanted.schedulers = all.schedulers;
  wanted.searchers = all.searchers;
  wanted.trainables = &all.trainables;
  auto result = load_spec(file, wanted);
  for (const auto& warning : quiet ? std::vector<std::string>{} : result.warnings)
    std::cerr << "tune-node: warning: " << printable(warning) << '\n';
  if (!result)
    std::cerr << to_text(result.faults) << '\n';
  return std::move(result.loaded);
}

exit_code run_experiment(const command_line& line, const run_request& what, const choices& all) {
  auto loaded = load_or_complain(what.file, what.overrides, all, line.quiet);
  if (!loaded)
    return exit_code::configuration;
  auto machine = discover();
  if (what.dry_run)
    return can_run(*loaded, machine) ? show_dry_run(line, *loaded, all) : exit_code::configuration;
  auto directory = fs::absolute(experiment_directory(loaded->what, fs::current_path()));
  auto fixed = frame_of(*loaded, directory);
  auto look = screen_of(line, fixed);
  if (what.resume) {
    auto before = finished_before(directory, loaded->what, fixed);
    if (!before)
      return complain(before.error());
    if (*before) {
      auto written = write_result(line, what, **before, {}, look.look);
      return written ? exit_code::done : exit_code::storage;
    }
  }
  if (!can_run(*loaded, machine))
    return exit_code::configuration;
  auto port = listening(*loaded);
  if (!port)
    return complain(port.error());
  auto parts
      = make_parts(*loaded, all, directory, machine, *port ? (*port)->shipment.job : std::string{});
  if (!parts) {
    complain(parts.error());
    return exit_code::configuration;
  }
  if (parts->planned > 0)
    fixed.planned = parts->planned;
  if (auto can = start_guard_if_needed(*parts); !can)
    return complain(can.error());
  auto opened = open_storage(directory, loaded->what, what.resume);
  if (!opened)
    return complain(opened.error());
  company_options how;
  how.store = opened->store;
  how.resumes = opened->resumes;
  how.opening
      = {how.store->epoch(), TUNE_VERSION, to_json(loaded->what), loaded->what.experiment.seed};
  std::atomic<int> signal = 0;
  how.works_here = loaded->what.cluster.local;
  // A cluster that may grow is waited for, unless the user says otherwise.
  if (*port && !loaded->origins.contains("cluster.queue_trials"))
    parts->settings.queue_trials = true;
  auto conducted = conduct(std::move(*parts), std::move(how), std::move(*port), fixed, look,
                           loaded->what.log, signal);
  if (!conducted)
    return complain(conducted.error());
  const auto& end = *conducted;
  if (!end.storage_error.empty())
    std::cerr << "tune-node: " << printable(end.storage_error) << '\n';
  auto last = snapshot_of(fixed, end.view, end.elapsed);
  if (!write_result(line, what, last, end, look.look))
    return exit_code::storage;
  return code_of(end, what.strict, signal);
}

} // namespace tune::cli

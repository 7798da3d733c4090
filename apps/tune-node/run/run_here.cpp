// SPDX-License-Identifier: BSD-3-Clause
#include "run/run_here.hpp"

#include "console/one_line.hpp"
#include "console/text.hpp"
#include "inspect/failures.hpp"
#include "run/before_run.hpp"
#include "run/ending.hpp"
#include "run/exhaustion.hpp"
#include "run/interrupts.hpp"
#include "run/last_wait.hpp"
#include "run/listening.hpp"
#include "run/load_configuration.hpp"
#include "run/run_words.hpp"
#include "run/screen.hpp"
#include "run/snapshot.hpp"
#include "run/way_on.hpp"

#include "tune/actors/runtime_log.hpp"
#include "tune/core/program_name.hpp"
#include "tune/io/json.hpp"
#include "tune/io/process/memory_limit.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/fit_config.hpp"
#include "tune/io/spec/machine_check.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/spec/resource_check.hpp"
#include "tune/io/store/experiment_directory.hpp"
#include "tune/tuner/experiment_actors.hpp"
#include "tune/tuner/listening.hpp"
#include "tune/tuner/parts.hpp"
#include "tune/tuner/preparation.hpp"
#include "tune/tuner/storage.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <iostream>

namespace tune::cli {

namespace fs = std::filesystem;

bool can_run(const loaded_spec& loaded, const host_resources& machine) {
  auto fault
      = impossible_offer(loaded, lack_of_gpus(machine, loaded.what.cluster.gpus.value_or(0)));
  if (!fault && loaded.what.cluster.listen.empty())
    fault = impossible_request(
        loaded, {{node_settings{}.name, offered_by(loaded.what, machine.capacity())}},
        machine.why_fewer_gpus);
  if (fault)
    std::cerr << to_text(*fault) << '\n';
  return !fault;
}

namespace {

/// Whether trials have their program, as far as can be told: workers may have what this machine
/// lacks. Complains if not.
bool has_program(const loaded_spec& loaded, bool quiet) {
  if (!loaded.what.cluster.listen.empty()) {
    warn_of_missing_program(loaded, quiet);
    return true;
  }
  auto missing = missing_program(loaded, environment_of(environ));
  if (missing)
    std::cerr << to_text(*missing) << '\n';
  return !missing;
}

void warn_of_unenforced_memory(const loaded_spec& loaded, bool quiet) {
  if (quiet)
    return;
  if (auto warning = unenforced_memory(loaded, can_limit_memory))
    std::cerr << program_name() << ": warning: " << to_text(*warning) << '\n';
}

/// @errors `ec::refused` if an experiment is in the way, with the commands that help.
expected<void> may_begin(const fs::path& directory, std::optional<resume_mode> resume) {
  auto state = resume ? directory_state::absent : inspect_directory(directory);
  if (!state || *state != directory_state::experiment)
    return {};
  auto way = way_on_in(directory);
  return error{ec::refused, directory.string() + " holds an experiment already: go on with it by "
                                + (way.is_resume ? way.command : "adding --resume")
                                + ", or begin beside it by --experiment.name auto"};
}

/// Runs the actors until all is over and on disk. If it cannot go on, it ends the process:
/// otherwise it would wait without end for actors that nobody dismisses.
/// @errors `ec::storage` if the log cannot be opened; `ec::refused` if the port cannot.
[[gnu::noinline]] expected<run_summary> conduct(run_parts parts, experiment_actors_options how,
                                                std::optional<listen_options> port,
                                                const snapshot_frame& fixed, screen_options look,
                                                const spec& what, std::atomic<int>& signal,
                                                last_wait& rest) noexcept {
  auto config = config_for(port);
  caf::actor_system system{*config};
  head_services place{system, parts.node, what.cluster.local};
  std::optional<experiment_actors> actors;
  look.snapshot = [&] { return take_snapshot(*actors, fixed); };
  look.last = [&](const run_summary& end) { return snapshot_of(fixed, end.view, end.elapsed); };
  auto shown = std::make_shared<screen>(std::move(look));
  how.observer = shown;
  if (!what.log.file.empty()) {
    auto log
        = open_runtime_log({fs::path{fixed.directory} / what.log.file, what.log.level,
                            [shown](const std::string& why) { shown->say(in_one_line(why)); }});
    if (!log) {
      place.close();
      return log.error();
    }
    // The screen comes last: its waiting thread goes on as soon as it hears of the end.
    how.observer = joined_observers({*log, shown});
  }
  how.on_files_failed = [shown](const error& why) {
    shown->warned("trial files are not written any more, the record is whole: " + to_text(why)
                  + "; the next start with --resume completes them");
  };
  how.on_sink_failed = [shown](const std::string& why) { shown->warned(why); };
  how.on_files_odd = [shown](const std::string& odd) { shown->warned(odd); };
  actors.emplace(place, std::move(parts), std::move(how));
  auto broken = [](const std::string& why) { give_up(in_one_line(why)); };
  place.when_broken(broken);
  actors->when_broken(broken);
  place.when_crippled(actors->interrupter());
  auto leave = [&](expected<run_summary> with) {
    rest.begin(signal != 0);
    actors->dismiss();
    place.close();
    return with;
  };
  interrupts watch{[&](int number) {
                     signal = number;
                     shown->say("leaving off in order; once more to stop at once");
                     actors->interrupt();
                   },
                   leave_at_once};
  if (port) {
    if (auto opened = open_to_workers(place, std::move(*port), what.cluster.certs, shown); !opened)
      return leave(opened.error());
  }
  if (auto began = actors->start(); !began)
    return leave(began.error());
  auto result = shown->run();
  if (auto trouble = actors->settle(); !trouble.empty() && result.storage_error.empty())
    result.storage_error = trouble;
  // Trial files may be given up as late as this.
  shown->show_rest();
  return leave(std::move(result));
}

/// The configurations of `--add`. @errors `ec::bad_syntax`, `ec::bad_option`.
expected<std::vector<on::add_asked>> additions_of(const std::string& json,
                                                  const search_space& space) {
  std::vector<on::add_asked> result;
  if (json.empty())
    return result;
  auto refused = [](const error& why) { return error{why.code, "--add: " + why.detail}; };
  auto read = from_json(json);
  if (!read)
    return refused(read.error());
  const auto* list = read->as_list();
  for (const auto& x : list != nullptr ? *list : value::list{*read}) {
    const auto* config = x.as_object();
    if (config == nullptr)
      return error{ec::bad_syntax, "--add: " + to_json(x)
                                       + " is no configuration: an object is wanted, or a list of "
                                         "objects"};
    auto whole = complete_config(*config, space);
    if (!whole)
      return refused(whole.error());
    result.push_back({{}, std::make_shared<const object>(std::move(*whole))});
  }
  return result;
}

/// If the file differs from the record, adds the command that goes on with the record.
error with_record(error why, const run_request& what, const fs::path& directory) {
  const auto differs = why.detail.starts_with("cannot resume with another configuration");
  if (!differs || !what.resume || what.file.empty())
    return why;
  if (auto way = way_on_in(directory); way.is_resume)
    why.detail += "; " + way.command + " goes on as it was recorded";
  return why;
}

/// Says what can still be done with an experiment that is done.
std::string nothing_left(const fs::path& directory) {
  auto way = way_on_in(directory);
  return program_name() + ": nothing is left to run; " + printable(way.command)
         + " --experiment.num_samples N takes further samples"
         + (way.is_resume ? ", --add JSON a configuration of your own" : printable(way.note))
         + "\n";
}

} // namespace

exit_code run_in_directory(const command_line& line, const run_request& what, loaded_spec loaded,
                           const choices& all, const fs::path& directory) {
  before_run heeded{line.quiet};
  auto machine = discover();
  auto fixed = frame_of(loaded.what, directory);
  const result_request result{
      line, what.file, {}, words_given(what, loaded, environment_of(environ))};
  auto look = screen_of(line, fixed.objectives);
  look.directory = fixed.directory;
  auto added = additions_of(what.add, *loaded.space);
  if (!added)
    return complain(added.error());
  // An experiment that goes on may keep what it began with.
  auto ready = prepare(loaded, directory, what.resume, fs::current_path());
  if (!ready)
    return complain(ready.error());
  if (what.resume && added->empty()) {
    auto before = finished_before(directory, loaded.what, fixed, *what.resume);
    if (!before)
      return complain(with_record(before.error(), what, directory));
    if (*before) {
      auto whole = finish_up(directory, loaded.what);
      if (!whole && !line.quiet)
        std::cerr << program_name() << ": warning: " << printable(to_text(whole.error())) << '\n';
      if (!line.quiet)
        std::cerr << nothing_left(directory);
      auto written
          = !what.tells || write_result(result, (*before)->last, (*before)->how, look.look);
      return written ? exit_code_of((*before)->how, what.strict, 0) : exit_code::storage;
    }
  }
  if (auto has = what.resume ? has_files_to_go_on(directory, loaded.what, what.file.empty())
                             : expected<void>{};
      !has)
    return complain(has.error());
  if (!can_run(loaded, machine) || !has_program(loaded, line.quiet))
    return exit_code::configuration;
  warn(*ready, line.quiet);
  if (loaded.what.cluster.local)
    warn(machine.warnings, line.quiet);
  auto port = listening(loaded);
  if (!port)
    return complain(port.error());
  auto made
      = make_shared_parts(loaded, all, directory, machine, port->has_value(), heeded.reading());
  if (!made) {
    if (auto ended = heeded.close_for_good())
      return *ended;
    complain(made.error());
    return exit_code::configuration;
  }
  auto& parts = made->parts;
  if (parts.planned > 0)
    fixed.planned = parts.planned;
  if (auto can = start_guard_if_needed(parts); !can) {
    auto ended = heeded.close_for_good();
    return ended ? *ended : complain(can.error());
  }
  if (auto can = can_begin(*port); !can)
    return complain(can.error());
  warn_of_unenforced_memory(loaded, line.quiet);
  if (auto free = may_begin(directory, what.resume); !free)
    return complain(free.error());
  // From here on there is a run to interrupt.
  if (auto ended = heeded.close())
    return *ended;
  auto opened = open_storage(directory, loaded.what, what.resume);
  if (!opened)
    return complain(with_record(opened.error(), what, directory));
  opened->additions = std::move(*added);
  // Shown even if quiet: otherwise nobody would know why nothing happens.
  if (line.quiet && !opened->paused.empty())
    std::cerr << program_name() << ": warning: " << printable(opened->paused) << '\n';
  auto how = options_for(std::move(*opened), loaded.what);
  how.shipment = std::move(made->shipment);
  // Closed when nobody reads any more: only then is its write-ahead log removed.
  const auto store = how.store;
  // Made beforehand, for a time when no memory is left.
  static const auto advice = printable("what is recorded is safe: go on with it by "
                                       + program_call("resume " + shell_word(directory.string())));
  end_when_exhausted(advice.c_str());
  std::atomic<int> signal = 0;
  auto conducted = [&] {
    // Destroyed before the result is written.
    last_wait rest{directory, [](const std::string& news) {
                     std::cerr << program_name() + ": " + printable(news) + "\n";
                   }};
    return conduct(std::move(parts), std::move(how), std::move(*port), fixed, look, loaded.what,
                   signal, rest);
  }();
  if (!conducted)
    return complain(conducted.error());
  const auto& end = *conducted;
  if (!end.storage_error.empty())
    std::cerr << program_name() << ": " << printable(end.storage_error) << '\n';
  auto last = snapshot_of(fixed, end.view, end.elapsed);
  if (!loaded.what.trainable.exports.empty())
    count_exports(last, directory);
  look_back(last, directory);
  if (!what.tells)
    say_cause(end);
  else if (!write_result(result, last, end, look.look))
    return exit_code::storage;
  return exit_code_of(end, what.strict, signal);
}

} // namespace tune::cli

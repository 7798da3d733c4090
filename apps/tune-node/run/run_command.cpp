// SPDX-License-Identifier: BSD-3-Clause
#include "run/run_command.hpp"

#include "console/text.hpp"
#include "run/at_head.hpp"
#include "run/ending.hpp"
#include "run/exhaustion.hpp"
#include "run/interrupts.hpp"
#include "run/listening.hpp"
#include "run/screen.hpp"
#include "run/snapshot.hpp"

#include "tune/actors/run_log.hpp"
#include "tune/io/process/memory_limit.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/machine_check.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/spec/resource_check.hpp"
#include "tune/tuner/company.hpp"
#include "tune/tuner/listening.hpp"
#include "tune/tuner/storage.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <iostream>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

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

/// Whether trials have their program, as far as one can tell: workers may have what is not here.
/// Complains if not.
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
    std::cerr << "tune-node: warning: " << to_text(*warning) << '\n';
}

/// Runs the actors until all is over and on disk. Where it cannot go on, the process ends: actors
/// that nobody dismisses would be waited for without end.
/// @errors `ec::storage` where the log cannot be opened; `ec::refused` where the port cannot.
[[gnu::noinline]] expected<run_summary> conduct(run_parts parts, company_options how,
                                                std::optional<listen_options> port,
                                                const snapshot_frame& fixed, screen_options look,
                                                const log_section& wanted, bool works_here,
                                                std::atomic<int>& signal) noexcept {
  auto config = config_for(port);
  caf::actor_system system{*config};
  premises place{system, parts.node, works_here};
  std::optional<company> actors;
  look.snapshot = [&] { return take_snapshot(*actors, fixed); };
  auto shown = std::make_shared<screen>(std::move(look));
  how.observer = shown;
  if (!wanted.file.empty()) {
    auto log = open_run_log({fs::path{fixed.directory} / wanted.file, wanted.level,
                             [shown](const std::string& why) { shown->say(printable(why)); }});
    if (!log) {
      place.close();
      return log.error();
    }
    // The screen is last: whoever waits for it goes when it hears of the end.
    how.observer = joined_observers({*log, shown});
  }
  how.on_files_failed = [shown](const error& why) {
    shown->warned("trial files are not written any more, the record is whole: " + to_text(why)
                  + "; the next start with --resume completes them");
  };
  how.on_files_odd = [shown](const std::string& what) { shown->warned(what); };
  actors.emplace(place, std::move(parts), std::move(how));
  auto broken = [](const std::string& why) { give_up(printable(why)); };
  place.when_broken(broken);
  actors->when_broken(broken);
  place.when_crippled(actors->interrupter());
  auto leave = [&](expected<run_summary> with) {
    actors->dismiss();
    place.close();
    return with;
  };
  interrupts watch{[&](int number) {
                     signal = number;
                     shown->say("leaving off in order; once more to stop at once");
                     actors->interrupt();
                   },
                   [](int number) { ::_exit(128 + number); }};
  if (port) {
    if (auto opened = open_to_workers(place, std::move(*port), shown); !opened)
      return leave(opened.error());
  }
  if (auto began = actors->start(); !began)
    return leave(began.error());
  auto result = shown->run();
  if (auto trouble = actors->settle(); !trouble.empty() && result.storage_error.empty())
    result.storage_error = trouble;
  // The files of the trials may be given up only now.
  shown->show_rest();
  return leave(std::move(result));
}

} // namespace

std::optional<loaded_spec> load_or_complain(const std::string& file,
                                            const std::vector<named_text>& with, const choices& all,
                                            bool quiet, bool needs_trainable) {
  load_request wanted;
  wanted.overrides = with;
  wanted.environment = environment_of(environ);
  wanted.schedulers = all.schedulers;
  wanted.searchers = all.searchers;
  wanted.trainables = &all.trainables;
  wanted.needs_trainable = needs_trainable;
  auto result = load_spec(file, wanted);
  for (const auto& warning : quiet ? std::vector<std::string>{} : result.warnings)
    std::cerr << "tune-node: warning: " << printable(warning) << '\n';
  if (!result)
    std::cerr << to_text(result.faults) << '\n';
  return std::move(result.loaded);
}

void warn_of_missing_program(const loaded_spec& loaded, bool quiet) {
  if (quiet)
    return;
  if (auto missing = missing_program(loaded, environment_of(environ)))
    std::cerr << "tune-node: warning: " << to_text(*missing) << '\n';
}

exit_code run_experiment(const command_line& line, const run_request& what, const choices& all) {
  auto loaded = load_or_complain(what.file, what.overrides, all, line.quiet);
  if (!loaded)
    return exit_code::configuration;
  if (what.dry_run) {
    warn_of_missing_program(*loaded, line.quiet || what.head);
    return what.head || can_run(*loaded, discover()) ? show_dry_run(line, *loaded, all)
                                                     : exit_code::configuration;
  }
  if (what.head)
    return run_at_head(line, what, *loaded);
  auto directory = fs::absolute(experiment_directory(loaded->what, fs::current_path()));
  return run_in_directory(line, what, *loaded, all, directory);
}

exit_code run_in_directory(const command_line& line, const run_request& what,
                           const loaded_spec& loaded, const choices& all,
                           const fs::path& directory) {
  auto machine = discover();
  auto fixed = frame_of(loaded, directory);
  auto look = screen_of(line, fixed.objectives);
  if (what.resume) {
    auto before = finished_before(directory, loaded.what, fixed, *what.resume);
    if (!before)
      return complain(before.error());
    if (*before) {
      auto whole = finish_up(directory, loaded.what);
      if (!whole && !line.quiet)
        std::cerr << "tune-node: warning: " << printable(to_text(whole.error())) << '\n';
      auto written = write_result({line, what.file}, **before, {}, look.look);
      return written ? exit_code::done : exit_code::storage;
    }
  }
  if (!can_run(loaded, machine) || !has_program(loaded, line.quiet))
    return exit_code::configuration;
  auto port = listening(loaded);
  if (!port)
    return complain(port.error());
  auto made = make_shared_parts(loaded, all, directory, machine, port->has_value());
  if (!made) {
    complain(made.error());
    return exit_code::configuration;
  }
  auto& parts = made->parts;
  if (parts.planned > 0)
    fixed.planned = parts.planned;
  if (auto can = start_guard_if_needed(parts); !can)
    return complain(can.error());
  if (auto can = can_begin(*port); !can)
    return complain(can.error());
  warn_of_unenforced_memory(loaded, line.quiet);
  auto opened = open_storage(directory, loaded.what, what.resume);
  if (!opened)
    return complain(opened.error());
  auto how = options_for(std::move(*opened), loaded.what);
  how.shipment = std::move(made->shipment);
  // Closed when nobody reads any more: only then does its write-ahead log go.
  const auto store = how.store;
  end_when_exhausted();
  std::atomic<int> signal = 0;
  auto conducted = conduct(std::move(parts), std::move(how), std::move(*port), fixed, look,
                           loaded.what.log, loaded.what.cluster.local, signal);
  if (!conducted)
    return complain(conducted.error());
  const auto& end = *conducted;
  if (!end.storage_error.empty())
    std::cerr << "tune-node: " << printable(end.storage_error) << '\n';
  auto last = snapshot_of(fixed, end.view, end.elapsed);
  if (!write_result({line, what.file}, last, end, look.look))
    return exit_code::storage;
  return code_of(end, what.strict, signal);
}

} // namespace tune::cli

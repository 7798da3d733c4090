// SPDX-License-Identifier: BSD-3-Clause
#include "run/run_here.hpp"

#include "console/one_line.hpp"
#include "console/text.hpp"
#include "inspect/experiment_directory.hpp"
#include "inspect/failures.hpp"
#include "run/additions.hpp"
#include "run/before_run.hpp"
#include "run/ending.hpp"
#include "run/exhaustion.hpp"
#include "run/interrupts.hpp"
#include "run/last_wait.hpp"
#include "run/late_sinks.hpp"
#include "run/leave_request.hpp"
#include "run/listening.hpp"
#include "run/load_configuration.hpp"
#include "run/nothing_to_run.hpp"
#include "run/run_words.hpp"
#include "run/screen.hpp"
#include "run/snapshot.hpp"
#include "run/way_on.hpp"
#include "serve/serving.hpp"

#include "tune/core/program_name.hpp"
#include "tune/io/json.hpp"
#include "tune/io/process/memory_limit.hpp"
#include "tune/io/spec/fit_config.hpp"
#include "tune/io/spec/machine_check.hpp"
#include "tune/io/store/experiment_directory.hpp"
#include "tune/tuner/preparation.hpp"
#include "tune/tuner/recorded_spec.hpp"
#include "tune/tuner/run_steps.hpp"
#include "tune/tuner/standalone_run.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

namespace tune::cli {

namespace fs = std::filesystem;

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
  if (is_held(directory)) {
    auto look = program_call("status " + experiment_words(directory.string()));
    return error{ec::refused, directory.string() + " holds an experiment that runs ("
                                  + holder_of(directory) + "): look at it by " + look
                                  + ", or begin beside it by --experiment.name auto"};
  }
  auto way = way_on_in(directory);
  auto what = recorded_spec(directory);
  // A conversation is gone on with by its own command, whatever is here.
  const auto is_whole = way.is_resume || (what && is_asked(*what));
  return error{ec::refused, directory.string() + " holds an experiment already: go on with it by "
                                + (is_whole ? way.command : "adding --resume")
                                + ", or begin beside it by --experiment.name auto"};
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

run_listeners listeners_of(const std::shared_ptr<screen>& shown) {
  return {shown, [shown](const std::string& text) { shown->warned(text); },
          [shown](const std::string& why) { shown->say(in_one_line(why)); },
          [shown](const error& why) {
            shown->warned("trial files are not written any more, the record is whole: "
                          + to_text(why) + "; the next start with --resume completes them");
          }};
}

/// One run, step by step.
class local_run {
public:
  local_run(const command_line& line, const run_request& what, loaded_spec loaded,
            const choices& all, fs::path directory)
      : line_{line}
      , what_{what}
      , all_{all}
      , directory_{std::move(directory)}
      , loaded_{std::move(loaded)}
      , heeded_{line.quiet}
      , fixed_{frame_of(loaded_.what, directory_)}
      , result_{line, what.file, {}, words_given(what, loaded_, environment_of(environ))}
      , look_{screen_of(line, fixed_.objectives)} {
    look_.directory = fixed_.directory;
    result_.command = what.command;
  }

  exit_code run() {
    using step = std::optional<exit_code> (local_run::*)();
    for (auto next : std::array<step, 6>{&local_run::prepare_inputs, &local_run::end_if_over,
                                         &local_run::check_surroundings, &local_run::make_parts,
                                         &local_run::get_ready, &local_run::open}) {
      if (auto ended = (this->*next)())
        return *ended;
    }
    // Closed when nobody reads any more: only then is its write-ahead log removed.
    const auto store = how_.store;
    auto end = conduct_and_wait();
    return end ? tell_end(*end) : complain(end.error());
  }

private:
  const command_line& line_;
  const run_request& what_;
  const choices& all_;
  fs::path directory_;
  loaded_spec loaded_;
  before_run heeded_;
  const host_resources machine_ = discover();
  snapshot_frame fixed_;
  result_request result_;
  screen_options look_;
  /// What `prepare` told, shown once the run is sure to begin.
  std::vector<std::string> notes_;
  std::vector<on::add_asked> added_;
  std::optional<listen_options> port_;
  std::optional<shared_parts> made_;
  experiment_actors_options how_;
  /// The signal that interrupted the run; 0: none, or the one that gave notice.
  std::atomic<int> signal_ = 0;
  std::atomic<bool> is_left_off_ = false;
  /// Workers may come back from the head before this one, with what they run.
  bool follows_ = false;

  // -- Steps before the run. Each returns the exit code if it is the last one.

  std::optional<exit_code> prepare_inputs() {
    auto added = additions_of(what_.add, *loaded_.space);
    if (!added)
      return complain(added.error());
    added_ = std::move(*added);
    // An experiment that goes on may keep what it began with.
    auto notes = prepare(loaded_, directory_, what_.resume, fs::current_path());
    if (!notes)
      return complain(notes.error());
    notes_ = std::move(*notes);
    return std::nullopt;
  }

  std::optional<exit_code> end_if_over() {
    if (!added_.empty()) {
      auto has_time = has_time_for_more(directory_, loaded_.what);
      return has_time ? std::nullopt : std::optional{complain(has_time.error())};
    }
    auto before = finished_before(directory_, loaded_.what, fixed_, what_.resume,
                                  [this](const error& why) { warn({to_text(why)}, line_.quiet); });
    if (!before)
      return complain(with_record(before.error(), what_, directory_));
    if (!*before) {
      auto has_time = has_time_for_failed(directory_, loaded_.what,
                                          what_.resume.value_or(resume_mode::automatic));
      return has_time ? std::nullopt : std::optional{complain(has_time.error())};
    }
    if (!line_.quiet)
      std::cerr << why_nothing_runs(directory_, loaded_.what, (*before)->how.status);
    bring_up_late_sinks(directory_, loaded_.what, all_.sinks,
                        [quiet = line_.quiet](const std::string& news) {
                          if (!quiet)
                            std::cerr << program_name() + ": " + printable(news) + "\n";
                        });
    auto& last = (*before)->last;
    look_back(last, directory_);
    const auto& how = (*before)->how;
    auto written = !what_.tells || write_result(result_, last, how, look_.look);
    return written ? exit_code_of(how, what_.strict, 0) : exit_code::storage;
  }

  std::optional<exit_code> check_surroundings() {
    if (what_.resume) {
      if (auto has = has_files_to_go_on(directory_, loaded_.what, what_.file.empty()); !has)
        return complain(has.error());
    }
    if (!can_run(loaded_, machine_) || !has_program(loaded_, line_.quiet))
      return exit_code::configuration;
    warn(notes_, line_.quiet);
    if (loaded_.what.cluster.local)
      warn(machine_.warnings, line_.quiet);
    auto port = listening(loaded_);
    if (!port)
      return complain(port.error());
    port_ = std::move(*port);
    // All processes of `up` end with the first.
    if (port_ && what_.listens)
      port_->liveness.head_grace = instant{0};
    if (what_.http) {
      if (auto can = can_serve(page_request(*what_.http, loaded_.what.cluster.certs)); !can)
        return complain(can.error());
    }
    return std::nullopt;
  }

  std::optional<exit_code> make_parts() {
    auto made = make_shared_parts(loaded_, all_, directory_, machine_, port_.has_value(),
                                  heeded_.reading());
    if (!made) {
      if (auto ended = heeded_.close_for_good())
        return ended;
      complain(made.error());
      return exit_code::configuration;
    }
    made_ = std::move(*made);
    return std::nullopt;
  }

  std::optional<exit_code> get_ready() {
    if (auto can = start_what_is_needed(made_->parts, port_); !can) {
      auto ended = heeded_.close_for_good();
      return ended ? ended : complain(can.error());
    }
    warn_of_unenforced_memory(loaded_, line_.quiet);
    if (auto free = may_begin(directory_, what_.resume); !free)
      return complain(free.error());
    // From here on there is a run to interrupt.
    return heeded_.close();
  }

  std::optional<exit_code> open() {
    const auto outlives = port_ && port_->liveness.head_grace.count() > 0;
    auto how = open_run(directory_, loaded_.what, what_.resume,
                        {outlives ? made_->parts.work->id : std::string{}, {}});
    if (!how)
      return complain(with_record(how.error(), what_, directory_));
    how_ = std::move(*how);
    follows_ = how_.awaits_attempts;
    how_.additions = std::move(added_);
    how_.shipment = std::move(made_->shipment);
    // Shown even if quiet: otherwise nobody would know why nothing happens.
    if (line_.quiet && !how_.paused.empty())
      warn({how_.paused}, false);
    return std::nullopt;
  }

  // -- The run.

  expected<run_summary> conduct_and_wait() {
    // Made beforehand, for a time when no memory is left.
    static const auto advice
        = printable("what is recorded is safe: go on with it by "
                    + program_call("resume " + shell_word(directory_.string())));
    end_when_exhausted(advice.c_str());
    // Destroyed before the result is written.
    last_wait rest{directory_, [](const std::string& news) {
                     std::cerr << program_name() + ": " + printable(news) + "\n";
                   }};
    return conduct(rest);
  }

  /// Runs the actors until all is over and on disk. If it cannot go on, it ends the process:
  /// otherwise it would wait without end for actors that nobody dismisses.
  /// @errors `ec::storage` if the log cannot be opened; `ec::refused` if the port cannot.
  [[gnu::noinline]] expected<run_summary> conduct(last_wait& rest) noexcept {
    auto config = config_for(port_);
    caf::actor_system system{*config};
    std::optional<standalone_run> run;
    auto shown = std::make_shared<screen>(look_at(run));
    if (auto told = tell_all(how_, loaded_.what, listeners_of(shown)); !told)
      return told.error();
    auto page = serve_page(system, *shown);
    if (!page)
      return page.error();
    run.emplace(system, std::move(made_->parts), std::move(how_), loaded_.what.cluster.local,
                [](const std::string& why) { give_up(in_one_line(why)); });
    interrupts watch{[&](int number) {
                       is_left_off_ = true;
                       signal_ = number == what_.notice_signal ? 0 : number;
                       shown->say("leaving off in order; once more to stop at once");
                       run->actors().interrupt();
                     },
                     leave_at_once};
    if (what_.leave)
      what_.leave->begin([&](const std::string& why) {
        is_left_off_ = true;
        shown->say(why + ": leaving off in order");
        run->actors().interrupt();
      });
    auto end = follow(*run, shown);
    if (what_.leave)
      what_.leave->end();
    rest.begin(is_left_off_);
    page->reset();
    run->close();
    return end;
  }

  /// @returns null if no page is wanted. @errors as `serving::start`.
  expected<std::unique_ptr<serving>> serve_page(caf::actor_system& system, screen& shown) {
    if (!what_.http)
      return std::unique_ptr<serving>{};
    auto result = serving::start(system, directory_,
                                 page_request(*what_.http, loaded_.what.cluster.certs), all_);
    if (result)
      shown.say("its page: " + (*result)->link());
    return result;
  }

  screen_options look_at(std::optional<standalone_run>& run) {
    auto result = look_;
    result.snapshot = [this, &run] { return take_snapshot(run->actors(), fixed_); };
    result.last
        = [this](const run_summary& end) { return snapshot_of(fixed_, end.view, end.elapsed); };
    return result;
  }

  expected<void> begin(standalone_run& run) const {
    auto done = run.actors().start();
    if (done && follows_)
      run.actors().await_opening();
    return done;
  }

  expected<void> let_workers_in(standalone_run& run, screen& shown) {
    if (!port_)
      return {};
    auto opened = run.open();
    if (!opened)
      return opened.error();
    if (what_.listens)
      return what_.listens(opened->port);
    shown.say(joining_text(*opened, loaded_.what.cluster));
    return {};
  }

  expected<run_summary> follow(standalone_run& run, const std::shared_ptr<screen>& shown) {
    if (port_)
      prepare_for_workers(run, *port_, shown);
    // Those that come back are asked for what the record says of them.
    for (const auto& next : {follows_, !follows_}) {
      auto done = next ? begin(run) : let_workers_in(run, *shown);
      if (!done)
        return done.error();
    }
    auto end = shown->run();
    run.actors().settle(end);
    // Trial files may be given up as late as this.
    shown->show_rest();
    return end;
  }

  // -- Its end.

  exit_code tell_end(const run_summary& end) {
    if (!end.storage_error.empty())
      std::cerr << program_name() << ": " << printable(end.storage_error) << '\n';
    auto last = snapshot_of(fixed_, end.view, end.elapsed);
    if (!loaded_.what.trainable.exports.empty())
      count_exports(last, directory_);
    look_back(last, directory_);
    if (!what_.tells)
      say_cause(end);
    else if (!write_result(result_, last, end, look_.look))
      return exit_code::storage;
    return exit_code_of(end, what_.strict, signal_);
  }
};

} // namespace

bool can_run(const loaded_spec& loaded, const host_resources& machine) {
  auto fault = machine_fault(loaded, machine);
  if (fault)
    std::cerr << to_text(*fault) << '\n';
  return !fault;
}

exit_code run_in_directory(const command_line& line, const run_request& what, loaded_spec loaded,
                           const choices& all, const fs::path& directory) {
  return local_run{line, what, std::move(loaded), all, directory}.run();
}

} // namespace tune::cli

// A program in a process of its own. The process service's thread passes on its messages; the actor
// never waits for anything.
// SPDX-License-Identifier: BSD-3-Clause
#include "attempt_artifacts.hpp"
#include "attempt_drafts.hpp"
#include "attempt_end.hpp"
#include "attempt_exports.hpp"
#include "attempt_output.hpp"
#include "attempt_process.hpp"
#include "attempt_reports.hpp"
#include "attempt_saves.hpp"
#include "not_ready.hpp"
#include "program_start.hpp"
#include "trainables.hpp"

#include "tune/actors/clocks.hpp"
#include "tune/core/trial/program_attempt.hpp"
#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/json.hpp"
#include "tune/io/probe/free_port.hpp"
#include "tune/io/process/exit_judgement.hpp"
#include "tune/io/process/line_protocol.hpp"

#include <utility>

namespace tune {

namespace {

constexpr auto cut_short_text
    = "; what it was to write after its last report may be missing or incomplete: [cluster] "
      "stop_grace gives it more time";
constexpr auto unwritten_text
    = "what it was to write after its last report may be missing: see what it printed";

struct process_state {
  static inline const char* name = "tune.process";

  trainable_start what;
  process_impl::pointer self = nullptr;
  /// Kept until the reader's last message has come.
  std::shared_ptr<pattern_thread> reading;
  file_looker_actor looker;
  attempt_process process;
  /// What the program is told, and when the attempt is over.
  program_attempt rule{{}, attempt_session{0, std::chrono::nanoseconds{0}, instant{0}}};
  attempt_drafts drafts;
  std::int64_t pid = 0;
  /// Facts about its end that the rule does not know.
  exit_facts known;
  attempt_saves saves;
  attempt_exports exports;
  attempt_artifacts artifacts;
  attempt_output output;
  attempt_reports reports;
  /// The directory that the program handed over last.
  std::filesystem::path handed_over;
  /// Reported once all saves have ended.
  attempt_end over;
  /// The node could not start it.
  std::optional<not_ready> never_began;
  /// Why its output files are not complete.
  std::string missing_output;

  // -- Events of the process.

  void take(const process_news::started& x) {
    pid = x.pid;
    reports.begin(static_cast<pid_t>(pid), process.is_used(), what.order, steady_now());
    send(self, what.trial, attempt_started{what.order.attempt, pid, what.order.port});
    rule.started(steady_now());
    tell_costs();
  }

  /// Lets the reports of rank 0 know what this rank costs, now and again.
  void tell_costs() {
    auto due = reports.costs_of_rank(what.order.attempt, steady_now());
    if (!due)
      return;
    send(self, what.trial, std::move(*due));
    delayed_send(self, caf::actor_cast<process_impl>(self), attempt_costs::pause, tick_atom_v);
  }

  void take(const process_news::printed& x) {
    // Metrics found in lines are not nested: at most their texts have to be fixed.
    report(*fit_for_record(x.metrics), false, std::nullopt);
  }

  void take(const process_news::noticed& x) { over.remark_on(x.what.about, x.what.text); }

  void take(const process_news::came_late& x) {
    over.came_late();
    if (x.is_long)
      over.remark_on("late reports", late_reports_text(x.run, what));
  }

  void take(const process_news::missing& x) { known.why_missing = x.why; }

  void take(const process_news::room&) { process.read_on(); }

  /// The program's answer pipe is full.
  void take(const process_news::deaf&) {
    obey(rule.breaks_protocol("it reports without reading its answers: its answer pipe is full"));
  }

  void take(const process_news::said& x) {
    if (!rule.breach().empty())
      return;
    if (process.is_idle(x.line))
      return process.park();
    auto said = x.truncated ? too_long_report_line(x.line) : read_report_line(x.line);
    if (!said)
      return obey(rule.breaks_protocol(said.error().detail));
    if (auto* made = std::get_if<line::report>(&*said))
      return report(std::move(made->metrics), made->done, made->checkpoint);
    // The program may send more lines before it reports.
    process.hear_on();
    std::visit([this](auto& y) { hear(y); }, *said);
  }

  void hear(const line::nothing&) {}
  void hear(const line::report&) {}
  void hear(const line::hello& x) {
    process.prove();
    rule.greeted(x.can_save.value_or(true));
  }
  void hear(const line::saved& x) {
    if (drafts.is_of(x.directory))
      obey(rule.saved(steady_now()));
  }
  void hear(const line::save_failed& x) {
    if (drafts.is_of(x.directory))
      obey(rule.not_saved(x.why, x.unable, steady_now()));
  }
  void hear(line::failure& x) { known.failure = std::move(x); }
  void hear(const line::exporting&) { obey(rule.exports(steady_now())); }
  void hear(const line::export_failed& x) { exports.fail(x.format, x.why); }

  void report(object metrics, bool done, const std::optional<std::filesystem::path>& checkpoint) {
    if (checkpoint && what.order.rank == 0) {
      handed_over = checkpoint->is_absolute() ? *checkpoint : trial_directory(what) / *checkpoint;
      artifacts.leave_out(handed_over);
    }
    pass_on(reports.take_last(steady_now()));
    auto full = reports.complete({std::move(metrics), done, checkpoint.has_value()}, steady_now());
    if (!full)
      process.tell_usage();
    pass_on(std::move(full));
  }

  void pass_on(std::optional<made_report> x) {
    if (x)
      obey(rule.reported(std::move(x->metrics), x->done, x->has_checkpoint, steady_now(),
                         wall_ms()));
  }

  void take(const process_news::used& x) {
    pass_on(reports.take_last(reports.end(x.usage), x.usage, steady_now()));
  }

  void take(const process_news::parked& x) {
    rule.parked();
    auto how = x.so_far;
    how.code = 0;
    auto judged = judge(how);
    judged.exit_status.reset();
    note_costs(reports.measured_now());
    conclude(std::move(judged));
  }

  // -- The end of the process.

  void take(const exit_info& how) {
    // The host was broken before it came to this trial: start a new process.
    if (process.was_broken_before() && !rule.is_ending() && !known.failure)
      return process.launch();
    const auto used = reports.end(how.usage);
    note_costs(used);
    pass_on(reports.take_last(used, how.usage, steady_now()));
    auto judged = judge(how);
    if (judged.is_cut_short)
      over.remark_on("stop_grace", judged.detail + cut_short_text);
    // Its trial has succeeded all the same. Signalled programs often end with a status of their
    // own.
    if (judged.how == end_class::stopped && !how.requested && how.code.value_or(0) > 0)
      over.remark_on("stop_status", "exited with status " + std::to_string(*how.code)
                                        + " after it was told to end, which is no failure; "
                                        + unwritten_text);
    if (judged.how == end_class::preempted)
      never_began.emplace(error{how.fault, how.trouble});
    if (judged.how != end_class::user_error || !what.job->files)
      return conclude(std::move(judged));
    // No time limit: the launcher lives as long as the node, and CAF answers for it if it is gone.
    request(self, looker, caf::infinite, files_in_use{what.job->files, trial_directory(what)})
        .then([this, judged](const std::string& gone) { conclude(without_files(judged, gone)); },
              [this, judged](const caf::error&) { conclude(judged); });
  }

  void note_costs(const cost_sheet& measured) {
    over.costs(reports.of_attempt(measured, steady_now()));
  }

  exit_judgement judge(const exit_info& how) {
    missing_output = how.output_trouble;
    known.reported = rule.has_reported();
    known.saw_objective = rule.saw_objective();
    known.ending = rule.is_ending();
    known.killed = rule.is_killed();
    known.late_export = rule.exported_too_long();
    known.late_stop = rule.stopped_too_late();
    known.breach = rule.breach();
    return judge_exit(how, known);
  }

  /// Reports the end once all of the output is where it belongs.
  void conclude(exit_judgement judged) {
    over.is_judged(std::move(judged));
    output.close(self, missing_output, [this](const std::string& missing) {
      over.output_is_closed(missing);
      obey(rule.gone());
    });
  }

  // -- Commands of the rule.

  void obey(program_commands all) {
    for (auto& x : all)
      std::visit([this](auto& y) { run(y); }, x);
  }

  void run(const program_cmd::go_on&) { process.go_on(); }

  void run(const program_cmd::save& x) {
    using kind = link_answer::kind;
    process.answer({x.ends ? kind::pause : kind::save, drafts.directory(), x.exports});
  }

  void run(const program_cmd::stop& x) { process.answer({link_answer::kind::stop, {}, x.exports}); }

  void run(const program_cmd::end_program&) { process.end(); }

  void run(const program_cmd::pass_on& x) {
    auto out = message_of(what.order.attempt, x.what);
    out.pid = pid;
    out.done = x.what.done;
    out.has_checkpoint = x.has_checkpoint;
    out.remarks = over.take_remarks();
    send(self, what.trial, std::move(out));
    output.grew(self);
  }

  void run(const program_cmd::announce_export&) {
    send(self, what.trial, attempt_started{what.order.attempt, pid, what.order.port, true});
  }

  void run(const program_cmd::begin_draft& x) {
    drafts.begin(self, x.in_memory,
                 [this](const std::string& why) { obey(rule.draft_made(why, steady_now())); });
  }

  void run(const program_cmd::drop_draft&) { drafts.give_up(self); }

  void run(const program_cmd::copy&) {
    copy_draft order{attempt_claim{what.order}, handed_over, drafts.begin_elsewhere(self),
                     what.job->limits};
    request(self, what.checkpoint_service, caf::infinite, std::move(order))
        .then([this](const draft_copied& x) { obey(rule.copied(x.why, steady_now())); },
              [this](const caf::error& why) {
                obey(rule.copied(render(self->system(), why), steady_now()));
              });
  }

  void run(const program_cmd::keep& x) {
    const auto& session = rule.session();
    const auto in_memory = drafts.is_in_memory();
    saves.keep(self, {x.checkpoint, session.iteration(), session.time_total().count(),
                      drafts.hand_over(), x.ends, in_memory});
  }

  void run(program_cmd::not_kept& x) {
    if (x.for_good)
      saves.refuse_for_good(self, x.checkpoint, std::move(x.why));
    else
      saves.refuse(self, x.checkpoint, std::move(x.why), x.iteration);
  }

  void run(const program_cmd::drop_saves&) { saves.drop_soon(self); }

  void run(const program_cmd::wake& x) {
    delayed_send(self, caf::actor_cast<process_impl>(self), x.after, tick_atom_v);
  }

  void run(const program_cmd::conclude&) {
    // The program ended in the middle of a save.
    const auto left = drafts.is_open();
    drafts.give_up(self);
    if (rule.wants_exports())
      exports.begin();
    if (rule.exported_too_long())
      exports.be_late();
    const auto how = saves.judged(over.take());
    exports.finish(self, how, drafts.next_name(), rule.session().iteration(), [this, how, left] {
      if (left && what.order.rank == 0)
        send(self, what.checkpoint_service,
             attempt_left{attempt_claim{what.order}, what.checkpoints});
      if (never_began)
        return self->quit(to_caf(*never_began));
      artifacts.finish(self, how, [this](attempt_ended& told) {
        send(self, what.trial, std::move(told));
        self->quit();
      });
    });
  }

  // -- Messages of the trial.

  void answer(const attempt_answer& x) {
    obey(rule.answered({x.number, x.kind, x.until, x.checkpoint, x.in_memory, x.exports},
                       steady_now()));
  }

  void halt(const attempt_halt& x) {
    const auto how = static_cast<halt_mode>(x.how);
    if (artifacts.is_under_way() && how == halt_mode::kill)
      artifacts.drop_soon(self);
    else
      obey(rule.halt(how, x.exports, steady_now()));
  }
};

process_impl::behavior_type process_trainable(process_impl::stateful_pointer<process_state> self,
                                              trainable_start what, const process_means& means,
                                              const std::shared_ptr<program_start>& ready) {
  auto& state = state_of(self);
  auto me = caf::actor_cast<process_impl>(self);
  state.self = self;
  state.what = std::move(what);
  state.reading = means.reading;
  state.looker = means.looker;
  std::shared_ptr<pattern_reader> reader;
  if (ready->patterns)
    reader = std::make_shared<pattern_reader>(me, std::move(*ready->patterns), state.reading);
  state.process.init(state.what, me, means, std::move(reader));
  const auto& order = state.what.order;
  state.rule = program_attempt{
      program_plan_of(state.what, ready->patterns.has_value()),
      {order.iteration, std::chrono::nanoseconds{order.time_total_ns}, steady_now()}};
  state.reports.init(order, state.what.job->reports_costs, means.devices);
  state.drafts.init(state.what);
  state.saves.init(state.what, [&state](std::uint64_t failed) {
    state.obey(state.rule.settled(steady_now(), failed));
  });
  state.exports.init(state.what);
  state.artifacts.init(state.what);
  send(self, state.what.trial, order.attempt, trainable_actor{me});
  state.known.objective = state.what.job->objective;
  state.known.is_host = is_host(state.what);
  state.known.reads_stderr = reads_stderr(*state.what.job);
  state.over.begin(order.attempt, std::move(ready->note));
  if (ready->trouble.empty()) {
    state.output.announce(self, state.what);
    state.process.start(std::move(ready->params));
  } else {
    state.process.never_start(ready->trouble);
  }
  return {
      [&state](const attempt_answer& x) { state.answer(x); },
      [&state](const attempt_halt& x) { state.halt(x); },
      [](ping_atom, std::uint64_t x) { return x; },
      [&state](const process_news& x) {
        std::visit([&](const auto& y) { state.take(y); }, x.what);
      },
      [&state](tick_atom) {
        state.tell_costs();
        state.obey(state.rule.woken(steady_now()));
      },
  };
}

} // namespace

expected<trainable_actor> spawn_process_trainable(caf::actor_system& system, trainable_start what,
                                                  process_means means,
                                                  const expected<metric_pattern>* patterns) {
  if (what.order.rank > 0)
    patterns = nullptr;
  else if (what.order.ranks > 0) {
    auto port = free_port();
    if (!port)
      return port.error();
    what.order.port = *port;
  }
  auto ready = prepare_program(what, patterns);
  if (!ready)
    return ready.error();
  return trainable_actor{system.spawn(process_trainable, std::move(what), std::move(means),
                                      std::make_shared<program_start>(std::move(*ready)))};
}

} // namespace tune

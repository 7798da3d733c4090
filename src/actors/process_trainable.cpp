// A program in a process of its own. The process service's thread passes on its messages; the actor
// never waits for anything.
// SPDX-License-Identifier: BSD-3-Clause
#include "attempt_artifacts.hpp"
#include "attempt_drafts.hpp"
#include "attempt_exports.hpp"
#include "attempt_saves.hpp"
#include "kept_hosts.hpp"
#include "not_ready.hpp"
#include "pattern_reader.hpp"
#include "process_launcher.hpp"
#include "trainables.hpp"
#include "trial_process.hpp"

#include "tune/actors/clocks.hpp"
#include "tune/core/trial/attempt_session.hpp"
#include "tune/core/trial/automatic_metrics.hpp"
#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/json.hpp"
#include "tune/io/probe/free_port.hpp"
#include "tune/io/process/exit_judgement.hpp"
#include "tune/io/process/line_protocol.hpp"

#include <array>
#include <cstdio>
#include <utility>

namespace tune {

namespace {

/// A trial's end is timed by the machine and by this actor, equally long. If the machine's time
/// ends no more than this before the actor's, the actor's is over, too.
constexpr auto most_clock_lead = std::chrono::seconds{1};

/// Time that a further rank has to end once rank 0 has ended: without its peer it may hang.
constexpr auto wait_of_rank = std::chrono::seconds{1};

constexpr auto cut_short_text
    = "; what it was to write after its last report may be missing or incomplete: [cluster] "
      "stop_grace gives it more time";

std::string incomplete_output_text(const std::string& why) {
  return "not all that it printed is in its files: " + why;
}

/// Why no report could be judged before the program's end, and what helps if it buffers. A program
/// may also have printed its lines only then, in quick succession.
std::string late_text(std::chrono::nanoseconds run, const trainable_start& what) {
  std::array<char, 32> seconds{};
  std::snprintf(seconds.data(), seconds.size(), "%.3g", std::chrono::duration<double>{run}.count());
  const auto* plan = std::get_if<run_command>(&what.job->plan);
  const auto words = plan != nullptr ? plan->command.fixed_words() : std::vector<std::string>{};
  const auto has_terminal
      = plan == nullptr || plan->pty.value_or(!words.empty() && needs_terminal(*plan, words[0]));
  return std::string{"its reports came all at once, as it ended after "} + seconds.data()
         + " s, so that it could not be stopped early. Where it keeps what it prints to itself "
           "until then, let it flush its output after each line"
         + (has_terminal ? "" : ", or try [trainable] pty = true");
}

struct process_state {
  static inline const char* name = "tune.process";

  trainable_start what;
  process_impl::pointer self = nullptr;
  std::shared_ptr<process_service> processes;
  std::shared_ptr<kept_hosts> hosts;
  host_key needs;
  /// The process may serve other trials, too.
  bool is_kept = false;
  /// The host served other trials before and has not shown yet that it still works.
  bool unproven = false;
  /// The process was told to end.
  bool ending = false;
  /// The host waits for another trial: further messages come too late.
  bool parked = false;
  /// Kept until the reader's last message has come.
  std::shared_ptr<pattern_thread> reading;
  file_looker_actor looker;
  /// Null: the program speaks the protocol.
  std::shared_ptr<pattern_reader> printed;
  process_handle process;
  std::filesystem::path params;
  attempt_session session{0, std::chrono::nanoseconds{0}, instant{0}};
  attempt_drafts drafts;
  std::int64_t pid = 0;
  /// Facts that its end is judged by.
  exit_facts known;
  bool halted = false;
  bool waits = false;
  /// The program said that it cannot save when it is asked.
  bool cannot_save = false;
  /// The checkpoint that it was asked for.
  std::optional<std::uint64_t> saving;
  bool ends_with_save = false;
  /// Time at which the program is ended by force if it still runs; nothing: no time limit.
  std::optional<std::chrono::steady_clock::time_point> ends_by;
  attempt_saves saves;
  attempt_exports exports;
  attempt_artifacts artifacts;
  /// A directory that the program handed over is being copied, or waits for that: meanwhile the
  /// program must not write to it.
  bool copying = false;
  std::optional<std::filesystem::path> handed_over;
  /// The answer to its report, held back until the copy is done.
  std::optional<attempt_answer> held;
  /// The end of the attempt; reported once all saves have ended.
  std::optional<attempt_ended> over;
  /// The node could not start it.
  std::optional<not_ready> never_began;
  /// Whether its output goes to another machine.
  bool prints = false;
  /// Describes what was in the way of its files.
  std::string note;
  /// Why its output files are not complete.
  std::string missing_output;
  /// Remarks not sent yet; see `attempt_report`.
  std::vector<std::string> remarks;
  /// See `attempt_ended`.
  bool came_late = false;

  void take(const process_news::started& x) {
    pid = x.pid;
    send(self, what.trial, attempt_started{what.order.attempt, pid, what.order.port});
    session.go_on(steady_now());
  }

  void take(const process_news::printed& x) {
    // Metrics found in lines are not nested: at most their texts have to be fixed.
    report(*fit_for_record(x.metrics), false, std::nullopt);
  }

  void take(const process_news::noticed& x) { remark_on(x.what.about, x.what.text); }

  void take(const process_news::came_late& x) {
    came_late = true;
    remark_on("late reports", late_text(x.run, what));
  }

  void take(const process_news::missing& x) { known.why_missing = x.why; }

  void remark_on(const std::string& about, const std::string& text) {
    remarks.push_back(about);
    remarks.push_back(text);
  }

  void take(const process_news::said& x) {
    if (!known.breach.empty())
      return;
    if (is_kept && x.line == idle_line)
      return park();
    auto said = x.truncated ? too_long_report_line(x.line) : read_report_line(x.line);
    if (!said)
      return violate(said.error().detail);
    if (auto* made = std::get_if<line::report>(&*said))
      return report(std::move(made->metrics), made->done, made->checkpoint);
    // The program may send more lines before it reports.
    processes->resume_reports(process);
    if (const auto* kept = std::get_if<line::saved>(&*said)) {
      if (drafts.is_of(kept->directory))
        finish_save();
    } else if (const auto* not_kept = std::get_if<line::save_failed>(&*said)) {
      if (drafts.is_of(not_kept->directory))
        fail_save(not_kept->why, not_kept->unable);
    } else if (auto* why = std::get_if<line::failure>(&*said)) {
      known.failure = std::move(*why);
    } else if (std::holds_alternative<line::exporting>(*said)) {
      begin_exports();
    } else if (const auto* not_made = std::get_if<line::export_failed>(&*said)) {
      exports.fail(not_made->format, not_made->why);
    } else if (const auto* begins = std::get_if<line::hello>(&*said)) {
      unproven = false;
      cannot_save = !begins->can_save.value_or(true);
    }
  }

  void take(const process_news::room&) { processes->resume_output(process); }

  /// The program's answer pipe is full.
  void take(const process_news::deaf&) {
    violate("it reports without reading its answers: its answer pipe is full");
  }

  // -- A host that may serve several trials.

  void start_program() {
    auto found = hosts->take(needs);
    if (!found)
      return launch();
    unproven = true;
    process = processes->hand_on(*found, turn_of(what), client_of(),
                                 to_line(host_order_of(what, params)));
  }

  void launch() {
    auto order = order_of(what, params);
    if (auto why = why_not_passed(what, order, params); !why.empty())
      return never_start(why);
    process = processes->launch(std::move(order), client_of());
  }

  void never_start(const std::string& why) {
    exit_info never;
    never.trouble = why;
    send(self, caf::actor_cast<process_impl>(self), process_news{never});
  }

  std::shared_ptr<process_forwarder> client_of() {
    if (printed)
      return printed;
    return std::make_shared<process_forwarder>(caf::actor_cast<process_impl>(self));
  }

  void park() {
    // A host that was told to end meanwhile ends.
    if (ending)
      return processes->resume_reports(process);
    // Refused if the trial left something running: then the process ends, like one for a single
    // trial.
    hosts->park(process, needs);
  }

  void take(const process_news::parked& x) {
    parked = true;
    auto how = x.so_far;
    how.code = 0;
    missing_output = how.output_trouble;
    auto judged = judge_exit(how, known);
    judged.exit_status.reset();
    conclude(std::move(judged));
  }

  void take(const exit_info& how) {
    // The host was broken before it came to this trial: start a new process.
    if (std::exchange(unproven, false) && !ending && !known.ending && !known.failure)
      return launch();
    missing_output = how.output_trouble;
    auto judged = judge_exit(how, known);
    if (judged.is_cut_short)
      remark_on("stop_grace", judged.detail + cut_short_text);
    if (judged.how == end_class::preempted)
      never_began.emplace(error{how.fault, how.trouble});
    if (judged.how != end_class::user_error || !what.job->files)
      return conclude(std::move(judged));
    // No time limit: the launcher lives as long as the node, and CAF answers for it if it is gone.
    request(self, looker, caf::infinite, files_in_use{what.job->files, trial_directory(what)})
        .then([this, judged](const std::string& gone) { conclude(without_files(judged, gone)); },
              [this, judged](const caf::error&) { conclude(judged); });
  }

  void conclude(exit_judgement judged) {
    attempt_ended how;
    how.attempt = what.order.attempt;
    how.how = static_cast<std::uint8_t>(judged.how);
    how.detail = std::move(judged.detail);
    how.has_status = judged.exit_status.has_value();
    how.exit_status = judged.exit_status.value_or(0);
    how.came_late = came_late;
    how.remarks = std::exchange(remarks, {});
    leave(std::move(how));
  }

  // -- Output that belongs on another machine.

  void announce_output() {
    auto how = turn_of(what);
    prints = what.node->outputs && !how.stdout_file.empty();
    if (prints)
      send(self, what.node->outputs,
           output_opened{output(), what.order.trial, how.stdout_file, how.stderr_file});
  }

  [[nodiscard]] output_key output() const {
    return {what.order.job, what.order.attempt, what.order.rank};
  }

  /// Reports the end once all of the output is where it belongs.
  void leave(attempt_ended how) {
    auto tell = [this, how = std::move(how)](const std::string& missing) mutable {
      for (const auto& more : {note, missing.empty() ? missing : incomplete_output_text(missing)}) {
        if (!more.empty())
          how.detail += (how.detail.empty() ? "" : "\n") + more;
      }
      // Nobody reads the details of a trial that went well, so this is a remark as well.
      if (!missing.empty())
        how.remarks.insert(how.remarks.end(), {"output", incomplete_output_text(missing)});
      over = std::move(how);
      go_if_settled();
    };
    if (!prints)
      return tell(missing_output);
    // No time limit: the output client lives on this node, answers at once where the head is out of
    // reach, and has limits of its own.
    request(self, what.node->outputs, caf::infinite, output_closed{output()})
        .then(
            [this, tell](const output_settled& x) mutable {
              tell(missing_output.empty() ? x.why : missing_output);
            },
            [this, tell](const caf::error& why) mutable { tell(render(self->system(), why)); });
  }

  void go_if_settled() {
    if (!over || copying || !saves.is_idle())
      return;
    // The program ended in the middle of a save.
    const auto left = drafts.is_open();
    drafts.give_up(self);
    const auto how = saves.judged(*std::exchange(over, std::nullopt));
    exports.finish(self, how, drafts.next_name(), session.iteration(), [this, how, left] {
      if (left && is_first())
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

  /// Ends the program for a protocol breach; none is noted if it was to end anyway, as SIGTERM may
  /// cut a line.
  void violate(std::string why) {
    if (!known.ending && !known.killed && known.breach.empty())
      known.breach = "broke the command protocol: " + std::move(why);
    end_program();
  }

  void end_program() {
    if (parked)
      return;
    ending = true;
    if (printed)
      printed->drop();
    processes->end(process, what.job->kill_grace);
  }

  /// Whether this is rank 0. Further ranks neither report nor save; they end when rank 0 has.
  [[nodiscard]] bool is_first() const { return what.order.rank == 0; }
  /// Whether nobody talks to the program or reads its output.
  [[nodiscard]] bool is_mute() const {
    const auto* plan = std::get_if<run_command>(&what.job->plan);
    return !is_first() && plan != nullptr && plan->patterns;
  }

  void report(object metrics, bool done, const std::optional<std::filesystem::path>& checkpoint) {
    if (!is_first())
      return halted ? stop() : go_on();
    // The program trains on although it had begun to export.
    if (exports.is_announced()) {
      exports.withdraw();
      if (!known.ending)
        ends_by.reset();
    }
    // The program trains on although it was asked to save: it will not.
    if (saving)
      fail_save("it reported again without having saved");
    // A value found in ordinary output only counts where it can.
    if (const auto* own = metrics.find("training_iteration");
        printed && own != nullptr && !session.may_follow(*own))
      metrics.erase("training_iteration");
    auto has_objective
        = is_automatic(known.objective) || find_path(metrics, known.objective) != nullptr;
    auto numbered = session.make(std::move(metrics), steady_now(), wall_ms());
    if (!numbered)
      return violate(numbered.error().detail);
    auto& made = *numbered;
    known.reported = true;
    known.saw_objective = known.saw_objective || has_objective;
    auto out = message_of(what.order.attempt, made);
    out.pid = pid;
    out.done = done || made.done;
    out.has_checkpoint = checkpoint.has_value();
    out.remarks = std::exchange(remarks, {});
    send(self, what.trial, std::move(out));
    if (prints)
      send(self, what.node->outputs, output_grew{output()});
    waits = true;
    if (checkpoint)
      take_over(checkpoint->is_absolute() ? *checkpoint : trial_directory(what) / *checkpoint);
    else
      proceed();
  }

  /// Goes on after a report, once nothing holds it back.
  void proceed() {
    // The program was told to end in the middle of its step: nobody else will answer.
    if (halted)
      stop();
    else if (held)
      answer(*std::exchange(held, std::nullopt));
    else if (session.has_credit())
      go_on();
  }

  void go_on() {
    waits = false;
    session.go_on(steady_now());
    if (printed)
      printed->go_on();
    else
      processes->answer(process, to_line(link_answer{}));
  }

  void answer(const attempt_answer& x) {
    session.allow(x.until);
    if (x.number != session.number() || !waits)
      return;
    if (copying) {
      held = x;
      return;
    }
    if (x.kind == answer_kind::stop || halted) {
      stop();
    } else if (x.kind == answer_kind::go_on) {
      go_on();
    } else {
      begin_save(x);
    }
  }

  void begin_save(const attempt_answer& x) {
    saving = x.checkpoint;
    ends_with_save = x.kind == answer_kind::save_and_end;
    if (printed || cannot_save)
      return refuse_save("this program cannot save", true);
    drafts.begin(self, x.in_memory, [this, exports_too = x.exports](const std::string& why) {
      if (why.empty())
        order_save(exports_too);
      else
        refuse_save(why, false);
    });
  }

  /// Tells that the program cannot save; it trains on unless it was to end.
  void refuse_save(const std::string& why, bool for_good) {
    const auto ends = ends_with_save;
    fail_save(why, for_good);
    if (!ends)
      go_on();
  }

  void order_save(bool exports_too) {
    using kind = link_answer::kind;
    waits = false;
    known.ending = ends_with_save;
    if (exports_too)
      exports.begin();
    processes->answer(process, to_line(link_answer{ends_with_save ? kind::pause : kind::save,
                                                   drafts.directory(), exports_too}));
  }

  /// Drops a save if the program is told to end before it could be told where to save.
  void drop_save() {
    if (!drafts.is_being_made())
      return;
    drafts.give_up(self);
    saving.reset();
    ends_with_save = false;
  }

  void finish_save() {
    if (!saving)
      return;
    saves.keep(self, written(*saving, ends_with_save));
    saving.reset();
    session.go_on(steady_now());
    if (ends_with_save)
      arm();
  }

  void fail_save(std::string why, bool for_good = false) {
    if (!saving)
      return;
    drafts.give_up(self);
    if (for_good)
      saves.refuse_for_good(self, *saving, std::move(why));
    else
      saves.refuse(self, *saving, std::move(why));
    saving.reset();
    // The program had its answer and trains on, even where it was to pause.
    if (ends_with_save)
      known.ending = false;
    ends_with_save = false;
    session.go_on(steady_now());
  }

  /// The checkpoint in the draft that was begun last.
  [[nodiscard]] written_checkpoint written(std::uint64_t number, bool ends) {
    const auto in_memory = drafts.is_in_memory();
    return {number,   session.iteration(), session.time_total().count(), drafts.hand_over(), ends,
            in_memory};
  }

  /// Has a directory copied: until then the program gets no answer.
  void take_over(std::filesystem::path from) {
    copying = true;
    artifacts.leave_out(from);
    if (known.killed)
      return taken_over(saves_dropped::why);
    if (saves.is_full()) {
      handed_over = std::move(from);
      return;
    }
    copy_draft order{attempt_claim{what.order}, std::move(from), drafts.begin_elsewhere(self),
                     what.job->limits};
    request(self, what.checkpoint_service, caf::infinite, std::move(order))
        .then([this](const draft_copied& x) { taken_over(x.why); },
              [this](const caf::error& why) { taken_over(render(self->system(), why)); });
  }

  void taken_over(const std::string& trouble) {
    copying = false;
    if (trouble.empty()) {
      saves.keep(self, written(0, false));
      if (known.killed)
        saves.drop_soon(self);
    } else {
      drafts.give_up(self);
      saves.refuse(self, 0, trouble, session.iteration());
    }
    if (!over)
      proceed();
    go_if_settled();
  }

  /// A checkpoint is safe or has failed.
  void settle() {
    if (handed_over)
      take_over(*std::exchange(handed_over, std::nullopt));
    go_if_settled();
  }

  /// Ends the program in order: it is told, and signalled only once its time is over.
  void stop() {
    waits = false;
    // The program is being killed already: its last report changes nothing about that.
    if (known.killed)
      return;
    known.ending = true;
    if (printed || is_mute())
      return end_program();
    processes->answer(process,
                      to_line(link_answer{link_answer::kind::stop, {}, exports.is_begun()}));
    arm();
  }

  /// Starts the time that the program has to end. Further reports gain it no more time.
  void arm() {
    if (!ends_by)
      end_in(time_to_end());
  }

  /// Time that the program has to end before SIGTERM; 0 = as long as it takes. Exports have a limit
  /// of their own in any case.
  [[nodiscard]] std::chrono::milliseconds time_to_end() const {
    return is_first() ? what.job->stop_grace + exports.extra_time() : wait_of_rank;
  }

  /// The program exports of its own accord: it gets no more time than one that is told to.
  void begin_exports() {
    if (ends_by || !exports.announce())
      return;
    end_in(time_to_end());
    send(self, what.trial, attempt_started{what.order.attempt, pid, what.order.port, true});
  }

  void end_in(std::chrono::milliseconds wait) {
    if (wait.count() == 0)
      return;
    ends_by = std::chrono::steady_clock::now() + wait;
    delayed_send(self, caf::actor_cast<process_impl>(self), wait, tick_atom_v);
  }

  void end_if_late() {
    if (parked || !ends_by || std::chrono::steady_clock::now() < *ends_by)
      return;
    note_late();
    end_program();
  }

  void note_late() {
    known.late_export = exports.be_late();
    known.late_stop = is_first() && known.ending && !known.late_export;
  }

  void halt(const attempt_halt& how) {
    if (artifacts.is_under_way() && static_cast<halt_mode>(how.how) == halt_mode::kill)
      return artifacts.drop_soon(self);
    if (!known.breach.empty() || parked)
      return;
    halted = true;
    drop_save();
    if (static_cast<halt_mode>(how.how) == halt_mode::kill) {
      known.killed = true;
      if (ends_by && std::chrono::steady_clock::now() + most_clock_lead >= *ends_by)
        note_late();
      end_program();
      if (copying || !saves.is_idle())
        saves.drop_soon(self);
      return;
    }
    known.ending = true;
    if (how.exports)
      exports.begin();
    // In the middle of a step the program is told at its next report.
    if (!is_first() || (waits && !copying) || printed)
      stop();
  }
};

/// Prepared before the actor began, or why that failed.
struct readiness {
  std::filesystem::path params;
  std::optional<metric_pattern> patterns;
  std::string trouble;
  /// Describes what was in the way.
  std::string note;
};

process_impl::behavior_type process_trainable(process_impl::stateful_pointer<process_state> self,
                                              trainable_start what, process_means means,
                                              const std::shared_ptr<readiness>& ready) {
  auto& state = state_of(self);
  state.self = self;
  state.what = std::move(what);
  state.processes = std::move(means.processes);
  state.hosts = std::move(means.hosts);
  state.needs = host_key_of(state.what);
  state.is_kept = is_kept(state.what);
  state.reading = std::move(means.reading);
  state.looker = std::move(means.looker);
  const auto& order = state.what.order;
  state.session = attempt_session{order.iteration, std::chrono::nanoseconds{order.time_total_ns},
                                  steady_now()};
  state.drafts.init(state.what);
  state.saves.init(state.what, [self, &state] { state.settle(); });
  state.exports.init(state.what);
  // The program may end by itself before it is told to.
  if (order.ends) {
    state.exports.begin();
    state.known.ending = true;
  }
  state.artifacts.init(state.what);
  auto me = caf::actor_cast<process_impl>(self);
  send(self, state.what.trial, order.attempt, trainable_actor{me});
  state.known.objective = state.what.job->objective;
  // The objective was reported before the checkpoint; there may be nothing left to do.
  state.known.saw_objective = !order.restore_from.empty() || order.rank > 0;
  state.known.is_host = is_host(state.what);
  if (ready->patterns)
    state.printed
        = std::make_shared<pattern_reader>(me, std::move(*ready->patterns), state.reading);
  state.note = std::move(ready->note);
  if (ready->trouble.empty()) {
    state.params = std::move(ready->params);
    state.announce_output();
    state.start_program();
  } else {
    state.never_start(ready->trouble);
  }
  return {
      [&state](const attempt_answer& x) { state.answer(x); },
      [&state](const attempt_halt& x) { state.halt(x); },
      [](ping_atom, std::uint64_t x) { return x; },
      [&state](const process_news& x) {
        std::visit([&](const auto& y) { state.take(y); }, x.what);
      },
      [&state](tick_atom) { state.end_if_late(); },
  };
}

} // namespace

expected<trainable_actor> spawn_process_trainable(caf::actor_system& system, trainable_start what,
                                                  process_means means,
                                                  const expected<metric_pattern>* patterns) {
  auto ready = std::make_shared<readiness>();
  if (what.order.rank > 0)
    patterns = nullptr;
  else if (what.order.ranks > 0) {
    auto port = free_port();
    if (!port)
      return port.error();
    what.order.port = *port;
  }
  auto files = prepare(what);
  // Whatever the trial did to its own directory is its own fault: no node would do better.
  if (!files && files.error().code == ec::refused)
    ready->trouble = files.error().detail;
  else if (!files)
    return files.error();
  else {
    ready->params = std::move(files->params);
    ready->note = std::move(files->note);
  }
  if (patterns != nullptr && *patterns) {
    ready->patterns = (*patterns)->fresh();
    ready->patterns->begin_in(trial_directory(what));
  } else if (patterns != nullptr) {
    ready->trouble = to_text(patterns->error());
  }
  return trainable_actor{system.spawn(process_trainable, std::move(what), std::move(means), ready)};
}

} // namespace tune

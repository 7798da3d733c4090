// SPDX-License-Identifier: BSD-3-Clause
#include "head/job_supervisor.hpp"

#include "console/human.hpp"
#include "console/later_failure.hpp"
#include "console/missed_constraint.hpp"
#include "console/one_line.hpp"
#include "console/summary.hpp"
#include "console/text.hpp"
#include "head/beginning_words.hpp"
#include "head/event_feed.hpp"
#include "head/resumption.hpp"
#include "head/submitted_spec.hpp"
#include "head/submitter.hpp"
#include "inspect/failures.hpp"
#include "inspect/trials.hpp"
#include "run/numbered_name.hpp"
#include "run/snapshot.hpp"

#include "tune/actors/own_thread.hpp"
#include "tune/core/experiment/run_book.hpp"
#include "tune/core/program_name.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/sharing.hpp"
#include "tune/net/submission_words.hpp"
#include "tune/tuner/needed_files.hpp"
#include "tune/tuner/preparation.hpp"
#include "tune/tuner/run_steps.hpp"
#include "tune/tuner/shipment.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <sstream>
#include <utility>

TUNE_BEGIN_LOCAL_TYPES(tune_job_supervisor)
TUNE_LOCAL_TYPE(tune_job_supervisor, tune::run_summary)
TUNE_END_LOCAL_TYPES(tune_job_supervisor)

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

/// Most bytes of rows in one answer. [bytes]
constexpr std::size_t piece_bytes = 256 * 1024;

using job_supervisor_impl = extend<job_supervisor_actor,
                                   // The experiment is over.
                                   caf::result<void>(run_summary),
                                   // The experiment is served from now on, or waits again.
                                   caf::result<void>(tick_atom),
                                   // INTERNAL: everything is written.
                                   caf::result<void>(experiment_ended)>;

run_listeners listeners_of(const std::shared_ptr<feed>& told) {
  return {told, [told](const std::string& text) { told->warned(text); },
          [told](const std::string& why) { told->say(why); },
          [told](const error& why) {
            told->say("trial files are not written any more: " + to_text(why));
          }};
}

/// @param planned Number of trials there will be; nothing: unknown.
submission_taken taken_words(const job_spec& task, const snapshot_frame& fixed,
                             std::optional<std::uint64_t> planned, const fs::path& directory,
                             const job_supervisor_settings& here) {
  const auto grace = std::chrono::duration_cast<std::chrono::milliseconds>(here.head_grace);
  return {task.key, directory.string(), planned, fixed.experiment, fixed.objectives, grace.count()};
}

struct job_supervisor_state {
  static inline const char* name = "tune.job_supervisor";

  job_supervisor_settings here;
  job_supervisor_impl::pointer self = nullptr;
  job_spec task;
  snapshot_frame fixed;
  /// Number of trials there were to be as it began; nothing: unknown.
  std::optional<std::uint64_t> planned;
  /// Lines for people, shown once there is a feed.
  std::vector<std::string> notes;
  std::shared_ptr<feed> told;
  std::unique_ptr<experiment_actors> actors;
  bool head_goes = false;
  /// It has been in the queue since it began; its runner reads this, too.
  std::shared_ptr<std::atomic<bool>> is_queued = std::make_shared<std::atomic<bool>>(false);
  /// What the head's log said of it last: see `beginning_words`.
  std::string doing;
  /// Rows of all trials by format, once the experiment is over.
  std::map<std::string, std::string> rows;
  bool is_over = false;
  /// Configurations to be tried besides, where it goes on.
  std::vector<on::add_asked> additions;

  ~job_supervisor_state() {
    if (actors)
      actors->dismiss();
  }

  void say(const std::string& text) const {
    here.say("experiment " + printable(task.words.experiment) + " " + text);
  }

  // -- The beginning.

  start_result begin() {
    auto taken = take();
    if (taken)
      return {to_json(*taken), true, fixed.experiment};
    if (!task.goes_on)
      say("of " + printable(user()) + " was refused: " + printable(taken.error().detail));
    return {to_json(taken.error()), false};
  }

  expected<submission_taken> take() {
    auto sent = spec_of_fetched(task.found);
    if (!sent)
      return sent.error();
    auto loaded = load_again(std::move(*sent), here);
    if (!loaded)
      return loaded.error();
    const auto& what = loaded->what;
    if (what.experiment.name != task.words.experiment)
      return error{ec::protocol, "the record is that of " + what.experiment.name};
    auto claimed = task.words.numbered
                       ? number_name(*loaded, here.storage, task.words.resume.has_value())
                       : claimed_directory{};
    if (!claimed)
      return claimed.error();
    task.words.experiment = what.experiment.name;
    auto directory = here.storage / what.experiment.name;
    fixed = frame_of(what, directory);
    if (task.words.usual_searcher)
      forget_choice_of_searcher(*loaded, task.words.search_options);
    if (auto own = may_go_on(directory); !own)
      return own.error();
    if (task.goes_on && !has_resumption(directory))
      return error{ec::unreadable, "what its head noted of it is gone"};
    if (task.words.resume) {
      notes = prepare_to_go_on(*loaded, directory);
      auto added = additions_in(task.words, *loaded, directory, task.goes_on);
      if (!added)
        return added.error();
      additions = std::move(*added);
      auto before = ended_before(directory, what);
      if (!before)
        return before.error();
      if (*before) {
        const auto is_done = (*before)->how.status == experiment_status::done;
        say("of " + printable(user())
            + (is_done ? " is finished already" : " has no failed trial to run again"));
        static_cast<void>(remove_resumption(directory));
        planned = (*before)->last.planned;
        conclude({std::move((*before)->how), std::move((*before)->last), {}, false});
        return taken_words(task, fixed, planned, directory, here);
      }
      auto missing = find_missing_in(directory, what, trial_place::anywhere);
      if (!missing.empty())
        return error{ec::unreadable, not_submitted(missing)};
    }
    return found_experiment_actors(*loaded, directory);
  }

  /// How it ended, if nothing of it is left to run.
  expected<std::optional<finished_run>> ended_before(const fs::path& directory, const spec& what) {
    if (!additions.empty())
      return std::optional<finished_run>{};
    return finished_before(directory, what, fixed, task.words.resume, [this](const error& why) {
      say("was not tidied up: " + printable(to_text(why)));
    });
  }

  /// An experiment is its submitter's, also when it goes on.
  [[nodiscard]] expected<void> may_go_on(const fs::path& directory) const {
    std::error_code failed;
    if (!task.words.resume || !fs::exists(directory / submitter_file, failed))
      return {};
    return may_see_and_steer(directory, task.identity);
  }

  expected<submission_taken> found_experiment_actors(const loaded_spec& loaded,
                                                     const fs::path& directory) {
    auto made = make_shared_parts(loaded, *here.all, directory, here.machine, true,
                                  [&](const reading_progress&) { return !*here.leaves; });
    if (!made && *here.leaves)
      return error{ec::unreachable, "the head was told to go before the experiment began; submit"
                                    " it again"};
    if (!made)
      return error{ec::bad_option, made.error().detail};
    auto& parts = made->parts;
    auto work = std::make_shared<job>(*parts.work);
    work->files = task.found.files;
    parts.work = std::move(work);
    parts.settings.queue_trials = task.words.queue_trials.value_or(true);
    if (!parts.settings.queue_trials) {
      if (auto why = here.place->impossible(parts.settings.request, parts.labels); !why.empty())
        return error{ec::impossible_request, why};
    }
    // What was to be added where the head died is in the record.
    planned = planned_at_start(fixed, task.words.resume ? directory : fs::path{},
                               task.goes_on ? std::vector<on::add_asked>{} : additions);
    if (auto begun = start(loaded, std::move(*made)); !begun)
      return begun.error();
    say_beginning();
    return taken_words(task, fixed, planned, directory, here);
  }

  void say_beginning() {
    const auto stands = actors->standing().value_or(allocation_view{});
    *is_queued = is_held_back(stands);
    say_doing(beginning_words(stands, task.goes_on, task.claim));
  }

  /// @param what Empty: nothing is to be said.
  void say_doing(const std::string& what) {
    if (std::exchange(doing, what) == what || what.empty())
      return;
    say("of " + printable(user()) + " " + what
        + (planned.value_or(0) > 0 ? ": " + counted(*planned, "trial") : ""));
  }

  expected<void> start(const loaded_spec& loaded, shared_parts made) {
    fs::path directory{fixed.directory};
    const auto head = here.mark ? head_of_run{made.parts.work->id, here.mark} : head_of_run{};
    auto how = open_run(directory, loaded.what, task.words.resume, head);
    if (!how)
      return how.error();
    if (auto written = write_submitter(directory, task.identity); !written)
      return written.error();
    note_for_next_head();
    auto me = caf::actor_cast<job_supervisor_impl>(self);
    told = std::make_shared<feed>(
        fixed.objectives, [me](const run_summary& end) { send_from_outside(me, end); },
        [log = here.say, called = "experiment " + printable(task.words.experiment) + ": "](
            const std::string& text) { log(called + printable(text)); });
    for (const auto& note : notes)
      told->warned(note);
    tell_of_pause(std::exchange(how->paused, {}));
    if (auto all = tell_all(*how, loaded.what, listeners_of(told)); !all)
      return all.error();
    how->shipment = std::move(made.shipment);
    how->additions = std::move(additions);
    how->standing = standing_of(loaded.what, user());
    how->claim = task.claim;
    how->on_moved = [me] { send_from_outside(me, tick_atom_v); };
    // One that the head before served was not queued all the time.
    if (!task.claim.was_served)
      how->is_queued = [now = is_queued] { return now->load(); };
    const auto awaits = how->awaits_attempts;
    actors
        = std::make_unique<experiment_actors>(*here.place, std::move(made.parts), std::move(*how));
    auto done = actors->start();
    // Its workers are let in once the head knows what it counts on.
    if (done && awaits)
      actors->await_opening();
    return done;
  }

  [[nodiscard]] std::string user() const { return user_of(task.words.from, task.identity); }

  /// If this head dies, the next one goes on with the experiment by itself.
  void note_for_next_head() const {
    if (!here.mark)
      return;
    auto words = task.words;
    words.resume = resume_mode::automatic;
    words.numbered = words.attaches = false;
    if (auto done = write_resumption(fixed.directory, here.mark->name,
                                     {std::move(words), task.found, task.identity, task.claim});
        !done)
      say("does not go on by itself if the head dies: " + printable(done.error().detail));
  }

  /// Shown even to a quiet client: it would wait without knowing why.
  void tell_of_pause(const std::string& text) const {
    if (text.empty())
      return;
    here.say("experiment " + printable(task.words.experiment) + ": " + printable(text));
    told->say(program_name() + ": warning: " + text);
  }

  // -- While it runs.

  /// Nodes that come and go, while a head begins for instance, may have it wait again.
  void move() {
    if (!actors)
      return;
    const auto stands = actors->standing().value_or(allocation_view{});
    if (is_held_back(stands))
      say_doing(waiting_words(stands));
    else
      serve();
  }

  void serve() {
    *is_queued = false;
    if (!std::exchange(task.claim.was_served, true))
      note_for_next_head();
    say_doing("runs");
  }

  std::string answer(const client_request& asked) {
    switch (asked.what) {
      case client_request::kind::state:
        return state_after(asked.from);
      case client_request::kind::interrupt:
        if (actors)
          actors->interrupt();
        return to_json(status_update{}, {});
      case client_request::kind::rows:
        break;
    }
    auto form = asked.rows.empty() ? task.words.rows : asked.rows;
    if (auto failed = write_rows(form); !failed.empty())
      return to_json(error{ec::storage, failed});
    return to_json(piece_of(rows[form], asked.from, piece_bytes));
  }

  std::string state_after(std::uint64_t number) {
    status_update result;
    if (actors)
      result.now = take_snapshot(*actors, fixed);
    if (told)
      result.events = told->after(number);
    return to_json(result, fixed.objectives);
  }

  void leave() {
    head_goes = true;
    if (actors)
      actors->interrupt("the head was told to go");
  }

  // -- The end.

  void end(run_summary how) {
    actors->settle(how);
    // One that was left off in order stays so until its submitter goes on with it.
    static_cast<void>(remove_resumption(fixed.directory));
    auto last = snapshot_of(fixed, how.view, how.elapsed);
    count_exports(last, fixed.directory);
    look_back(last, fixed.directory);
    actors->dismiss();
    actors->await_farewell();
    actors.reset();
    say_end(how, last);
    conclude({how, std::move(last), told->after(0), head_goes});
  }

  void say_end(const run_summary& how, const run_snapshot& last) const {
    auto text = "ended: " + std::string{to_text(how.status)} + ", "
                + counted(known_trials(last), "trial");
    for (const auto& part : count_texts(last))
      text += ", " + part;
    if (last.best)
      text += "; best " + printable(last.objectives.front().metric) + " = "
              + printable(to_text(best_value(last))) + " (trial " + to_text(last.best->trial)
              + (last.best->runs ? "; " + runs_text(*last.best->runs) : "") + ")"
              + std::string{later_failure(last.best->status)}
              + std::string{missed_constraint(*last.best, last.constraints)};
    auto why = how.storage_error.empty() ? how.why : how.storage_error;
    say(text + (why.empty() ? "" : "; " + cause_text(why)));
  }

  /// Writes the result, then tells the submission server, after the answer to the start.
  void conclude(final_status result) {
    is_over = true;
    if (auto failed = write_rows(task.words.rows);
        !failed.empty() && result.how.storage_error.empty())
      result.how.storage_error = failed;
    send(self, caf::actor_cast<job_supervisor_impl>(self),
         experiment_ended{task.key, to_json(result, fixed.objectives), !task.words.rows.empty()});
  }

  /// @returns why the rows could not be written; empty: they were, or need not be.
  std::string write_rows(const std::string& form) {
    auto format = output_format_from(form);
    if (!is_over || !format || rows.contains(form))
      return {};
    std::ostringstream out;
    trials_request all;
    all.directory = fixed.directory;
    if (auto read = show_trials(all, *format, {}, out); !read)
      return to_text(read.error());
    rows[form] = std::move(out).str();
    return {};
  }
};

job_supervisor_impl::behavior_type
job_supervisor(job_supervisor_impl::stateful_pointer<job_supervisor_state> self,
               job_supervisor_settings here, job_spec what) {
  auto& state = state_of(self);
  state.self = self;
  state.here = std::move(here);
  state.task = std::move(what);
  return {
      [&state](run_atom) { return state.begin(); },
      [&state](const client_request& asked) { return state.answer(asked); },
      [&state](leave_atom) { state.leave(); },
      [&state](tick_atom) { state.move(); },
      [&state](const run_summary& how) { state.end(how); },
      [self, &state](experiment_ended& how) {
        send(self, state.task.submission_server, std::move(how));
      },
  };
}

} // namespace

expected<job_supervisor_actor> spawn_job_supervisor(caf::actor_system& system,
                                                    const job_supervisor_settings& settings,
                                                    job_spec what) {
  return spawn_with_thread([&] {
    return job_supervisor_actor{
        system.spawn<caf::detached>(job_supervisor, settings, std::move(what))};
  });
}

} // namespace tune::cli

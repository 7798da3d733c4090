// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/experiment_actors.hpp"

#include "asked.hpp"
#include "control_service.hpp"
#include "tune/actors/breaks.hpp"
#include "tune/actors/janitor.hpp"
#include "tune/actors/own_scheduler.hpp"
#include "tune/actors/own_searcher.hpp"
#include "tune/actors/recorder.hpp"
#include "tune/actors/rules.hpp"
#include "tune/actors/sink.hpp"
#include "tune/core/experiment/rule_answers.hpp"
#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/control/control_server.hpp"
#include "tune/io/sinks/trial_files/trial_files.hpp"
#include "tune/io/store/store_reader.hpp"
#include "tune/tuner/head_rules.hpp"
#include "tune/tuner/running_sinks.hpp"
#include "tune/tuner/storage.hpp"

#include <set>

namespace tune {

namespace {

/// Longest wait for trial files that lag behind.
constexpr auto settle_patience = std::chrono::minutes{10};
constexpr std::uint32_t most_rows = 50;
/// See `sink_manners`: each file of a trial is opened anew for what it gets.
constexpr auto longest_rest_of_files = std::chrono::seconds{1};
/// See `runner_parts::gathering`.
constexpr auto gathering_time = std::chrono::milliseconds{50};

catch_up_function file_writer(const std::filesystem::path& directory,
                              const trial_files::warn_function& warn) {
  // Opened by the sink's own thread when there is something to read.
  auto files = std::make_shared<std::unique_ptr<trial_files>>();
  return [files, directory, warn](sequence committed) -> expected<void> {
    if (*files == nullptr) {
      auto made = trial_files::open(directory, warn);
      if (!made)
        return made.error();
      *files = std::move(*made);
    }
    return (*files)->catch_up(committed);
  };
}

/// Writes as long as the set of actors holds the store: without the store, there is no lock on the
/// directory.
commit_function committer(const std::weak_ptr<experiment_store>& where) {
  return [where](std::span<const store_item> items) -> expected<void> {
    if (auto store = where.lock())
      return store->write(items);
    return error{ec::storage, "the experiment was closed"};
  };
}

/// Ends the run if its scheduler or searcher is gone: it would wait for ever.
template <class Handle>
void end_with(caf::actor_system& system, const runner_actor& runner, const Handle& whom,
              const std::string& what) {
  when_gone(whom, [&system, runner, what](const caf::error& why) {
    auto text = "it is gone" + (why ? ": " + render(system, why) : std::string{});
    send_from_outside(runner, news{rule_failed(what, text)});
  });
}

/// @param give_up Stops workers from bringing more of the attempt.
tidy_function tidier(const std::filesystem::path& directory,
                     std::function<void(trial_id, attempt_id)> give_up) {
  auto reader = std::make_shared<std::optional<store_reader>>();
  return [reader, directory, give_up = std::move(give_up)](trial_id trial,
                                                           attempt_id attempt) -> expected<void> {
    give_up(trial, attempt);
    if (!*reader) {
      auto opened = store_reader::open(directory);
      if (!opened)
        return opened.error();
      reader->emplace(std::move(*opened));
    }
    auto rows = (*reader)->checkpoints(trial);
    if (!rows)
      return rows.error();
    auto exports = (*reader)->exports(trial);
    if (!exports)
      return exports.error();
    std::set<std::string> registered;
    for (const auto& x : *rows)
      registered.insert(x.location);
    for (const auto& x : *exports)
      registered.insert(x.location);
    sweep_checkpoints(directory, trial, attempt, registered);
    return {};
  };
}

/// Before the runner asks for anything.
void tell_standing(const head_services& where, const experiment_actors_options& how,
                   const experiment_settings& settings, const runner_actor& whose) {
  if (!how.standing)
    return;
  standing_told told{*how.standing, how.claim, how.on_moved};
  told.what.can_make_room = settings.saves != save_ability::none;
  where.tell_standing(std::move(told), whose);
}

/// The parts of a runner, without its rules and without what earlier heads did.
runner_parts runner_parts_of(const head_services& where, run_parts& of,
                             const experiment_actors_options& how, const recorder_actor& recorder) {
  const auto source = how.searcher ? how.searcher->traits : of.source->traits();
  runner_parts result{experiment{of.settings,
                                 how.scheduler ? how.scheduler->traits : of.judge->traits(), source,
                                 std::move(of.stoppers)},
                      how.opening,
                      {},
                      {},
                      where.cluster(),
                      recorder,
                      of.settings.queue_trials,
                      how.observer,
                      {}};
  // A user's own actor may take its time, whatever its traits say.
  result.prompt_scheduler = !how.scheduler && of.judge->traits().prompt;
  result.prompt_searcher = !how.searcher && of.source->traits().prompt;
  result.source = source;
  result.gathering = gathering_time;
  result.job = of.work->id;
  result.runs_ranks = of.work->runs_ranks;
  result.secret = where.secret();
  result.outlives_heads = how.outlives_heads;
  result.awaits_attempts = how.awaits_attempts;
  result.labels = of.labels;
  result.is_queued = how.is_queued;
  return result;
}

/// Adds what earlier heads did, and what is to be run once more or besides.
void add_history(runner_parts& wanted, run_parts& of, experiment_actors_options& how) {
  if (how.resumes) {
    wanted.history = history_of(how.store->directory());
    wanted.rules_of_head
        = [rules = head_rules{how.opening.spec, of.settings, std::move(of.own_stoppers)}](
              const on::opened& head) mutable { return rules.of(head); };
  }
  wanted.bad = std::move(how.bad);
  wanted.wishes = {std::move(how.again), how.only_again, std::move(how.additions)};
}

remove_function remover(const std::filesystem::path& directory) {
  return
      [directory](const std::string& location) { return remove_checkpoint(directory, location); };
}

} // namespace

experiment_actors::experiment_actors(head_services& where, run_parts parts,
                                     experiment_actors_options how)
    : where_{where}
    , system_{where.system()}
    , store_{how.store}
    , work_{parts.work}
    , shipment_{std::move(how.shipment)}
    , warnings_{how.warning, how.paused}
    , recorder_{spawn_recorder(system_, committer(how.store))}
    , janitor_{spawn_janitor(
          system_, remover(store_->directory()),
          tidier(store_->directory(),
                 where.gives_up_attempts_of(parts.work->id, parts.work->runs_ranks)))}
    , space_{parts.space}
    , request_{parts.settings.request}
    , labels_{parts.labels}
    , news_{std::move(parts.news)} {
  if (parts.work->trial_files)
    spawn_files(how);
  sinks_ = std::make_unique<running_sinks>(system_, store_->directory(), std::move(parts.sinks),
                                           parts.sink_patience, how.on_sink_news);
  sinks_->follow(recorder_);
  auto wanted = runner_parts_of(where, parts, how, recorder_);
  wanted.janitor = janitor_;
  add_history(wanted, parts, how);
  spawn_rules(parts, how);
  wanted.scheduler = judge_;
  wanted.searcher = source_;
  runner_ = spawn_runner(system_, std::move(wanted));
  tell_standing(where_, how, parts.settings, runner_);
  if (news_ != nullptr)
    news_->listen(
        [runner = runner_](const std::string& text) { send_from_outside(runner, remark{text}); });
  end_with(system_, runner_, judge_, "the scheduler");
  end_with(system_, runner_, source_, "the searcher");
  desk_ = std::make_shared<control_service>(
      control_service_parts{system_, runner_, where_, store_->directory(), space_, board_});
}

experiment_actors::~experiment_actors() {
  // Others may have it longer: it must not hold references to actors.
  if (news_ != nullptr)
    news_->listen({});
}

void experiment_actors::spawn_rules(run_parts& parts, const experiment_actors_options& how) {
  if (how.scheduler) {
    own_judge_ = how.scheduler->who;
    judge_ = guard_scheduler(system_, *own_judge_, how.scheduler->answer_timeout);
  } else {
    judge_ = spawn_scheduler(system_, std::move(parts.judge), true, board_);
  }
  if (how.searcher) {
    own_source_ = how.searcher->who;
    source_ = guard_searcher(system_, *own_source_, how.searcher->answer_timeout);
  } else {
    source_ = spawn_searcher(system_, std::move(parts.source));
  }
}

void experiment_actors::spawn_files(const experiment_actors_options& how) {
  files_ = spawn_sink(system_, file_writer(store_->directory(), how.on_files_odd),
                      {.on_failure = how.on_files_failed, .longest_rest = longest_rest_of_files});
  send_from_outside(recorder_, *files_);
}

expected<void> experiment_actors::start() {
  if (auto known = where_.take_in(work_, std::move(shipment_)); !known)
    return known.error();
  send_from_outside(runner_, run_atom_v);
  for (const auto& text : warnings_) {
    if (!text.empty())
      send_from_outside(runner_, remark{text});
  }
  open_desk();
  return {};
}

void experiment_actors::open_desk() {
  auto opened = control_server::start(store_->directory(), spoken_by(desk_));
  if (opened)
    socket_ = std::move(*opened);
  else
    send_from_outside(runner_, remark{"other terminals cannot control this experiment: "
                                      + to_text(opened.error())});
}

void experiment_actors::await_opening() {
  logger_release after;
  caf::scoped_actor self{system_};
  request(self.operator->(), runner_, caf::infinite, ping_atom_v, std::uint64_t{0})
      .receive([](std::uint64_t) {}, [](const caf::error&) {});
}

void experiment_actors::interrupt(std::string why) {
  send_from_outside(runner_, news{on::interrupted{std::move(why)}});
}

std::function<void(const std::string&)> experiment_actors::interrupter() const {
  return [runner = runner_](const std::string& why) {
    send_from_outside(runner, news{on::interrupted{why}});
  };
}

void experiment_actors::stop(std::string why) {
  send_from_outside(runner_, news{on::stop_asked{{}, std::move(why)}});
}

std::optional<runner_status> experiment_actors::status() {
  return asked<runner_status>(system_, runner_, answer_patience, status_atom_v, most_rows);
}

std::optional<allocation_view> experiment_actors::standing() const {
  return where_.standing_of(runner_);
}

void experiment_actors::ask(const control_request& what,
                            const std::function<void(expected<control_answer>)>& answer) {
  desk_->handle(what, answer);
}

std::optional<bool> experiment_actors::has_room(const std::optional<resource_request>& what) {
  return where_.has_room(what.value_or(request_), what ? node_labels{} : labels_);
}

/// @returns why the database could not be written; empty if it was.
std::string experiment_actors::settle_all() {
  auto trouble = asked<std::string>(system_, recorder_, settle_patience, drain_atom_v);
  if (!trouble)
    return "the recorder does not answer";
  if (files_ && trouble->empty()) {
    send_from_outside(*files_, durable_up_to{store_->last_seq()});
    asked<std::string>(system_, *files_, settle_patience, drain_atom_v);
  }
  if (trouble->empty())
    sinks_->settle(store_->last_seq());
  asked<std::string>(system_, janitor_, settle_patience, drain_atom_v);
  return *trouble;
}

void experiment_actors::settle(run_summary& end) {
  auto trouble = settle_all();
  if (end.storage_error.empty())
    end.storage_error = std::move(trouble);
}

void experiment_actors::when_broken(const std::function<void(const std::string&)>& call) {
  tell_of_break(runner_, "the runner", call);
  tell_of_break(recorder_, "the recorder", call);
}

void experiment_actors::dismiss() {
  socket_.reset();
  auto go = [](const auto& whom) { caf::anon_send_exit(whom, caf::exit_reason::user_shutdown); };
  go(runner_);
  go(judge_);
  go(source_);
  if (own_judge_)
    go(*own_judge_);
  if (own_source_)
    go(*own_source_);
  go(recorder_);
  go(janitor_);
  if (files_)
    go(*files_);
  sinks_->dismiss();
  where_.forget(work_->id);
}

void experiment_actors::await_farewell() {
  caf::scoped_actor self{system_};
  self->wait_for(runner_, recorder_, janitor_, judge_, source_);
  if (own_judge_)
    self->wait_for(*own_judge_);
  if (own_source_)
    self->wait_for(*own_source_);
  if (files_)
    self->wait_for(*files_);
  for (const auto& sink : sinks_->actors())
    self->wait_for(sink);
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/ask_tell/conversation.hpp"

#include "executor_book.hpp"
#include "request.hpp"

#include "tune/core/name.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace tune {

namespace {

object decision_answer(trial_id id, std::string_view decision, std::string reason) {
  return {{"op", "decision"},
          {"trial", to_text(id)},
          {"decision", decision},
          {"reason", std::move(reason)}};
}

object none_answer(std::string_view reason) {
  return {{"op", "none"}, {"reason", reason}};
}

object not_running(trial_id id, std::string_view why) {
  return fault_answer("trial " + to_text(id) + " " + std::string{why});
}

/// The trial that a request names.
struct named_trial {
  trial_id id;
  executor_trial* trial = nullptr;
  /// True if the request names an attempt that was followed by another one.
  bool stale = false;
};

expected<named_trial> named_in(const object& request, const experiment& machine,
                               executor_book& trials) {
  auto id = trial_in(request);
  if (!id)
    return id.error();
  auto attempt = attempt_in(request);
  if (!attempt)
    return attempt.error();
  if (!machine.status_of(*id))
    return error{ec::protocol, "there is no trial " + to_text(*id)};
  named_trial result{*id, trials.find(*id)};
  if (result.trial == nullptr || result.trial->attempts == 0)
    return error{ec::protocol, "trial " + to_text(*id)
                                   + (is_final(*machine.status_of(*id)) ? " has ended"
                                                                        : " was not given to you")};
  if (*attempt && **attempt > result.trial->attempts)
    return error{ec::protocol, "trial " + to_text(*id) + " has had "
                                   + std::to_string(result.trial->attempts)
                                   + (result.trial->attempts == 1 ? " attempt" : " attempts")
                                   + ": there is no " + std::to_string(**attempt)};
  result.stale = *attempt && **attempt < result.trial->attempts;
  return result;
}

/// The `training_iteration` in the metrics of a report, if it is a whole number.
std::optional<std::uint64_t> own_iteration(const object& metrics) {
  const auto* given = metrics.find("training_iteration");
  return given == nullptr ? std::nullopt : attempt_session::iteration_of(*given);
}

} // namespace

object ok_answer() {
  return {{"op", "ok"}};
}

object fault_answer(std::string what) {
  return {{"op", "fault"}, {"error", std::move(what)}};
}

experiment_settings settings_for_executor(experiment_settings from) {
  from.drafts = drafting::quick;
  from.draft_patience = {};
  from.asked = true;
  return from;
}

conversation::conversation(conversation_parts parts, conversation_ports& world)
    : world_{world}
    , space_{std::move(parts.space)}
    , constraints_{std::move(parts.constraints)}
    , lease_{parts.lease}
    , trials_{std::make_unique<executor_book>(
          world, [this](event_body what) { runner_->post_later(std::move(what)); })}
    , runner_{std::make_unique<plain_runner>(std::move(parts.machine), std::move(parts.judge),
                                             std::move(parts.source), world, *trials_)} {}

conversation::~conversation() = default;

void conversation::go_by(rule_change what) {
  what.settings = settings_for_executor(std::move(what.settings));
  runner_->go_by(std::move(what));
}

void conversation::replay(const event& what) {
  runner_->replay(what);
}

expected<void> conversation::open(on::opened how) {
  trials_->adopt(machine(), is_leased());
  auto done = runner_->open(std::move(how));
  // Discard the decisions of the replay, when no executor was connected. An executor that reports
  // or asks is told again.
  static_cast<void>(trials_->take_let_go());
  return done;
}

void conversation::look_on() {
  trials_->adopt(machine(), is_leased());
  static_cast<void>(trials_->take_let_go());
}

conversation::handler conversation::handler_of(const std::string& op) {
  static constexpr std::array<std::pair<std::string_view, handler>, 9> handlers{{
      {"ask", &conversation::ask},
      {"report", &conversation::report},
      {"complete", &conversation::complete},
      {"error", &conversation::fail},
      {"stop", &conversation::stop},
      {"add", &conversation::add},
      {"best", &conversation::best},
      {"status", &conversation::status},
      {"alive", &conversation::alive},
  }};
  for (const auto& [name, what] : handlers) {
    if (name == op)
      return what;
  }
  return nullptr;
}

/// Notes who is spoken of, before anybody is given up.
void conversation::hear(const object& request) {
  if (auto running = running_in(request)) {
    for (auto id : *running)
      trials_->heard_of(id);
  }
  const auto id = trial_in(request);
  const auto attempt = attempt_in(request);
  const auto* known = id ? trials_->find(*id) : nullptr;
  if (known != nullptr && attempt && (!*attempt || **attempt == known->attempts))
    trials_->heard_of(*id);
}

/// Ends the attempts of which nothing was heard for the time of a lease.
expected<void> conversation::give_up_silent() {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(lease_).count();
  for (auto id : trials_->silent_since(world_.now() - lease_)) {
    auto why = "nothing was heard of it for " + std::to_string(seconds) + " s";
    if (auto done = retire(id, *trials_->find(id), end_class::node_lost, std::move(why)); !done)
      return done;
  }
  return {};
}

expected<object> conversation::answer(const object& request) {
  runner_->pass();
  if (auto done = runner_->settle(); !done)
    return done.error();
  if (is_leased()) {
    hear(request);
    if (auto done = give_up_silent(); !done)
      return done.error();
  }
  const auto* op = request.find("op");
  if (op == nullptr || op->as_string() == nullptr)
    return fault_answer(
        "\"op\" is missing: ask, report, complete, error, stop, add, best, status or alive");
  auto how = handler_of(*op->as_string());
  if (how == nullptr)
    return fault_answer("unknown op \"" + shown_name(*op->as_string())
                        + "\": ask, report, complete, error, stop, add, best, status or alive");
  auto result = (this->*how)(request);
  if (result)
    add_others(*result, request);
  return result;
}

expected<object> conversation::ask(const object& request) {
  auto running = running_in(request);
  if (!running)
    return fault_answer(running.error().detail);
  for (auto id : *running) {
    trials_->heard_of(id);
    trials_->remind_of(id);
  }
  while (auto id = trials_->next()) {
    trials_->taken(*id);
    lease where{{machine().last_seq() + 1}, {{"executor", {}, {}}}};
    runner_->post(machine().granted(*id, std::move(where)));
    if (auto done = runner_->settle(); !done)
      return done.error();
    // What has followed from that may have ended its attempt, before anybody heard of it.
    if (auto what = trials_->take_launched(); what && trials_->find(*id)->open)
      return offer(*what);
    else if (what)
      trials_->was_never_given(*id);
  }
  auto result = none_answer(machine().is_finished() ? "finished" : "wait");
  if (const auto* why = runner_->why_left_off())
    result.set("why", *why);
  return result;
}

object conversation::offer(const cmd::launch& what) const {
  object result{{"op", "trial"},
                {"trial", to_text(what.trial)},
                {"attempt", static_cast<std::int64_t>(trials_->find(what.trial)->attempts)},
                {"config", *what.config},
                {"resume", static_cast<bool>(what.from)}};
  if (!what.from)
    return result;
  object from{{"trial", to_text(what.from_trial)},
              {"iteration", static_cast<std::int64_t>(what.iteration)}};
  auto called = std::string_view{what.from_location};
  if (called.starts_with(kept_outside) && called.size() > kept_outside.size())
    from.set("checkpoint", called.substr(kept_outside.size()));
  result.set("from", std::move(from));
  return result;
}

expected<object> conversation::report(const object& request) {
  auto who = named_in(request, machine(), *trials_);
  if (!who)
    return fault_answer(who.error().detail);
  auto metrics = metrics_in(request);
  if (!metrics)
    return fault_answer(metrics.error().detail);
  if (!*metrics)
    return fault_answer("\"metrics\" is missing");
  auto checkpoint = own_name_in(request, "checkpoint");
  if (!checkpoint)
    return fault_answer(checkpoint.error().detail);
  auto& [id, trial, stale] = *who;
  if (stale)
    return decision_answer(id, "stop", "superseded: the trial was given anew");
  if (!trial->session)
    return report_on_idle(id, *trial, **metrics);
  trials_->heard_of(id);
  auto iteration = own_iteration(**metrics);
  if (iteration && *iteration <= trial->session->iteration())
    return decision_answer(id, "continue", "");
  if (auto done = tell(id, *trial, std::move(**metrics), *checkpoint, false); !done)
    return done.error().code == ec::protocol ? fault_answer(done.error().detail)
                                             : expected<object>{done.error()};
  return trial->open ? decision_answer(id, "continue", "") : decision_on(id);
}

/// Why a trial that was told to pause cannot end now; empty if it was not, or has ended.
std::string_view conversation::waits_to_go_on(trial_id id, const executor_trial& trial) const {
  const auto status = machine().status_of(id);
  if (status == trial_status::paused)
    return "is paused: \"ask\" gives it to you again";
  return status == trial_status::pending && trial.let_go
             ? "was paused, and waits to go on: \"ask\" gives it to you again"
             : "";
}

/// Answers a report on a trial without an open attempt: a repeated or late report.
object conversation::report_on_idle(trial_id id, const executor_trial& trial,
                                    const object& metrics) const {
  auto status = *machine().status_of(id);
  if (is_final(status))
    return trial.let_go ? decision_on(id) : not_running(id, "has ended");
  auto iteration = own_iteration(metrics);
  if (trial.let_go && iteration && *iteration <= trial.iteration)
    return decision_on(id);
  if (status == trial_status::paused)
    return not_running(id, waits_to_go_on(id, trial));
  return decision_answer(id, "stop", "superseded: the trial will be given anew");
}

/// Records a report and does everything that follows from it.
/// @errors `ec::protocol` if the metrics are not a report; others come from the storage.
expected<void> conversation::tell(trial_id id, executor_trial& trial, object metrics,
                                  const std::string& checkpoint, bool last) {
  auto made = trial.session->make(std::move(metrics), world_.now(), world_.wall_ms());
  if (!made)
    return made.error();
  auto news = std::make_shared<tune::report>(std::move(*made));
  news->trial = id;
  news->attempt = trial.attempt;
  // A session that continues an open attempt starts counting again, so the number comes from the
  // log.
  news->number = trial.number + 1;
  news->done = news->done || last;
  runner_->post(on::reported{news});
  if (!checkpoint.empty() && trial.open)
    runner_->post(on::saved{id,
                            trial.attempt,
                            {},
                            news->iteration,
                            news->time_total,
                            std::string{kept_outside} + checkpoint,
                            0});
  return runner_->settle();
}

object conversation::decision_on(trial_id id) const {
  auto over = is_final(*machine().status_of(id));
  const auto* trial = trials_->find(id);
  auto reason = trial != nullptr ? trial->reason : std::string{};
  if (reason.empty())
    reason = over ? "stopped" : machine().view().draining ? "the experiment leaves off" : "paused";
  return decision_answer(id, over ? "stop" : "pause", std::move(reason));
}

expected<object> conversation::complete(const object& request) {
  auto who = named_in(request, machine(), *trials_);
  if (!who)
    return fault_answer(who.error().detail);
  auto metrics = metrics_in(request);
  if (!metrics)
    return fault_answer(metrics.error().detail);
  auto checkpoint = own_name_in(request, "checkpoint");
  if (!checkpoint)
    return fault_answer(checkpoint.error().detail);
  auto& [id, trial, stale] = *who;
  if (!trial->session) {
    if (const auto why = waits_to_go_on(id, *trial); !why.empty())
      return not_running(id, why);
  }
  if (stale || !trial->session)
    return ok_answer();
  trials_->heard_of(id);
  auto iteration = *metrics ? own_iteration(**metrics) : std::nullopt;
  auto is_news = *metrics && (!iteration || *iteration > trial->session->iteration());
  if (is_news) {
    trials_->completing(id);
    auto done = tell(id, *trial, std::move(**metrics), *checkpoint, true);
    trials_->completing(std::nullopt);
    if (!done)
      return done.error().code == ec::protocol ? fault_answer(done.error().detail)
                                               : expected<object>{done.error()};
  }
  if (auto done = retire(id, *trial, end_class::finished, {}); !done)
    return done.error();
  return ok_answer();
}

expected<object> conversation::fail(const object& request) {
  auto who = named_in(request, machine(), *trials_);
  if (!who)
    return fault_answer(who.error().detail);
  auto message = text_in(request, "message", "the executor said no more than that it failed");
  if (!message)
    return fault_answer(message.error().detail);
  auto& [id, trial, stale] = *who;
  if (!trial->session) {
    if (const auto why = waits_to_go_on(id, *trial); !why.empty())
      return not_running(id, why);
  }
  const auto* restoring = request.find("restore");
  if (restoring != nullptr && *restoring != value{true} && *restoring != value{false})
    return fault_answer("\"restore\" must be true or false");
  if (!stale && trial->session) {
    auto bad = restoring != nullptr && *restoring == value{true} && machine().launch_of(id)->from;
    auto how = bad ? end_class::bad_checkpoint : end_class::user_error;
    if (auto done = retire(id, *trial, how, std::move(*message)); !done)
      return done.error();
  }
  auto result = ok_answer();
  result.set("retry", !is_final(*machine().status_of(id)));
  return result;
}

/// Ends the trial's attempt, if it is still open.
expected<void> conversation::retire(trial_id id, const executor_trial& trial, end_class how,
                                    std::string detail) {
  if (trial.open)
    runner_->post(on::ended{id, trial.attempt, how, std::move(detail), {}});
  return runner_->settle();
}

/// Hears of trials that are run, and reminds the executor of what was decided on them.
expected<object> conversation::alive(const object& request) {
  auto running = running_in(request);
  if (!running)
    return fault_answer(running.error().detail);
  for (auto id : *running) {
    trials_->heard_of(id);
    trials_->remind_of(id);
  }
  return ok_answer();
}

/// Whether the trial waits to be given anew, since its lease ended.
bool conversation::was_given_up(trial_id id) const {
  const auto* trial = trials_->find(id);
  return trial != nullptr && trial->attempts > 0 && !trial->open && !trial->let_go
         && machine().status_of(id) == trial_status::pending;
}

/// Adds decisions on trials that the request does not name, and on those that it says are run.
void conversation::add_others(object& to, const object& request) {
  auto own = trial_in(request);
  value::list others;
  if (auto running = running_in(request)) {
    for (auto id : *running) {
      if (!was_given_up(id))
        continue;
      auto x = decision_answer(id, "stop", "superseded: the trial will be given anew");
      x.erase("op");
      others.emplace_back(std::move(x));
    }
  }
  for (auto id : trials_->take_let_go()) {
    // The trial may be open again, offered by this very answer.
    if ((own && *own == id) || trials_->find(id)->open)
      continue;
    auto x = decision_on(id);
    x.erase("op");
    others.emplace_back(std::move(x));
  }
  if (!others.empty())
    to.set("others", std::move(others));
}

} // namespace tune

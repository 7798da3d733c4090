// Effects of a report.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include "tune/core/trial/end_reasons.hpp"

#include "tune/core/trial/automatic_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

namespace tune {

namespace {

constexpr auto no_number = std::numeric_limits<double>::quiet_NaN();

/// Consequence of a missing `time_attr`, for the warning.
constexpr auto without_time
    = "no trial is judged; pbt and pb2 stop every trial that reports, unless "
      "require_attrs = false";

} // namespace

std::vector<double> machine::scores_of(const report& what) const {
  std::vector<double> result;
  result.reserve(settings_.objectives.size());
  for (const auto& x : settings_.objectives) {
    auto number = metric_number(what, x.metric).value_or(no_number);
    result.push_back(x.maximise ? number : -number);
  }
  return result;
}

/// See `observation::diverged`. A metric that is missing may yet come.
bool machine::has_diverged(const report& newest, outcome how) const {
  return std::any_of(settings_.objectives.begin(), settings_.objectives.end(),
                     [&](const objective& x) {
                       const auto number = metric_number(newest, x.metric);
                       return number ? !std::isfinite(*number) : how == outcome::completed;
                     });
}

double machine::violation_of(const report& what) const {
  return total_violation(settings_.constraints, what.metrics ? *what.metrics : object{});
}

double machine::time_of(const report& what) const {
  if (rules_.scheduler.time_attr == "training_iteration")
    return static_cast<double>(what.iteration);
  return metric_number(what, rules_.scheduler.time_attr).value_or(no_number);
}

/// Adds automatic metrics that trials are judged by, which the runtime measures, to the metrics of
/// a report, so that they appear in its row.
std::shared_ptr<const report>
machine::with_measured(const std::shared_ptr<const report>& what) const {
  if (head_.draws() < on::ends_whole)
    return what;
  std::shared_ptr<report> result;
  auto take_in = [&](const std::string& name) {
    if (!is_automatic(name) || (what->metrics && find_path(*what->metrics, name) != nullptr))
      return;
    if (result == nullptr)
      result = std::make_shared<report>(*what);
    auto all = result->metrics ? *result->metrics : object{};
    all.set(name, metric(*what, name));
    result->metrics = std::make_shared<const object>(std::move(all));
  };
  for (const auto& x : settings_.objectives)
    take_in(x.metric);
  for (const auto& x : settings_.constraints)
    take_in(x.metric);
  return result != nullptr ? result : what;
}

void machine::take(const on::reported& what) {
  const auto& news = *what.what;
  auto* trial = live(news.trial, news.attempt);
  if (trial == nullptr)
    return;
  auto& attempt = *trial->attempt;
  attempt.reports.take(with_measured(what.what));
  attempt.heard = now_;
  training_.add(news.time_this_iter);
  note_marks(attempt);
  if (news.has_checkpoint)
    attempt.handed_over.announce(news.iteration);
  if (news.pid != 0)
    attempt.pid = news.pid;
  // The attempt no longer needs the checkpoint in memory; after an error those on disk count.
  if (attempt.from && attempt.from == trial->aside)
    drop_aside(*trial);
  if (attempt.at == phase::placing || attempt.at == phase::restoring)
    begin_steps(*trial);
  if (settings_.failures.progress_timeout.count() > 0 && attempt.at != phase::stopping)
    deadlines_.set(trial->id, due_kind::progress_timeout,
                   now_ + settings_.failures.progress_timeout);

  if (trial->end) {
    report_at_end(*trial);
    return;
  }
  auto repeat = news.iteration <= trial->high_water;
  if (!repeat)
    count(*trial, attempt.reports.newest());
  // The attempt is ending already: this was its last result.
  if (attempt.at == phase::stopping) {
    attempt.closed = true;
    // The next attempt may start from the report's checkpoint, and will not report this again.
    if (attempt.next <= intent::pause && news.iteration > trial->judged)
      judge_report(*trial);
    return;
  }
  if (attempt.next > intent::pause) {
    enact(*trial);
    return;
  }
  if (obeys(attempt) && is_due(news.iteration))
    set_intent(*trial, intent::save);
  // Judged even if it is to pause here: the trial may be at its end.
  if (news.iteration > trial->judged) {
    judge_report(*trial);
    return;
  }
  if (trial->pause.at != 0 && news.iteration >= trial->pause.at)
    static_cast<void>(want_checkpoint(*trial, true));
  proceed(*trial, 0);
}

void machine::judge_report(live_trial& trial) {
  set_last(trial, trial.attempt->reports.newest());
  trial.judged = trial.last.what->iteration;
  trial.pause.at = 0;
  if (!stop_condition(trial))
    ask_verdict(trial);
}

void machine::set_last(live_trial& trial, std::shared_ptr<const report> what) {
  trial.last.what = std::move(what);
  trial.last.config = trial.attempt->config;
  trial.last.lineage = trial.lineage;
}

void machine::count(live_trial& trial, const std::shared_ptr<const report>& what) {
  trial.high_water = what->iteration;
  trial.exploits.untried.reset();
  set_last(trial, what);
  trial.last.is_judged = false;
  if (opening_failures_.end()) {
    for (auto& text : missing_metrics(needed_metrics(), *what))
      emit(cmd::warn{std::move(text)});
  }
  note_best(trial, what);
  emit(cmd::trial_progressed{trial.id, trial.last.what, trial.best.what});
  tell_searcher(trial, outcome::running);
}

std::vector<needed_metric> machine::needed_metrics() const {
  std::vector<needed_metric> result;
  // The first objective alone decides which report and which trial is the best.
  auto effect = std::string{"no trial has a value to be judged by"};
  for (const auto& x : settings_.objectives)
    result.push_back({"[experiment] metric", x.metric,
                      std::exchange(effect, "no trial comes into the Pareto front")});
  for (const auto& x : settings_.constraints)
    result.push_back({"[experiment] constraints", x.metric, "no trial keeps " + to_text(x)});
  if (rules_.scheduler.judges)
    result.push_back({"[scheduler] time_attr", rules_.scheduler.time_attr, without_time});
  for (const auto& x : rules_.stoppers) {
    auto more = x->needs();
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

void machine::note_best(live_trial& trial, const std::shared_ptr<const report>& what) {
  const auto& first = settings_.objectives.front();
  auto number = metric_number(*what, first.metric);
  if (number) {
    trial.best.has_number = true;
    census_.note_number(entry(trial.id).stands);
  }
  auto score = number.value_or(no_number);
  score = first.maximise ? score : -score;
  // Comparisons with NaN are false, so a NaN never becomes the best; ties keep the earlier report.
  if (std::isnan(score))
    return;
  merit now{violation_of(*what), score};
  auto is_its_best = !trial.best.how || tune::is_better(now, *trial.best.how);
  if (is_its_best) {
    trial.best.what = what;
    trial.best.how = now;
  }
  if (settings_.repeats.is_on()) {
    if (is_its_best)
      note_run(trial);
    return;
  }
  if (best_.is_beaten_by(trial.id, now))
    set_best(trial.id, {trial.attempt->config, trial.lineage, what}, now);
}

/// Notes a new best report of one of several runs of a configuration.
void machine::note_run(const live_trial& trial) {
  runs_.note(trial.id, {trial.attempt->config, trial.lineage, trial.best.what}, *trial.best.how);
  name_best_run();
}

void machine::end_run(trial_id trial) {
  if (!settings_.repeats.is_on())
    return;
  runs_.end(trial);
  name_best_run();
}

/// Makes the best run of the best configuration the best trial.
void machine::name_best_run() {
  auto group = runs_.book().best();
  if (!group)
    return;
  const auto& known = runs_.at(group->best);
  if (!best_.is(group->best) || best_.told()->at != known.at)
    set_best(group->best, known, group->how);
}

void machine::set_best(trial_id trial, const best_report& what, merit how) {
  const auto before = best_.told() ? best_.told()->trial : trial;
  // A checkpoint taken over in a new lineage may be the only one it has.
  const auto is_same = best_.is(trial, what.lineage);
  best_.set(trial, what, how);
  const auto* alive = live(trial);
  const auto* newest
      = checkpoints_.find(alive == nullptr ? entry(trial).newest : newest_good(*alive));
  best_.set_newest(newest == nullptr ? std::string{} : newest->location);
  if (is_same)
    return;
  find_best_checkpoint();
  // Checkpoints that were kept only for the former best trial may go.
  if (before != trial && head_.draws() >= on::judged_afresh)
    review(before);
}

/// Asks a stopper; one of the user's own may throw.
std::optional<stop_verdict> machine::ask_stopper(stopper& whom, const report& about) {
  try {
    return whom.see(about);
  } catch (const std::exception& why) {
    emit(cmd::warn{why.what()});
    return std::nullopt;
  }
}

bool machine::stop_condition(live_trial& trial) {
  const auto is_done = trial.last.what->done;
  std::optional<stop_verdict> verdict;
  // Each stopper sees each report, even after another has decided.
  for (auto& x : rules_.stoppers) {
    if (is_done && head_.draws() < on::sees_last_reports)
      break;
    auto says = ask_stopper(*x, *trial.last.what);
    if (says && !says->earlier_why.empty() && head_.draws() < on::answers_stalls_anew)
      says->why = says->earlier_why;
    else if (says && !says->former_why.empty() && head_.draws() < on::says_lowest)
      says->why = says->former_why;
    if (says && (!verdict || says->scope == stop_verdict::reach::experiment))
      verdict = std::move(says);
  }
  if (is_done && (!verdict || verdict->scope != stop_verdict::reach::experiment)) {
    decide_stop(trial, std::string{said_it_is_done}, fact::end_kind::completed);
    return true;
  }
  if (!verdict)
    return false;
  const auto is_for_all = verdict->scope == stop_verdict::reach::experiment;
  if (is_for_all || !stops_already(trial))
    note_decision(trial, "stop", object{{"rule", "stop"}, {"why", verdict->why}});
  if (is_for_all)
    end_all(trial, verdict->why);
  else
    decide_stop(trial, std::move(verdict->why), fact::end_kind::completed);
  return true;
}

/// Ends all trials, since this one met a condition for the whole experiment.
void machine::end_all(live_trial& trial, const std::string& why) {
  const auto names = head_.draws() >= on::names_who_ends;
  const auto who = "trial " + to_text(trial.id);
  decide_stop(trial, names ? why + ", which ends the experiment" : why, fact::end_kind::completed);
  begin_drain({experiment_status::done, names ? who + " ends the experiment: " + why : why, false});
}

void machine::ask_verdict(live_trial& trial) {
  auto& attempt = *trial.attempt;
  auto train_on = [&](std::uint64_t until) {
    // An attempt that is ending waits for no answer.
    if (attempt.at != phase::stopping)
      proceed(trial, until);
  };
  // A report without the objective cannot be judged, and a trial that confirms is never stopped.
  if (trial.confirms || !rules_.scheduler.judges
      || !metric_number(*trial.last.what, settings_.objectives.front().metric)) {
    train_on(0);
    return;
  }
  fact::result told;
  told.trial = trial.id;
  told.lineage = trial.lineage;
  told.iteration = trial.last.what->iteration;
  told.scores = scores_of(*trial.last.what);
  told.time = time_of(*trial.last.what);
  told.full = trial.last.what;
  trial.last.is_judged = true;
  tell_scheduler(std::move(told));
  trial.shown = seq_;
  if (attempt.reports.iteration() <= attempt.reports.credit()) {
    train_on(attempt.reports.credit());
    return;
  }
  asked_.verdicts.ask(seq_, trial.id);
  emit(cmd::judge{seq_, trial.id});
  if (attempt.at == phase::stopping)
    return;
  forget_verdict(attempt);
  attempt.reports.judge(seq_);
  asked_.verdicts.await(seq_, trial.id);
}

void machine::take(const on::exported& what) {
  auto is_last_word = !what.attempt && is_given_up(what.trial);
  auto* trial = is_last_word ? live(what.trial) : live(what.trial, what.attempt);
  if (trial == nullptr)
    return;
  note_exports(*trial, what);
  if (is_last_word)
    close_the_end(*trial);
  else
    trial->attempt->ending.exported = true;
}

void machine::note_exports(const live_trial& trial, const on::exported& what) {
  object made;
  object failed;
  for (const auto& x : what.formats)
    (x.why.empty() ? made : failed).set(x.format, x.why.empty() ? x.path : x.why);
  if (!made.empty())
    note_decision(trial, "exported", made);
  if (failed.empty())
    return;
  note_decision(trial, "export_failed", failed);
  // Warn once: what is true of one trial is mostly true of all.
  const auto& first = *failed.begin();
  if (notices_.is_first(notice::failed_export))
    emit(cmd::warn{"trial " + to_text(trial.id) + ": its export as " + first.first
                   + " failed: " + to_text(first.second)});
}

} // namespace tune

// What a report sets in motion.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tune {

namespace {

constexpr auto nan = std::numeric_limits<double>::quiet_NaN();

} // namespace

std::vector<double> machine::scores_of(const report& what) const {
  std::vector<double> result;
  result.reserve(settings_.objectives.size());
  for (const auto& x : settings_.objectives) {
    auto number = metric_number(what, x.metric).value_or(nan);
    result.push_back(x.maximise ? number : -number);
  }
  return result;
}

double machine::time_of(const report& what) const {
  if (scheduler_.time_attr == "training_iteration")
    return static_cast<double>(what.iteration);
  return metric_number(what, scheduler_.time_attr).value_or(nan);
}

void machine::take(const on::reported& what) {
  const auto& news = *what.what;
  auto* trial = live(news.trial, news.attempt);
  if (trial == nullptr)
    return;
  auto& attempt = *trial->attempt;
  attempt.reported = news.number;
  attempt.iteration = news.iteration;
  attempt.newest = what.what;
  attempt.heard = now_;
  note_rank(attempt);
  if (news.pid != 0)
    attempt.pid = news.pid;
  // It has what it paused with; after an error its checkpoints on disk count.
  if (attempt.from && attempt.from == trial->aside)
    drop_aside(*trial);
  if (attempt.at == phase::placing || attempt.at == phase::restoring)
    begin_steps(*trial);
  if (settings_.failures.progress_timeout.count() > 0 && attempt.at != phase::stopping)
    set_deadline(*trial, due_kind::progress_timeout, now_ + settings_.failures.progress_timeout);

  auto repeat = news.iteration <= trial->high_water;
  if (!repeat)
    count(*trial, what.what);
  // It is ending already: this was its last result.
  if (attempt.at == phase::stopping) {
    attempt.closed = true;
    return;
  }
  if (attempt.next > parked::save) {
    enact(*trial);
    return;
  }
  auto frequency = settings_.checkpoints.frequency;
  if (settings_.can_checkpoint && frequency > 0 && news.iteration % frequency == 0)
    park(*trial, parked::save);
  if (repeat)
    proceed(*trial, 0);
  else if (!stop_condition(*trial))
    ask_verdict(*trial);
}

void machine::count(live_trial& trial, const std::shared_ptr<const report>& what) {
  trial.high_water = what->iteration;
  trial.last = what;
  trial.last_judged = false;
  if (!std::exchange(any_report_, true)) {
    for (auto& text : missing_metrics(needed_metrics(), *what))
      emit(cmd::warn{std::move(text)});
  }
  note_best(trial, what);
  emit(cmd::trial_progressed{trial.id, trial.last, trial.best});
  tell_searcher(trial, outcome::running);
}

std::vector<needed_metric> machine::needed_metrics() const {
  std::vector<needed_metric> result;
  for (const auto& x : settings_.objectives)
    result.push_back({"[experiment] metric", x.metric, "no trial has a value to be judged by"});
  if (scheduler_.judges)
    result.push_back({"[scheduler] time_attr", scheduler_.time_attr, "no trial is judged"});
  for (const auto& x : stoppers_) {
    auto more = x->needs();
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

void machine::note_best(live_trial& trial, const std::shared_ptr<const report>& what) {
  const auto& first = settings_.objectives.front();
  auto number = metric_number(*what, first.metric);
  trial.has_objective = trial.has_objective || number.has_value();
  auto score = number.value_or(nan);
  score = first.maximise ? score : -score;
  // Comparisons with NaN are false: it never is the best; ties keep the earlier report.
  if (std::isnan(score))
    return;
  if (!trial.best_score || score > *trial.best_score) {
    trial.best = what;
    trial.best_score = score;
  }
  // Between trials the smaller number wins: chance may decide which came first.
  auto ties = best_ && score == best_score_ && trial.id < best_->trial;
  if (!best_ || score > best_score_ || ties) {
    auto newest = newest_good(trial);
    best_ = best_trial{trial.id, trial.attempt->config, what,
                       newest ? checkpoints_.at(newest).location : std::string{}};
    best_score_ = score;
    best_lineage_ = trial.lineage;
  }
}

bool machine::stop_condition(live_trial& trial) {
  if (trial.last->done) {
    decide_stop(trial, "the trainable said it is done", fact::end_kind::completed);
    return true;
  }
  std::optional<stop_verdict> verdict;
  // Each stopper sees each report, also once another has spoken.
  for (auto& x : stoppers_) {
    auto says = x->see(*trial.last);
    if (says && (!verdict || says->scope == stop_verdict::reach::experiment))
      verdict = std::move(says);
  }
  if (!verdict)
    return false;
  note_decision(trial, "stop", object{{"rule", "stop"}, {"why", verdict->why}});
  decide_stop(trial, verdict->why, fact::end_kind::completed);
  if (verdict->scope == stop_verdict::reach::experiment)
    begin_drain({experiment_status::done, verdict->why, false});
  return true;
}

void machine::ask_verdict(live_trial& trial) {
  auto& attempt = *trial.attempt;
  // A report without the objective has nothing to be judged by.
  if (!scheduler_.judges || !metric_number(*trial.last, settings_.objectives.front().metric)) {
    proceed(trial, 0);
    return;
  }
  fact::result told;
  told.trial = trial.id;
  told.lineage = trial.lineage;
  told.iteration = trial.last->iteration;
  told.scores = scores_of(*trial.last);
  told.time = time_of(*trial.last);
  told.full = trial.last;
  trial.last_judged = true;
  tell_scheduler(std::move(told));
  if (attempt.iteration <= attempt.credit) {
    proceed(trial, attempt.credit);
    return;
  }
  forget_verdict(attempt);
  attempt.judging = seq_;
  judging_.emplace(seq_, trial.id);
  unanswered_.insert(seq_);
  emit(cmd::judge{seq_, trial.id});
}

void machine::begin_save(live_trial& trial, bool then_end) {
  auto& attempt = *trial.attempt;
  attempt.saving = checkpoint_id{++checkpoints_made_};
  attempt.saving_rank = checkpoint_score(attempt, {}, attempt.iteration);
  attempt.ends_with_save = then_end;
  attempt.at = phase::saving;
  attempt.answered = attempt.reported;
  // One that leaves off with its head must find it on disk.
  attempt.saves_in_memory = settings_.checkpoints.pause_in_memory && then_end
                            && attempt.next == parked::pause && !attempt.leaves_off
                            && !attempt.no_memory && !attempt.saves_for_others;
  attempt.saves_for_others = false;
  emit(save_of(trial), then_end ? seq_ : 0);
}

cmd::save machine::save_of(const live_trial& trial) const {
  const auto& attempt = *trial.attempt;
  cmd::save x;
  x.trial = trial.id;
  x.attempt = attempt.id;
  x.checkpoint = attempt.saving;
  x.number = attempt.reported;
  x.iteration = attempt.iteration;
  x.then_end = attempt.ends_with_save;
  x.in_memory = attempt.saves_in_memory;
  x.exports = attempt.ends_with_save && exports_at_end(trial);
  return x;
}

/// Not where its scheduler gave it up, nor where it is to go on elsewhere or later.
bool machine::exports_at_end(const live_trial& trial) const {
  return settings_.export_time.count() > 0 && trial.attempt->next == parked::stop
         && trial.stop_kind == fact::end_kind::completed;
}

bool machine::is_doubled(const open_attempt& attempt, checkpoint_id saved) const {
  // One that was not asked for gets the next number, or is yet to get one.
  return saved && saved != attempt.saving && saved.number <= checkpoints_made_;
}

void machine::take(const on::saved& what) {
  auto* trial = live(what.trial, what.attempt);
  if (trial == nullptr)
    return;
  auto id = what.checkpoint;
  if (is_doubled(*trial->attempt, id))
    return;
  checkpoints_made_ = std::max(checkpoints_made_, id.number);
  checkpoint_entry made{what.trial,      what.iteration,
                        what.time_total, what.location,
                        what.bytes,      checkpoint_score(*trial->attempt, id, what.iteration)};
  if (what.location.starts_with(kept_in_memory))
    set_aside(*trial, id, std::move(made));
  else
    keep_on_disk(*trial, id, std::move(made));
  auto& attempt = *trial->attempt;
  attempt.heard = now_;
  if (attempt.at != phase::saving || attempt.saving != id)
    return;
  // With `ends_with_save` the attempt comes to its end by itself.
  attempt.at = attempt.ends_with_save ? phase::stopping : phase::stepping;
  attempt.closed = attempt.ends_with_save;
  attempt.saving = {};
  if (attempt.at == phase::stepping)
    enact(*trial);
  else
    bound_the_end(*trial);
}

void machine::keep_on_disk(live_trial& trial, checkpoint_id id, checkpoint_entry what) {
  auto iteration = what.iteration;
  if (best_ && best_->trial == trial.id && best_lineage_ == trial.lineage)
    best_->checkpoint = what.location;
  if (trial.attempt->saves_in_memory && trial.attempt->saving == id && !what.location.empty()
      && !std::exchange(warned_of_memory_, true))
    emit(cmd::warn{"trial " + to_text(trial.id) + ": its pause went to disk, since node "
                   + trial.attempt->home() + " has no room for it in memory"});
  keep(id, std::move(what));
  trial.checkpoints.push_back(id);
  review(trial.id);
  review_all();
  tell_scheduler(fact::saved{trial.id, id, iteration});
}

void machine::take(const on::exported& what) {
  const auto* trial = live(what.trial, what.attempt);
  if (trial == nullptr)
    return;
  object made;
  object failed;
  for (const auto& x : what.formats)
    (x.why.empty() ? made : failed).set(x.format, x.why.empty() ? x.path : x.why);
  if (!made.empty())
    note_decision(*trial, "exported", made);
  if (failed.empty())
    return;
  note_decision(*trial, "export_failed", failed);
  // Once: where it is so for one trial it mostly is for all.
  const auto& first = *failed.begin();
  if (!std::exchange(warned_of_export_, true))
    emit(cmd::warn{"trial " + to_text(trial->id) + ": its export as " + first.first
                   + " failed: " + to_text(first.second)});
}

/// The trial goes on without it. One that fails alike at each report is noted once.
void machine::note_refused_handover(live_trial& trial, const std::string& why) {
  if (std::exchange(trial.attempt->refused, why) == why)
    return;
  note_decision(trial, "save_failed", object{{"why", why}});
  // Once: where it is so for one trial it mostly is for all.
  if (!std::exchange(warned_of_handover_, true))
    emit(cmd::warn{"trial " + to_text(trial.id)
                   + ": a checkpoint that it handed over is not kept: " + why});
}

/// It could not pause into memory. It trains on, and pauses at its next report all the same.
void machine::pause_on_disk(live_trial& trial, const std::string& why) {
  auto& attempt = *trial.attempt;
  attempt.no_memory = true;
  emit(cmd::proceed{trial.id, attempt.id, attempt.reported, attempt.credit});
  if (!std::exchange(warned_of_memory_, true))
    emit(cmd::warn{"trial " + to_text(trial.id)
                   + ": it could not pause into memory, and is to pause on disk: " + why});
}

void machine::take(const on::save_failed& what) {
  auto* trial = live(what.trial, what.attempt);
  if (trial == nullptr)
    return;
  if (!what.checkpoint) {
    note_refused_handover(*trial, what.why);
    return;
  }
  if (trial->attempt->saving != what.checkpoint)
    return;
  auto& attempt = *trial->attempt;
  attempt.saving = {};
  attempt.at = phase::stepping;
  note_decision(*trial, "save_failed", object{{"why", what.why}});
  if (!attempt.ends_with_save) {
    enact(*trial);
    return;
  }
  attempt.ends_with_save = false;
  if (std::exchange(attempt.saves_in_memory, false)) {
    pause_on_disk(*trial, what.why);
    return;
  }
  // It wanted to pause: it keeps running, and that counts as a failure.
  attempt.answered = attempt.reported - 1;
  if (attempt.next == parked::pause) {
    if (!attempt.leaves_off || drain_)
      ++trial->failures[static_cast<std::size_t>(end_class::user_error)];
    attempt.leaves_off = false;
    attempt.next = parked::nothing;
    set_hold(*trial, hold::none);
    row(*trial, "save failed: " + what.why);
    if (attempt.judging == 0)
      proceed(*trial, 0);
  } else {
    halt(*trial, halt_mode::stop, trial->stop_reason);
  }
}

} // namespace tune

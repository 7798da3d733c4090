// Views of the machine from outside.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include "tune/core/experiment/planned_trials.hpp"

#include <algorithm>
#include <numeric>

namespace tune {

std::optional<std::vector<command>> machine::answer_known(const report& what) const {
  auto answer = [this](command_body body) {
    return std::vector<command>{{seq_, 0, 0, std::move(body)}};
  };
  const auto* trial = live(what.trial);
  if (trial == nullptr || !trial->attempt || trial->attempt->id != what.attempt)
    return answer(cmd::halt{what.trial, what.attempt, halt_mode::stop, "superseded"});
  const auto& attempt = *trial->attempt;
  const auto& told = attempt.reports;
  if (!attempt.closed && what.number > told.number() && what.iteration > told.iteration())
    return std::nullopt;
  // A duplicate: a report that was answered is answered again; an open one will be.
  if (attempt.at == phase::stopping)
    return answer(halt_of(*trial));
  if (what.number > told.number() || what.number <= told.answered())
    return answer(cmd::proceed{what.trial, what.attempt, what.number, told.credit()});
  return std::vector<command>{};
}

bool machine::is_stale(const event_body& what) const {
  if (ending_.is_finished())
    return !std::holds_alternative<on::opened>(what);
  auto gone = [this](trial_id id, attempt_id attempt) {
    const auto* trial = live(id);
    return trial == nullptr || !trial->attempt || trial->attempt->id != attempt;
  };
  if (const auto* x = std::get_if<on::started>(&what))
    return gone(x->trial, x->attempt) || is_repeated(*live(x->trial)->attempt, *x);
  if (const auto* x = std::get_if<on::reported>(&what))
    return gone(x->what->trial, x->what->attempt);
  if (const auto* x = std::get_if<on::saved>(&what))
    return gone(x->trial, x->attempt) || is_doubled(*live(x->trial)->attempt, *x);
  if (const auto* x = std::get_if<on::save_failed>(&what))
    return gone(x->trial, x->attempt) || is_doubled(*live(x->trial)->attempt, *x);
  if (const auto* x = std::get_if<on::checkpoint_bad>(&what)) {
    const auto* known = checkpoints_.find(x->checkpoint);
    return known == nullptr || known->bad || known->doomed;
  }
  if (const auto* x = std::get_if<on::exported>(&what)) {
    if (!x->attempt)
      return !is_given_up(x->trial);
    return gone(x->trial, x->attempt)
           || (live(x->trial)->attempt->ending.exported && head_.is_older(x->attempt));
  }
  if (const auto* x = std::get_if<on::ended>(&what))
    return gone(x->trial, x->attempt);
  if (const auto* x = std::get_if<on::suggest_asked>(&what))
    return x->ask != dialogue_.next() || (dialogue_.is_open() && !gives_up(*x));
  if (const auto* x = std::get_if<on::suggested>(&what))
    return !dialogue_.is_open() || dialogue_.open()->number != x->ask;
  if (const auto* x = std::get_if<on::decided>(&what))
    return std::none_of(x->answers.begin(), x->answers.end(),
                        [this](const auto& y) { return awaits(y); });
  if (const auto* x = std::get_if<on::chosen>(&what))
    return asked_.choice.at() != x->what.at;
  if (std::holds_alternative<on::stop_asked>(what) || std::holds_alternative<on::pause_asked>(what)
      || std::holds_alternative<on::unpause_asked>(what)
      || std::holds_alternative<on::add_asked>(what)
      || std::holds_alternative<on::retry_asked>(what))
    return weigh(what).what != order_verdict::kind::taken;
  if (const auto* x = std::get_if<on::checkpoint_gone>(&what))
    return !checkpoints_.contains(x->checkpoint);
  if (std::holds_alternative<on::interrupted>(what))
    return ending_.drains();
  return false;
}

/// Whether an attempt that outlived its head says again that it began.
bool machine::is_repeated(const open_attempt& attempt, const on::started& what) const {
  return head_.is_older(attempt.id) && !what.exports && what.pid == attempt.pid
         && attempt.at != phase::placing && attempt.at != phase::restoring;
}

std::optional<event_body> machine::still_wanted(event_body what) const {
  if (std::holds_alternative<on::suggest_asked>(what) && is_stale(what))
    return std::nullopt;
  auto* doomed = std::get_if<on::checkpoints_doomed>(&what);
  if (doomed == nullptr)
    return what;
  std::erase_if(doomed->which, [this](checkpoint_id id) {
    const auto* known = checkpoints_.find(id);
    return known == nullptr || known->doomed || is_pinned(id, *known);
  });
  return doomed->which.empty() ? std::nullopt : std::optional{std::move(what)};
}

std::vector<command> machine::outstanding() const {
  std::vector<command> result;
  auto add = [&](command_body body) {
    result.push_back({seq_, static_cast<std::uint32_t>(result.size()), 0, std::move(body)});
  };
  if (const auto& open = dialogue_.open())
    add(cmd::ask_searcher{*open});
  else if (!ending_.is_finished() && !ending_.drains() && wants_suggestions())
    add(cmd::log{on::suggest_asked{dialogue_.next(), suggestions_wanted(), drafts_wanted()}});
  // Asked even if the attempt ended with the last head: an answer is valid however late.
  for (const auto& [cause, trial] : asked_.verdicts.open())
    add(cmd::judge{cause, trial});
  for (auto id : clients_.suspended() ? std::vector<trial_id>{} : awaiting())
    add(place_of(*live(id)));
  for (auto id : trials_.live()) {
    const auto& trial = *live(id);
    if (is_given_up(id))
      add(cmd::log{export_lost(trial, settings_.exports)});
    if (!trial.attempt)
      continue;
    const auto& attempt = *trial.attempt;
    if (attempt.at == phase::saving)
      add(save_of(trial));
    if (attempt.at == phase::stopping)
      add(halt_of(trial));
    // The answer may have been lost with the last head.
    if (attempt.at == phase::stepping && attempt.reports.answered() > 0 && !attempt.at_boundary())
      add(cmd::proceed{id, attempt.id, attempt.reports.answered(), attempt.reports.credit()});
  }
  for (const auto& [id, x] : checkpoints_.all()) {
    if (x.doomed)
      add(cmd::discard{id, x.location, x.node});
  }
  if (const auto& open = asked_.choice.at())
    add(cmd::choose{*open, asked_.choice.count()});
  return result;
}

/// Repeats the halt order of an attempt that is to end.
cmd::halt machine::halt_of(const live_trial& trial) const {
  const auto& attempt = *trial.attempt;
  auto lets_go = attempt.next == intent::exploit;
  auto how = attempt.killed_for ? halt_mode::kill : lets_go ? halt_mode::release : halt_mode::stop;
  return {trial.id, attempt.id, how, lets_go ? "exploit" : trial.must_end.why,
          exports_at_end(trial)};
}

std::vector<std::pair<trial_id, attempt_id>> machine::open_attempts() const {
  std::vector<std::pair<trial_id, attempt_id>> result;
  for (auto id : trials_.live()) {
    if (const auto& attempt = live(id)->attempt)
      result.emplace_back(id, attempt->id);
  }
  return result;
}

std::optional<experiment::attempt_notes> machine::notes_on(trial_id id) const {
  const auto* trial = live(id);
  if (trial == nullptr || !trial->attempt)
    return std::nullopt;
  const auto at = trial->attempt->at;
  return experiment::attempt_notes{trial->place.request,
                                   at != phase::placing && at != phase::restoring,
                                   trial->attempt->next == intent::pause};
}

/// All trials but samples and those that confirm are clients'.
std::optional<std::uint64_t> machine::planned() const {
  const auto& counts = census_.counts();
  const auto all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  made_trials made;
  made.samples = samples_.standing();
  made.confirming = runs_.book().confirming();
  made.added = all - samples_.suggested() - made.confirming;
  const auto wanted = settings_.max_trials > 0 ? settings_.max_trials : settings_.expected_samples;
  return planned_trials(wanted, settings_.repeats, made, dialogue_.is_done());
}

experiment_view machine::view() const {
  experiment_view result{census_.counts(),
                         census_.succeeded(),
                         census_.promising(),
                         best_.told(),
                         dialogue_.is_done(),
                         ending_.drains(),
                         clients_.suspended(),
                         census_.held(),
                         waits_for(),
                         samples_.withdrawn(),
                         planned()};
  if (result.best)
    result.best->status = entry_of(result.best->trial).stands.status();
  if (auto group = result.best ? runs_.book().best() : std::nullopt)
    result.best->runs = statistics_of(runs_.book(), *group, settings_.objectives.front().maximise);
  return result;
}

std::optional<trial_status> machine::status_of(trial_id id) const {
  if (!trials_.knows(id))
    return std::nullopt;
  return trials_[id].stands.status();
}

} // namespace tune

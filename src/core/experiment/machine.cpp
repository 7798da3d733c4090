// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace tune {

machine::machine(experiment_settings settings, scheduler_traits scheduler, searcher_traits searcher,
                 std::vector<std::unique_ptr<stopper>> stoppers)
    : settings_{std::move(settings)}
    , rules_{std::move(scheduler), searcher, std::move(stoppers)}
    , samples_{settings_.repeats.runs}
    , runs_{settings_.repeats} {
  assert(!settings_.objectives.empty());
}

std::vector<command> machine::apply(const event& what) {
  assert(what.seq == seq_ + 1);
  seq_ = what.seq;
  now_ = std::max(now_, what.at);
  commands_.clear();
  std::visit([this](const auto& body) { take(body); }, what.what);
  if (!ending_.is_finished())
    settle();
  return std::move(commands_);
}

void machine::go_by(rule_change what) {
  for (auto id : trials_.live()) {
    // Trials with resources of their own keep them.
    if (auto& request = live(id)->place.request; request == settings_.request)
      request = what.settings.request;
  }
  settings_ = std::move(what.settings);
  if (what.stoppers)
    rules_.stoppers = std::move(*what.stoppers);
}

void machine::take(const on::opened& what) {
  head_.begin_head(what);
  forget_grants();
  training_.begin_head();
  for (const auto& [name, capacity] : offer_.begin_head())
    tell_scheduler(fact::node_down{name});
  ending_.begin_head();
  // There may be more samples to take now: the searcher is asked once more.
  dialogue_.reopen(has_all_samples());
  asked_.stall.close();
  // The last head's questions about reports are asked again only where the answer still matters.
  asked_.verdicts.forget_if([this](sequence at, trial_id about) {
    const auto* trial = live(about);
    return trial == nullptr || trial->shown != at;
  });
  review_named();
  opening_failures_.begin_anew();
  clients_.begin_head(what.how == opening::gathers);
  for (auto id : trials_.live())
    census_.forget_request(id, entry(id).stands);
  idle_.begin_head();
  if (head_.draws() >= on::judged_afresh)
    dialogue_.wake();
  fit_samples();
  for (auto id : trials_.live()) {
    auto& trial = *live(id);
    // Trials that had begun before keep their places ahead of others.
    if (head_.keeps_places())
      census_.stop_waiting(standing_of(trial));
    const auto& stands = standing_of(trial);
    auto idle = stands.status() == trial_status::pending && !trial.attempt && !is_given_up(id);
    if (idle && !stands.is_queued() && !stands.awaits_lease() && !backs_off(trial))
      trial.end ? await_end(trial) : tell_added(trial, comeback::where_it_stood);
  }
  lose_all_asides();
}

void machine::take(const on::node_up& what) {
  // The ledger decides who runs where; schedulers may take the available resources into account.
  offer_.add(what.node, what.capacity);
  tell_scheduler(fact::node_up{what.node, what.capacity});
}

void machine::take(const on::node_down& what) {
  lose_offer(what.node);
  lose_grants(what.node);
  // Ending an attempt may change the set: walk over a copy.
  for (auto id : trials_.live_now())
    lose_node(id, what);
  lose_asides_of(what.node);
}

/// Takes note that the node grants nothing more.
void machine::lose_offer(const std::string& node) {
  if (!offer_.remove(node))
    return;
  tell_scheduler(fact::node_down{node});
  // The resources that the scheduler gave a trial may be gone: it may decide again.
  for (auto id : trials_.live_now()) {
    auto& trial = *live(id);
    if (!standing_of(trial).awaits_lease() || trial.place.request == settings_.request)
      continue;
    return_lease(trial);
    hand_back(trial);
  }
}

/// Stops waiting for a lease; the scheduler has to choose the trial again.
void machine::hand_back(live_trial& trial) {
  census_.stop_waiting(standing_of(trial));
  requeue(trial, "waited for " + to_text(trial.place.request));
}

void machine::take(const on::node_leaving& what) {
  lose_offer(what.node);
  lose_grants(what.node);
  // Leaving may change the set: walk over a copy.
  for (auto id : trials_.live_now()) {
    if (auto* trial = live(id); trial->attempt && trial->attempt->is_on(what.node))
      leave_node(*trial);
  }
}

live_trial* machine::live(trial_id id) {
  return trials_.live(id);
}

const live_trial* machine::live(trial_id id) const {
  return trials_.live(id);
}

live_trial* machine::live(trial_id id, attempt_id attempt) {
  auto* trial = live(id);
  return trial != nullptr && trial->attempt && trial->attempt->id == attempt ? trial : nullptr;
}

bool machine::move(live_trial& trial, status_event event) {
  auto& stands = standing_of(trial);
  auto result = next(stands.status(), event);
  assert(!std::holds_alternative<is_bug>(result));
  const auto* to = std::get_if<moves_to>(&result);
  if (to == nullptr)
    return false;
  census_.move(stands, to->status);
  return true;
}

void machine::emit(command_body what, sequence gate) {
  commands_.push_back({seq_, static_cast<std::uint32_t>(commands_.size()), gate, std::move(what)});
}

void machine::tell_scheduler(decltype(scheduler_fact::what) what) {
  asked_.hear(what);
  emit(cmd::tell_scheduler{{seq_, now_, std::move(what)}});
}

void machine::tell_searcher(const live_trial& trial, outcome how) {
  dialogue_.hear();
  if (!rules_.searcher.learns)
    return;
  if (how != outcome::running)
    dialogue_.note_told(seq_);
  observation what;
  what.trial = trial.id;
  what.config = trial.attempt ? trial.attempt->config : trial.config;
  what.lineage = trial.lineage;
  what.how = how;
  if (trial.last.what != nullptr) {
    if (head_.draws() >= on::heeds_clients) {
      what.config = trial.last.config;
      what.lineage = trial.last.lineage;
    }
    what.fidelity = trial.last.what->iteration;
    what.values = scores_of(*trial.last.what);
    what.constraints = violations_of(
        settings_.constraints, trial.last.what->metrics ? *trial.last.what->metrics : object{});
    what.diverged = head_.draws() >= on::learns_divergence && has_diverged(*trial.last.what, how);
  }
  emit(cmd::tell_searcher{{seq_, std::move(what)}});
}

void machine::row(const live_trial& trial, std::string reason) {
  cmd::trial_changed x;
  x.trial = trial.id;
  x.status = standing_of(trial).status();
  x.config = trial.config;
  x.origin = trial.origin;
  x.failures = trial.failures.count();
  x.lineage = trial.lineage;
  x.reason = std::move(reason);
  x.error = trial.failures.error();
  x.last = trial.last.what;
  x.best = trial.best.what;
  x.iteration = trial.last.what != nullptr ? trial.last.what->iteration : trial.high_water;
  emit(std::move(x));
}

cmd::attempt_changed machine::attempt_row(const live_trial& trial) {
  const auto& attempt = *trial.attempt;
  cmd::attempt_changed x;
  x.trial = trial.id;
  x.attempt = attempt.id;
  x.lineage = trial.lineage;
  if (!attempt.where.bundles.empty())
    x.node = attempt.where.bundles.front().node;
  x.from = attempt.from;
  x.donor = attempt.donor;
  x.config = attempt.config;
  x.pid = attempt.pid;
  x.began = attempt.began;
  return x;
}

void machine::note_decision(const live_trial& trial, std::string_view action, object reason) {
  cmd::decision_taken x;
  x.trial = trial.id;
  if (trial.attempt)
    x.attempt = trial.attempt->id;
  x.iteration = trial.last.what != nullptr ? trial.last.what->iteration : 0;
  x.action = action;
  x.reason = std::move(reason);
  emit(std::move(x));
}

} // namespace tune

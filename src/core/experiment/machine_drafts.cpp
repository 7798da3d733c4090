// Configurations that were drawn ahead are reconsidered once their trials are granted resources, so
// that they rest on all results available by then.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include <algorithm>
#include <utility>

namespace tune {

drafting machine::drafts_wanted() const {
  // Runs of one configuration must be alike, and suggestions of a batch rest on the same results.
  auto stands = settings_.repeats.is_on() || asks_in_batches();
  return rules_.searcher.learns && !stands && !clients_.narrowed() ? settings_.drafts
                                                                   : drafting::none;
}

bool machine::thinks_over(trial_id id) const {
  const auto* trial = live(id);
  if (trial == nullptr || !trial->draft.kind || clients_.gathering() || clients_.narrowed()
      || ending_.drains())
    return false;
  // A thorough draft stands if the searcher has heard nothing since it was drawn.
  return trial->draft.kind != drafting::thorough || trial->draft.drawn_at < dialogue_.told();
}

event_body machine::granted(trial_id id, lease what) const {
  if (thinks_over(id))
    return on::granted{id, std::move(what)};
  return on::placed{id, next_attempt(), std::move(what)};
}

void machine::take(const on::granted& what) {
  auto* trial = live(what.trial);
  if (trial == nullptr || !standing_of(*trial).awaits_lease() || clients_.suspended()) {
    // The lease came too late: a trial that still waits for one asks again.
    emit(cmd::release{what.what.id});
    return;
  }
  trial->draft.granted = what.what;
  granted_.push_back(what.trial);
  if (settings_.draft_patience.count() == 0)
    return;
  auto until = draft_deadline(*trial);
  if (waited_for_cluster(*trial))
    offer_.restart(now_);
  if (until > now_)
    deadlines_.set(trial->id, due_kind::draft, until);
  else
    keep_draft(*trial);
}

/// Whether it was the cluster that kept it waiting: then no place was free.
bool machine::waited_for_cluster(const live_trial& trial) const {
  return now_ > trial.place.wished_at + settings_.draft_patience;
}

/// Until when the trial's draft, which was granted resources now, may be thought over. The place
/// may have waited for a model before.
instant machine::draft_deadline(const live_trial& trial) const {
  auto begin = trial.draft.place_free_since && !waited_for_cluster(trial)
                   ? *trial.draft.place_free_since
                   : now_;
  return begin + settings_.draft_patience;
}

/// Notes since when a place waits for a model.
void machine::watch_places() {
  if (head_.draws() < on::bounds_model_waits)
    return;
  auto served = census_.queued() + census_.awaiting_lease();
  auto is_asked = served > 0 || dialogue_.is_open() || wants_suggestions();
  offer_.watch(census_.running(), served, is_asked, now_);
}

/// Whether the open question is for a configuration that is drawn at once.
bool machine::is_sketch_open() const {
  const auto& open = dialogue_.open();
  return open && !open->trial && open->drafts == drafting::quick;
}

/// When a configuration is to be drawn at once, also in the place of an open question, as a free
/// place has then waited for a model as long as it may.
std::optional<instant> machine::sketch_due() const {
  auto waits = offer_.free().since() && !ending_.drains() && !clients_.gathering()
               && !clients_.suspended() && !asked_.choice.is_open() && !dialogue_.is_done()
               && settings_.draft_patience.count() > 0;
  auto can = rules_.searcher.sketches && drafts_wanted() == drafting::thorough && !is_sketch_open();
  // Whom the cluster keeps waiting comes first.
  auto is_next = census_.queued() == 0 && census_.awaiting_lease() == granted_.size();
  if (!waits || !can || !is_next || room_for_suggestions() == 0 || has_all_samples())
    return std::nullopt;
  return *offer_.free().since() + settings_.draft_patience;
}

bool machine::is_sketch_due() const {
  auto at = sketch_due();
  return at && *at <= now_;
}

/// Whether the open question is given up for the next one.
bool machine::gives_up(const on::suggest_asked& next) const {
  return !next.trial && next.drafts == drafting::quick && is_sketch_due();
}

/// Trial whose draft is to be reconsidered next.
std::optional<trial_id> machine::next_draft() const {
  if (dialogue_.is_open() || granted_.empty())
    return std::nullopt;
  return granted_.front();
}

void machine::replace_draft(trial_id id, const on::suggested& what, sequence asked) {
  auto* trial = live(id);
  const auto* list = std::get_if<std::vector<suggestion>>(&what.what);
  auto is_late = trial == nullptr || !trial->draft.kind;
  auto replaces = !is_late && list != nullptr && list->size() == 1;
  suggested_fact told{what.ask, replaces ? what.what : proposal{nothing_yet{}}, id, asked};
  emit(cmd::tell_searcher{{seq_, std::move(told)}});
  if (is_late)
    return;
  trial->draft.kind.reset();
  if (replaces) {
    trial->config = list->front().config;
    trial->origin = list->front().origin;
    trial->draft.is_redrawn = true;
    row(*trial);
  }
  if (trial->draft.granted)
    begin_granted(*trial);
}

/// Runs the draft as it is, since reconsidering it took too long.
void machine::keep_draft(live_trial& trial) {
  if (!trial.draft.granted)
    return;
  trial.draft.kind.reset();
  trial.origin += ", drawn ahead: the searcher was not quick enough";
  row(trial);
  begin_granted(trial);
}

void machine::begin_granted(live_trial& trial) {
  emit(cmd::log{on::placed{trial.id, next_attempt(), take_grant(trial)}});
}

/// Takes the lease that the trial holds for its draft away from it.
lease machine::take_grant(live_trial& trial) {
  auto result = std::move(*trial.draft.granted);
  trial.draft.granted.reset();
  std::erase(granted_, trial.id);
  deadlines_.clear(trial.id, due_kind::draft);
  return result;
}

/// Stops waiting for a lease. @pre The trial awaits one.
void machine::stop_waiting(live_trial& trial) {
  census_.stop_waiting(standing_of(trial));
  return_lease(trial);
}

/// Gives the granted lease back to the cluster, or cancels the request for it.
void machine::return_lease(live_trial& trial) {
  if (trial.draft.granted)
    emit(cmd::release{take_grant(trial).id});
  else
    emit(cmd::cancel_place{trial.id});
}

/// Returns leases on a node that grants nothing more, and asks for new ones.
void machine::lose_grants(const std::string& node) {
  for (auto id : std::vector<trial_id>{granted_}) {
    auto& trial = *live(id);
    const auto& bundles = trial.draft.granted->bundles;
    if (std::none_of(bundles.begin(), bundles.end(), [&](const auto& x) { return x.node == node; }))
      continue;
    return_lease(trial);
    place(trial);
  }
}

/// Drops leases that were granted to the last head: they are not valid for this one.
void machine::forget_grants() {
  for (auto id : std::vector<trial_id>{granted_})
    static_cast<void>(take_grant(*live(id)));
}

} // namespace tune

// Decides which checkpoints stay and which are removed.
//
// A removal is an event of its own: a decision in the log stands, whatever limits the next head
// has. The directory is removed once that event is on disk, and no trial is given a checkpoint that
// has been doomed.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include "tune/core/trial/end_reasons.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tune {

namespace {

/// True for a score that alone does not tell what was reported: a double that stands for several
/// integers of 64 bits, or NaN, which stands for a missing number as well.
bool is_ambiguous(double score) {
  constexpr double all_exact_below = 9007199254740992.0; // 2^53
  return !(std::abs(score) < all_exact_below);
}

constexpr auto nan = std::numeric_limits<double>::quiet_NaN();

/// Marks kept per attempt: as many reports may have a checkpoint that is not safe yet.
constexpr std::size_t most_marks = 256;

} // namespace

void machine::note_marks(open_attempt& attempt) const {
  if (settings_.saves == save_ability::none)
    return;
  const auto& newest = *attempt.reports.newest();
  report_marks marks{{}, scores_of(newest), violation_of(newest), {}};
  if (std::any_of(marks.scores.begin(), marks.scores.end(), is_ambiguous))
    marks.exact = std::make_shared<const object>(objectives_of(newest, settings_.objectives));
  const auto& policy = settings_.checkpoints.retention;
  if (!policy.score_attribute.empty()) {
    auto score = metric_number(newest, policy.score_attribute);
    if (score && !std::isnan(*score))
      marks.rank = policy.maximise ? *score : -*score;
  }
  // Mostly the last one: the map of a trial that was not heard of for a while is looked up slowly.
  attempt.marks.insert_or_assign(attempt.marks.end(), newest.iteration, std::move(marks));
  if (attempt.marks.size() > most_marks)
    attempt.marks.erase(attempt.marks.begin());
}

report_marks machine::marks_of(const open_attempt& attempt, checkpoint_id id,
                               std::uint64_t iteration) {
  if (id && id == attempt.save.id)
    return attempt.save.marks;
  auto known = attempt.marks.find(iteration);
  return known == attempt.marks.end() ? report_marks{} : known->second;
}

/// Compares by constraints and the first objective. A number beats none; among equal ones the best
/// trial's own beats another's, then the older beats the newer, as with reports. Without any number
/// the newer one is better.
bool machine::is_better(checkpoint_id one, checkpoint_id other) const {
  auto merit_of = [this](checkpoint_id id) {
    const auto& marks = checkpoints_.at(id).marks;
    return merit{marks.violation, marks.scores.empty() ? nan : marks.scores.front()};
  };
  auto a = merit_of(one);
  auto b = merit_of(other);
  if (std::isnan(a.score) && std::isnan(b.score))
    return other < one;
  auto is_own = [this](checkpoint_id id) {
    return head_.draws() >= on::answers_stalls_anew && best_.is(checkpoints_.at(id).trial);
  };
  if (a == b && is_own(one) != is_own(other))
    return is_own(one);
  return tune::is_better(a, b) || (a == b && one < other);
}

/// Considers a new checkpoint of the trial as the best one.
void machine::offer_for_best(const live_trial& trial, checkpoint_id id) {
  if (best_.is(trial.id) && (!best_.checkpoint() || is_better(id, best_.checkpoint())))
    set_best_checkpoint(id);
}

/// Notes that an attempt of the trial begins from another trial's checkpoint.
void machine::go_on_from(const live_trial& trial, checkpoint_id others) {
  checkpoints_.begin_from(trial.id, others);
  if (head_.draws() >= on::answers_stalls_anew)
    offer_for_best(trial, others);
}

/// Checkpoints on disk that the trial's results came from: its own, and others' that it began from.
std::vector<checkpoint_id> machine::all_of(trial_id trial) const {
  const auto counts_others = head_.draws() >= on::answers_stalls_anew;
  if (const auto* alive = live(trial); alive != nullptr && !counts_others)
    return alive->checkpoints;
  auto result = checkpoints_.of(trial);
  if (counts_others) {
    const auto others = checkpoints_.origins_of(trial);
    result.insert(result.end(), others.begin(), others.end());
  }
  return result;
}

/// Called when another trial has become the best, or the best checkpoint can no longer be used.
void machine::find_best_checkpoint() {
  checkpoint_id result;
  for (auto id : all_of(best_.told()->trial)) {
    const auto& x = checkpoints_.at(id);
    const auto is_given = x.location != kept_outside || head_.draws() < on::clones_named;
    if (is_given && !x.bad && !x.doomed && (!result || is_better(id, result)))
      result = id;
  }
  set_best_checkpoint(result);
}

void machine::set_best_checkpoint(checkpoint_id id) {
  best_.set_checkpoint(id, checkpoints_.find(id), settings_.objectives);
}

/// True if the attempt was restoring from a node's memory, which does not outlive the head.
bool machine::went_with_its_head(const open_attempt& attempt) const {
  const auto* from = checkpoints_.find(attempt.from);
  return head_.draws() >= on::dooms_all_named && head_.is_older(attempt.id) && from != nullptr
         && !from->node.empty();
}

bool machine::needs(trial_id who, checkpoint_id id) const {
  const auto* trial = live(who);
  if (trial == nullptr)
    return false;
  if (trial->aside == id)
    return true;
  const auto& attempt = trial->attempt;
  auto restoring = attempt && attempt->from == id
                   && (attempt->at == phase::placing || attempt->at == phase::restoring)
                   && !went_with_its_head(*attempt);
  return restoring || newest_good(*trial) == id
         || (trial->exploits.due && trial->exploits.due->from == id);
}

bool machine::may_use(trial_id who, checkpoint_id id) const {
  const auto* trial = live(who);
  if (trial == nullptr)
    return false;
  const auto& known = trial->checkpoints;
  return (trial->exploits.due && trial->exploits.due->from == id)
         || std::find(known.begin(), known.end(), id) != known.end();
}

/// True if the checkpoint was its trial's newest when a still open question was put to the
/// scheduler: the answer may tell another trial to go on from it.
bool machine::may_be_named(const checkpoint_entry& x) const {
  return rules_.scheduler.needs_checkpoints && x.until != 0
         && asked_.verdicts.oldest().value_or(x.until) < x.until;
}

/// Called after an answer: checkpoints that were kept for the oldest question may go.
void machine::review_named() {
  for (auto id : asked_.verdicts.take_kept())
    review(id);
}

bool machine::is_pinned(checkpoint_id id, const checkpoint_entry& x) const {
  if (may_be_named(x))
    return true;
  if (head_.draws() >= on::judged_afresh ? id == best_.checkpoint()
                                         : !x.location.empty() && best_.newest() == x.location)
    return true;
  auto wants = [&](trial_id who) { return needs(who, id); };
  return wants(x.trial) || std::any_of(x.borrowers.begin(), x.borrowers.end(), wants);
}

/// True if no other checkpoint of the run is better. Which run stands for its configuration is
/// known only once all have ended, so each run keeps its best checkpoint.
bool machine::is_best_of_run(trial_id of, checkpoint_id id) const {
  const auto& all = checkpoints_.of(of);
  return settings_.repeats.is_on() && std::none_of(all.begin(), all.end(), [&](checkpoint_id x) {
           return x != id && !checkpoints_.at(x).bad && is_better(x, id);
         });
}

void machine::review(trial_id of) {
  const auto& policy = settings_.checkpoints.retention;
  if (!policy.limits_trials())
    return;
  std::vector<kept_checkpoint> all;
  all.reserve(checkpoints_.of(of).size());
  for (auto id : checkpoints_.of(of)) {
    const auto& x = checkpoints_.at(id);
    all.push_back({worth_of(id, x), x.bytes, is_pinned(id, x) || is_best_of_run(of, id)});
    if (may_be_named(x))
      asked_.verdicts.keep_for_answers(of);
  }
  propose_to_doom(superfluous(policy, std::move(all)));
}

void machine::review_all() {
  auto limit = settings_.checkpoints.retention.experiment_bytes;
  if (limit == 0 || checkpoints_.bytes() <= limit)
    return;
  auto [to_go, left]
      = checkpoints_.beyond(limit, [this](auto id, const auto& x) { return is_pinned(id, x); });
  propose_to_doom(std::move(to_go));
  if (left > limit && notices_.is_first(notice::no_room))
    emit(cmd::warn{"checkpoints that trials still need take " + std::to_string(left)
                   + " bytes, more than [checkpoint] max_bytes = " + std::to_string(limit)
                   + " allows"});
}

void machine::propose_to_doom(std::vector<checkpoint_id> which) {
  if (!which.empty())
    emit(cmd::log{on::checkpoints_doomed{std::move(which)}});
}

void machine::take(const on::checkpoints_doomed& what) {
  for (auto id : what.which) {
    const auto* known = checkpoints_.find(id);
    // Heads before `dooms_all_named` could name a checkpoint twice, when two reviews came before
    // the event of either, or name one that was still needed.
    if (known == nullptr || known->doomed)
      continue;
    if (is_pinned(id, *known)) {
      if (may_be_named(*known))
        asked_.verdicts.keep_for_answers(known->trial);
      continue;
    }
    checkpoints_.doom(id);
    forget(id, *known);
    emit(cmd::discard{id, known->location, known->node}, seq_);
  }
}

/// Nobody goes on from the checkpoint any more, which no longer counts.
void machine::forget(checkpoint_id id, const checkpoint_entry& x) {
  // No trial lists one that is in memory.
  if (!x.node.empty())
    return;
  auto drop = [&](trial_id who) {
    if (auto* trial = live(who))
      std::erase(trial->checkpoints, id);
  };
  drop(x.trial);
  for (auto who : x.borrowers)
    drop(who);
  if (id == best_.checkpoint())
    find_best_checkpoint();
}

void machine::take(const on::checkpoint_gone& what) {
  const auto* known = checkpoints_.find(what.checkpoint);
  if (known == nullptr)
    return;
  if (!known->doomed) {
    checkpoints_.take_out(what.checkpoint);
    forget(what.checkpoint, *known);
  }
  checkpoints_.erase(what.checkpoint);
}

void machine::note_bad(checkpoint_id id) {
  if (checkpoints_.note_bad(id) && id == best_.checkpoint())
    find_best_checkpoint();
}

/// Stores what the trial pauses with in memory, apart from its checkpoints on disk.
void machine::set_aside(live_trial& trial, checkpoint_id id, checkpoint_entry what) {
  drop_aside(trial);
  what.node = trial.attempt->home();
  checkpoints_.keep_in_memory(id, std::move(what));
  trial.aside = id;
}

/// Proposes to remove the checkpoint in memory, which is no longer needed.
void machine::drop_aside(live_trial& trial) {
  if (auto id = std::exchange(trial.aside, {}))
    propose_to_doom({id});
}

/// When a trial goes on that loses its checkpoint in memory.
lost_pauses::turn machine::turn_after_loss(const live_trial& trial) const {
  const auto& stands = standing_of(trial);
  if (stands.is_held() || clients_.suspended())
    return lost_pauses::turn::when_unpaused;
  return stands.status() == trial_status::paused ? lost_pauses::turn::if_chosen
                                                 : lost_pauses::turn::when_there_is_room;
}

/// Handles the loss of the checkpoint in memory: the trial goes on from those on disk.
/// @param how See `lost_pauses::text`.
void machine::lose_aside(live_trial& trial, const std::string& how, lost_pauses::turn when,
                         lost_pauses& lost) {
  if (!trial.aside)
    return;
  note_decision(trial, "pause_lost", object{{"why", "what it paused with " + how}});
  lost.add({trial.id, when, static_cast<bool>(newest_good(trial))});
  drop_aside(trial);
  if (standing_of(trial).awaits_lease() && !clients_.suspended()) {
    // The trial may now run on any node.
    return_lease(trial);
    place(trial);
  } else if (standing_of(trial).status() == trial_status::paused) {
    requeue(trial, std::string{lost_its_pause});
  }
}

void machine::lose_asides_of(const std::string& node) {
  const auto how = "was in the memory of node " + node + ", which was lost";
  lost_pauses lost;
  // A loss may change the set: walk over a copy.
  for (auto id : trials_.live_now()) {
    auto* trial = live(id);
    if (trial->aside && checkpoints_.at(trial->aside).node == node)
      lose_aside(*trial, how, turn_after_loss(*trial), lost);
  }
  warn_of(lost, how);
}

void machine::lose_all_asides() {
  const std::string how = "in memory was lost with its head";
  lost_pauses lost;
  // A loss may change the set: walk over a copy.
  for (auto id : trials_.live_now())
    lose_aside(*live(id), how, turn_after_loss(*live(id)), lost);
  warn_of(lost, how);
}

/// Warns of each loss of several trials at once, and of the first of a single one.
void machine::warn_of(const lost_pauses& lost, const std::string& how, bool is_of_one) {
  if (lost.is_empty())
    return;
  const auto is_first = notices_.is_first(notice::lost_pause);
  if (is_first || !is_of_one)
    emit(cmd::warn{lost.text(how)});
}

void machine::take(const on::checkpoint_bad& what) {
  note_bad(what.checkpoint);
}

/// Lends the checkpoint to the trial. Trials that have ended no longer borrow; others may fall back
/// on the checkpoint, even if they have newer ones.
void machine::borrow(trial_id who, checkpoint_id from) {
  checkpoints_.lend(from, who, [&](trial_id x) { return may_use(x, from); });
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/pbt/pbt.hpp"

#include "tune/core/schedule/refusals.hpp"
#include "tune/core/schedule/wording.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tune::pbt {

namespace {

/// Key in the reason of a trial that is to be looked at again, since its donor is still saving.
constexpr auto awaits_checkpoint = "awaits_checkpoint";

constexpr auto nan = std::numeric_limits<double>::quiet_NaN();

/// Notes or reason of an action.
const object& said_by(const action& what) {
  const auto* notes = std::get_if<annotate>(&what.what);
  return notes != nullptr ? notes->notes : what.reason;
}

bool is_of_round(const decision& what) {
  return std::any_of(what.actions.begin(), what.actions.end(),
                     [](const action& x) { return said_by(x).contains("round"); });
}

std::string text_of(const change& what) {
  if (what.to.is_null())
    return what.parameter + " " + what.how;
  auto result = what.parameter + " ";
  if (!what.from.is_null())
    result += brief(what.from) + " → ";
  return result + brief(what.to) + " (" + what.how + ")";
}

std::string text_of(const explored& what) {
  std::string result;
  for (const auto& x : what.changes)
    result += (result.empty() ? "" : ", ") + text_of(x);
  return result.empty() ? "the same configuration" : result;
}

value::list list_of(const std::vector<change>& changes) {
  value::list result;
  for (const auto& x : changes)
    result.push_back(
        object{{"parameter", x.parameter}, {"from", x.from}, {"to", x.to}, {"how", x.how}});
  return result;
}

/// Turns a plan into an exploit with the configuration that was found.
action exploit_by(exploit_plan what, explored next) {
  auto config = std::make_shared<const object>(std::move(next.config));
  auto& facts = what.facts;
  facts.set("donor_iteration", static_cast<std::int64_t>(what.from_iteration));
  facts.set("changes", list_of(next.changes));
  if (what.donor.config != nullptr)
    facts.set("donor_config", *what.donor.config);
  facts.set("config", *config);
  if (!next.note.empty())
    facts.set("note", next.note);
  facts.set("why", "goes on as trial " + to_text(what.donor.trial) + " did at iteration "
                       + std::to_string(what.from_iteration) + ", with " + text_of(next));
  return {what.target.trial, exploit{what.donor.trial, what.from, std::move(config)},
          std::move(facts)};
}

} // namespace

pbt_scheduler::pbt_scheduler(settings what, std::unique_ptr<explorer> how, std::uint64_t seed,
                             bool maximise, dice_source draws)
    : settings_{std::move(what)}
    , explorer_{std::move(how)}
    , draws_{std::move(draws)}
    , maximise_{maximise}
    , population_{settings_.quantile_fraction}
    , next_sync_{std::max(settings_.perturbation_interval, settings_.burn_in_period)} {
  if (!draws_)
    draws_ = [seed, name = settings_.rule](const occasion& when, trial_id target) {
      return std::make_unique<seeded_dice>(seed, name, when, target);
    };
}

scheduler_traits pbt_scheduler::traits() const {
  scheduler_traits result;
  result.time_attr = settings_.time_attr;
  result.needs_checkpoints = true;
  result.prompt = true;
  return result;
}

void pbt_scheduler::apply(const scheduler_fact& what) {
  population_.apply(what);
  if (const auto* result = std::get_if<fact::result>(&what.what))
    see(what.seq, *result);
  else if (const auto* decided = std::get_if<fact::decided>(&what.what))
    settle(*decided);
  else if (const auto* ended = std::get_if<fact::ended>(&what.what))
    explorer_->forget(ended->trial);
  else if (std::holds_alternative<fact::started>(what.what))
    started_since_round_ = true;
}

void pbt_scheduler::see(sequence cause, const fact::result& what) {
  auto& x = population_.known(what.trial);
  x.due = 0;
  // An infinite time would leave no next interval.
  x.lacks_attributes = !std::isfinite(what.time);
  if (x.lacks_attributes)
    x.due = settings_.require_attrs ? cause : 0;
  if (x.lacks_attributes || what.scores.empty())
    return;
  auto is_time = what.time - x.last_perturbation_time >= settings_.perturbation_interval;
  if (what.time < settings_.burn_in_period || !(is_time || x.look_again))
    return;
  x.due = cause;
  x.look_again = false;
  x.iteration = what.iteration;
  x.lineage = what.lineage;
  population_.set_score(what.trial, what.scores.front());
  population_.set_last_train_time(what.trial, what.time);
  if (!settings_.synch)
    x.last_perturbation_time = is_time ? what.time : x.last_perturbation_time;
  else if (what.time >= next_sync_)
    last_arrival_ = what.time;
  explorer_->observe(standing_of(what.trial));
}

decision pbt_scheduler::judge(sequence cause, trial_id trial) const {
  const auto* x = population_.find(trial);
  if (x == nullptr || x->due != cause)
    return {cause, {{trial, go_on{}, {}}}};
  if (x->lacks_attributes) {
    object why{{"rule", settings_.rule},
               {"why", "a report lacks a finite " + settings_.time_attr
                           + ", which require_attrs asks for"}};
    return {cause, {{trial, stop{}, std::move(why)}}};
  }
  if (!settings_.synch)
    return look_at(cause, trial);
  decision result{cause, {}};
  if (x->last_train_time < next_sync_) {
    result.actions.push_back({trial, go_on{}, {}});
    return result;
  }
  object facts{{"rule", settings_.rule},
               {"sync", plain(next_sync_)},
               {"why", "waits for the others at " + to_text(plain(next_sync_))}};
  ask_to_save(trial, true, facts, result);
  return result;
}

deferred_decision pbt_scheduler::judge_later(sequence cause, trial_id trial) const {
  const auto* x = population_.find(trial);
  auto exploits = x != nullptr && x->due == cause && !x->lacks_attributes && !settings_.synch
                  && population_.place_of(trial).in == quantile::lower;
  if (!exploits)
    return {};
  auto planned = plan(occasion_of(cause, trial), trial);
  if (!planned.from)
    return {};
  auto explore = explorer_->explore_later({planned.when, planned.target, planned.donor, {}});
  if (!explore)
    return {};
  return [cause, planned, explore] {
    return decision{cause, {exploit_by(planned, explore(*planned.draws))}};
  };
}

/// Asynchronous mode: decides at the end of an interval.
decision pbt_scheduler::look_at(sequence cause, trial_id trial) const {
  decision result{cause, {}};
  auto where = population_.place_of(trial);
  auto facts = facts_of(trial);
  if (where.in == quantile::lower) {
    std::vector<config_ptr> siblings;
    result.actions.push_back(exploit_or_skip(occasion_of(cause, trial), trial, siblings));
    if (std::holds_alternative<exploit>(result.actions.front().what))
      return result;
    facts = std::get<annotate>(result.actions.front().what).notes;
  }
  auto still_waits = facts.contains(awaits_checkpoint) && population_.find(trial)->waits_since;
  auto gives_way = population_.others_wait(trial);
  if (gives_way && !facts.contains("why"))
    facts.set("why", "others wait for resources");
  if (where.in == quantile::upper)
    ask_to_save(trial, gives_way, facts, result);
  else if (gives_way)
    result.actions = {{trial, pause_trial{}, std::move(facts)}};
  else if (still_waits)
    result.actions = {{trial, go_on{}, std::move(facts)}};
  else
    result.actions = {{trial, annotate{std::move(facts)}, {}}, {trial, go_on{}, {}}};
  return result;
}

/// Asks for one save that serves all, unless there is a checkpoint of this result already. Asks
/// even before a pause, since the checkpoint of a pause may stay in a node's memory.
void pbt_scheduler::ask_to_save(trial_id trial, bool then_pause, const object& facts,
                                decision& into) const {
  const auto& x = *population_.find(trial);
  auto is_there = x.newest && x.newest_iteration >= x.iteration;
  if (!is_there)
    into.actions.push_back({trial, save{}, facts});
  else if (!then_pause)
    into.actions.push_back({trial, annotate{facts}, {}});
  if (then_pause)
    into.actions.push_back({trial, pause_trial{}, facts});
  else
    into.actions.push_back({trial, go_on{}, {}});
}

action pbt_scheduler::exploit_or_skip(const occasion& when, trial_id trial,
                                      std::vector<config_ptr>& siblings) const {
  auto planned = plan(when, trial);
  if (!planned.from)
    return {trial, annotate{std::move(planned.facts)}, {}};
  auto next = explorer_->explore({when, planned.target, planned.donor, siblings}, *planned.draws);
  auto result = exploit_by(std::move(planned), std::move(next));
  siblings.push_back(std::get<exploit>(result.what).config);
  return result;
}

/// Occasion of the report that is judged.
occasion pbt_scheduler::occasion_of(sequence cause, trial_id trial) const {
  if (settings_.draws_by_event)
    return {0, cause};
  const auto& x = *population_.find(trial);
  return {x.lineage, x.iteration};
}

exploit_plan pbt_scheduler::plan(const occasion& when, trial_id trial) const {
  exploit_plan result{when, standing_of(trial), {}, {}, 0, draws_(when, trial), facts_of(trial)};
  auto donor = population_.upper(result.draws->below(population_.quantile_size()));
  const auto& source = *population_.find(donor);
  auto at_round = source.newest_iteration >= source.iteration ? source.newest : checkpoint_id{};
  result.donor = standing_of(donor);
  // The checkpoint that the donor has is an interval old.
  auto saves = !settings_.synch && source.offers_since && !at_round && !source.hands_over;
  auto awaited = saves && may_wait(trial);
  if (!awaited)
    result.from = settings_.synch              ? at_round
                  : settings_.judges_as_before ? population_.offered_by(donor)
                                               : source.newest;
  result.from_iteration = source.newest_iteration;
  auto& facts = result.facts;
  facts.set("donor", to_text(donor));
  facts.set("donor_rank", static_cast<std::int64_t>(population_.place_of(donor).rank));
  facts.set("donor_score", as_reported(*source.score));
  auto its_donor = "its donor, trial " + to_text(donor) + ", ";
  if (awaited)
    facts.set(awaits_checkpoint, true);
  if (!result.from)
    facts.set("why", awaited ? "the checkpoint of " + its_donor + "is on its way"
                             : "no checkpoint of " + its_donor + "is there yet");
  return result;
}

/// Whether the trial may still wait for a checkpoint that its donor is saving.
bool pbt_scheduler::may_wait(trial_id trial) const {
  const auto& x = *population_.find(trial);
  return !x.waits_since || x.last_train_time - *x.waits_since < settings_.perturbation_interval / 2;
}

choice pbt_scheduler::choose(sequence at, std::uint32_t count) const {
  auto before = settings_.synch ? next_sync_ : std::numeric_limits<double>::infinity();
  return {at, population_.waiting(count, before)};
}

decision pbt_scheduler::on_stall(sequence at) const {
  // After a round some trials may run again; if none could, another round would not help.
  return settings_.synch && started_since_round_ ? round(at) : end_all(at);
}

/// Synchronous mode: decides once all trials wait for each other.
decision pbt_scheduler::round(sequence at) const {
  decision result{at, {}};
  std::vector<config_ptr> siblings;
  auto note = [&](trial_id trial, action what) {
    auto* notes = std::get_if<annotate>(&what.what);
    (notes != nullptr ? notes->notes : what.reason).set("round", plain(next_sync_));
    what.trial = trial;
    result.actions.push_back(std::move(what));
  };
  auto plainly = [&](trial_id trial) { note(trial, {trial, annotate{facts_of(trial)}, {}}); };
  const auto& ranked = population_.ranked();
  auto n = ranked.size();
  auto k = population_.quantile_size();
  for (auto i = n - k; i < n; ++i)
    plainly(ranked.at(i).trial);
  for (const auto& [trial, x] : population_.all()) {
    auto in = population_.place_of(trial).in;
    if (in == quantile::none || in == quantile::middle)
      plainly(trial);
  }
  for (std::size_t i = 0; i < k; ++i)
    note(ranked.at(i).trial, exploit_or_skip({0, rounds_}, ranked.at(i).trial, siblings));
  return result;
}

decision pbt_scheduler::end_all(sequence at) const {
  decision result{at, {}};
  for (const auto& [trial, x] : population_.all())
    result.actions.push_back({trial, stop{}, {{"rule", settings_.rule}, {"why", "not promoted"}}});
  return result;
}

void pbt_scheduler::settle(const fact::decided& what) {
  auto ends_round = is_of_round(what.what);
  if (ends_round) {
    for (const auto& [trial, x] : population_.all())
      population_.find(trial)->last_perturbation_time = last_arrival_;
  }
  for (std::size_t i = 0; i < what.what.actions.size(); ++i) {
    auto refused = is_refused(what, i);
    note(what.what.cause, what.what.actions[i], refused);
  }
  for (const auto& x : what.what.actions) {
    if (auto* known = population_.find(x.trial); known != nullptr && known->due == what.what.cause)
      known->due = 0;
  }
  if (ends_round)
    end_round();
}

void pbt_scheduler::note(sequence cause, const action& what, bool refused) {
  auto* x = population_.find(what.trial);
  if (x == nullptr)
    return;
  const auto& facts = said_by(what);
  if (x->due == cause || facts.contains("round")) {
    if (const auto* in = facts.find("quantile")) {
      x->offers_since = *in == value{"upper"} ? x->offers_since.value_or(x->iteration)
                                              : std::optional<std::uint64_t>{};
      x->look_again = facts.contains(awaits_checkpoint);
      if (!x->look_again)
        x->waits_since.reset();
      else if (!x->waits_since)
        x->waits_since = x->last_train_time;
    }
  }
  if (std::holds_alternative<save>(what.what) && x->now == whereabouts::running)
    x->hands_over = refused;
  const auto* due_exploit = std::get_if<exploit>(&what.what);
  if (due_exploit == nullptr)
    return;
  if (!refused) {
    take_over(what.trial, *due_exploit, facts);
    return;
  }
  // Most likely the donor's checkpoint is gone.
  if (auto* donor = population_.find(due_exploit->donor);
      donor != nullptr && donor->newest == due_exploit->from)
    donor->newest = {};
  x->look_again = !settings_.synch;
}

void pbt_scheduler::take_over(trial_id trial, const exploit& what, const object& facts) {
  auto from = standing_of(what.donor);
  const auto* at = facts.find("donor_iteration");
  const auto* iteration = at != nullptr ? at->as_int() : nullptr;
  population_.take_over(trial, what,
                        iteration != nullptr ? static_cast<std::uint64_t>(*iteration) : 0);
  // Otherwise it might fall back again and again, and keep its donor from running.
  if (!settings_.synch)
    population_.put_last(trial);
  explorer_->adopt({trial, from.time, from.score, what.config});
}

void pbt_scheduler::end_round() {
  auto least = std::numeric_limits<double>::infinity();
  auto greatest = -least;
  for (const auto& [trial, x] : population_.all()) {
    least = std::min(least, x.last_train_time);
    greatest = std::max(greatest, x.last_train_time);
  }
  next_sync_ = std::max(next_sync_ + settings_.perturbation_interval, greatest);
  // If times skip more than an interval, no trial would be left to run.
  if (least >= next_sync_)
    next_sync_ = greatest + settings_.perturbation_interval;
  population_.forgive_refused();
  started_since_round_ = false;
  ++rounds_;
}

object pbt_scheduler::facts_of(trial_id trial) const {
  auto where = population_.place_of(trial);
  object result{{"rule", settings_.rule}, {"quantile", to_text(where.in)}};
  if (where.in != quantile::none) {
    result.set("rank", static_cast<std::int64_t>(where.rank));
    result.set("of", static_cast<std::int64_t>(where.of));
  }
  const auto* x = population_.find(trial);
  if (x != nullptr && x->score)
    result.set("score", as_reported(*x->score));
  return result;
}

standing pbt_scheduler::standing_of(trial_id trial) const {
  const auto* x = population_.find(trial);
  if (x == nullptr)
    return {trial, 0, nan, nullptr};
  return {trial, x->last_train_time, x->score.value_or(nan), x->config};
}

double pbt_scheduler::as_reported(double score) const {
  // Computed as a difference, so that 0 does not become -0.
  return maximise_ ? score : 0.0 - score;
}

std::string pbt_scheduler::outline() const {
  const auto& ranked = population_.ranked();
  auto n = ranked.size();
  auto k = population_.quantile_size();
  auto result = settings_.rule + ": population of " + std::to_string(population_.all().size());
  if (n == 0)
    return result + ", none with a score yet: each is looked at after "
           + to_text(plain(settings_.perturbation_interval)) + " of " + settings_.time_attr;
  auto score = [&](std::size_t i) { return brief(as_reported(ranked.at(i).score)); };
  result += ", scores from " + score(0) + " to " + score(n - 1);
  if (k > 0)
    result += "; upper quantile of " + std::to_string(k) + " from " + score(n - k);
  if (settings_.synch)
    result += "; next round at " + to_text(plain(next_sync_));
  return result;
}

void pbt_scheduler::describe(fingerprint& into) const {
  population_.describe(into);
  into.add(next_sync_).add(last_arrival_).add(std::uint64_t{started_since_round_}).add(rounds_);
  explorer_->describe(into);
}

} // namespace tune::pbt

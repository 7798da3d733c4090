// The fingerprint of the machine's state.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace tune {

namespace {

void describe_saves(fingerprint& into, const open_attempt& x) {
  for (const auto& [iteration, marks] : x.marks) {
    into.add(iteration);
    marks.describe(into);
  }
  x.save.marks.describe(into);
  into.add(std::uint64_t{x.save.in_memory}).add(std::uint64_t{x.no_memory});
  into.add(std::uint64_t{x.leaves.node_goes}).add(std::uint64_t{x.saves_for_others});
}

void describe_attempt(fingerprint& into, const open_attempt& x) {
  into.add(x.id).add(static_cast<std::uint64_t>(x.at)).add(x.from).add(x.where.id.number);
  into.add(x.donor ? x.donor->number + 1 : 0);
  const auto& told = x.reports;
  into.add(told.number()).add(told.iteration()).add(told.answered());
  into.add(told.credit()).add(told.judging());
  into.add(x.save.id).add(std::uint64_t{x.save.ends}).add(static_cast<std::uint64_t>(x.next));
  into.add(x.go_on_until).add(std::uint64_t{x.leaves.pauses}).add(std::uint64_t{x.closed});
  into.add(std::uint64_t{x.leaves.is_unsaved});
  into.add(static_cast<std::uint64_t>(x.heard.count()));
  into.add(x.killed_for ? static_cast<std::uint64_t>(*x.killed_for) + 1 : 0);
  into.add(std::string_view{x.handed_over.refused()});
  describe_saves(into, x);
  into.add(*x.config);
  x.handed_over.describe(into);
  into.add(std::uint64_t{x.unable});
  into.add(std::uint64_t{x.noted_waiting});
  if (x.ending.is_to_export || x.ending.exported || x.ending.is_all)
    into.add(std::uint64_t{x.ending.is_to_export})
        .add(std::uint64_t{x.ending.exported})
        .add(std::uint64_t{x.ending.is_all});
}

void describe_history(fingerprint& into, const live_trial& x) {
  into.add(x.id).add(*x.config).add(std::string_view{x.origin}).add(x.born);
  into.add(std::uint64_t{x.lineage}).add(x.high_water).add(x.judged).add(x.shown).add(x.pause.at);
  for (auto count : x.failures.all())
    into.add(std::uint64_t{count});
  tune::describe(into, x.last.what);
  if (x.last.config != nullptr)
    into.add(*x.last.config).add(std::uint64_t{x.last.lineage});
  into.add(std::uint64_t{x.pause.config_before != nullptr});
  if (x.pause.config_before != nullptr)
    into.add(*x.pause.config_before);
  into.add(std::uint64_t{x.last.is_judged}).add(std::uint64_t{x.best.has_number});
  into.add(std::uint64_t{x.lacks_checkpoint});
  tune::describe(into, x.best.what);
}

void describe_waiting(fingerprint& into, const live_trial& x, const standing& stands,
                      const deadline_book& deadlines) {
  into.add(static_cast<std::uint64_t>(stands.held()));
  into.add(std::uint64_t{stands.is_asked_for()}).add(std::uint64_t{x.suggested});
  into.add(std::uint64_t{x.confirms});
  into.add(std::uint64_t{x.place.was_refused});
  const auto& draft = x.draft;
  into.add(draft.kind ? static_cast<std::uint64_t>(*draft.kind) + 1 : 0).add(draft.drawn_at);
  const auto& since = draft.place_free_since;
  into.add(since ? static_cast<std::uint64_t>(since->count()) + 1 : 0);
  into.add(static_cast<std::uint64_t>(x.place.wished_at.count()));
  into.add(std::uint64_t{draft.is_redrawn});
  into.add(draft.granted ? draft.granted->id.number + 1 : 0);
  into.add(std::uint64_t{x.place.was_placed})
      .add(std::uint64_t{stands.awaits_lease()})
      .add(std::uint64_t{stands.is_queued()})
      .add(x.place.number);
  auto retry_at = deadlines.of(x.id, on::ticked::due::retry);
  into.add(static_cast<std::uint64_t>(retry_at.value_or(instant{-1}).count()));
  deadlines.describe(into, x.id);
}

void describe_end(fingerprint& into, const live_trial& x) {
  into.add(std::string_view{x.must_end.why}).add(static_cast<std::uint64_t>(x.must_end.kind));
  into.add(std::uint64_t{x.exploits.due.has_value()});
  if (x.exploits.due)
    into.add(x.exploits.due->donor).add(x.exploits.due->from).add(*x.exploits.due->config);
  into.add(x.exploits.untried ? x.exploits.untried->from : checkpoint_id{});
  into.add(std::string_view{x.failures.error()});
  if (x.end)
    into.add(std::string_view{x.end->reason})
        .add(static_cast<std::uint64_t>(x.end->kind))
        .add(x.end->at)
        .add(std::string_view{x.end->given_up});
  if (!x.costs.empty())
    into.add(x.costs.to_object());
}

void describe_trial(fingerprint& into, const live_trial& x, const standing& stands,
                    const deadline_book& deadlines) {
  describe_history(into, x);
  for (auto id : x.checkpoints)
    into.add(id);
  into.add(x.aside);
  into.add(std::string_view{to_text(x.place.request)});
  tune::describe(into, x.best.how);
  describe_waiting(into, x, stands, deadlines);
  into.add(std::uint64_t{x.attempt.has_value()});
  if (x.attempt)
    describe_attempt(into, *x.attempt);
  describe_end(into, x);
}

} // namespace

void machine::describe_trials(fingerprint& into) const {
  into.add(std::uint64_t{trials_.all().size()});
  for (const auto& x : trials_.all()) {
    into.add(static_cast<std::uint64_t>(x.stands.status()));
    into.add(std::uint64_t{x.stands.has_succeeded()});
    into.add(std::uint64_t{x.lineage}).add(x.high_water).add(x.newest).add(x.last_given_up);
    tune::describe(into, x.best_merit);
    into.add(std::uint64_t{x.best_merit.has_value()});
    if (x.live != nullptr)
      describe_trial(into, *x.live, x.stands, deadlines_);
  }
}

void machine::describe_supply(fingerprint& into) const {
  into.add(census_.queued()).add(census_.awaiting_lease()).add(places_);
  into.add(deadlines_.count(due_kind::retry)).add(dialogue_.asks());
  samples_.describe_withdrawn(into);
  into.add(static_cast<std::uint64_t>(idle_.since().value_or(instant{-1}).count()));
  into.add(static_cast<std::uint64_t>(idle_.again_at().value_or(instant{-1}).count()));
  into.add(static_cast<std::uint64_t>(idle_.interval().count()));
  training_.describe(into);
  into.add(dialogue_.told()).add(offer_.free().most_running());
  into.add(std::string_view{dialogue_.why_ended()});
  const auto& since = offer_.free().since();
  into.add(since ? static_cast<std::uint64_t>(since->count()) + 1 : 0);
  for (auto id : granted_)
    into.add(id);
  samples_.describe_counts(into);
}

void machine::describe_clients(fingerprint& into) const {
  into.add(census_.held()).add(census_.held_paused()).add(std::uint64_t{clients_.suspended()});
  into.add(std::uint64_t{clients_.told_of_rest()}).add(std::uint64_t{clients_.narrowed()});
  into.add(std::uint64_t{clients_.gathering()}).add(census_.asked_for());
  for (const auto& [key, trial] : clients_.added())
    into.add(std::string_view{key}).add(trial);
  for (auto id : census_.asked_waiting())
    into.add(id);
}

void machine::describe_questions(fingerprint& into) const {
  for (const auto& [cause, trial] : asked_.verdicts.all_waiting())
    into.add(cause).add(trial);
  for (const auto& [cause, trial] : asked_.verdicts.open())
    into.add(cause).add(trial);
  for (auto id : asked_.verdicts.kept())
    into.add(id);
  const auto& searcher = dialogue_;
  into.add(searcher.is_open() ? searcher.open()->number : 0).add(std::uint64_t{searcher.is_done()});
  into.add(std::uint64_t{searcher.waits()}).add(asked_.choice.at().value_or(0));
  into.add(std::uint64_t{searcher.has_heard()}).add(std::uint64_t{asked_.choice.has_news()});
  into.add(asked_.choice.refused()).add(std::uint64_t{asked_.choice.has_nobody()});
  into.add(asked_.stall.at().value_or(0));
  into.add(std::uint64_t{asked_.stall.is_open() && asked_.stall.has_news()});
}

void machine::describe_notices(fingerprint& into) const {
  into.add(std::uint64_t{opening_failures_.is_over()});
  notices_.describe(into);
  opening_failures_.describe(into);
}

/// The order stays: other versions come to the same fingerprint of the same state.
void machine::describe(fingerprint& into) const {
  into.add(seq_).add(static_cast<std::uint64_t>(now_.count())).add(std::uint64_t{head_.epoch()});
  into.add(std::uint64_t{head_.draws()}).add(std::uint64_t{head_.keeps_places()});
  into.add(ending_.last_early() ? static_cast<std::uint64_t>(ending_.last_early()->status) + 1 : 0);
  into.add(head_.attempts()).add(checkpoints_.last()).add(std::uint64_t{offer_.nodes().size()});
  for (const auto& [name, capacity] : offer_.nodes())
    into.add(std::string_view{name}).add(std::string_view{to_text(capacity)});
  describe_trials(into);
  checkpoints_.describe(into);
  best_.describe(into);
  runs_.describe(into);
  describe_supply(into);
  describe_clients(into);
  for (auto id : open_ends_.waiting())
    into.add(id);
  describe_questions(into);
  describe_notices(into);
  into.add(std::uint64_t{ending_.is_finished()});
  into.add(ending_.drains() ? static_cast<std::uint64_t>(ending_.how().status) + 1 : 0);
  for (const auto& x : rules_.stoppers)
    x->describe(into);
}

} // namespace tune

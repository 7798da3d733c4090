// How the head carries out commands.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/simulate/simulation.hpp"

#include <utility>

namespace tune {

/// Asks a rule. The answer is worked out either at once or when it is delivered, and may come
/// twice.
template <class Question>
void simulation::ask(const Question& what) {
  auto again = happens(how_.faults.doubled);
  auto send = [this, again](std::optional<event_body> answer) {
    if (!answer)
      return tell_failures();
    if (again)
      for_head([this, what = *answer] { tell(what); });
    tell(std::move(*answer));
  };
  if (how_.most_delay.count() > 0 && chance_.below(2) == 0)
    for_head([send, answer = head_.rules.answer(what)] { send(answer); });
  else
    for_head([this, send, what] { send(head_.rules.answer(what)); });
}

/// Tells a rule a fact.
template <class Fact>
void simulation::inform(const Fact& what) {
  head_.rules.apply(what);
  if (head_.rules.has_failure())
    for_head([this] { tell_failures(); });
}

/// Rules that failed interrupt the experiment, once each.
void simulation::tell_failures() {
  while (auto failure = head_.rules.take_failure())
    tell(std::move(*failure));
}

void simulation::carry_out(const command& what) {
  if (how_.keeps_commands)
    carried_.push_back(what);
  if (how_.records)
    conduct_.carried(what);
  if (const auto* x = std::get_if<cmd::tell_scheduler>(&what.what)) {
    inform(x->what);
  } else if (const auto* told = std::get_if<cmd::tell_searcher>(&what.what)) {
    inform(told->what);
  } else if (const auto* asked = std::get_if<cmd::ask_searcher>(&what.what)) {
    ask(*asked);
  } else if (const auto* judged = std::get_if<cmd::judge>(&what.what)) {
    ask(*judged);
  } else if (const auto* chosen = std::get_if<cmd::choose>(&what.what)) {
    ask(*chosen);
  } else if (const auto* stall = std::get_if<cmd::resolve_stall>(&what.what)) {
    ask(*stall);
  } else if (const auto* placing = std::get_if<cmd::place>(&what.what)) {
    for_head([this, x = *placing] { enqueue(x); });
  } else if (const auto* cancelled = std::get_if<cmd::cancel_place>(&what.what)) {
    head_.ledger->cancel(cancelled->trial.number);
  } else if (const auto* unused = std::get_if<cmd::release>(&what.what)) {
    for_head([this, id = unused->lease] { free(id); });
  } else if (const auto* launched = std::get_if<cmd::launch>(&what.what)) {
    launch(*launched);
  } else if (const auto* proceeds = std::get_if<cmd::proceed>(&what.what)) {
    to_process(proceeds->attempt, [this, x = *proceeds](process& who) { go_on(who, x); });
    note_answer(proceeds->attempt, proceeds->number);
  } else if (const auto* saves = std::get_if<cmd::save>(&what.what)) {
    if (has_trained_on(saves->attempt))
      for_head([this, x = *saves] { refuse_save(x); });
    else
      to_process(saves->attempt, [this, x = *saves](process& who) { save(who, x); });
    head_.saves_asked.insert_or_assign(saves->attempt, *saves);
  } else if (const auto* halts = std::get_if<cmd::halt>(&what.what)) {
    to_process(halts->attempt, [this, x = *halts](process& who) { halt(who, x); });
    note_halt(halts->attempt);
  } else if (const auto* discards = std::get_if<cmd::discard>(&what.what)) {
    for_head([this, x = *discards] { discard(x); });
  } else if (const auto* row = std::get_if<cmd::trial_changed>(&what.what)) {
    if (how_.records)
      rows_.insert_or_assign(row->trial, *row);
  } else if (const auto* over = std::get_if<cmd::finish>(&what.what)) {
    finished_ = *over;
  }
}

void simulation::enqueue(const cmd::place& x) {
  if (!settings_.queue_trials) {
    if (auto why = whole_.impossible(x.request)) {
      tell(on::place_refused{x.trial, to_text(*why)});
      return;
    }
  }
  node_labels labels;
  if (!x.only_on.empty() && !whole_.impossible(x.request, {x.only_on}))
    labels.insert(x.only_on);
  head_.ledger->enqueue(x.trial.number, x.request, std::move(labels));
  grant();
}

void simulation::grant() {
  for (auto& x : head_.ledger->grant()) {
    auto id = x.what.id;
    head_.leases.emplace(id, x.what);
    head_.members.granted(id, x.what.bundles.front().node);
    if (how_.records)
      conduct_.granted({x.token}, x.what);
    if (head_.engine->machine().is_finished())
      for_head([this, id] { free(id); });
    else
      tell(head_.engine->machine().granted({x.token}, std::move(x.what)));
  }
}

void simulation::give_back(lease_id id) {
  auto known = head_.leases.find(id);
  if (known == head_.leases.end())
    return;
  if (how_.records)
    conduct_.given_back(known->second);
  head_.leases.erase(known);
  head_.ledger->release(id);
  grant();
}

void simulation::discard(const cmd::discard& x) {
  disk_.erase(x.checkpoint);
  if (happens(how_.faults.doubled))
    for_head([this, id = x.checkpoint] { tell(on::checkpoint_gone{id}); });
  tell(on::checkpoint_gone{x.checkpoint});
}

} // namespace tune

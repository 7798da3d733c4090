// How the head carries out commands.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/simulate/simulation.hpp"

#include <utility>

namespace tune {

/// Asks a rule. The answer is computed either at once or when it is delivered, and may come twice.
template <class Compute>
void simulation::ask(Compute compute) {
  auto again = happens(how_.faults.doubled);
  auto send = [this, again](event_body what) {
    if (again)
      for_head([this, what] { tell(what); });
    tell(std::move(what));
  };
  if (how_.most_delay.count() > 0 && chance_.below(2) == 0)
    for_head([send, what = event_body{compute()}] { send(what); });
  else
    for_head([send, compute] { send(compute()); });
}

void simulation::carry_out(const command& what) {
  if (how_.keeps_commands)
    carried_.push_back(what);
  if (how_.records)
    conduct_.carried(what);
  if (const auto* x = std::get_if<cmd::tell_scheduler>(&what.what)) {
    head_.rules.judge->apply(x->what);
  } else if (const auto* told = std::get_if<cmd::tell_searcher>(&what.what)) {
    head_.rules.source->apply(told->what);
  } else if (const auto* asked = std::get_if<cmd::ask_searcher>(&what.what)) {
    ask([this, q = asked->what] {
      return on::suggested{q.number, head_.rules.source->propose(q)};
    });
  } else if (const auto* judged = std::get_if<cmd::judge>(&what.what)) {
    ask([this, q = *judged] {
      auto later = head_.rules.judge->judge_later(q.cause, q.trial);
      return on::decided{{later ? later() : head_.rules.judge->judge(q.cause, q.trial)}};
    });
  } else if (const auto* chosen = std::get_if<cmd::choose>(&what.what)) {
    ask([this, q = *chosen] { return on::chosen{head_.rules.judge->choose(q.at, q.count)}; });
  } else if (const auto* stall = std::get_if<cmd::resolve_stall>(&what.what)) {
    ask([this, q = *stall] { return on::decided{{head_.rules.judge->on_stall(q.at)}}; });
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

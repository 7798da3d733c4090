// Trials that train on while their head is away.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/simulate/simulation.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>
#include <vector>

namespace tune {

namespace {

/// The iteration of a report, or of what was handed over with one; 0: none.
std::uint64_t iteration_of(const event_body& what) {
  if (const auto* x = std::get_if<on::reported>(&what))
    return x->what->iteration;
  if (const auto* x = std::get_if<on::saved>(&what))
    return x->checkpoint ? 0 : x->iteration;
  if (const auto* x = std::get_if<on::save_failed>(&what))
    return x->checkpoint ? 0 : x->iteration;
  return 0;
}

} // namespace

// -- At the node.

/// Whether trials there do not wait for answers: no answer could be but to go on or to stop, and a
/// head that lives does not count on the node any more.
bool simulation::trains_on(const node_state& node) const {
  const auto& checkpoints = settings_.checkpoints;
  return outlives_heads() && !head_.rules.judge().traits().needs_checkpoints
         && checkpoints.frequency == 0 && !checkpoints.at_end && node.lease
         && node.lease->at(agenda_.now()) != session_lease::state::held
         && node.frozen_until <= agenda_.now();
}

void simulation::train_on(std::size_t which) {
  if (!trains_on(nodes_[which]))
    return;
  std::vector<attempt_id> waiting;
  for (const auto& [attempt, who] : processes_) {
    if (who.node == which && who.waits && !who.computes)
      waiting.push_back(attempt);
  }
  for (auto attempt : waiting) {
    if (auto known = processes_.find(attempt); known != processes_.end())
      train_on(known->second);
  }
}

void simulation::train_on(process& who) {
  auto& node = nodes_[who.node];
  auto is_last = [&](const word& x) {
    const auto* said = std::get_if<on::reported>(&x.what);
    return said != nullptr && x.attempt == who.attempt
           && said->what->number == who.session.number();
  };
  auto kept = std::find_if(node.kept.begin(), node.kept.end(),
                           [&](const auto& x) { return is_last(x.what); });
  // The head has it on disk: only the answer is missing.
  if (kept == node.kept.end())
    return;
  kept->what.trained_on = true;
  for (auto& x : node.unsaid)
    x.trained_on = x.trained_on || is_last(x);
  who.passed_over = who.session.number();
  who.waits = false;
  who.session.go_on(agenda_.now());
  compute(who);
}

// -- At the head.

bool simulation::passes(std::size_t from, const word& what) {
  // Of an attempt that is over nothing is answered.
  if (!outlives_heads() || !head_.lease_of.contains(what.attempt))
    return true;
  auto& line = head_.lines[what.attempt];
  const auto iteration = iteration_of(what.what);
  const auto* said = std::get_if<on::reported>(&what.what);
  const auto is_last = std::holds_alternative<on::ended>(what.what)
                       || std::holds_alternative<on::exported>(what.what);
  using line_type = std::remove_reference_t<decltype(line)>;
  std::optional<typename line_type::mark> mark;
  if (said != nullptr)
    mark = {said->what->number, what.trained_on};
  const auto may = mark      ? line.passes(*mark)
                   : is_last ? line.is_empty()
                             : iteration == 0 || !line.has(iteration);
  if (may)
    return true;
  line.add({what.number, {from, what}, mark, iteration});
  // What it was asked for meanwhile it had left behind when it heard that, if it still did.
  if (auto asked = head_.saves_asked.extract(what.attempt); !asked.empty())
    for_head([this, x = std::move(asked.mapped())] { refuse_save(x); });
  return false;
}

void simulation::note_answer(attempt_id attempt, std::uint64_t report) {
  auto known = head_.lines.find(attempt);
  if (known == head_.lines.end())
    return;
  known->second.answered(report);
  if (!known->second.is_empty())
    for_head([this, attempt] { release(attempt); });
}

void simulation::note_halt(attempt_id attempt) {
  auto known = head_.lines.find(attempt);
  if (known != head_.lines.end() && known->second.drop_reports() > 0)
    for_head([this, attempt] { release(attempt); });
}

bool simulation::has_trained_on(attempt_id attempt) const {
  auto known = head_.lines.find(attempt);
  return known != head_.lines.end() && !known->second.is_empty();
}

/// The node answers in the place of the process, which may have ended since.
void simulation::refuse_save(const cmd::save& x) {
  tell(on::save_failed{x.trial, x.attempt, x.checkpoint, "it had trained on"});
}

void simulation::release(attempt_id attempt) {
  // What is taken in may have any effect, even the loss of the head.
  for (auto known = head_.lines.find(attempt); known != head_.lines.end();
       known = head_.lines.find(attempt)) {
    auto next = known->second.next();
    if (!next)
      return;
    take_in(next->first, next->second);
  }
}

} // namespace tune

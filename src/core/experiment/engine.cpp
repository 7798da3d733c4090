// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/experiment/engine.hpp"

#include <utility>

namespace tune {

engine::engine(experiment machine, engine_ports& ports)
    : machine_{std::move(machine)}, ports_{ports} {}

void engine::post(event_body what, instant now) {
  if (const auto* news = std::get_if<on::reported>(&what)) {
    if (auto known = machine_.answer_known(*news->what)) {
      route(std::move(*known));
      return;
    }
  }
  if (machine_.is_stale(what))
    return;
  // The checkpoint was handed over unasked: it gets its number here, so that the record names it.
  if (auto* kept = std::get_if<on::saved>(&what); kept != nullptr && !kept->checkpoint)
    kept->checkpoint = machine_.next_checkpoint();
  step(std::move(what), now);
  step_own(now);
}

order_verdict engine::order(event_body what, instant now) {
  auto result = machine_.weigh(what);
  if (result.what == order_verdict::kind::taken)
    post(std::move(what), now);
  return result;
}

void engine::step(event_body what, instant now) {
  event next{machine_.last_seq() + 1, now, std::move(what)};
  ports_.record(next);
  route(machine_.apply(next));
}

/// Applies the events that the machine itself asked for.
void engine::step_own(instant now) {
  while (!todo_.empty()) {
    auto own = std::move(todo_.front());
    todo_.pop_front();
    // Earlier events in the queue may have asked the same question already, or made it void.
    if (auto what = machine_.still_wanted(std::move(own)))
      step(std::move(*what), now);
  }
}

void engine::pass(instant now) {
  for (auto& what : machine_.due(now))
    post(what, now);
}

void engine::durable(sequence seq) {
  for (const auto& x : outbox_.release(seq))
    ports_.carry_out(x);
}

void engine::replay(const event& what) {
  for (const auto& x : machine_.apply(what)) {
    if (std::holds_alternative<cmd::tell_scheduler>(x.what)
        || std::holds_alternative<cmd::tell_searcher>(x.what))
      ports_.carry_out(x);
    else if (const auto* end = std::get_if<cmd::halt>(&x.what))
      ports_.recall(*end);
  }
  // The event was read from disk, so it is durable.
  durable(what.seq);
}

void engine::resume(instant now) {
  route(machine_.outstanding());
  step_own(now);
}

void engine::route(std::vector<command> commands) {
  for (auto& x : commands) {
    if (auto* own = std::get_if<cmd::log>(&x.what))
      todo_.push_back(std::move(own->what));
    else if (outbox_.pass(x))
      ports_.carry_out(x);
  }
}

} // namespace tune

// Replays the recorded reports of a configuration, as fast as they are answered.
// SPDX-License-Identifier: BSD-3-Clause
#include "trainables.hpp"

#include "tune/core/trial/attempt_session.hpp"

namespace tune {

namespace {

using table_impl = extend<trainable_actor, caf::result<void>(tick_atom)>;

struct table_state {
  static inline const char* name = "tune.table";

  trainable_start what;
  table_impl::pointer self = nullptr;
  std::vector<object> rows;
  std::size_t next = 0;
  attempt_session session{0, std::chrono::nanoseconds{0}, instant{0}};

  void end(end_class how, std::string detail = {}) {
    attempt_ended over;
    over.attempt = what.order.attempt;
    over.how = static_cast<std::uint8_t>(how);
    over.detail = std::move(detail);
    send(self, what.trial, std::move(over));
    self->quit();
  }

  void report() {
    if (next == rows.size()) {
      end(end_class::finished);
      return;
    }
    auto numbered = session.make(rows[next++], instant{0}, 0);
    if (!numbered)
      return end(end_class::user_error, "in the table: " + numbered.error().detail);
    auto& made = *numbered;
    attempt_report out;
    out.attempt = what.order.attempt;
    out.number = made.number;
    out.iteration = made.iteration;
    out.done = made.done;
    out.metrics = {std::move(made.metrics)};
    send(self, what.trial, std::move(out));
  }

  /// A recorded curve has no state but its position, so every checkpoint of it is empty.
  void answer(const attempt_answer& what_now) {
    if (what_now.kind == answer_kind::save || what_now.kind == answer_kind::save_and_end) {
      send(self, what.trial,
           attempt_saved{what.order.attempt, what_now.checkpoint, session.iteration(), 0, {}, 0});
    }
    if (what_now.kind == answer_kind::stop || what_now.kind == answer_kind::save_and_end)
      end(end_class::stopped);
    else
      report();
  }
};

table_impl::behavior_type table_trainable(table_impl::stateful_pointer<table_state> self,
                                          trainable_start what) {
  auto& state = state_of(self);
  state.self = self;
  state.what = std::move(what);
  state.session
      = attempt_session{state.what.order.iteration, std::chrono::nanoseconds{0}, instant{0}};
  state.rows
      = std::get<replay_table>(state.what.job->plan).curve_of(*state.what.order.config.content);
  auto me = caf::actor_cast<table_impl>(self);
  send(self, state.what.trial, state.what.order.attempt, trainable_actor{me});
  // Skip the rows that come before the checkpoint.
  while (state.next < state.rows.size()) {
    const auto* at = state.rows[state.next].find("training_iteration");
    auto iteration = at != nullptr && at->as_int() != nullptr
                         ? static_cast<std::uint64_t>(*at->as_int())
                         : state.next + 1;
    if (iteration > state.what.order.iteration)
      break;
    ++state.next;
  }
  send(self, me, tick_atom_v);
  return {
      [&state](const attempt_answer& what_now) { state.answer(what_now); },
      [&state](const attempt_halt&) { state.end(end_class::stopped); },
      [](ping_atom, std::uint64_t x) { return x; },
      [&state](tick_atom) { state.report(); },
  };
}

} // namespace

trainable_actor spawn_table_trainable(caf::actor_system& system, trainable_start what) {
  return system.spawn(table_trainable, std::move(what));
}

} // namespace tune

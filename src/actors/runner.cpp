// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/runner.hpp"

#include "command_messages.hpp"
#include "disk_waits.hpp"
#include "due_timers.hpp"
#include "rank_orders.hpp"
#include "replay_log.hpp"
#include "room_notes.hpp"
#include "run_notices.hpp"
#include "run_orders.hpp"
#include "run_status.hpp"
#include "running_trials.hpp"
#include "tune/actors/breaks.hpp"
#include "tune/actors/cluster.hpp"
#include "tune/actors/janitor.hpp"
#include "tune/actors/node.hpp"
#include "tune/actors/trial.hpp"
#include "tune/core/experiment/engine.hpp"
#include "tune/core/experiment/shown_saving.hpp"
#include "turn_messages.hpp"

#include <algorithm>
#include <chrono>

namespace tune {

namespace {

using runner_impl
    = extend<runner_local_actor, caf::result<void>(flush_atom), caf::result<void>(tick_atom),
             caf::result<void>(flush_atom, std::uint64_t)>;

/// If a trial actor broke down, nothing more would be heard of its trial: that ends the run.
trial_actor begin_trial(caf::actor_system& system, trial_id id, const runner_actor& me,
                        const runner_parts& run) {
  auto result = spawn_trial(system, id, me, run.cluster, run.outlives_heads);
  tell_of_break(result, "the actor of trial " + to_text(id), [me](const std::string& why) {
    send_from_outside(me, storage_failed{error{ec::internal, why}});
  });
  return result;
}

/// The node removes it, unless the checkpoint went away with the node.
void discard_in_memory(runner_impl::pointer self, const runner_parts& run, const cmd::discard& x) {
  send(self, run.cluster, pause_dropped{x.node, run.job, x.location});
  send(self, caf::actor_cast<runner_impl>(self), news{on::checkpoint_gone{x.checkpoint}});
}

/// Carries commands out by sending messages. The messages of one turn to the same actor are sent as
/// one, at the end of the turn.
struct runner_state : engine_ports {
  static inline const char* name = "tune.runner";

  runner_impl::pointer self = nullptr;
  std::unique_ptr<runner_parts> parts;
  std::unique_ptr<engine> loop;
  rule_silence silence;
  run_notices people;

  caf::actor_clock::time_point began;
  std::optional<run_summary> summary;

  turn_messages turn;
  running_trials trials;
  std::uint64_t results = 0;
  disk_waits undurable;
  room_notes room;
  shown_saving saving;
  due_timers timers;

  [[nodiscard]] instant now() const {
    return std::chrono::duration_cast<instant>(self->clock().now() - began);
  }

  [[nodiscard]] runner_actor me() const { return runner_actor{caf::actor_cast<runner_impl>(self)}; }

  /// Whether nothing can be recorded any more, so that nothing may happen any more.
  [[nodiscard]] bool is_broken() const { return summary && !summary->storage_error.empty(); }

  // -- Messages to events.

  /// Takes in a message, as soon as its turn has come.
  void hear(heard_word what) {
    turn.hear(std::move(what));
    take_all();
  }

  void take_all() {
    while (auto word = turn.next())
      std::visit([this](auto& x) { take(std::move(x)); }, *word);
  }

  void take(event_body what) { post(std::move(what)); }
  void take(deferred_word what) { post(std::move(what.what)); }

  void post(event_body what) {
    if (is_broken())
      return;
    room.explain(what, loop->machine());
    loop->post(std::move(what), now());
    end_turn();
  }

  void hear_durable(sequence seq) {
    if (is_broken())
      return;
    undurable.reached(seq);
    loop->durable(seq);
    for (const auto& x : undurable.take_answers())
      carry(x);
    undurable.confirm(self);
    undurable.settle(parts->janitor);
    end_turn();
  }

  void fail(const error& why) {
    undurable.fail(why);
    if (!summary)
      deliver({experiment_status::failed, to_text(why)}, to_text(why));
  }

  template <class Message>
  void tell_cluster(Message&& what) {
    send(self, caf::actor_cast<cluster_local_actor>(parts->cluster), std::forward<Message>(what),
         me());
  }

  // -- Turns.

  void end_turn() {
    if (const auto due = timers.set(loop->machine().next_deadline(), now()))
      look_at(*due);
    if (turn.wants_flush())
      send(self, caf::actor_cast<runner_impl>(self), flush_atom_v);
  }

  void flush() {
    const auto when = now();
    turn.flush(self, *parts, me(), when);
    if (const auto due = turn.record_due(when))
      delayed_send(self, caf::actor_cast<runner_impl>(self), *due - when, flush_atom_v,
                   std::uint64_t{0});
  }

  /// Something has waited for others on its way to the disk.
  void record_now() {
    turn.record_is_due();
    flush();
  }

  void look_at(instant at) {
    delayed_send(self, caf::actor_cast<runner_impl>(self), std::max(at - now(), instant{0}),
                 tick_atom_v);
  }

  void tick() {
    timers.rang(now());
    hear(tick_atom_v);
  }

  void take(tick_atom) {
    if (is_broken())
      return;
    for (auto& what : timers.to_tell(loop->machine().due(now()), now())) {
      what.is_queued
          = what.what == on::ticked::due::time_limit && parts->is_queued && parts->is_queued();
      loop->post(what, now());
    }
    look_for_answer();
    end_turn();
  }

  void take(client_orders x) {
    if (is_broken())
      return x.answer(error{ec::storage, summary->storage_error});
    auto told = order_all(*loop, std::move(x.what), now());
    undurable.owe(loop->machine().last_seq(), std::move(x.answer), std::move(told));
    end_turn();
  }

  void make_room(const room_wanted& x) {
    if (!is_broken() && pause_for(*loop, x, now(), room))
      end_turn();
  }

  void take(const word_taken& x) {
    if (!is_broken())
      undurable.confirm(self, loop->machine().last_seq(), x);
  }

  void take(const lease_granted& x) {
    if (is_broken() || loop->machine().is_finished())
      return send(self, parts->cluster, lease_over{x.what.id});
    post(loop->machine().granted(x.trial, x.what));
  }

  // -- Commands to messages.

  void record(const event& what) override {
    if (const auto* news = std::get_if<on::reported>(&what.what)) {
      ++results;
      trials.reported(news->what);
    }
    silence.heard(what);
    if (const auto can_save = saving.heard(what.what))
      tell_cluster(saving_shown{*can_save});
    people.happened(what);
    turn.add(what);
  }

  void carry_out(const command& what) override {
    std::visit([&](const auto& body) { carry(body, what.cause); }, what.what);
  }

  template <class Command>
  void carry(const Command& x, sequence cause) {
    if constexpr (is_row<Command>) {
      note(x, cause);
      turn.add(cause, x);
    } else {
      carry(x);
    }
  }

  void carry(const cmd::finish& x, sequence cause) {
    turn.add(cause, x);
    deliver(x);
  }

  void carry(const cmd::log&) {}
  void carry(const cmd::warn& x) { people.warn(x.text); }

  /// Warns once if a rule has not answered for long.
  void look_for_answer() {
    const auto found = silence.look(loop->machine(), parts->source, now());
    for (const auto& text : found.to_be_told)
      people.warn(text);
    for (auto at : found.next)
      look_at(at);
  }

  /// All other facts and questions to the rules.
  template <class Message>
  void carry(const Message& x) {
    turn.add(x);
    if constexpr (is_question_to_rule<Message>) {
      // At most one timer runs for each rule, however often it is asked.
      if (auto at = silence.asked(x, now()))
        look_at(*at);
    }
  }

  void carry(const cmd::place& x) {
    trials.begin(x.trial);
    send(self, parts->cluster, message_of(x, *parts), me());
  }

  void carry(const cmd::cancel_place& x) {
    send(self, parts->cluster, lease_cancel{x.trial}, me());
  }

  void carry(const cmd::release& x) { send(self, parts->cluster, lease_over{x.lease}); }

  void carry(const cmd::launch& x) {
    trials.launched(x.trial, x.config, now());
    auto order = order_of_launch(x, parts->job, parts->runs_ranks, parts->secret);
    trials.tell(self, x.trial, order);
    send(self, parts->cluster, std::move(order), trials.actor_of(x.trial));
  }

  void carry(const cmd::proceed& x) {
    if (undurable.hold_back(x, loop->machine().last_seq(), parts->most_undurable))
      return;
    trials.tell(self, x.trial, message_of(x));
  }

  void carry(const cmd::save& x) { trials.tell(self, x.trial, message_of(x)); }
  void carry(const cmd::halt& x) { trials.tell(self, x.trial, message_of(x)); }

  void carry(const cmd::discard& x) {
    if (!x.node.empty())
      return discard_in_memory(self, *parts, x);
    if (parts->janitor)
      send(self, parts->janitor, x, me());
  }

  void note(const cmd::attempt_changed& x, sequence cause) {
    people.changed(x, loop->machine(), now());
    if (auto for_whom = room_made_by(x); !for_whom.empty())
      tell_cluster(room_made{std::move(for_whom)});
    if (parts->janitor)
      undurable.changed(cause, x);
  }
  void note(const cmd::trial_progressed&, sequence) {}
  void note(const cmd::decision_taken& x, sequence) { people.decided(x, now()); }
  void note(const cmd::trial_changed& x, sequence) {
    people.changed(x, now());
    trials.changed(self, x, now());
  }

  // -- The beginning and the end.

  void open_run() {
    began = self->clock().now();
    send(self, parts->recorder, me());
    const auto log = replay_log(*loop, *parts, [this] { flush(); });
    if (!log)
      return fail(log.error());
    results = log->results;
    undurable.reached(loop->machine().last_seq());
    // Time goes on from where the log ends.
    began -= log->last;
    parts->opening = opening_of(*parts);
    if (auto done = follow_head(*loop, parts->rules_of_head, parts->opening); !done)
      return fail(done.error());
    post(parts->opening);
    send(self, parts->cluster, me());
    if (parts->history)
      go_on({{log->nodes.begin(), log->nodes.end()}});
  }

  void go_on(nodes_known before) {
    if (!parts->bad.empty())
      people.warn(text_of_bad(parts->bad));
    for (auto& x : first_events(loop->machine(), *parts))
      post(std::move(x));
    await_attempts();
    if (!before.nodes.empty())
      tell_cluster(std::move(before));
    loop->resume(now());
    end_turn();
  }

  /// Attempts that were launched by the head before this one may come back with their nodes.
  void await_attempts() {
    for (auto& x : awaited_launches(loop->machine(), *parts)) {
      trials.begin(x.trial);
      trials.launched(x.trial, x.config, now());
      trials.tell(self, x.trial, x.what.order);
      send(self, caf::actor_cast<cluster_local_actor>(parts->cluster), std::move(x.what),
           trials.actor_of(x.trial), me());
    }
  }

  /// Reports the end, which is durable, or never will be.
  void deliver(const cmd::finish& how, std::string storage_error = {}) {
    summary.emplace(
        run_summary{how.status, how.why, loop->machine().view(), now(), std::move(storage_error)});
    flush();
    people.finished(*summary);
  }

  [[nodiscard]] runner_status status(std::uint32_t most) const {
    auto result = status_of(loop->machine(), parts->source, silence, people.waits_for(), now());
    result.results = results;
    trials.list(result.running, most);
    return result;
  }
};

runner_impl::behavior_type runner(runner_impl::stateful_pointer<runner_state> self,
                                  const std::shared_ptr<runner_parts>& parts) {
  auto& state = state_of(self);
  state.self = self;
  state.parts = std::make_unique<runner_parts>(std::move(*parts));
  state.loop = std::make_unique<engine>(std::move(state.parts->machine), state);
  state.people.init(state.parts->observer);
  state.turn = turn_messages{*state.parts};
  state.trials.init([&state](trial_id id) {
    return begin_trial(state.self->system(), id, state.me(), *state.parts);
  });
  return {
      [&state](news& x) {
        state.hear(x.was_deferred ? heard_word{deferred_word{std::move(x.what)}}
                                  : heard_word{std::move(x.what)});
      },
      [&state](client_orders& x) { state.hear(std::move(x)); },
      [&state](const lease_granted& x) { state.hear(x); },
      [&state](const lease_refused& x) {
        state.hear(event_body{on::place_refused{x.trial, x.why}});
      },
      [&state](const remark& x) { state.people.tell(x); },
      [&state](const requests_unmet& x) { state.people.wait_for(x.text); },
      [&state](const word_taken& x) { state.hear(x); },
      [&state](const room_wanted& x) { state.make_room(x); },
      [&state](durable_up_to x) { state.hear_durable(x.seq); },
      [&state](const storage_failed& x) { state.fail(x.why); },
      [&state](run_atom) {
        state.open_run();
        // The log goes on from where it ended. A signal may have come before.
        state.turn.open();
        state.take_all();
      },
      [&state](status_atom, std::uint32_t most) { return state.status(most); },
      [](ping_atom, std::uint64_t x) { return x; },
      [&state](flush_atom) { state.flush(); },
      [&state](flush_atom, std::uint64_t) { state.record_now(); },
      [&state](tick_atom) { state.tick(); },
  };
}

} // namespace

runner_actor spawn_runner(caf::actor_system& system, runner_parts parts) {
  return system.spawn(runner, std::make_shared<runner_parts>(std::move(parts)));
}

} // namespace tune

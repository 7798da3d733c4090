// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/runner.hpp"

#include "owed_answers.hpp"
#include "rank_orders.hpp"
#include "tune/actors/breaks.hpp"
#include "tune/actors/janitor.hpp"
#include "tune/actors/launch_token.hpp"
#include "tune/actors/node.hpp"
#include "tune/actors/trial.hpp"
#include "tune/core/experiment/engine.hpp"
#include "tune/core/experiment/searcher_wait.hpp"
#include "turn_sequencer.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace tune {

namespace {

using runner_impl
    = extend<runner_actor, caf::result<void>(flush_atom), caf::result<void>(tick_atom)>;

/// Most remarks with a subject that are shown, of all workers together: more would help nobody.
constexpr std::size_t most_said = 1'000;

/// Carries commands out by sending messages. The messages of one turn to the same actor are sent as
/// one, at the end of the turn.
struct runner_state : engine_ports {
  static inline const char* name = "tune.runner";

  runner_impl::pointer self = nullptr;
  std::unique_ptr<engine> loop;
  on::opened opening;
  scheduler_actor scheduler;
  searcher_actor searcher;
  cluster_actor cluster;
  recorder_actor recorder;
  janitor_actor janitor;
  std::string job;
  std::string secret;
  node_labels labels;
  bool queue_trials = false;
  bool runs_ranks = false;
  searcher_traits source;
  /// Time of the last question to the searcher, and whether it has not been answered and users have
  /// not been told of the wait.
  instant asked_at{0};
  bool awaits_answer = false;
  /// Time at which a timer looks for its answer.
  std::optional<instant> listens_until;
  /// Describes what trials wait for that no node has.
  std::string waits_for;
  sequence most_undurable = 0;
  std::shared_ptr<run_observer> observer;
  history_function history;
  head_rules_function rules_of_head;
  std::vector<on::checkpoint_bad> bad;
  /// Subjects of the remarks shown so far.
  std::set<std::string> said;
  std::vector<on::retry_asked> again;
  bool only_again = false;
  std::vector<on::add_asked> additions;

  /// Set once the log goes on from where it ended. Earlier messages wait: a signal may come first.
  bool is_open = false;
  std::vector<heard_word> early;
  caf::actor_clock::time_point began;
  std::optional<run_summary> summary;

  /// Messages of this turn to the other actors.
  scheduler_turn for_scheduler;
  searcher_turn for_searcher;
  record_turn for_recorder;
  bool flushing = false;
  turn_sequencer gate;

  /// State of a trial that has not ended.
  struct held_trial {
    trial_actor actor;
    config_ptr config;
    std::shared_ptr<const report> last;
    instant since{0};
    bool running = false;
  };
  std::map<trial_id, held_trial> hands;
  std::uint64_t results = 0;
  sequence durable = 0;
  /// Answers to trials, held back until the disk has caught up.
  std::vector<cmd::proceed> withheld;
  /// Answers to clients, likewise.
  owed_answers owed;
  /// Attempts lost with their node, by the event of their end, until that is on disk.
  std::vector<std::tuple<sequence, trial_id, attempt_id>> lost;
  /// Due times of the timers that run.
  std::set<instant> timers;

  /// A holder of a trial actor, perhaps an abandoned thread, must not keep the system alive.
  ~runner_state() override {
    for (const auto& [id, hand] : hands) {
      if (hand.actor)
        caf::anon_send_exit(hand.actor, caf::exit_reason::user_shutdown);
    }
  }

  [[nodiscard]] instant now() const {
    return std::chrono::duration_cast<instant>(self->clock().now() - began);
  }

  /// Whether nothing can be recorded any more, so that nothing may happen any more.
  [[nodiscard]] bool is_broken() const { return summary && !summary->storage_error.empty(); }

  // -- Messages to events.

  /// Takes in a message, as soon as its turn has come.
  void hear(heard_word what) {
    if (!is_open)
      return early.push_back(std::move(what));
    gate.hear(std::move(what));
    while (auto word = gate.next())
      std::visit([this](auto& x) { take(std::move(x)); }, *word);
  }

  void take(event_body what) { post(std::move(what)); }
  void take(deferred_word what) { post(std::move(what.what)); }

  void post(event_body what) {
    if (is_broken())
      return;
    loop->post(std::move(what), now());
    end_turn();
  }

  void hear_durable(sequence seq) {
    if (is_broken())
      return;
    durable = seq;
    loop->durable(seq);
    for (const auto& x : std::exchange(withheld, {}))
      carry(x);
    owed.pay(durable);
    tidy_up_lost();
    end_turn();
  }

  /// Everything these attempts registered is known by now.
  void tidy_up_lost() {
    std::erase_if(lost, [this](const auto& x) {
      const auto& [seq, trial, attempt] = x;
      if (seq > durable)
        return false;
      tidy_up(janitor, trial, attempt);
      return true;
    });
  }

  void fail(const error& why) {
    owed.fail(why);
    if (summary)
      return;
    summary = make_summary({experiment_status::failed, to_text(why)});
    summary->storage_error = to_text(why);
    deliver();
  }

  // -- Turns.

  void end_turn() {
    arm();
    if (flushing)
      return;
    flushing = true;
    send(self, caf::actor_cast<runner_impl>(self), flush_atom_v);
  }

  void flush() {
    flushing = false;
    auto me = runner_actor{caf::actor_cast<runner_impl>(self)};
    if (!for_recorder.items.empty())
      send(self, recorder, std::exchange(for_recorder, {}));
    gate.sent(for_scheduler);
    gate.sent(for_searcher);
    const auto& x = for_scheduler;
    if (!x.facts.empty() || !x.judge.empty() || !x.choose.empty() || !x.stalls.empty())
      send(self, scheduler, std::exchange(for_scheduler, {}), me);
    if (!for_searcher.facts.empty() || !for_searcher.asks.empty())
      send(self, searcher, std::exchange(for_searcher, {}), me);
  }

  /// Sets a timer for the next deadline, unless an earlier one runs. There are no two timers for
  /// the same time: many trials may come and go before the time limit.
  void arm() {
    auto due = loop->machine().next_deadline();
    if (!due || (!timers.empty() && *timers.begin() <= *due))
      return;
    timers.insert(*due);
    delayed_send(self, caf::actor_cast<runner_impl>(self), std::max(*due - now(), instant{0}),
                 tick_atom_v);
  }

  void tick() {
    timers.erase(timers.begin(), timers.upper_bound(now()));
    hear(tick_atom_v);
  }

  void take(tick_atom) {
    if (is_broken())
      return;
    loop->pass(now());
    look_for_answer();
    end_turn();
  }

  void take(client_orders x) {
    if (is_broken()) {
      x.answer(error{ec::storage, summary->storage_error});
      return;
    }
    std::vector<order_verdict> told;
    for (auto& one : x.what)
      told.push_back(loop->order(std::move(one), now()));
    owed.owe(loop->machine().last_seq(), std::move(x.answer), std::move(told));
    owed.pay(durable);
    end_turn();
  }

  void take(const lease_granted& x) {
    if (is_broken() || loop->machine().is_finished()) {
      send(self, cluster, lease_over{x.what.id});
      return;
    }
    post(loop->machine().granted(x.trial, x.what));
  }

  // -- Commands to messages.

  void record(const event& what) override {
    if (const auto* news = std::get_if<on::reported>(&what.what)) {
      ++results;
      if (auto known = hands.find(news->what->trial); known != hands.end())
        known->second.last = news->what;
    }
    if (std::holds_alternative<on::suggested>(what.what))
      awaits_answer = false;
    if (observer)
      show(what);
    for_recorder.items.emplace_back(what);
  }

  void show(const event& what) const {
    if (const auto* news = std::get_if<on::reported>(&what.what))
      observer->reported(news->what, what.at);
    else if (const auto* kept = std::get_if<on::saved>(&what.what))
      observer->saved(*kept, what.at);
  }

  void carry_out(const command& what) override {
    std::visit([&](const auto& body) { carry(body, what.cause); }, what.what);
  }

  template <class Command>
  void carry(const Command& x, sequence cause) {
    if constexpr (is_row<Command>) {
      note(x);
      if constexpr (std::is_same_v<Command, cmd::attempt_changed>)
        remember(x, cause);
      for_recorder.items.emplace_back(cause, x);
    } else {
      carry(x);
    }
  }

  void carry(const cmd::finish& x, sequence cause) {
    for_recorder.items.emplace_back(cause, x);
    summary = make_summary(x);
    deliver();
  }

  void carry(const cmd::log&) {}
  void tell_people(const remark& x) {
    // Each node says it once.
    const auto is_news
        = x.about.empty() || (said.size() < most_said && said.insert(x.about).second);
    if (is_news)
      carry(cmd::warn{x.text});
  }

  void carry(const cmd::warn& x) {
    if (observer)
      observer->warned(x.text);
  }
  void carry(const cmd::ask_searcher& x) {
    for_searcher.asks.push_back(x.what);
    gate.will_ask();
    asked_at = now();
    awaits_answer = true;
    if (!listens_until)
      listen_for_answer(asked_at + answer_wait_told_after);
  }

  /// At most one timer runs, however often the searcher is asked.
  void listen_for_answer(instant until) {
    listens_until = until;
    delayed_send(self, caf::actor_cast<runner_impl>(self),
                 std::max(*listens_until - now(), instant{0}), tick_atom_v);
  }

  [[nodiscard]] bool has_long_silence() const {
    return now() >= asked_at + answer_wait_told_after && waits_for_answer(loop->machine());
  }

  /// Warns once if the searcher has not answered for long. Trials may end meanwhile.
  void look_for_answer() {
    if (!listens_until || now() < *listens_until)
      return;
    listens_until.reset();
    if (!awaits_answer || is_broken() || loop->machine().is_finished())
      return;
    if (!has_long_silence())
      return listen_for_answer(std::max(asked_at, now() - std::chrono::seconds{1})
                               + answer_wait_told_after);
    awaits_answer = false;
    carry(cmd::warn{answer_wait_text(source)});
  }

  void carry(const cmd::tell_searcher& x) { for_searcher.facts.push_back(x.what); }
  void carry(const cmd::tell_scheduler& x) { for_scheduler.facts.push_back(x.what); }
  void carry(const cmd::judge& x) { for_scheduler.judge.push_back(x); }
  void carry(const cmd::choose& x) {
    for_scheduler.choose.push_back(x);
    gate.will_choose();
  }
  void carry(const cmd::resolve_stall& x) { for_scheduler.stalls.push_back(x); }

  /// If a trial actor broke down, nothing more would be heard of its trial: that ends the run.
  [[nodiscard]] trial_actor begin_trial(trial_id id, const runner_actor& me) const {
    auto result = spawn_trial(self->system(), id, me, cluster);
    tell_of_break(result, "the actor of trial " + to_text(id), [me](const std::string& why) {
      send_from_outside(me, storage_failed{error{ec::internal, why}});
    });
    return result;
  }

  void carry(const cmd::place& x) {
    auto& hand = hands[x.trial];
    auto me = runner_actor{caf::actor_cast<runner_impl>(self)};
    if (!hand.actor)
      hand.actor = begin_trial(x.trial, me);
    lease_request wanted{x.trial, x.request, queue_trials, labels, {}};
    if (!x.only_on.empty())
      wanted.best = node_label(x.only_on);
    send(self, cluster, std::move(wanted), me);
  }

  void carry(const cmd::cancel_place& x) {
    send(self, cluster, lease_cancel{x.trial}, runner_actor{caf::actor_cast<runner_impl>(self)});
  }

  void carry(const cmd::release& x) { send(self, cluster, lease_over{x.lease}); }

  void carry(const cmd::launch& x) {
    auto& hand = hands[x.trial];
    hand.config = x.config;
    hand.since = now();
    hand.running = true;
    launch_order order;
    order.trial = x.trial.number;
    order.attempt = x.attempt;
    order.lease = x.where.id.number;
    order.job = job;
    order.config = {x.config};
    for (const auto& bundle : x.where.bundles)
      order.bundles.push_back(told_of(bundle));
    if (runs_ranks)
      order.ranks = static_cast<std::uint32_t>(order.bundles.size());
    take_bundle(order, 0);
    order.restore_from = x.from_location;
    order.iteration = x.iteration;
    order.time_total_ns = x.time_total.count();
    order.ends = x.ends;
    order.launch_token = launch_token_of(secret, attempt_claim{order});
    send(self, hand.actor, order);
    send(self, cluster, order, hand.actor);
  }

  void carry(const cmd::proceed& x) {
    if (loop->machine().last_seq() - durable > most_undurable) {
      withheld.push_back(x);
      return;
    }
    tell(x.trial,
         attempt_answer{x.attempt, x.number, answer_kind::go_on, x.until, 0, false, false});
  }

  void carry(const cmd::save& x) {
    auto kind = x.then_end ? answer_kind::save_and_end : answer_kind::save;
    tell(x.trial,
         attempt_answer{x.attempt, x.number, kind, 0, x.checkpoint.number, x.in_memory, x.exports});
  }

  void carry(const cmd::discard& x) {
    if (!x.node.empty())
      return discard_in_memory(x);
    if (janitor)
      send(self, janitor, x, runner_actor{caf::actor_cast<runner_impl>(self)});
  }

  /// The node removes it, unless the checkpoint went away with the node.
  void discard_in_memory(const cmd::discard& x) {
    send(self, cluster, pause_dropped{x.node, job, x.location});
    send(self, caf::actor_cast<runner_impl>(self), news{on::checkpoint_gone{x.checkpoint}});
  }

  void carry(const cmd::halt& x) {
    tell(x.trial, attempt_halt{x.attempt, static_cast<std::uint8_t>(x.how), x.exports});
  }

  template <class Message>
  void tell(trial_id id, const Message& what) {
    auto known = hands.find(id);
    if (known != hands.end() && known->second.actor)
      send(self, known->second.actor, what);
  }

  void note(const cmd::attempt_changed& x) {
    if (observer && !x.finished)
      observer->attempt_began(x, now());
    if (!x.finished || !observer || !is_failure(x.how))
      return;
    auto status = loop->machine().status_of(x.trial);
    // The trial came to its end, however its last attempt ended.
    if (status != trial_status::terminated)
      observer->attempt_failed(x, status == trial_status::pending, now());
  }

  void remember(const cmd::attempt_changed& x, sequence cause) {
    // The node of a preempted attempt may have begun anew.
    const auto is_given_up = x.how == end_class::node_lost || x.how == end_class::preempted;
    if (janitor && x.finished && is_given_up)
      lost.emplace_back(cause, x.trial, x.attempt);
  }

  void note(const cmd::trial_progressed&) {}

  void note(const cmd::decision_taken& x) {
    if (observer)
      observer->decided(x, now());
  }

  void note(const cmd::trial_changed& x) {
    if (observer)
      observer->trial_changed(x, now());
    auto known = hands.find(x.trial);
    if (known == hands.end())
      return;
    auto& hand = known->second;
    const auto runs = x.status == trial_status::running;
    // The launch follows once this change is on disk.
    if (runs && !hand.running) {
      hand.config = x.config;
      hand.since = now();
    }
    hand.last = x.last;
    hand.running = runs;
    if (!is_final(x.status))
      return;
    // The actor ends after its last messages: an exit message keeps its place in the order.
    self->send_exit(known->second.actor, caf::exit_reason::user_shutdown);
    hands.erase(known);
  }

  // -- The beginning and the end.

  void begin_run() {
    open_run();
    is_open = true;
    for (auto& x : std::exchange(early, {}))
      hear(std::move(x));
  }

  void open_run() {
    began = self->clock().now();
    send(self, recorder, runner_actor{caf::actor_cast<runner_impl>(self)});
    if (history && !replay())
      return;
    if (!again.empty() || only_again || !additions.empty())
      opening.how = tune::opening::gathers;
    if (!follow(opening))
      return;
    post(opening);
    send(self, cluster, runner_actor{caf::actor_cast<runner_impl>(self)});
    if (!history)
      return;
    // Attempts under the last head ended with it.
    give_up_bad();
    for (auto [trial, attempt] : loop->machine().open_attempts())
      post(on::ended{trial, attempt, end_class::interrupted, "its head was lost", {}});
    if (opening.how == tune::opening::gathers) {
      for (auto& x : std::exchange(again, {}))
        post(std::move(x));
      for (auto& x : std::exchange(additions, {}))
        post(std::move(x));
      post(on::gathered{only_again});
    }
    loop->resume(now());
    end_turn();
  }

  /// Gives up bad checkpoints, so that nothing is restored from them.
  void give_up_bad() {
    if (bad.empty())
      return;
    const auto& first = bad.front();
    auto text = "trial " + to_text(first.trial) + ": checkpoint "
                + std::to_string(first.checkpoint.number) + " cannot be restored: " + first.why;
    if (bad.size() > 1)
      text += "; nor can " + std::to_string(bad.size() - 1) + " more";
    if (observer)
      observer->warned(text);
    for (auto& x : std::exchange(bad, {}))
      post(std::move(x));
  }

  /// Applies the rules that change with this head.
  bool follow(const on::opened& head) {
    if (!rules_of_head)
      return true;
    auto change = rules_of_head(head);
    if (!change) {
      fail(change.error());
      return false;
    }
    if (*change)
      loop->go_by(std::move(**change));
    return true;
  }

  /// Brings machine, scheduler and searcher to where the log ends; time goes on from there.
  bool replay() {
    instant last{0};
    for (;;) {
      auto some = history(loop->machine().last_seq());
      if (!some) {
        fail(some.error());
        return false;
      }
      if (some->empty())
        break;
      for (const auto& x : *some) {
        const auto* head = std::get_if<on::opened>(&x.what);
        if (head != nullptr && !follow(*head))
          return false;
        loop->replay(x);
        last = x.at;
        results += std::holds_alternative<on::reported>(x.what) ? 1 : 0;
      }
      flush();
    }
    durable = loop->machine().last_seq();
    began -= last;
    return true;
  }

  [[nodiscard]] run_summary make_summary(const cmd::finish& how) const {
    return {how.status, how.why, loop->machine().view(), now(), {}};
  }

  /// Reports the end, which is durable, or never will be.
  void deliver() {
    flush();
    if (observer)
      observer->finished(*summary);
  }

  void wait_for(const std::string& what) {
    waits_for = what;
    if (!what.empty())
      carry(cmd::warn{what});
  }

  [[nodiscard]] runner_status status(std::uint32_t most) const {
    runner_status result;
    result.view = loop->machine().view();
    result.waits_for = waits_for.empty() ? result.view.waits_for : waits_for;
    if (result.waits_for.empty() && waits_for_searcher(loop->machine()))
      result.waits_for = searcher_wait_text(std::chrono::seconds{0});
    if (result.waits_for.empty() && waits_for_clients(loop->machine(), source))
      result.waits_for = client_wait_text();
    if (result.waits_for.empty() && has_long_silence())
      result.waits_for = answer_wait_text(source);
    result.at = now();
    result.results = results;
    for (auto count : result.view.counts)
      result.trials += count;
    for (const auto& [id, hand] : hands) {
      if (result.running.size() == most)
        break;
      if (hand.running)
        result.running.push_back({id, hand.config, hand.last, hand.since});
    }
    return result;
  }
};

runner_impl::behavior_type runner(runner_impl::stateful_pointer<runner_state> self,
                                  std::shared_ptr<runner_parts> parts) {
  auto& state = state_of(self);
  state.self = self;
  state.loop = std::make_unique<engine>(std::move(parts->machine), state);
  state.opening = parts->opening;
  state.scheduler = parts->scheduler;
  state.searcher = parts->searcher;
  state.cluster = parts->cluster;
  state.recorder = parts->recorder;
  state.janitor = parts->janitor;
  state.job = std::move(parts->job);
  state.secret = std::move(parts->secret);
  state.labels = std::move(parts->labels);
  state.queue_trials = parts->queue_trials;
  state.runs_ranks = parts->runs_ranks;
  state.source = parts->source;
  state.gate = turn_sequencer{parts->prompt_scheduler, parts->prompt_searcher};
  state.most_undurable = parts->most_undurable;
  state.observer = std::move(parts->observer);
  state.history = std::move(parts->history);
  state.rules_of_head = std::move(parts->rules_of_head);
  state.bad = std::move(parts->bad);
  state.again = std::move(parts->again);
  state.only_again = parts->only_again;
  state.additions = std::move(parts->additions);
  return {
      [&state](news& x) {
        if (x.was_deferred)
          state.hear(deferred_word{std::move(x.what)});
        else
          state.hear(std::move(x.what));
      },
      [&state](client_orders& x) { state.hear(std::move(x)); },
      [&state](const lease_granted& x) { state.hear(x); },
      [&state](const lease_refused& x) {
        state.hear(event_body{on::place_refused{x.trial, x.why}});
      },
      [&state](const remark& x) { state.tell_people(x); },
      [&state](const requests_unmet& x) { state.wait_for(x.text); },
      [&state](durable_up_to x) { state.hear_durable(x.seq); },
      [&state](const storage_failed& x) { state.fail(x.why); },
      [&state](run_atom) { state.begin_run(); },
      [&state](status_atom, std::uint32_t most) { return state.status(most); },
      [](ping_atom, std::uint64_t x) { return x; },
      [&state](flush_atom) { state.flush(); },
      [&state](tick_atom) { state.tick(); },
  };
}

} // namespace

runner_actor spawn_runner(caf::actor_system& system, runner_parts parts) {
  return system.spawn(runner, std::make_shared<runner_parts>(std::move(parts)));
}

} // namespace tune

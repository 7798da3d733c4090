// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/trial.hpp"

#include "attempt_events.hpp"
#include "attempt_line.hpp"
#include "not_ready.hpp"
#include "rank_cost_board.hpp"
#include "rank_ends.hpp"
#include "rank_orders.hpp"

#include "tune/actors/firm.hpp"
#include "tune/actors/runner.hpp"
#include "tune/core/trial/costs.hpp"
#include "tune/core/trial/rank_group.hpp"
#include "tune/core/trial/word_window.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace tune {

namespace {

/// Spawns the head's end of the conversation with a further rank.
/// @param chief The trial, which hears only of its end.
/// @param costs Takes what the rank costs.
trial_local_actor spawn_rank_trial(caf::actor_system& system, trial_id id,
                                   const trial_local_actor& chief, std::uint32_t rank,
                                   std::shared_ptr<rank_cost_board> costs);

struct trial_state {
  static inline const char* name = "tune.trial";

  trial_id id;
  trial_local_actor::pointer self = nullptr;
  runner_actor runner;
  /// Launches further ranks.
  cluster_actor cluster;
  /// Set where this is the trial of a further rank: its chief, and its rank.
  trial_local_actor chief;
  std::uint32_t rank = 0;
  /// Costs of the further ranks of the attempt.
  std::shared_ptr<rank_cost_board> rank_costs;
  /// The launch order of the attempt.
  launch_order order;
  rank_group ranks;
  /// Ends of the ranks that are gone.
  std::map<std::uint32_t, attempt_ended> ends;
  /// Trials of the further ranks that were launched.
  std::map<std::uint32_t, trial_local_actor> rank_trials;
  monitors watched;
  /// The attempt under way; none between attempts.
  attempt_id attempt;
  /// Null until it has introduced itself, and while it is out of reach.
  trainable_actor trainable;
  /// The node that its messages come from, if that is another machine.
  std::optional<node_actor> place;
  /// The last messages for the trainable: it gets them when it comes, or comes back.
  std::optional<attempt_answer> answer;
  std::optional<attempt_halt> halt;
  /// Messages of its attempt proxy, where it has one.
  incoming_words words;
  /// Those that wait, since the trial trained on while its head was away.
  attempt_line line;
  attempt_proxy_actor speaker;
  bool waits_for_disk = false;

  [[nodiscard]] bool is_current(attempt_key key) const { return attempt && key.id() == attempt; }

  /// Whether the sender may speak of the attempt: nobody speaks of one that runs elsewhere.
  [[nodiscard]] bool may_speak() const {
    return place ? is_of_sender(self, *place) : is_from_here(self);
  }

  void settle(const attempt_place& what) {
    if (is_current(what.attempt))
      place = what.node;
  }

  ~trial_state() { close_desks(); }

  void close_desks() {
    for (const auto& [which, rank_trial] : std::exchange(rank_trials, {}))
      caf::anon_send_exit(rank_trial, caf::exit_reason::user_shutdown);
  }

  void begin(const launch_order& next) {
    begin(next.attempt);
    order = next;
    if (next.is_awaited)
      words = incoming_words::in_place_of_another();
    if (!chief)
      rank_costs = next.ranks > 1 ? std::make_shared<rank_cost_board>() : nullptr;
    const auto launched_here = !chief && cluster ? next.bundles.size() : 1;
    ranks = rank_group{std::min(next.ranks, static_cast<std::uint32_t>(launched_here))};
  }

  void begin(attempt_key next) {
    attempt = next;
    close_desks();
    ends.clear();
    place.reset();
    trainable = trainable_actor{};
    answer.reset();
    halt.reset();
    words = {};
    line = {};
    speaker = attempt_proxy_actor{};
  }

  /// Tells the runner; of a further rank only the end matters.
  void tell(event_body what) {
    if (!chief)
      send(self, runner, news{std::move(what)});
  }

  void pass_on(const std::vector<std::string>& remarks) {
    if (chief)
      return;
    for (auto& x : remarks_of(id, remarks))
      send(self, runner, std::move(x));
  }

  void pass(const attempt_answer& what) {
    if (!is_current(what.attempt))
      return;
    if (what.kind == answer_kind::stop || what.kind == answer_kind::save_and_end)
      ranks.let_end();
    pass(answer, what);
    line.answered(what);
    go_on_in_line();
  }

  void pass(const attempt_halt& what) {
    if (!is_current(what.attempt))
      return;
    for (const auto& x : ranks.halt(mode_of(what))) {
      const auto* told = std::get_if<rank_cmd::halt>(&x);
      if (told != nullptr && told->rank == 0)
        pass(halt, what);
      else
        std::visit([&](const auto& y) { act(y); }, x);
    }
    drop_reports();
  }

  // -- What waits until the report before it is answered.

  void drop_reports() {
    if (auto text = line.drop_reports(); !text.empty())
      pass_on({"trained on", std::move(text)});
    go_on_in_line();
  }

  void go_on_in_line() {
    const auto key = attempt_key{attempt};
    const auto whom = speaker;
    const auto all = words.heard();
    const auto upto = line.go_on(all, [this](const auto& x) { take(x); });
    if (upto && whom)
      confirm(whom, {key, *upto});
  }

  template <class Word>
  void pass(std::optional<Word>& kept, const Word& what) {
    kept = what;
    if (trainable)
      send(self, trainable, what);
  }

  // -- Commands of the rank group.

  void carry_out(const rank_commands& all) {
    for (const auto& x : all)
      std::visit([&](const auto& y) { act(y); }, x);
  }

  void act(const rank_cmd::launch& x) {
    auto rank_trial = spawn_rank_trial(self->system(), id, caf::actor_cast<trial_local_actor>(self),
                                       x.rank, rank_costs);
    const auto wanted = order_of_rank(order, x.rank, order.port);
    rank_trials[x.rank] = rank_trial;
    send(self, rank_trial, wanted);
    send(self, cluster, wanted, trial_actor{rank_trial});
  }

  void act(const rank_cmd::halt& x) {
    const attempt_halt what{attempt_key{attempt}, static_cast<std::uint8_t>(x.how), false};
    if (x.rank == 0)
      pass(halt, what);
    else if (auto known = rank_trials.find(x.rank); known != rank_trials.end())
      send(self, known->second, what);
  }

  void act(const rank_cmd::over& x) { finish(joint_end(ends, x.as, order)); }

  void hear(const rank_ended& what) {
    if (is_current(what.how.attempt))
      hear_end(what.rank, what.how);
  }

  void hear_end(std::uint32_t which, const attempt_ended& how) {
    ends.try_emplace(which, how);
    carry_out(ranks.ended(which, class_of(how)));
  }

  void attach(attempt_key key, const trainable_actor& whom) {
    if (!is_current(key)) {
      send(self, whom, attempt_halt{key, static_cast<std::uint8_t>(halt_mode::kill)});
      return;
    }
    if (!may_speak() || !is_of_sender(self, whom))
      return;
    trainable = whom;
    watched.watch(self, whom, [this, key](const caf::error& why) { lose(key, why); });
    if (answer)
      send(self, whom, *answer);
    if (halt)
      send(self, whom, *halt);
  }

  /// Handles a message that an attempt proxy keeps until it knows that it was heard, even if it
  /// comes too late.
  template <class Word>
  void hear(std::uint64_t number, const Word& what) {
    auto from = sender_of<attempt_proxy_actor>(self);
    if (!is_current(what.attempt)) {
      if (from)
        confirm(from, {what.attempt, number});
      return;
    }
    if (!may_speak())
      return;
    constexpr auto is_frequent
        = std::is_same_v<Word, attempt_report> || std::is_same_v<Word, attempt_started>;
    auto is_news = words.take(number);
    auto tells = words.is_to_be_told(!is_frequent || !is_news);
    const auto heard = words.heard();
    speaker = from;
    // The runner hears first: a node frees a place once its end was heard, and the runner must not
    // see the next trial there before that.
    if (is_news && line.passes(number, what))
      take(what);
    // What waits is kept by the attempt proxy, in case that this head dies, too.
    if (tells && from)
      confirm(from, {what.attempt, line.taken(heard)});
  }

  /// The runner knows when everything before is on disk.
  void confirm(const attempt_proxy_actor& whom, const words_heard& what) {
    if (waits_for_disk)
      send(self, caf::actor_cast<runner_local_actor>(runner), word_taken{whom, what});
    else
      send(self, whom, what);
  }

  /// The trainable is gone. If it had reported its end, that was heard first, and this has no
  /// effect.
  void lose(attempt_key key, const caf::error& why) {
    if (!is_current(key))
      return;
    // The trainable may run on, and come back: the cluster tells when it counts as lost.
    if (is_unreachable(why)) {
      trainable = trainable_actor{};
      return;
    }
    // The node tells the end.
    if (not_ready_from(why))
      return;
    take(end_without_word(key, render(self->system(), why)));
  }

  void take(const attempt_started& what) {
    if (!is_current(what.attempt))
      return;
    tell(event_of(id, what));
    if (what.exports)
      return;
    order.port = what.port;
    carry_out(ranks.begun());
  }

  void take(const attempt_report& what) {
    // A further rank tells nothing but what it costs.
    if (chief && rank_costs && what.metrics.content)
      return rank_costs->note(rank, cost_sheet::among(*what.metrics.content));
    auto full = as_report(id, what);
    if (rank_costs && is_current(what.attempt))
      full->metrics
          = with_costs_of_ranks(full->metrics, from_record(order.costs.content), rank_costs->sum());
    if (what.done && is_current(what.attempt))
      ranks.let_end();
    pass_on(what.remarks);
    tell(on::reported{std::move(full)});
  }

  void take(const attempt_saved& what) { tell(event_of(id, what, place.has_value())); }

  void take(const attempt_save_failed& what) {
    tell(event_of(id, what));
    // The attempt was to end with this checkpoint, but trains on.
    if (is_current(what.attempt) && what.checkpoint != 0 && !halt)
      carry_out(ranks.goes_on());
  }

  void take(const attempt_exported& what) {
    auto told = is_current(what.attempt) ? event_of(id, what) : std::nullopt;
    if (told)
      tell(std::move(*told));
  }

  void take(const attempt_ended& what) {
    if (is_current(what.attempt))
      hear_end(0, what);
  }

  /// Nothing of the attempt runs any more.
  void finish(const attempt_ended& what) {
    begin(attempt_key{});
    if (chief)
      return send(self, chief, rank_ended{rank, what});
    pass_on(what.remarks);
    tell(event_of(id, what));
  }
};

/// The actors that a trial reports to, and the one that launches for it.
struct trial_ties {
  runner_actor runner = {};
  cluster_actor cluster = {};
  trial_local_actor chief = {};
  std::uint32_t rank = 0;
  bool waits_for_disk = false;
  std::shared_ptr<rank_cost_board> rank_costs = {};
};

trial_local_actor::behavior_type trial(trial_local_actor::stateful_pointer<trial_state> self,
                                       trial_id id, trial_ties ties) {
  auto& state = state_of(self);
  state.self = self;
  state.id = id;
  state.runner = std::move(ties.runner);
  state.cluster = std::move(ties.cluster);
  state.chief = std::move(ties.chief);
  state.rank = ties.rank;
  state.waits_for_disk = ties.waits_for_disk;
  state.rank_costs = std::move(ties.rank_costs);
  stand_firm(self);
  state.watched.init(self);
  return {
      [&state](const launch_order& what) { state.begin(what); },
      [&state](const attempt_answer& what) { state.pass(what); },
      [&state](const attempt_halt& what) { state.pass(what); },
      [&state](attempt_key key, const trainable_actor& whom) { state.attach(key, whom); },
      [&state](const attempt_started& what) { state.take(what); },
      [&state](const attempt_report& what) { state.take(what); },
      [&state](const attempt_saved& what) { state.take(what); },
      [&state](const attempt_save_failed& what) { state.take(what); },
      [&state](const attempt_exported& what) { state.take(what); },
      [&state](const attempt_ended& what) { state.take(what); },
      [&state](attempt_key key, const attempt_proxy_actor& whom) {
        state.attach(key, trainable_actor{whom});
      },
      [&state](std::uint64_t n, const attempt_started& x) { state.hear(n, x); },
      [&state](std::uint64_t n, const attempt_report& x) { state.hear(n, x); },
      [&state](std::uint64_t n, const attempt_saved& x) { state.hear(n, x); },
      [&state](std::uint64_t n, const attempt_save_failed& x) { state.hear(n, x); },
      [&state](std::uint64_t n, const attempt_exported& x) { state.hear(n, x); },
      [&state](std::uint64_t n, const attempt_ended& x) { state.hear(n, x); },
      [](ping_atom, std::uint64_t x) { return x; },
      [&state](const attempt_place& what) { state.settle(what); },
      [&state](const rank_ended& what) { state.hear(what); },
  };
}

trial_local_actor spawn_rank_trial(caf::actor_system& system, trial_id id,
                                   const trial_local_actor& chief, std::uint32_t rank,
                                   std::shared_ptr<rank_cost_board> costs) {
  return system.spawn(trial, id, trial_ties{{}, {}, chief, rank, false, std::move(costs)});
}

} // namespace

trial_actor spawn_trial(caf::actor_system& system, trial_id id, runner_actor runner,
                        cluster_actor cluster, bool waits_for_disk) {
  return system.spawn(trial, id,
                      trial_ties{std::move(runner), std::move(cluster), {}, 0, waits_for_disk});
}

} // namespace tune

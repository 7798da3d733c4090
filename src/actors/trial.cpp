// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/trial.hpp"

#include "not_ready.hpp"

#include "tune/actors/firm.hpp"
#include "tune/core/trial/word_window.hpp"
#include "tune/io/checkpoint/checkpoint_directory.hpp"

#include <optional>
#include <type_traits>

namespace tune {

namespace {

/// What came over the network may be no class at all.
end_class class_of(std::uint8_t how) {
  return how < end_class_count ? static_cast<end_class>(how) : end_class::killed;
}

struct trial_state {
  static inline const char* name = "tune.trial";

  trial_id id;
  runner_actor runner;
  monitors watched;
  /// The attempt under way; none between attempts.
  attempt_id attempt;
  /// None before it is there, and while it is out of reach.
  trainable_actor trainable;
  /// Whence it is heard of, where that is another machine.
  std::optional<node_actor> place;
  /// The last words for it: one that comes, or comes back, hears them then.
  std::optional<attempt_answer> answer;
  std::optional<attempt_halt> halt;
  /// What its envoy said, where it has one.
  incoming_words words;

  [[nodiscard]] bool is_current(attempt_key key) const { return attempt && key.id() == attempt; }

  /// Nobody speaks of an attempt that runs elsewhere.
  template <class Self>
  [[nodiscard]] bool may_speak(Self* self) const {
    return place ? is_of_sender(self, *place) : is_from_here(self);
  }

  void settle(const attempt_place& what) {
    if (is_current(what.attempt))
      place = what.node;
  }

  void begin(attempt_key next) {
    attempt = next;
    place.reset();
    trainable = trainable_actor{};
    answer.reset();
    halt.reset();
    words = {};
  }

  template <class Self>
  void tell(Self* self, event_body what) {
    send(self, runner, news{std::move(what)});
  }

  template <class Self>
  void pass_on(Self* self, const std::vector<std::string>& remarks) {
    for (std::size_t i = 0; i + 1 < remarks.size(); i += 2)
      send(self, runner, remark{"trial " + to_text(id) + ": " + remarks[i + 1], remarks[i]});
  }

  template <class Self, class Word>
  void pass(Self* self, std::optional<Word>& kept, const Word& what) {
    if (!is_current(what.attempt))
      return;
    kept = what;
    if (trainable)
      send(self, trainable, what);
  }

  template <class Self>
  void attach(Self* self, attempt_key key, const trainable_actor& whom) {
    if (!is_current(key)) {
      send(self, whom, attempt_halt{key, static_cast<std::uint8_t>(halt_mode::kill)});
      return;
    }
    if (!may_speak(self) || !is_of_sender(self, whom))
      return;
    trainable = whom;
    watched.watch(self, whom, [this, self, key](const caf::error& why) { lose(self, key, why); });
    if (answer)
      send(self, whom, *answer);
    if (halt)
      send(self, whom, *halt);
  }

  /// A word that an envoy keeps until it knows that it was heard: also one that comes too late.
  template <class Self, class Word>
  void hear(Self* self, std::uint64_t number, const Word& what) {
    auto from = sender_of<envoy_actor>(self);
    if (!is_current(what.attempt)) {
      if (from)
        send(self, from, words_heard{what.attempt, number});
      return;
    }
    if (!may_speak(self))
      return;
    constexpr auto is_frequent
        = std::is_same_v<Word, attempt_report> || std::is_same_v<Word, attempt_started>;
    auto is_news = words.take(number);
    auto tells = words.is_to_be_told(!is_frequent || !is_news);
    const words_heard heard{what.attempt, words.heard()};
    // The runner first: a node gives a place back once its end was heard, and the runner is not to
    // see the next trial there before.
    if (is_news)
      take(self, what);
    if (tells && from)
      send(self, from, heard);
  }

  /// Whether the checkpoint lies where those of its attempt do.
  [[nodiscard]] bool is_own(const attempt_saved& what) const {
    const auto folder = checkpoint_folder(id, what.attempt).string() + "/";
    return what.location.empty() || what.location.starts_with(kept_in_memory)
           || (what.location.starts_with(folder) && is_checkpoint_location(what.location));
  }

  /// The trainable is gone. If it said so before, that was heard first and this is no news.
  template <class Self>
  void lose(Self* self, attempt_key key, const caf::error& why) {
    if (!is_current(key))
      return;
    // It may run on, and come back: the cluster says so when it counts as lost.
    if (is_unreachable(why)) {
      trainable = trainable_actor{};
      return;
    }
    // Its node tells the end.
    if (not_ready_from(why))
      return;
    attempt_ended over;
    over.attempt = key;
    over.how = static_cast<std::uint8_t>(end_class::killed);
    over.detail = "the trainable went away: " + render(self->system(), why);
    take(self, over);
  }

  template <class Self>
  void take(Self* self, const attempt_started& what) {
    if (is_current(what.attempt))
      tell(self, on::started{id, what.attempt, what.pid});
  }

  template <class Self>
  void take(Self* self, const attempt_report& what) {
    auto full = std::make_shared<report>();
    full->trial = id;
    full->attempt = what.attempt;
    full->number = what.number;
    full->iteration = what.iteration;
    full->time_this_iter = std::chrono::nanoseconds{what.time_this_iter_ns};
    full->time_total = std::chrono::nanoseconds{what.time_total_ns};
    full->timestamp_ms = what.timestamp_ms;
    full->pid = what.pid;
    full->done = what.done;
    full->has_checkpoint = what.has_checkpoint;
    full->metrics = what.metrics.content;
    if (full->metrics == nullptr)
      full->metrics = std::make_shared<const object>();
    pass_on(self, what.remarks);
    tell(self, on::reported{std::move(full)});
  }

  template <class Self>
  void take(Self* self, const attempt_saved& what) {
    if (place && !is_own(what)) {
      tell(self,
           on::save_failed{id, what.attempt, checkpoint_id{what.checkpoint},
                           "its node names a place that is not the attempt's: " + what.location,
                           what.iteration, false});
      return;
    }
    tell(self, on::saved{id, what.attempt, checkpoint_id{what.checkpoint}, what.iteration,
                         std::chrono::nanoseconds{what.time_total_ns}, what.location, what.bytes});
  }

  template <class Self>
  void take(Self* self, const attempt_save_failed& what) {
    tell(self, on::save_failed{id, what.attempt, checkpoint_id{what.checkpoint}, what.why,
                               what.iteration, what.unable});
  }

  template <class Self>
  void take(Self* self, const attempt_exported& what) {
    const auto count = what.formats.size();
    if (!is_current(what.attempt) || what.paths.size() != count || what.whys.size() != count)
      return;
    on::exported all{id, what.attempt, what.location, what.bytes, {}};
    for (std::size_t i = 0; i < count; ++i)
      all.formats.push_back({what.formats[i], what.paths[i], what.whys[i]});
    tell(self, std::move(all));
  }

  template <class Self>
  void take(Self* self, const attempt_ended& what) {
    if (!is_current(what.attempt))
      return;
    begin({});
    on::ended over{id, what.attempt, class_of(what.how), what.detail, {}, what.came_late};
    if (what.has_status)
      over.exit_status = what.exit_status;
    pass_on(self, what.remarks);
    tell(self, std::move(over));
  }
};

trial_desk_actor::behavior_type trial(trial_desk_actor::stateful_pointer<trial_state> self,
                                      trial_id id, runner_actor runner) {
  auto& state = state_of(self);
  state.id = id;
  state.runner = std::move(runner);
  stand_firm(self);
  state.watched.init(self);
  return {
      [&state](const launch_order& what) { state.begin(what.attempt); },
      [self, &state](const attempt_answer& what) { state.pass(self, state.answer, what); },
      [self, &state](const attempt_halt& what) { state.pass(self, state.halt, what); },
      [self, &state](attempt_key key, const trainable_actor& whom) {
        state.attach(self, key, whom);
      },
      [self, &state](const attempt_started& what) { state.take(self, what); },
      [self, &state](const attempt_report& what) { state.take(self, what); },
      [self, &state](const attempt_saved& what) { state.take(self, what); },
      [self, &state](const attempt_save_failed& what) { state.take(self, what); },
      [self, &state](const attempt_exported& what) { state.take(self, what); },
      [self, &state](const attempt_ended& what) { state.take(self, what); },
      [self, &state](attempt_key key, const envoy_actor& whom) {
        state.attach(self, key, trainable_actor{whom});
      },
      [self, &state](std::uint64_t n, const attempt_started& x) { state.hear(self, n, x); },
      [self, &state](std::uint64_t n, const attempt_report& x) { state.hear(self, n, x); },
      [self, &state](std::uint64_t n, const attempt_saved& x) { state.hear(self, n, x); },
      [self, &state](std::uint64_t n, const attempt_save_failed& x) { state.hear(self, n, x); },
      [self, &state](std::uint64_t n, const attempt_exported& x) { state.hear(self, n, x); },
      [self, &state](std::uint64_t n, const attempt_ended& x) { state.hear(self, n, x); },
      [](ping_atom, std::uint64_t x) { return x; },
      [&state](const attempt_place& what) { state.settle(what); },
  };
}

} // namespace

trial_actor spawn_trial(caf::actor_system& system, trial_id id, runner_actor runner) {
  return system.spawn(trial, id, std::move(runner));
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "attempt_proxy.hpp"

#include "attempt_word.hpp"
#include "not_ready.hpp"

#include "tune/actors/firm.hpp"
#include "tune/core/trial/word_backlog.hpp"
#include "tune/core/trial/word_window.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace tune {

namespace {

/// Time between two looks at whether the head is still away.
constexpr std::chrono::seconds pace_of_looks{1};

using attempt_proxy_impl = extend<attempt_proxy_local_actor, caf::result<void>(words_heard),
                                  caf::result<void>(tick_atom)>;

/// What a word takes of memory. [bytes]
template <class Word>
std::size_t size_of(const Word& what) {
  auto result = sizeof what;
  if constexpr (std::is_same_v<Word, attempt_report>) {
    result += what.metrics.content ? bytes_of(*what.metrics.content) : 0;
    for (const auto& text : what.remarks)
      result += sizeof text + text.capacity();
  }
  return result;
}

struct attempt_proxy_state {
  static inline const char* name = "tune.attempt_proxy";

  attempt_key attempt;
  attempt_proxy_impl::pointer self = nullptr;
  std::shared_ptr<const session_fence> gate;
  trial_actor trial;
  trainable_actor trainable;
  outgoing_words<attempt_word> words;
  word_backlog backlog;
  monitors watched;
  /// Set if it was told to end before its trainable was there.
  std::optional<attempt_halt> early_halt;
  /// The trainable has reported the end of the attempt.
  bool is_over = false;
  /// The trial is gone, and not only out of reach.
  bool is_alone = false;
  /// See `job::trains_on`.
  bool may_train_on = false;
  /// Number of the last report that waits for its answer, and of the last one that was answered
  /// here while the head was away; 0: none.
  std::uint64_t asked = 0;
  std::uint64_t passed_over = 0;
  bool looks = false;
  std::vector<std::pair<caf::typed_response_promise<std::uint64_t>, std::uint64_t>> askers;

  void meet(const trial_actor& whom) {
    trial = whom;
    watched.watch(self, whom, [this](const caf::error& why) {
      is_alone = !is_unreachable(why);
      answer_if_heard();
    });
    if (!gate->is_open())
      return;
    if (trainable)
      introduce();
    words.for_each([&](std::uint64_t number, const attempt_word& x) { tell(number, x); });
  }

  void introduce() {
    send(self, trial, attempt, attempt_proxy_actor{caf::actor_cast<attempt_proxy_impl>(self)});
  }

  void attach(const trainable_actor& whom) {
    trainable = whom;
    watched.watch(self, whom, [this](const caf::error& why) { lose(why); });
    if (early_halt)
      send(self, trainable, *std::exchange(early_halt, std::nullopt));
    if (gate->is_open())
      introduce();
  }

  void lose(const caf::error& why) {
    // The node itself tells the end of an attempt that never began.
    if (is_over || not_ready_from(why))
      return;
    attempt_ended over;
    over.attempt = attempt;
    over.how = static_cast<std::uint8_t>(end_class::killed);
    over.detail = "the trainable went away: " + render(self->system(), why);
    say(over);
  }

  template <class Word>
  void say(const Word& what) {
    is_over = is_over || std::is_same_v<Word, attempt_ended>;
    if constexpr (std::is_same_v<Word, attempt_report>)
      asked = what.done ? 0 : what.number;
    auto number = words.add(what);
    backlog.add(size_of(what));
    if (gate->is_open())
      send(self, trial, number, what);
    train_on();
  }

  // -- While the head is away.

  /// Lets the trial train on if its head is away for longer than it would wait itself: nothing that
  /// it has said meanwhile can be heard by a head that has not died.
  void train_on() {
    auto* last = words.newest() ? std::get_if<attempt_report>(words.newest()) : nullptr;
    if (!may_train_on || asked == 0 || last == nullptr || last->number != asked)
      return;
    if (!gate->has_lapsed() || !backlog.has_room())
      return look_later();
    last->trained_on = true;
    passed_over = std::exchange(asked, 0);
    send(self, trainable, attempt_answer{attempt, passed_over, answer_kind::go_on});
  }

  void look_later() {
    if (!std::exchange(looks, true))
      delayed_send(self, caf::actor_cast<attempt_proxy_impl>(self), pace_of_looks, tick_atom_v);
  }

  void look() {
    looks = false;
    train_on();
  }

  /// False for a head that was put out of the lead, and woke: nobody counts on what it says.
  [[nodiscard]] bool is_from_trial() const {
    return is_from_here(self) || is_of_sender(self, trial);
  }

  void answer(const attempt_answer& x) {
    if (!is_from_trial())
      return;
    if (x.number > passed_over) {
      asked = x.number >= asked ? 0 : asked;
      if (trainable)
        send(self, trainable, x);
      return;
    }
    // The trial is further by now.
    if (x.kind == answer_kind::stop)
      halt(attempt_halt{attempt, static_cast<std::uint8_t>(halt_mode::stop), x.exports});
    else if (x.kind != answer_kind::go_on)
      say(attempt_save_failed{attempt, x.checkpoint,
                              "the trial had trained on while its head was away", 0, false});
  }

  void tell(std::uint64_t number, const attempt_word& what) {
    std::visit([&](const auto& x) { send(self, trial, number, x); }, what);
  }

  void halt(const attempt_halt& how) {
    if (trainable)
      send(self, trainable, how);
    else
      early_halt = how;
  }

  caf::typed_response_promise<std::uint64_t> ping(std::uint64_t x) {
    auto answer = self->make_response_promise<std::uint64_t>();
    askers.emplace_back(answer, x);
    answer_if_heard();
    return answer;
  }

  void answer_if_heard() {
    if (!is_alone && words.size() > 0)
      return;
    for (auto& [answer, x] : std::exchange(askers, {}))
      answer.deliver(x);
  }
};

attempt_proxy_impl::behavior_type
attempt_proxy(attempt_proxy_impl::stateful_pointer<attempt_proxy_state> self, attempt_key attempt,
              std::shared_ptr<const session_fence> gate, const trial_actor& trial) {
  auto& state = state_of(self);
  state.self = self;
  state.attempt = attempt;
  state.gate = std::move(gate);
  stand_firm(self);
  state.watched.init(self);
  state.meet(trial);
  return {
      // Messages that only a trial is sent.
      [](const launch_order&) {},
      [](attempt_key, const attempt_proxy_actor&) {},
      [](std::uint64_t, const attempt_started&) {},
      [](std::uint64_t, const attempt_report&) {},
      [](std::uint64_t, const attempt_saved&) {},
      [](std::uint64_t, const attempt_save_failed&) {},
      [](std::uint64_t, const attempt_exported&) {},
      [](std::uint64_t, const attempt_ended&) {},
      // From the trial.
      [&state](const attempt_answer& x) { state.answer(x); },
      [&state](const attempt_halt& x) {
        if (state.is_from_trial())
          state.halt(x);
      },
      [&state](const words_heard& x) {
        if (!state.is_from_trial())
          return;
        state.words.heard(x.upto);
        state.backlog.heard(x.upto);
        state.answer_if_heard();
      },
      // From the trainable.
      [&state](attempt_key, const trainable_actor& whom) { state.attach(whom); },
      [&state](const attempt_started& x) { state.say(x); },
      [&state](const attempt_report& x) { state.say(x); },
      [&state](const attempt_saved& x) { state.say(x); },
      [&state](const attempt_save_failed& x) { state.say(x); },
      [&state](const attempt_exported& x) { state.say(x); },
      [&state](const attempt_ended& x) { state.say(x); },
      // From the node.
      [&state](const trial_actor& whom) { state.meet(whom); },
      [&state](ping_atom, std::uint64_t x) { return state.ping(x); },
      [&state](bool may_train_on) { state.may_train_on = may_train_on; },
      // Its own timer's.
      [&state](tick_atom) { state.look(); },
  };
}

} // namespace

attempt_proxy_local_actor spawn_attempt_proxy(caf::actor_system& system, attempt_key attempt,
                                              std::shared_ptr<const session_fence> gate,
                                              trial_actor trial) {
  return system.spawn(attempt_proxy, attempt, std::move(gate), std::move(trial));
}

} // namespace tune

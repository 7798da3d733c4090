/// What stands between a run and a scheduler or searcher that is a program's own actor. Private to
/// actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "answer_patience.hpp"
#include "error_text.hpp"

#include "tune/actors/firm.hpp"
#include "tune/core/experiment/rule_answers.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace tune {

/// Passes turns on to the rule, and its answers to the runner; interrupts the run where the rule
/// fails or is silent for too long.
/// @tparam Guard  Derives from this: `name`; `role`, how texts call the rule; and `hear(news&)`.
/// @tparam Rule   The rule's interface.
/// @tparam Turn   What it is told and asked.
/// @tparam Open   Its open questions: `ask(turn)`, `is_empty()`, `oldest()`, `oldest_text(when)`.
template <class Guard, class Rule, class Turn, class Open>
struct rule_guard_state {
  using rule = Rule;
  using impl = extend<Rule, caf::result<void>(news), caf::result<void>(tick_atom)>;

  answer_patience patience;
  typename impl::pointer self = nullptr;
  Rule who;
  runner_actor runner;
  monitors watched;
  Open open;
  bool is_timed = false;
  bool has_remarked = false;
  bool is_over = false;

  typename impl::behavior_type begin(typename impl::pointer me, const Rule& guarded,
                                     std::chrono::nanoseconds limit) {
    self = me;
    who = guarded;
    patience = answer_patience{limit};
    return {
        [this](const Turn& turn, const runner_actor& from) { take(turn, from); },
        [this](news& what) { static_cast<Guard*>(this)->hear(what); },
        [this](tick_atom) { tick(); },
    };
  }

  void take(const Turn& turn, const runner_actor& from) {
    runner = from;
    open.ask(turn);
    // The answers come as news; the reply to this request only tells of failure.
    request(self, who, caf::infinite, turn, caf::actor_cast<runner_actor>(self))
        .then([] {}, [this](const caf::error& why) { refuse(why); });
    watch_time();
  }

  void refuse(const caf::error& why) {
    // The down message reports its end, with the cause.
    if (why != caf::sec::request_receiver_down)
      give_up("its handler failed: " + text_of(self->system(), why));
  }

  void lose(const caf::error& why) {
    give_up("its actor ended" + (why ? ": " + text_of(self->system(), why) : std::string{}));
  }

  /// At most one timer runs, and only while a question is open.
  void watch_time() {
    if (is_timed || open.is_empty() || !patience.has_limit())
      return;
    is_timed = true;
    delayed_send(self, caf::actor_cast<impl>(self), patience.part(), tick_atom_v);
  }

  void tick() {
    is_timed = false;
    if (open.is_empty() || is_over)
      return;
    const auto found = patience.pass(open.oldest());
    if (found == answer_patience::finding::give_up)
      return give_up("it has not answered " + open.oldest_text("for " + patience.text()));
    if (found == answer_patience::finding::tell)
      send(self, runner,
           remark{std::string{Guard::role} + " has not answered " + open.oldest_text("yet")
                  + "; without an answer the run is interrupted after " + patience.text()});
    watch_time();
  }

  void remark_once(std::string_view what) {
    if (runner && !std::exchange(has_remarked, true))
      send(self, runner,
           remark{std::string{Guard::role} + " said '" + std::string{what}
                  + "', which is no answer to a question: that has no effect"});
  }

  void give_up(const std::string& why) {
    if (std::exchange(is_over, true))
      return;
    // Before its first turn there is no runner to tell; its owner sees that it is gone.
    if (runner)
      send(self, runner, news{rule_failed(Guard::role, why)});
    self->quit(caf::exit_reason::user_shutdown);
  }
};

template <class Guard>
typename Guard::impl::behavior_type
rule_guard(typename Guard::impl::template stateful_pointer<Guard> self,
           const typename Guard::rule& who, std::chrono::nanoseconds patience) {
  auto& state = state_of(self);
  stand_firm(self);
  state.watched.init(self);
  state.watched.watch(self, who, [&state](const caf::error& why) { state.lose(why); });
  return state.begin(self, who, patience);
}

} // namespace tune

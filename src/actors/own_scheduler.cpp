// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/own_scheduler.hpp"

#include "answer_patience.hpp"
#include "error_text.hpp"
#include "open_questions.hpp"

#include "tune/actors/firm.hpp"
#include "tune/core/experiment/rule_answers.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace tune {

namespace {

using scheduler_guard_impl
    = extend<scheduler_actor, caf::result<void>(news), caf::result<void>(tick_atom)>;

struct scheduler_guard_state {
  static inline const char* name = "tune.own_scheduler";

  answer_patience patience;
  scheduler_guard_impl::pointer self = nullptr;
  scheduler_actor who;
  runner_actor runner;
  monitors watched;
  open_questions open;
  bool is_timed = false;
  bool has_remarked = false;
  bool is_over = false;

  void take(const scheduler_turn& turn, const runner_actor& from) {
    runner = from;
    open.ask(turn);
    // The answers come as news; the reply to this request only tells of failure.
    request(self, who, caf::infinite, turn, caf::actor_cast<runner_actor>(self))
        .then([] {}, [this](const caf::error& why) { refuse(why); });
    watch_time();
  }

  void hear(news& what) {
    if (const auto* said = std::get_if<on::decided>(&what.what)) {
      try {
        for (const auto& x : said->answers)
          open.take(x);
      } catch (const std::runtime_error& fault) {
        return give_up(fault.what());
      }
    } else if (const auto* chose = std::get_if<on::chosen>(&what.what)) {
      open.take(chose->what);
    } else {
      return remark_once(name_of(what.what));
    }
    send(self, runner, std::move(what));
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
    delayed_send(self, caf::actor_cast<scheduler_guard_impl>(self), patience.part(), tick_atom_v);
  }

  void tick() {
    is_timed = false;
    if (open.is_empty() || is_over)
      return;
    const auto found = patience.pass(open.oldest());
    if (found == answer_patience::finding::give_up)
      return give_up("it has not answered for " + patience.text() + " " + open.oldest_text());
    if (found == answer_patience::finding::tell)
      send(self, runner,
           remark{"the scheduler has not answered yet " + open.oldest_text()
                  + "; without an answer the run is interrupted after " + patience.text()});
    watch_time();
  }

  void remark_once(std::string_view what) {
    if (runner && !std::exchange(has_remarked, true))
      send(self, runner,
           remark{"the scheduler said '" + std::string{what}
                  + "', which is no answer to a question: that has no effect"});
  }

  void give_up(const std::string& why) {
    if (std::exchange(is_over, true))
      return;
    // Before its first turn there is no runner to tell; its owner sees that it is gone.
    if (runner)
      send(self, runner, news{rule_failed("the scheduler", why)});
    self->quit(caf::exit_reason::user_shutdown);
  }
};

scheduler_guard_impl::behavior_type
scheduler_guard(scheduler_guard_impl::stateful_pointer<scheduler_guard_state> self,
                const scheduler_actor& who, std::chrono::nanoseconds patience) {
  auto& state = state_of(self);
  state.self = self;
  state.who = who;
  state.patience = answer_patience{patience};
  stand_firm(self);
  state.watched.init(self);
  state.watched.watch(self, who, [&state](const caf::error& why) { state.lose(why); });
  return {
      [&state](const scheduler_turn& turn, const runner_actor& runner) {
        state.take(turn, runner);
      },
      [&state](news& what) { state.hear(what); },
      [&state](tick_atom) { state.tick(); },
  };
}

} // namespace

scheduler_actor guard_scheduler(caf::actor_system& system, scheduler_actor who,
                                std::chrono::nanoseconds patience) {
  return system.spawn(scheduler_guard, std::move(who), patience);
}

} // namespace tune

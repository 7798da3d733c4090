// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/own_searcher.hpp"

#include "answer_patience.hpp"
#include "error_text.hpp"

#include "tune/actors/firm.hpp"
#include "tune/core/experiment/rule_answers.hpp"

#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace tune {

namespace {

using guard_impl = extend<searcher_actor, caf::result<void>(news), caf::result<void>(tick_atom)>;

struct guard_state {
  static inline const char* name = "tune.own_searcher";

  answer_patience patience;
  guard_impl::pointer self = nullptr;
  searcher_actor who;
  runner_actor runner;
  monitors watched;
  /// Open questions by number.
  std::map<std::uint64_t, ask> open;
  bool is_timed = false;
  bool has_remarked = false;
  bool is_over = false;

  void take(const searcher_turn& turn, const runner_actor& from) {
    runner = from;
    for (const auto& x : turn.asks)
      open.insert_or_assign(x.number, x);
    // The answers come as news; the reply to this request only tells of failure.
    request(self, who, caf::infinite, turn, caf::actor_cast<runner_actor>(self))
        .then([] {}, [this](const caf::error& why) { refuse(why); });
    watch_time();
  }

  void hear(news& what) {
    auto* said = std::get_if<on::suggested>(&what.what);
    if (said == nullptr)
      return remark_once(name_of(what.what));
    auto question = open.find(said->ask);
    if (question == open.end())
      return;
    try {
      what.what = answer_to(question->second, std::move(said->what));
    } catch (const std::runtime_error& fault) {
      return give_up(fault.what());
    }
    open.erase(question);
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
    if (is_timed || open.empty() || !patience.has_limit())
      return;
    is_timed = true;
    delayed_send(self, caf::actor_cast<guard_impl>(self), patience.part(), tick_atom_v);
  }

  void tick() {
    is_timed = false;
    if (open.empty() || is_over)
      return;
    auto oldest = open.begin()->first;
    const auto found = patience.pass(oldest);
    if (found == answer_patience::finding::give_up)
      return give_up("it has not answered question " + std::to_string(oldest) + " for "
                     + patience.text());
    if (found == answer_patience::finding::tell)
      send(self, runner,
           remark{"the searcher has not answered question " + std::to_string(oldest)
                  + " yet; without an answer the run is interrupted after " + patience.text()});
    watch_time();
  }

  void remark_once(std::string_view what) {
    if (runner && !std::exchange(has_remarked, true))
      send(self, runner,
           remark{"the searcher said '" + std::string{what}
                  + "', which is no answer to a question: that has no effect"});
  }

  void give_up(const std::string& why) {
    if (std::exchange(is_over, true))
      return;
    // Before its first turn there is no runner to tell; its owner sees that it is gone.
    if (runner)
      send(self, runner, news{rule_failed("the searcher", why)});
    self->quit(caf::exit_reason::user_shutdown);
  }
};

guard_impl::behavior_type guard(guard_impl::stateful_pointer<guard_state> self,
                                const searcher_actor& who, std::chrono::nanoseconds patience) {
  auto& state = state_of(self);
  state.self = self;
  state.who = who;
  state.patience = answer_patience{patience};
  stand_firm(self);
  state.watched.init(self);
  state.watched.watch(self, who, [&state](const caf::error& why) { state.lose(why); });
  return {
      [&state](const searcher_turn& turn, const runner_actor& runner) { state.take(turn, runner); },
      [&state](news& what) { state.hear(what); },
      [&state](tick_atom) { state.tick(); },
  };
}

} // namespace

searcher_actor guard_searcher(caf::actor_system& system, searcher_actor who,
                              std::chrono::nanoseconds patience) {
  return system.spawn(guard, std::move(who), patience);
}

} // namespace tune

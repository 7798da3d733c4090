// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/own_scheduler.hpp"

#include "open_questions.hpp"
#include "rule_guard.hpp"

#include <stdexcept>
#include <utility>
#include <variant>

namespace tune {

namespace {

struct scheduler_guard_state
    : rule_guard_state<scheduler_guard_state, scheduler_actor, scheduler_turn, open_questions> {
  static inline const char* name = "tune.own_scheduler";
  static constexpr const char* role = "the scheduler";

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
};

} // namespace

scheduler_actor guard_scheduler(caf::actor_system& system, scheduler_actor who,
                                std::chrono::nanoseconds patience) {
  return system.spawn(rule_guard<scheduler_guard_state>, std::move(who), patience);
}

} // namespace tune

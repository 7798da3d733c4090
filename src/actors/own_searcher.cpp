// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/own_searcher.hpp"

#include "rule_guard.hpp"

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace tune {

namespace {

/// The questions that a program's own searcher has not answered, by number.
class open_asks {
public:
  void ask(const searcher_turn& turn) {
    for (const auto& x : turn.asks)
      open_.insert_or_assign(x.number, x);
  }

  /// The question of a number, nullptr where none is open.
  [[nodiscard]] const tune::ask* find(std::uint64_t number) const {
    const auto found = open_.find(number);
    return found == open_.end() ? nullptr : &found->second;
  }
  void close(std::uint64_t number) { open_.erase(number); }

  [[nodiscard]] bool is_empty() const { return open_.empty(); }
  /// @pre `!is_empty()`
  [[nodiscard]] std::uint64_t oldest() const { return open_.begin()->first; }
  /// As text for people.
  /// @param when Stands where time stands in a sentence: "question 3 yet".
  [[nodiscard]] std::string oldest_text(const std::string& when) const {
    return "question " + std::to_string(oldest()) + " " + when;
  }

private:
  std::map<std::uint64_t, tune::ask> open_;
};

struct searcher_guard_state
    : rule_guard_state<searcher_guard_state, searcher_actor, searcher_turn, open_asks> {
  static inline const char* name = "tune.own_searcher";
  static constexpr const char* role = "the searcher";

  void hear(news& what) {
    auto* said = std::get_if<on::suggested>(&what.what);
    if (said == nullptr)
      return remark_once(name_of(what.what));
    const auto number = said->ask;
    const auto* question = open.find(number);
    if (question == nullptr)
      return;
    try {
      what.what = answer_to(*question, std::move(said->what));
    } catch (const std::runtime_error& fault) {
      return give_up(fault.what());
    }
    open.close(number);
    send(self, runner, std::move(what));
  }
};

} // namespace

searcher_actor guard_searcher(caf::actor_system& system, searcher_actor who,
                              std::chrono::nanoseconds patience) {
  return system.spawn(rule_guard<searcher_guard_state>, std::move(who), patience);
}

} // namespace tune

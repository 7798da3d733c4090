/// The rules of a simulated head, which may be the user's own and fail.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/check/replay_check.hpp"
#include "tune/core/experiment/command.hpp"
#include "tune/core/experiment/event.hpp"

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tune {

/// Tells facts to scheduler and searcher, and puts questions to them, as a run does: a rule that
/// throws, or whose answer is no answer to its question (`answer_about`, `answer_to`), has failed.
/// It is told and asked nothing more, and the failure is kept as the event that interrupts the
/// experiment.
class asked_rules {
public:
  /// Without rules: only to be assigned to.
  asked_rules() = default;
  /// @param rules Scheduler and searcher must not be null.
  explicit asked_rules(rule_set rules) : rules_{std::move(rules)} {}

  [[nodiscard]] const scheduler& judge() const { return *rules_.judge; }
  [[nodiscard]] const searcher& source() const { return *rules_.source; }
  [[nodiscard]] std::vector<std::unique_ptr<stopper>> take_stoppers() {
    return std::exchange(rules_.stoppers, {});
  }

  void apply(const scheduler_fact& what);
  void apply(const searcher_fact& what);

  /// @returns the answer as an event; nothing if the rule has failed, now or before.
  [[nodiscard]] std::optional<event_body> answer(const cmd::judge& question);
  [[nodiscard]] std::optional<event_body> answer(const cmd::choose& question);
  [[nodiscard]] std::optional<event_body> answer(const cmd::resolve_stall& question);
  [[nodiscard]] std::optional<event_body> answer(const cmd::ask_searcher& question);

  /// Whether `take_failure` has something to give.
  [[nodiscard]] bool has_failure() const { return !failures_.empty(); }
  /// The oldest failure that was not taken yet; nothing: there is none.
  [[nodiscard]] std::optional<on::interrupted> take_failure();

private:
  rule_set rules_;
  bool judge_failed_ = false;
  bool source_failed_ = false;
  std::vector<on::interrupted> failures_;

  template <class F>
  void guard(bool& has_failed, std::string_view which, F f);
  template <class F>
  std::optional<event_body> ask_judge(F f);
};

} // namespace tune

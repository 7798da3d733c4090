/// The questions that a program's own scheduler has not answered. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/core/experiment/rule_answers.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <variant>

namespace tune {

/// Knows which answers the run still waits for. Of an actor that never answers it keeps one
/// question for each running trial.
class open_questions {
public:
  /// Takes in what the scheduler is told and asked.
  void ask(const scheduler_turn& turn) {
    for (const auto& x : turn.facts)
      hear(x);
    for (const auto& x : turn.judge)
      verdicts_.insert_or_assign(x.cause, x.trial);
    // Of these one is open at a time: the last.
    if (!turn.choose.empty())
      choice_ = turn.choose.back().at;
    if (!turn.stalls.empty())
      stall_ = turn.stalls.back().at;
  }

  /// Takes in an answer. One to a question that was answered before, or is void, passes: the
  /// machine knows whether it counts.
  /// Throws `std::runtime_error` if it is about an event that no question was about.
  void take(const decision& answer) {
    const auto resolves_stall = stall_ == answer.cause;
    if (resolves_stall)
      stall_.reset();
    if (verdicts_.erase(answer.cause) > 0 || resolves_stall)
      close(answer.cause);
    else if (!closed_.contains(answer.cause))
      refuse(answer);
  }
  /// A choice answers the open question whatever event it names, as that of a class does.
  void take(const choice&) { choice_.reset(); }

  [[nodiscard]] bool is_empty() const { return verdicts_.empty() && !stall_ && !choice_; }
  /// The event of the oldest question. @pre `!is_empty()`
  [[nodiscard]] sequence oldest() const {
    auto result = verdicts_.empty() ? ~sequence{0} : verdicts_.begin()->first;
    for (const auto& x : {stall_, choice_})
      result = x ? std::min(result, *x) : result;
    return result;
  }
  /// What that question is, as text for people.
  /// @param when Stands where time stands in a sentence: "yet which trials to start (event 7)".
  [[nodiscard]] std::string oldest_text(const std::string& when) const {
    const auto at = oldest();
    const auto event = " (event " + std::to_string(at) + ")";
    if (!verdicts_.empty() && verdicts_.begin()->first == at)
      return when + " what becomes of trial " + to_text(verdicts_.begin()->second)
             + " after its report" + event;
    if (choice_ == at)
      return when + " which trials to start" + event;
    return when + " how to go on although no trial can run" + event;
  }

private:
  /// Most answered or void questions that are known as such.
  static constexpr std::size_t most_closed = 1'000;

  std::map<sequence, trial_id> verdicts_;
  std::optional<sequence> choice_;
  std::optional<sequence> stall_;
  /// The newest of those that were answered, or that nothing waits for any more.
  std::set<sequence> closed_;

  void close(sequence at) {
    closed_.insert(at);
    if (closed_.size() > most_closed)
      closed_.erase(closed_.begin());
  }

  /// Nothing waits for a verdict once its trial no longer trains.
  void hear(const scheduler_fact& what) {
    if (const auto* x = std::get_if<fact::ended>(&what.what))
      forget(x->trial);
    else if (const auto* failed = std::get_if<fact::failed>(&what.what))
      forget(failed->trial);
    else if (const auto* rests = std::get_if<fact::paused>(&what.what))
      forget(rests->trial);
    else if (const auto* again = std::get_if<fact::added>(&what.what))
      forget(again->trial);
  }
  void forget(trial_id trial) {
    for (auto i = verdicts_.begin(); i != verdicts_.end();) {
      if (i->second != trial) {
        ++i;
        continue;
      }
      close(i->first);
      i = verdicts_.erase(i);
    }
  }

  void refuse(const decision& answer) const {
    const auto asked = verdicts_.empty() ? stall_ : std::optional{verdicts_.begin()->first};
    if (asked)
      (void)answer_about(*asked, answer);
    throw std::runtime_error{"it answered about event " + std::to_string(answer.cause)
                             + ", about which it was not asked"};
  }
};

} // namespace tune

/// How long the scheduler and the searcher of a run have not answered. Private to the runner.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/searcher_wait.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace tune {

/// Whether a command is a question to a rule.
template <class Command>
inline constexpr bool is_question_to_rule
    = std::disjunction_v<std::is_same<Command, cmd::judge>, std::is_same<Command, cmd::choose>,
                         std::is_same<Command, cmd::resolve_stall>,
                         std::is_same<Command, cmd::ask_searcher>>;

/// Decides when people are told that the scheduler has not answered for long.
class scheduler_watch {
public:
  /// Length of such a wait before people are told of it.
  static constexpr std::chrono::seconds told_after{4};

  /// The scheduler was asked.
  /// @returns when to call `look`; nothing: such a call is due already.
  [[nodiscard]] std::optional<instant> asked(const cmd::judge& x, instant now) {
    return asked(x.cause, about::report, x.trial, now);
  }
  [[nodiscard]] std::optional<instant> asked(const cmd::choose& x, instant now) {
    return asked(x.at, about::choice, {}, now);
  }
  [[nodiscard]] std::optional<instant> asked(const cmd::resolve_stall& x, instant now) {
    return asked(x.at, about::stall, {}, now);
  }

  void answered(const on::decided& what) {
    for (const auto& x : what.answers) {
      open_.erase({x.cause, about::report});
      open_.erase({x.cause, about::stall});
    }
  }
  /// A choice answers the open question whatever event it names.
  void answered(const on::chosen&) {
    std::erase_if(open_, [](const auto& x) { return x.first.second == about::choice; });
  }

  struct finding {
    /// Once for each question that has waited for so long.
    std::optional<std::string> text;
    /// When to look again; nothing: not before the next question.
    std::optional<instant> next;
  };
  [[nodiscard]] finding look(const experiment& x, instant now) {
    if (!looks_at_ || now < *looks_at_)
      return {};
    looks_at_.reset();
    if (is_overdue(now))
      forget_void(x);
    if (open_.empty())
      return {};
    finding result;
    if (is_overdue(now) && told_ != open_.begin()->first) {
      told_ = open_.begin()->first;
      result.text = text_of(*open_.begin());
    }
    // Others may be asked and answered meanwhile: the oldest is looked at once a second at most.
    const auto since = std::max(open_.begin()->second.since, now - std::chrono::seconds{1});
    result.next = looks_at_ = since + told_after;
    return result;
  }

  /// The message for people while the oldest question has waited for so long; empty: none has.
  [[nodiscard]] std::string text(const experiment& x, instant now) const {
    if (!is_overdue(now))
      return {};
    const auto left = outstanding(x);
    for (const auto& y : open_) {
      if (left.contains(y.first))
        return now >= y.second.since + told_after ? text_of(y) : std::string{};
    }
    return {};
  }

private:
  enum class about : std::uint8_t { report, choice, stall };
  using key = std::pair<sequence, about>;
  struct question {
    std::optional<trial_id> trial;
    instant since{0};
  };

  std::map<key, question> open_;
  std::optional<key> told_;
  std::optional<instant> looks_at_;

  std::optional<instant> asked(sequence at, about what, std::optional<trial_id> trial,
                               instant now) {
    open_.insert_or_assign({at, what}, question{trial, now});
    if (looks_at_)
      return std::nullopt;
    return looks_at_ = now + told_after;
  }

  [[nodiscard]] bool is_overdue(instant now) const {
    return !open_.empty() && now >= open_.begin()->second.since + told_after;
  }

  /// The questions for whose answers the machine waits. Work grows with the number of live trials.
  static std::set<key> outstanding(const experiment& x) {
    std::set<key> result;
    if (x.is_finished())
      return result;
    for (const auto& y : x.outstanding()) {
      if (const auto* report = std::get_if<cmd::judge>(&y.what))
        result.emplace(report->cause, about::report);
      else if (const auto* choice = std::get_if<cmd::choose>(&y.what))
        result.emplace(choice->at, about::choice);
      else if (const auto* stall = std::get_if<cmd::resolve_stall>(&y.what))
        result.emplace(stall->at, about::stall);
    }
    return result;
  }
  /// Nothing waits for a verdict on a trial that no longer trains, for instance.
  void forget_void(const experiment& x) {
    const auto left = outstanding(x);
    std::erase_if(open_, [&](const auto& y) { return !left.contains(y.first); });
  }

  static std::string text_of(const std::pair<const key, question>& x) {
    const auto event = " (event " + std::to_string(x.first.first) + ")";
    const std::string until
        = "; if it is an actor of a program's own, it is waited for until its answer_timeout;"
          " a stop (`stop`) ends the experiment before";
    switch (x.first.second) {
      case about::report:
        return "trial " + to_text(*x.second.trial)
               + " waits: the scheduler has not answered yet what becomes of it after its report"
               + event + until;
      case about::choice:
        return "no trial begins: the scheduler has not answered yet which to start" + event + until;
      case about::stall:
        break;
    }
    return "nothing runs: the scheduler has not answered yet how to go on although no trial can"
           " run"
           + event + until;
  }
};

/// Both rules of a run.
class rule_silence {
public:
  /// A rule was asked. @returns when to call `look`; nothing: such a call is due already.
  template <class Question>
  [[nodiscard]] std::optional<instant> asked(const Question& x, instant now) {
    if constexpr (std::is_same_v<Question, cmd::ask_searcher>)
      return searcher_.asked(now);
    else
      return scheduler_.asked(x, now);
  }

  /// Takes in what is recorded.
  void heard(const event& what) {
    if (std::holds_alternative<on::suggested>(what.what))
      searcher_.answered();
    else if (const auto* said = std::get_if<on::decided>(&what.what))
      scheduler_.answered(*said);
    else if (const auto* chose = std::get_if<on::chosen>(&what.what))
      scheduler_.answered(*chose);
  }

  struct finding {
    std::vector<std::string> to_be_told;
    /// When to look again.
    std::vector<instant> next;
  };
  /// @param by Traits of the searcher.
  [[nodiscard]] finding look(const experiment& x, const searcher_traits& by, instant now) {
    finding result;
    const auto silent = searcher_.look(x, now);
    if (silent.is_to_be_told)
      result.to_be_told.push_back(answer_wait_text(by));
    const auto mute = scheduler_.look(x, now);
    if (mute.text)
      result.to_be_told.push_back(*mute.text);
    for (const auto& at : {silent.next, mute.next}) {
      if (at)
        result.next.push_back(*at);
    }
    return result;
  }

  /// The message of the first wait that holds; empty if none does.
  [[nodiscard]] std::string text(const experiment& x, const searcher_traits& by,
                                 instant now) const {
    auto result = wait_text(x, by, searcher_, now);
    return result.empty() ? scheduler_.text(x, now) : result;
  }

private:
  answer_watch searcher_;
  scheduler_watch scheduler_;
};

} // namespace tune

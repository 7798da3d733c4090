/// Finds out from a log alone why a trial's configuration was proposed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/check/replay_check.hpp"
#include "tune/core/search/explanation.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace tune {

/// The searcher's answer that a trial's configuration comes from.
struct recorded_answer {
  ask question;
  std::vector<suggestion> what;
  /// Index into `what` of the trial's suggestion.
  std::size_t which = 0;
  /// The `seq` of the answer.
  sequence at = 0;
};

/// Rebuilds experiment, scheduler and searcher from a log, and nothing more: the common part of the
/// two replays below.
class plain_replay {
public:
  /// @param rules In their initial state; consumed.
  plain_replay(const experiment_settings& settings, rule_set rules);

  /// See `experiment::go_by`.
  void go_by(rule_change what) { machine_.go_by(std::move(what)); }
  /// @returns the machine's commands for the event.
  std::vector<command> apply(const event& what);
  [[nodiscard]] const searcher& source() const { return *source_; }

private:
  std::unique_ptr<scheduler> judge_;
  std::unique_ptr<searcher> source_;
  experiment machine_;
};

/// The first of two replays: finds the answer that the trial began with, not that of a draft which
/// was replaced. Ignores what a scheduler makes of the configuration later.
class answer_search {
public:
  answer_search(const experiment_settings& settings, rule_set rules, trial_id of)
      : replay_{settings, std::move(rules)}, of_{of} {}

  void go_by(rule_change what) { replay_.go_by(std::move(what)); }
  /// Takes the next event. @returns whether another one is needed.
  bool apply(const event& what);
  /// The answer; empty if no searcher proposed the configuration: a client added it.
  [[nodiscard]] const std::optional<recorded_answer>& found() const { return found_; }

private:
  plain_replay replay_;
  trial_id of_;
  std::optional<ask> asked_;
  std::optional<recorded_answer> found_;

  void hear(const cmd::tell_searcher& what);
};

/// A searcher's later explanation of one of its own answers.
struct explained_answer {
  /// Empty if the searcher can say no more than the origin.
  std::optional<explanation> what;
  /// True if the rebuilt searcher gives the recorded answer again, over the same facts: the
  /// explanation then describes exactly that answer. Otherwise it is based on the facts that were
  /// known when the searcher was asked.
  bool is_same = false;
};

/// The second replay: brings the searcher to the state in which it answered, and asks it why.
///
/// A searcher answers from the facts at the moment it was asked, or, if its head was replaced, from
/// the facts that the next head knew. Therefore it is asked to propose again at each new fact until
/// it gives the recorded answer, at most `most_tries` times: that bounds the cost at `most_tries`
/// proposals, and at one if no head was replaced.
class suggestion_replay {
public:
  static constexpr std::size_t most_tries = 8;

  suggestion_replay(const experiment_settings& settings, rule_set rules, recorded_answer what)
      : replay_{settings, std::move(rules)}, what_{std::move(what)} {}

  void go_by(rule_change what) { replay_.go_by(std::move(what)); }
  /// Takes the next event. @returns whether another one is needed.
  bool apply(const event& what);
  [[nodiscard]] explained_answer found() const { return found_; }

private:
  plain_replay replay_;
  recorded_answer what_;
  explained_answer found_;
  bool asked_ = false;
  std::size_t tries_ = 0;

  void look();
};

} // namespace tune

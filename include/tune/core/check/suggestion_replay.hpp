/// Finds out from a log alone why a trial's configuration was proposed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/check/replay_check.hpp"
#include "tune/core/search/explanation.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace tune {

/// The answer of a searcher that a trial's configuration comes from.
struct recorded_answer {
  ask question;
  std::vector<suggestion> what;
  /// Which of them.
  std::size_t which = 0;
  /// The `seq` of the answer.
  sequence at = 0;
};

/// Rebuilds experiment, scheduler and searcher from a log, and nothing more: what both replays
/// below share.
class plain_replay {
public:
  /// @param rules As new; used up.
  plain_replay(const experiment_settings& settings, rule_set rules);

  /// As `experiment::go_by`.
  void go_by(rule_change what) { machine_.go_by(std::move(what)); }
  /// @returns what the machine gave for it.
  std::vector<command> apply(const event& what);
  [[nodiscard]] const searcher& source() const { return *source_; }

private:
  std::unique_ptr<scheduler> judge_;
  std::unique_ptr<searcher> source_;
  experiment machine_;
};

/// The first of two replays: finds the answer that the trial began with, not that of a draft which
/// was replaced. What a scheduler makes of the configuration later is none of its business.
class answer_search {
public:
  answer_search(const experiment_settings& settings, rule_set rules, trial_id of)
      : replay_{settings, std::move(rules)}, of_{of} {}

  void go_by(rule_change what) { replay_.go_by(std::move(what)); }
  /// The next event. @returns whether another one is needed.
  bool apply(const event& what);
  /// Nothing: nobody proposed it, a client added it.
  [[nodiscard]] const std::optional<recorded_answer>& found() const { return found_; }

private:
  plain_replay replay_;
  trial_id of_;
  std::optional<ask> asked_;
  std::optional<recorded_answer> found_;

  void hear(const cmd::tell_searcher& what);
};

/// What a searcher says of an answer of its own, long after.
struct explained_answer {
  /// Nothing: its searcher says no more than the origin.
  std::optional<explanation> what;
  /// The rebuilt searcher gives the recorded answer again, over the same facts: the explanation is
  /// of just that. Otherwise it is of the facts that were known when it was asked.
  bool is_same = false;
};

/// The second: brings the searcher to where it answered, and asks it why.
///
/// A searcher answers over the facts of the moment at which it was asked, or, where its head was
/// replaced, over those that the next head knew. So it is asked to propose once more at each new
/// fact until it gives the recorded answer, `most_tries` times at most: that bounds the cost at so
/// many proposals, and at one where no head was replaced.
class suggestion_replay {
public:
  static constexpr std::size_t most_tries = 8;

  suggestion_replay(const experiment_settings& settings, rule_set rules, recorded_answer what)
      : replay_{settings, std::move(rules)}, what_{std::move(what)} {}

  void go_by(rule_change what) { replay_.go_by(std::move(what)); }
  /// The next event. @returns whether another one is needed.
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

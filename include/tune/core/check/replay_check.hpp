/// Replays a log and checks it on the way.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/check/finding.hpp"
#include "tune/core/check/log_check.hpp"
#include "tune/core/experiment/experiment.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tune {

/// The rules of one experiment, in their initial state.
struct rule_set {
  std::unique_ptr<scheduler> judge;
  std::unique_ptr<searcher> source;
  std::vector<std::unique_ptr<stopper>> stoppers;
  /// `judge` as heads of earlier versions had it, indexed by their `on::opened::draws`; null or
  /// missing: `judge` did not differ.
  std::vector<std::unique_ptr<scheduler>> older_judges = {};
};

/// Rebuilds experiment, scheduler and searcher from a log alone, as a new head does, and passes
/// everything to `log_check`. `fsck` runs this on the log of a directory; the simulator runs it on
/// its own log.
class replay_check {
public:
  /// @param rules  In their initial state; consumed.
  /// @param verify Whether recorded answers of scheduler and searcher are computed again. An answer
  ///               comes some time after its question, in an unknown state between the question and
  ///               its record: it is right if the rule gives it in some state in between.
  replay_check(const experiment_settings& settings, rule_set rules, bool verify = false);

  /// See `experiment::go_by`.
  void go_by(rule_change what);

  /// Takes the next event. @returns the machine's commands for it, valid until the next call.
  std::span<const command> apply(const event& what);

  /// The log ends here.
  void end();

  /// Hash over experiment, scheduler and searcher.
  [[nodiscard]] std::uint64_t digest() const;

  [[nodiscard]] const experiment& machine() const { return machine_; }
  [[nodiscard]] const findings& found() const { return found_; }
  /// Number of answers that were computed again.
  [[nodiscard]] std::uint64_t verified() const { return verified_; }
  /// Number of the searcher's answers that cannot be computed here: see
  /// `searcher_traits::recomputes`.
  [[nodiscard]] std::uint64_t unverifiable() const { return unverifiable_; }

private:
  /// An open question, and the answers that are possible so far.
  struct question {
    std::optional<trial_id> trial;
    std::uint32_t count = 0;
    std::uint64_t number = 0;
    sequence at = 0;
    drafting drafts = drafting::none;
    std::vector<std::string> answers{};
    /// Deferred answers, each with whether its computation may have begun at that time: one begins
    /// when the question is asked, or when the previous answer was heard.
    std::vector<std::pair<bool, deferred_decision>> later{};
  };
  using open_questions = std::map<sequence, question>;

  std::unique_ptr<scheduler> judge_;
  /// Null where no answer of that version is needed any more.
  std::vector<std::unique_ptr<scheduler>> older_judges_;
  /// See `on::opened::draws`.
  std::uint32_t draws_ = 0;
  std::unique_ptr<searcher> source_;
  experiment machine_;
  log_check log_;
  bool verify_;
  /// True once the rules' own numbers, such as the number of samples, have changed.
  bool changed_ = false;
  std::vector<command> gave_;
  findings found_;
  std::uint64_t verified_ = 0;
  std::uint64_t unverifiable_ = 0;
  /// True if this event brought an answer that takes long to compute.
  bool heard_later_ = false;
  open_questions judged_;
  open_questions stalls_;
  open_questions choices_;
  open_questions asks_;

  [[nodiscard]] const scheduler& answering() const;
  [[nodiscard]] std::string text_of_answer(const decision& what) const;
  void begin_head(const on::opened& what);
  void note(const command& what);
  void answer_open(bool facts_for_judge, bool facts_for_source);
  static void give(question& to, std::string answer);
  void answer_report(sequence cause, question& what) const;
  void answer_ask(const ask& about, question& what) const;
  [[nodiscard]] bool works_out(question& what, const std::string& recorded) const;
  void compare(const event& what);
  [[nodiscard]] bool was_answered(const on::suggested& what) const;
  [[nodiscard]] bool came_to_an_end_earlier(const on::suggested& what) const;
  void settle(open_questions& among, sequence cause, const std::string& recorded, sequence seq,
              std::string_view who);
};

/// Hash over the three objects that a replay rebuilds.
[[nodiscard]] std::uint64_t digest_of(const experiment& machine, const scheduler& judge,
                                      const searcher& source);

} // namespace tune

/// A small world for schedulers: trials that train, fail and end, and answers that come late.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/schedule/scheduler.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace tune::support {

struct world_settings {
  unsigned seed = 1;
  std::uint64_t trials = 30;
  std::size_t slots = 4;
  /// Upper bound of the results of a trial; then it ends by itself.
  std::uint64_t iterations = 30;
  /// Chances per result, in percent: an odd score (NaN, infinite, missing), an error that is
  /// retried, an error that is not.
  int odd = 0;
  int retried = 0;
  int fatal = 0;
  /// Chance per result, in percent, that the trial's node is lost and the trial comes back from an
  /// earlier result.
  int lost = 0;
  /// Chance, in percent, that an action has no effect: a trial that was to pause reports on, a save
  /// yields nothing, an exploit is refused.
  int futile = 0;
  /// Upper bound of the other events that come before a verdict. 0 = the verdict comes at once.
  int late = 0;
  std::uint32_t objectives = 1;
};

/// One question and its answer, as text.
struct exchange {
  enum class kind { judge, choose, stall } what = kind::judge;
  /// Number of facts that the scheduler had been told before.
  std::size_t after = 0;
  sequence at = 0;
  trial_id trial;
  std::uint32_t count = 0;
  std::string answer;
  /// The answer without its reasons.
  std::string moves;
};

/// Plays one experiment with a scheduler and keeps the record. Violations of the interface's rules
/// become entries of `faults`.
class scheduler_world {
public:
  scheduler_world(scheduler& uut, world_settings settings);

  /// Runs until every trial has ended or nothing can be done.
  void run();

  /// Facts in the order told, and the digest of the scheduler's state after each.
  [[nodiscard]] const std::vector<scheduler_fact>& facts() const { return facts_; }
  [[nodiscard]] const std::vector<std::uint64_t>& digests() const { return digests_; }
  [[nodiscard]] const std::vector<exchange>& exchanges() const { return exchanges_; }
  [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }
  /// Number of trials that have not ended.
  [[nodiscard]] std::size_t left() const { return trials_.size(); }

private:
  enum class state { pending, allowed, paused, running };
  struct known_trial {
    state now = state::pending;
    lineage_id lineage = 1;
    std::uint64_t iteration = 0;
    /// The result that awaits its verdict, and when the verdict is due.
    sequence asked = 0;
    int due = 0;
    /// Its node was lost before its pause took effect: it pauses as soon as it runs again.
    bool pauses = false;
    double talent = 0;
    config_ptr config;
  };

  scheduler* uut_;
  world_settings settings_;
  std::mt19937 random_;
  std::map<trial_id, known_trial> trials_;
  std::uint64_t added_ = 0;
  std::uint64_t checkpoints_ = 0;
  sequence seq_ = 0;
  std::vector<scheduler_fact> facts_;
  std::vector<std::uint64_t> digests_;
  std::vector<exchange> exchanges_;
  std::vector<std::string> faults_;

  bool chance(int percent);
  std::size_t running() const;
  sequence tell(decltype(scheduler_fact::what) what);
  void fault(std::string what);
  void fill_slots();
  bool step();
  void train(trial_id id, known_trial& trial);
  std::vector<double> scores(const known_trial& trial);
  void give_verdict(trial_id id);
  void carry_out(const decision& what, sequence cause);
  void come_back(trial_id id, known_trial& trial);
  [[nodiscard]] bool refuses(const action& what);
  [[nodiscard]] bool acts_at_once(const action& what) const;
  bool act(const action& what);
  void end(trial_id id, fact::end_kind how, bool judged);
  bool stall();
};

/// Asks the same question again. @returns the answer as text.
[[nodiscard]] std::string ask_again(const scheduler& uut, const exchange& what);

} // namespace tune::support

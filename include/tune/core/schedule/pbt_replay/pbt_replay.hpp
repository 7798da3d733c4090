/// Trains one trial by a schedule of configurations that population based training found.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/schedule/pbt_replay/policy.hpp"
#include "tune/core/schedule/scheduler.hpp"

#include <cstdint>
#include <optional>
#include <set>

namespace tune::pbt_replay {

/// The first trial begins with the policy's first configuration, whatever was suggested. When its
/// iteration has reached that of a step, it pauses and goes on with the step's configuration; if
/// several steps were reached at once, with that of the last. Other trials are stopped.
///
/// A change says `rule`, `step` (from 1; 0 is the beginning), `of`, `at` (the step's iteration) and
/// `why`.
class pbt_replay_scheduler final : public scheduler {
public:
  explicit pbt_replay_scheduler(policy what);

  [[nodiscard]] scheduler_traits traits() const override;
  void apply(const scheduler_fact& what) override;
  [[nodiscard]] decision judge(sequence cause, trial_id trial) const override;
  [[nodiscard]] choice choose(sequence at, std::uint32_t count) const override;
  [[nodiscard]] decision on_stall(sequence at) const override;
  void describe(fingerprint& into) const override;

private:
  enum class whereabouts : std::uint8_t { pending, paused, refused, away, ended };

  policy policy_;
  std::optional<trial_id> trial_;
  whereabouts now_ = whereabouts::away;
  std::set<trial_id> others_;
  /// Newest result, and its iteration.
  sequence cause_ = 0;
  std::uint64_t iteration_ = 0;
  /// Numbers of configurations, in order from 1: the one that was set last, 0 for none; and the one
  /// that the present attempt began with.
  std::uint64_t set_ = 0;
  std::uint64_t runs_with_ = 0;

  void add(trial_id trial);
  void end(trial_id trial);
  void leave(const fact::chosen& what);
  void settle(const fact::decided& what);
  [[nodiscard]] bool is_mine(trial_id trial) const { return trial_ == trial; }
  [[nodiscard]] const object& config(std::uint64_t number) const;
  [[nodiscard]] action change_to(std::uint64_t number) const;
};

/// The catalogue entry of the replay.
[[nodiscard]] scheduler_catalogue::entry make_entry();

} // namespace tune::pbt_replay

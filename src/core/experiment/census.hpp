/// How far each trial is on its way to run, and how many trials are how far.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/experiment.hpp"
#include "tune/core/ids.hpp"
#include "tune/core/trial/status.hpp"

#include <cstdint>
#include <set>

namespace tune {

/// A client's hold on a trial, which keeps it from running.
enum class hold : std::uint8_t {
  none,
  /// The trial is pausing, paused, or pending and not to be started.
  held,
  /// The trial is about to pause on a client's wish that was taken back: it resumes at once.
  wakes,
};

/// How far one trial is on its way to run. Only `census` changes it, and counts it as it does.
class standing {
public:
  [[nodiscard]] trial_status status() const { return status_; }
  /// True if the trial ended without error and its first objective was a number at least once.
  [[nodiscard]] bool has_succeeded() const { return succeeded_; }
  /// True if its first objective was a number at least once, however the trial ended.
  [[nodiscard]] bool has_number() const { return number_; }
  /// True if the scheduler knows that the trial may be started.
  [[nodiscard]] bool is_queued() const { return queued_; }
  /// True while the trial waits for the cluster to grant its request, or, while all is suspended,
  /// to ask again.
  [[nodiscard]] bool awaits_lease() const { return awaits_lease_; }
  /// True if somebody asked for the trial under this head: see `on::gathered`.
  [[nodiscard]] bool is_asked_for() const { return asked_for_; }
  [[nodiscard]] hold held() const { return held_; }
  [[nodiscard]] bool is_held() const { return held_ == hold::held; }

private:
  friend class census;

  trial_status status_ = trial_status::pending;
  hold held_ = hold::none;
  bool succeeded_ = false;
  bool number_ = false;
  bool queued_ = false;
  bool awaits_lease_ = false;
  bool asked_for_ = false;
};

/// Changes standings, and counts them. Each call takes constant time, except those that take an id:
/// these cost O(log n) of the trials that clients asked for.
///
/// A change that a standing has already counts once.
class census {
public:
  /// A trial was made; it is pending.
  void add(const standing& of);
  void move(standing& of, trial_status to);
  void set_succeeded(standing& of, bool to);
  /// The trial's first objective was a number.
  void note_number(standing& of);

  void queue(trial_id trial, standing& of);
  void leave_queue(trial_id trial, standing& of);
  void await_lease(standing& of);
  void stop_waiting(standing& of);

  /// @returns whether that changes the hold.
  bool set_hold(standing& of, hold to);
  void ask_for(trial_id trial, standing& of);
  /// Nobody asks for the trial any more.
  void forget_request(trial_id trial, standing& of);

  [[nodiscard]] const status_counts& counts() const { return counts_; }
  [[nodiscard]] std::uint64_t count(trial_status x) const { return counts_[index(x)]; }
  [[nodiscard]] std::uint64_t running() const { return count(trial_status::running); }
  [[nodiscard]] std::uint64_t succeeded() const { return succeeded_; }
  /// Trials whose first objective was a number at least once, except those that failed.
  [[nodiscard]] std::uint64_t promising() const { return promising_; }
  /// Trials that may be started and that the scheduler has not chosen yet.
  [[nodiscard]] std::uint64_t queued() const { return queued_; }
  [[nodiscard]] std::uint64_t awaiting_lease() const { return awaiting_lease_; }
  /// Trials that run or are about to.
  [[nodiscard]] std::uint64_t busy() const { return running() + awaiting_lease_; }
  /// Trials that clients hold, and those of them that are paused.
  [[nodiscard]] std::uint64_t held() const { return held_; }
  [[nodiscard]] std::uint64_t held_paused() const { return held_paused_; }
  /// Trials that clients asked for, and those of them that are queued.
  [[nodiscard]] std::uint64_t asked_for() const { return asked_for_; }
  [[nodiscard]] const std::set<trial_id>& asked_waiting() const { return asked_waiting_; }

private:
  static constexpr std::size_t index(trial_status x) { return static_cast<std::size_t>(x); }
  void note_asked_waiting(trial_id trial, const standing& of);

  status_counts counts_{};
  std::uint64_t succeeded_ = 0;
  std::uint64_t promising_ = 0;
  std::uint64_t queued_ = 0;
  std::uint64_t awaiting_lease_ = 0;
  std::uint64_t held_ = 0;
  std::uint64_t held_paused_ = 0;
  std::uint64_t asked_for_ = 0;
  std::set<trial_id> asked_waiting_;
};

} // namespace tune

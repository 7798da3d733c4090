/// What a run holds back until the disk has caught up. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "owed_answers.hpp"

#include "tune/actors/janitor.hpp"
#include "tune/actors/runner.hpp"

#include <deque>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

namespace tune {

/// Holds back answers to trials and to clients, and the removal of checkpoints that attempts left
/// behind. Lives in the state of the runner.
class disk_waits {
public:
  /// All events up to `seq` are on disk. Call `take_answers` next, then `settle`.
  void reached(sequence seq) { durable_ = seq; }

  /// Holds the answer to a trial back if too much waits for the disk.
  /// @param last The last event. @param most Events that may wait: `runner_parts::most_undurable`.
  /// @returns whether it does.
  bool hold_back(const cmd::proceed& what, sequence last, sequence most) {
    if (last - durable_ <= most)
      return false;
    answers_.push_back(what);
    return true;
  }
  /// The answers to trials, to be given or held back once more.
  [[nodiscard]] std::vector<cmd::proceed> take_answers() { return std::exchange(answers_, {}); }

  /// Answers a client once the events up to `last` are on disk, perhaps at once.
  void owe(sequence last, std::function<void(expected<std::vector<order_verdict>>)> whom,
           std::vector<order_verdict> what) {
    owed_.owe(last, std::move(whom), std::move(what));
    owed_.pay(durable_);
  }
  /// Confirms a message of an attempt proxy once the events up to `last` are on disk.
  template <class Self>
  void confirm(Self* self, sequence last, const word_taken& what) {
    taken_.emplace_back(last, what);
    confirm(self);
  }
  /// Confirms what is on disk by now.
  template <class Self>
  void confirm(Self* self) {
    for (; !taken_.empty() && taken_.front().first <= durable_; taken_.pop_front())
      send(self, taken_.front().second.whom, taken_.front().second.what);
  }
  /// Nothing more will ever be on disk.
  void fail(const error& why) { owed_.fail(why); }

  /// An attempt began, or is over. @param cause The event of that.
  void changed(sequence cause, const cmd::attempt_changed& what) {
    if (what.finished && may_leave_checkpoints(what.how))
      cut_off_.emplace_back(cause, what.trial, what.attempt);
  }

  /// Answers clients, and has removed the checkpoints that attempts left behind which did not end
  /// by themselves: everything that they registered is known by now.
  void settle(const janitor_actor& janitor) {
    owed_.pay(durable_);
    std::erase_if(cut_off_, [&](const auto& x) {
      const auto& [seq, trial, attempt] = x;
      if (seq > durable_)
        return false;
      tidy_up(janitor, trial, attempt);
      return true;
    });
  }

private:
  sequence durable_ = 0;
  std::vector<cmd::proceed> answers_;
  owed_answers owed_;
  /// Messages of attempt proxies, with the last event before each.
  std::deque<std::pair<sequence, word_taken>> taken_;
  /// Attempts that did not end by themselves.
  std::vector<std::tuple<sequence, trial_id, attempt_id>> cut_off_;

  /// Whether an attempt that ended so may have a checkpoint stored that it told nobody of. The node
  /// of a preempted attempt may have begun anew. Those that ended with their head are left to the
  /// next one, which sweeps by the log: rows for people may have been changed meanwhile.
  static bool may_leave_checkpoints(end_class how) {
    return how != end_class::finished && how != end_class::stopped && how != end_class::paused
           && how != end_class::interrupted;
  }
};

} // namespace tune

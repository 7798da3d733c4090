/// What the searcher was asked and has answered, and the wait for a searcher that has nothing yet.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/command.hpp"
#include "tune/core/ids.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace tune {

/// The questions to the searcher, at most one of which is open, and whether there is a reason to
/// ask again.
class searcher_dialogue {
public:
  /// Puts a question; an open one is given up for it.
  void put(ask question);
  /// The open question, which is answered now. @pre One is open.
  [[nodiscard]] ask close() { return *std::exchange(open_, std::nullopt); }
  /// The searcher heard of something: it may have suggestions now.
  void hear() {
    waits_ = false;
    heard_ = true;
  }
  /// An observation other than a running trial's was told at this event.
  void note_told(sequence at) { told_ = at; }
  /// The searcher answered that it has nothing, or `has_some`. It waits for news if it had nothing,
  /// unless it heard something since it was asked.
  void note_answer(bool has_some) { waits_ = !has_some && !heard_; }
  /// The searcher has no more.
  void end() { done_ = true; }
  /// Notes why it has no more. @param why Empty: people need not be told.
  void set_end(std::string why) { end_ = std::move(why); }
  /// There may be more after all. @param is_done Whether the searcher has nothing to add even so.
  void reopen(bool is_done) {
    done_ = is_done;
    end_.clear();
  }
  /// The searcher may be asked again although it heard nothing.
  void wake() { waits_ = false; }

  /// The number that the next question will have.
  [[nodiscard]] std::uint64_t next() const { return asks_ + 1; }
  /// Questions so far.
  [[nodiscard]] std::uint64_t asks() const { return asks_; }
  [[nodiscard]] const std::optional<ask>& open() const { return open_; }
  [[nodiscard]] bool is_open() const { return open_.has_value(); }
  /// Whether the searcher has heard something since it was asked.
  [[nodiscard]] bool has_heard() const { return heard_; }
  [[nodiscard]] sequence told() const { return told_; }
  [[nodiscard]] bool is_done() const { return done_; }
  /// True if the searcher had nothing to suggest; it is asked again after new observations.
  [[nodiscard]] bool waits() const { return waits_; }
  /// Whether a question makes sense: none is open, and the searcher may have suggestions.
  [[nodiscard]] bool may_be_asked() const { return !is_open() && !done_ && !waits_; }
  /// Why the searcher ended.
  [[nodiscard]] const std::string& why_ended() const { return end_; }

private:
  std::uint64_t asks_ = 0;
  std::optional<ask> open_;
  sequence told_ = 0;
  bool heard_ = false;
  bool done_ = false;
  bool waits_ = false;
  std::string end_;
};

/// The wait for a searcher that has nothing while no trial is left: it is asked again at growing
/// intervals, from 1 s to 16 s, until the patience is at its end.
class idle_wait {
public:
  enum class step : std::uint8_t {
    /// The searcher is asked again at `again_at`.
    waits,
    /// The same, and people are to be told now: some searchers just take a moment.
    waits_long,
    /// The patience is at its end.
    over,
  };
  /// Waits on, from the first call. @pre `again_at` is empty.
  [[nodiscard]] step wait(instant now, std::chrono::nanoseconds patience);
  /// The searcher is asked again now.
  void ask_now() { again_at_.reset(); }
  /// A trial has come: the next wait begins anew.
  void end() { since_.reset(); }
  /// A new head waits for nothing yet.
  void begin_head() {
    since_.reset();
    again_at_.reset();
  }

  [[nodiscard]] const std::optional<instant>& since() const { return since_; }
  /// The time of the next question; empty: none is due.
  [[nodiscard]] const std::optional<instant>& again_at() const { return again_at_; }
  /// The interval after the next question.
  [[nodiscard]] std::chrono::nanoseconds interval() const { return interval_; }

private:
  std::optional<instant> since_;
  std::optional<instant> again_at_;
  std::chrono::nanoseconds interval_{0};
};

} // namespace tune

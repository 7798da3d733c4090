/// The messages of a run to its rules and its record, turn by turn. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "turn_sequencer.hpp"

#include "tune/actors/runner.hpp"
#include "tune/core/experiment/record_pace.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace tune {

/// Collects what one turn has to say, so that each actor gets one message, and takes in the answers
/// in their order. Lives in the state of the runner.
class turn_messages {
public:
  turn_messages() = default;
  explicit turn_messages(const runner_parts& run)
      : gate_{run.prompt_scheduler, run.prompt_searcher}, pace_{run.gathering} {}

  // -- In.

  /// Takes messages in from now on; earlier ones wait.
  void open() {
    is_open_ = true;
    for (auto& x : std::exchange(early_, {}))
      gate_.hear(std::move(x));
  }
  void hear(heard_word what) {
    if (is_open_)
      gate_.hear(std::move(what));
    else
      early_.push_back(std::move(what));
  }
  /// See `turn_sequencer`.
  [[nodiscard]] std::optional<heard_word> next() { return gate_.next(); }

  // -- Out.

  void add(const event& what) {
    pace_.add(what);
    record_.items.emplace_back(what);
  }
  template <class Row>
  void add(sequence cause, const Row& what) {
    pace_.add(what);
    record_.items.emplace_back(cause, what);
  }
  void add(const cmd::tell_searcher& x) { searcher_.facts.push_back(x.what); }
  void add(const cmd::ask_searcher& x) {
    searcher_.asks.push_back(x.what);
    gate_.will_ask();
  }
  void add(const cmd::tell_scheduler& x) { scheduler_.facts.push_back(x.what); }
  void add(const cmd::judge& x) { scheduler_.judge.push_back(x); }
  void add(const cmd::choose& x) {
    scheduler_.choose.push_back(x);
    gate_.will_choose();
  }
  void add(const cmd::resolve_stall& x) { scheduler_.stalls.push_back(x); }

  /// Whether the end of the turn is to be waited for, after which `flush` is called: once a turn.
  [[nodiscard]] bool wants_flush() { return !std::exchange(will_flush_, true); }

  /// Sends all of it: first what is to be on disk, unless that can wait; see `record_due`.
  /// @param me Hears the answers.
  template <class Self>
  void flush(Self* self, const runner_parts& to, const runner_actor& me, instant now) {
    will_flush_ = false;
    if (auto due = pace_.due(now); due && *due <= now) {
      send(self, to.recorder, std::exchange(record_, {}));
      pace_.went();
    }
    gate_.sent(scheduler_);
    gate_.sent(searcher_);
    const auto& x = scheduler_;
    if (!x.facts.empty() || !x.judge.empty() || !x.choose.empty() || !x.stalls.empty())
      send(self, to.scheduler, std::exchange(scheduler_, {}), me);
    if (!searcher_.facts.empty() || !searcher_.asks.empty())
      send(self, to.searcher, std::exchange(searcher_, {}), me);
  }

  /// Time of the next `flush` for what waits to be on disk; nothing: nothing does, or that `flush`
  /// was told before.
  [[nodiscard]] std::optional<instant> record_due(instant now) {
    const auto due = pace_.due(now);
    return due && !std::exchange(will_record_, true) ? due : std::nullopt;
  }
  /// The time that `record_due` told has come. Call `flush` next.
  void record_is_due() { will_record_ = false; }

private:
  bool is_open_ = false;
  bool will_flush_ = false;
  bool will_record_ = false;
  std::vector<heard_word> early_;
  turn_sequencer gate_;
  scheduler_turn scheduler_;
  searcher_turn searcher_;
  record_turn record_;
  record_pace pace_;
};

} // namespace tune

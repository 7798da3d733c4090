/// Answers to clients, held back until the events that they report are on disk. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/local_messages.hpp"

#include <deque>
#include <functional>
#include <utility>
#include <vector>

namespace tune {

/// Holds the answers to client orders in log order. Every client is answered, whatever happens.
class owed_answers {
public:
  owed_answers() = default;
  owed_answers(const owed_answers&) = delete;
  owed_answers& operator=(const owed_answers&) = delete;
  ~owed_answers() { fail({ec::unreachable, "the experiment ended before it could answer"}); }

  /// @param until The answer may be given when the log is on disk up to here. Never less than
  ///              before.
  void owe(sequence until, std::function<void(expected<std::vector<order_verdict>>)> whom,
           std::vector<order_verdict> what) {
    owed_.push_back({until, std::move(whom), std::move(what)});
  }

  /// All events up to `seq` are on disk.
  void pay(sequence seq) {
    while (!owed_.empty() && owed_.front().until <= seq) {
      auto next = std::move(owed_.front());
      owed_.pop_front();
      next.whom(std::move(next.what));
    }
  }

  /// Nothing more will ever be on disk.
  void fail(const error& why) {
    for (auto& x : std::exchange(owed_, {}))
      x.whom(why);
  }

private:
  struct item {
    sequence until = 0;
    std::function<void(expected<std::vector<order_verdict>>)> whom;
    std::vector<order_verdict> what;
  };
  std::deque<item> owed_;
};

} // namespace tune

/// The order in which the runner takes messages. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/actors/runner.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <variant>

namespace tune {

/// An answer that was deferred: it is taken like any message from outside.
struct deferred_word {
  event_body what;
};

/// The messages that the runner turns into events: news, a lease, a tick, or a client's orders; and
/// what is to be confirmed once those before it are on disk.
using heard_word
    = std::variant<event_body, deferred_word, lease_granted, tick_atom, client_orders, word_taken>;

/// Keeps back other messages while a prompt rule decides which trials to start or what to try, and
/// puts the answers of both rules in a fixed order: the scheduler's, then the searcher's.
///
/// The reason: the two rules are two actors, besides those of the trials, so the order in which
/// their messages arrive is random. With this gate the log depends only on the messages from
/// outside the rules, and on their order.
///
/// Suppose that the gate is open, and a message from outside comes. Posting it may raise questions
/// to the rules. If one of them is which trials to start or what to try, the gate closes at once,
/// in the same turn of the runner. It opens again when all questions have been answered, including
/// those not yet sent. The answers are then let out in an order that does not depend on when they
/// came: those of one rule in the order of its questions (messages between two actors do not
/// overtake each other), those of the two rules by rule. If posting them raises new questions, the
/// gate closes again before anything else is let out. So a message from outside and all answers
/// that follow from it are one block of the log, in one order, and the next message comes after it.
/// Where only one message from outside is under way at a time, as it is where one trial runs at a
/// time, the whole log is the same in each run.
///
/// A request to end is taken at once: a rule may be gone and never answer. The gate stays open from
/// then on.
///
/// Nothing waits for a rule that is not prompt: its questions never close the gate, and its answers
/// are taken like messages from outside.
class turn_sequencer {
public:
  turn_sequencer() = default;
  turn_sequencer(bool prompt_scheduler, bool prompt_searcher) {
    scheduler_.prompt = prompt_scheduler;
    searcher_.prompt = prompt_searcher;
  }

  /// The scheduler will be asked which trials to start, the searcher what to try.
  void will_choose() { close(scheduler_); }
  void will_ask() { close(searcher_); }

  /// The questions have been sent.
  void sent(const scheduler_turn& what) {
    // Verdicts on reports and on stalls come as one answer, even if all are deferred.
    auto verdicts = what.judge.empty() && what.stalls.empty() ? 0u : 1u;
    sent(scheduler_, what.choose.size() + verdicts);
  }
  void sent(const searcher_turn& what) { sent(searcher_, what.asks.size()); }

  /// Takes a message; `next` gives the one to be posted now.
  void hear(heard_word what) {
    if (wants_an_end(what))
      stay_open();
    auto* from = author_of(what);
    if (from == nullptr || from->due == 0) {
      waiting_.push_back(std::move(what));
      return;
    }
    --from->due;
    (closed_ ? from->answers : waiting_).push_back(std::move(what));
  }

  /// The next message to be posted; nothing until more is heard. Post it before the next call.
  [[nodiscard]] std::optional<heard_word> next() {
    open_if_answered();
    if (!answers_.empty())
      return taken(answers_);
    if (!closed_ && !waiting_.empty())
      return taken(waiting_);
    return std::nullopt;
  }

private:
  /// State of a rule.
  struct rule {
    bool prompt = false;
    /// Whether it was or will be asked in this turn.
    bool unsent = false;
    /// Number of answers it owes.
    std::size_t due = 0;
    std::deque<heard_word> answers;
  };

  rule scheduler_;
  rule searcher_;
  bool closed_ = false;
  /// The rules' answers in their order, and everything else in the order of arrival.
  std::deque<heard_word> answers_;
  std::deque<heard_word> waiting_;

  void close(rule& whom) {
    if (!whom.prompt)
      return;
    whom.unsent = true;
    closed_ = true;
  }

  static void sent(rule& whom, std::size_t questions) {
    if (!whom.prompt)
      return;
    whom.unsent = false;
    whom.due += questions;
  }

  static bool is_end(const event_body& what) {
    return std::holds_alternative<on::stop_asked>(what)
           || std::holds_alternative<on::interrupted>(what);
  }

  static bool wants_an_end(const heard_word& what) {
    if (const auto* orders = std::get_if<client_orders>(&what))
      return std::any_of(orders->what.begin(), orders->what.end(), is_end);
    const auto* body = std::get_if<event_body>(&what);
    return body != nullptr && is_end(*body);
  }

  void stay_open() {
    for (auto* x : {&scheduler_, &searcher_}) {
      x->prompt = x->unsent = false;
      x->due = 0;
    }
  }

  rule* author_of(const heard_word& what) {
    const auto* body = std::get_if<event_body>(&what);
    if (body == nullptr)
      return nullptr;
    if (std::holds_alternative<on::decided>(*body) || std::holds_alternative<on::chosen>(*body))
      return &scheduler_;
    return std::holds_alternative<on::suggested>(*body) ? &searcher_ : nullptr;
  }

  void open_if_answered() {
    if (!closed_)
      return;
    for (const auto* x : {&scheduler_, &searcher_}) {
      if (x->unsent || x->due > 0)
        return;
    }
    closed_ = false;
    for (auto* x : {&scheduler_, &searcher_}) {
      while (!x->answers.empty())
        answers_.push_back(*taken(x->answers));
    }
  }

  static std::optional<heard_word> taken(std::deque<heard_word>& from) {
    std::optional<heard_word> result{std::move(from.front())};
    from.pop_front();
    return result;
  }
};

} // namespace tune

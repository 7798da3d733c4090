/// The questions that the scheduler has not answered.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/command.hpp"
#include "tune/core/ids.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace tune {

/// Whether that news may change the scheduler's answer about which trials to start. False for a
/// result, since its verdict follows, and for a verdict of `go_on` actions alone. Notes count: they
/// may be all that shows of a round that lets its waiting trials go on.
[[nodiscard]] bool makes_answers_old(const decltype(scheduler_fact::what)& news);

/// Questions about reports, each named by its event. An answer counts once, whatever became of the
/// attempt. Each call costs O(log n) of them.
class verdict_questions {
public:
  void ask(sequence at, trial_id about) { open_.emplace(at, about); }
  /// The trial's attempt waits for the answer.
  void await(sequence at, trial_id about) { waiting_.emplace(at, about); }
  void stop_waiting(sequence at) { waiting_.erase(at); }
  /// The question was answered. No effect if it is not open.
  /// @returns whether it was the oldest open one.
  bool answer(sequence at) {
    const auto is_oldest = oldest() == at;
    open_.erase(at);
    return is_oldest;
  }
  /// Forgets the open questions for which `is_void(at, trial)` is true.
  template <class Predicate>
  void forget_if(Predicate is_void) {
    std::erase_if(open_, [&](const auto& x) { return is_void(x.first, x.second); });
  }

  [[nodiscard]] bool is_open(sequence at) const { return open_.contains(at); }
  [[nodiscard]] std::optional<sequence> oldest() const {
    return open_.empty() ? std::nullopt : std::optional{open_.begin()->first};
  }
  [[nodiscard]] const std::map<sequence, trial_id>& open() const { return open_; }
  /// The trial whose attempt waits for the answer.
  [[nodiscard]] std::optional<trial_id> waiting(sequence at) const {
    auto known = waiting_.find(at);
    return known == waiting_.end() ? std::nullopt : std::optional{known->second};
  }
  [[nodiscard]] const std::map<sequence, trial_id>& all_waiting() const { return waiting_; }

  /// Notes a trial with checkpoints that are kept only for answers to open questions.
  void keep_for_answers(trial_id x) { kept_.insert(x); }
  /// Those trials, which are forgotten.
  [[nodiscard]] std::set<trial_id> take_kept() { return std::exchange(kept_, {}); }
  [[nodiscard]] const std::set<trial_id>& kept() const { return kept_; }

private:
  std::map<sequence, trial_id> open_;
  std::map<sequence, trial_id> waiting_;
  std::set<trial_id> kept_;
};

/// The question whom to start. At most one is open.
class choice_question {
public:
  /// The scheduler is asked for up to `count` trials.
  void ask(sequence at, std::uint32_t count) {
    choose_instead(at, count);
    has_news_ = false;
  }
  /// Trials are chosen in place of the scheduler.
  void choose_instead(sequence at, std::uint32_t count) {
    at_ = at;
    count_ = count;
  }
  /// The question was answered, or is void.
  void close() { at_.reset(); }
  /// The scheduler heard this: any news may change its mind about whom to start.
  void hear(const decltype(scheduler_fact::what)& news);
  /// Notes an answer. @param all_refused Whether none of its trials could be started.
  void note_answer(bool all_refused) { refused_ = all_refused ? refused_ + 1 : 0; }
  /// The scheduler had nobody to start: it is asked again after news.
  void note_nobody() { nobody_ = true; }

  /// The event at which the open question was put.
  [[nodiscard]] const std::optional<sequence>& at() const { return at_; }
  [[nodiscard]] bool is_open() const { return at_.has_value(); }
  [[nodiscard]] std::uint32_t count() const { return count_; }
  /// Whether the scheduler has heard something since it was asked: its answer may not account for
  /// that.
  [[nodiscard]] bool has_news() const { return has_news_; }
  [[nodiscard]] bool has_nobody() const { return nobody_; }
  /// Answers in a row, without other news for the scheduler, of which no trial could be started.
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

private:
  std::optional<sequence> at_;
  std::uint32_t count_ = 0;
  bool has_news_ = false;
  bool nobody_ = false;
  std::uint64_t refused_ = 0;
};

/// The question how to go on although no trial can run. At most one is open.
class stall_question {
public:
  void ask(sequence at) {
    at_ = at;
    has_news_ = false;
  }
  void close() { at_.reset(); }
  void hear(const decltype(scheduler_fact::what)& news) {
    has_news_ = has_news_ || makes_answers_old(news);
  }

  [[nodiscard]] const std::optional<sequence>& at() const { return at_; }
  [[nodiscard]] bool is_open() const { return at_.has_value(); }
  /// Whether the scheduler has heard something since it was asked that may have resolved the stall.
  [[nodiscard]] bool has_news() const { return has_news_; }

private:
  std::optional<sequence> at_;
  bool has_news_ = false;
};

/// All that the scheduler may be asked at once.
struct scheduler_questions {
  verdict_questions verdicts;
  choice_question choice;
  stall_question stall;

  /// The scheduler heard this.
  void hear(const decltype(scheduler_fact::what)& news) {
    choice.hear(news);
    stall.hear(news);
  }
};

} // namespace tune

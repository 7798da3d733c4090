/// Ask-tell: an external executor asks for trials and reports their results. docs/ask-tell.md is
/// the user's page.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/space.hpp"
#include "tune/io/ask_tell/plain_runner.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tune {

class executor_book;
struct executor_trial;

/// The functions that a conversation needs from its environment.
class conversation_ports : public plain_runner_ports {
public:
  /// Unix time in milliseconds.
  [[nodiscard]] virtual std::int64_t wall_ms() const = 0;
};

/// The experiment that a conversation is about, with its rules.
struct conversation_parts {
  /// The experiment's state machine. Its trainables must be able to save, since executors keep
  /// checkpoints.
  experiment machine;
  std::unique_ptr<scheduler> judge;
  std::unique_ptr<searcher> source;
  /// The space that must contain the configurations added by the executor.
  std::shared_ptr<const search_space> space;
  /// What the best trial is to keep.
  constraint_list constraints = {};
  /// Longest silence about a trial that is run: after it, its attempt counts as lost, and the trial
  /// is offered again. For several executors, any of which may die. 0: silence has no end. [ns]
  std::chrono::nanoseconds lease{0};
};

/// `from`, changed for trials that an executor runs: suggestions are worked out while it waits for
/// them. Suggestions drawn ahead never run, so quick drafts are good enough.
[[nodiscard]] experiment_settings settings_for_executor(experiment_settings from);

/// Longest name that an executor may give to an object of its own: a checkpoint or a wish. [bytes]
inline constexpr std::size_t most_own_name_bytes = 4096;

/// The answer to an invalid request. @param what The fault, for people.
[[nodiscard]] object fault_answer(std::string what);

/// One conversation: takes requests and returns answers, in order. Not thread-safe.
///
/// Answers rest on durable events only: all events that led to an answer, and all that followed
/// from it, are committed when the answer is returned.
class conversation {
public:
  /// @param world Must outlive the conversation.
  conversation(conversation_parts parts, conversation_ports& world);
  ~conversation();
  conversation(const conversation&) = delete;
  conversation& operator=(const conversation&) = delete;

  /// Like `experiment::go_by`.
  void go_by(rule_change what);
  /// Applies an event of an earlier head. Before `open`.
  void replay(const event& what);
  /// Begins, or continues from the replayed events: trials that ran may be reported on at once, and
  /// `ask` offers them again until a request mentions them.
  /// @errors those of `plain_runner_ports::commit`.
  [[nodiscard]] expected<void> open(on::opened how);
  /// Instead of `open`, where the replayed events have ended the experiment: it stays as it was,
  /// and requests that would change it are faults.
  void look_on();

  /// Answers a request. An invalid request is also answered, by a `fault`.
  /// @errors those of `plain_runner_ports::commit`: then no answer may be sent, and all later calls
  ///         fail.
  [[nodiscard]] expected<object> answer(const object& request);

  [[nodiscard]] const experiment& machine() const { return runner_->machine(); }

private:
  conversation_ports& world_;
  std::shared_ptr<const search_space> space_;
  constraint_list constraints_;
  std::chrono::nanoseconds lease_;
  std::unique_ptr<executor_book> trials_;
  std::unique_ptr<plain_runner> runner_;

  using handler = expected<object> (conversation::*)(const object&);
  [[nodiscard]] static handler handler_of(const std::string& op);

  expected<object> ask(const object& request);
  expected<object> report(const object& request);
  expected<object> complete(const object& request);
  expected<object> fail(const object& request);
  expected<object> stop(const object& request);
  expected<object> add(const object& request);
  expected<object> best(const object& request);
  expected<object> status(const object& request);
  expected<object> alive(const object& request);

  [[nodiscard]] bool is_leased() const { return lease_.count() > 0; }
  void hear(const object& request);
  expected<void> give_up_silent();

  expected<void> tell(trial_id id, executor_trial& trial, object metrics,
                      const std::string& checkpoint, bool last);
  expected<void> retire(trial_id id, const executor_trial& trial, end_class how,
                        std::string detail);
  [[nodiscard]] object report_on_idle(trial_id id, const executor_trial& trial,
                                      const object& metrics) const;
  [[nodiscard]] std::string_view waits_to_go_on(trial_id id, const executor_trial& trial) const;
  [[nodiscard]] object decision_on(trial_id id) const;
  [[nodiscard]] object offer(const cmd::launch& what) const;
  [[nodiscard]] bool was_given_up(trial_id id) const;
  void add_others(object& to, const object& request);
};

} // namespace tune

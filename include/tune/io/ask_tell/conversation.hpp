/// Ask-tell: an external executor asks for trials and tells how they do. docs/ask-tell.md is the
/// user's page.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/space.hpp"
#include "tune/io/ask_tell/plain_runner.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace tune {

/// `on::opened::draws` of a head for executors. Their trials go on when a head is begun anew: what
/// waits stands where it would have stood without a break, and no place is kept
/// (`on::keeps_places`).
inline constexpr std::uint32_t executor_draws = on::due_at_end;

class executor_book;
struct executor_trial;

/// What a conversation needs of the world.
class conversation_ports : public plain_runner_ports {
public:
  /// Unix time in milliseconds.
  [[nodiscard]] virtual std::int64_t wall_ms() const = 0;
};

/// What a conversation is about.
struct conversation_parts {
  /// Its trainables can save: executors keep checkpoints.
  experiment machine;
  std::unique_ptr<scheduler> judge;
  std::unique_ptr<searcher> source;
  /// Where configurations that the executor adds must lie.
  std::shared_ptr<const search_space> space;
};

/// The same, but that suggestions are worked out while the executor waits for them: what was drawn
/// ahead never runs, so it need not be good.
[[nodiscard]] experiment_settings settings_for_executor(experiment_settings from);

/// Bytes that an executor may call something by that is its own: a checkpoint, a wish.
inline constexpr std::size_t most_own_name_bytes = 4096;

/// The answer to what is no request: what is wrong, for people.
[[nodiscard]] object fault_answer(std::string what);

/// One conversation: requests in, answers out, in order. For one thread.
///
/// An answer rests on what is durable: all events that led to it, and all that followed from it,
/// are committed when it is given.
class conversation {
public:
  /// @param world Must outlive it.
  conversation(conversation_parts parts, conversation_ports& world);
  ~conversation();
  conversation(const conversation&) = delete;
  conversation& operator=(const conversation&) = delete;

  /// As `experiment::go_by`.
  void go_by(rule_change what);
  /// Applies an event of an earlier head. Before `open`.
  void replay(const event& what);
  /// Begins, or goes on with what was replayed: trials that ran may be reported on at once, and are
  /// offered again by `ask` as long as nobody has spoken of them.
  /// @errors of `plain_runner_ports::commit`.
  [[nodiscard]] expected<void> open(on::opened how);

  /// Answers a request. What is wrong with it is told by an answer, `fault`, too.
  /// @errors of `plain_runner_ports::commit`: no answer may be given, and none will be.
  [[nodiscard]] expected<object> answer(const object& request);

  [[nodiscard]] const experiment& machine() const { return runner_->machine(); }

private:
  conversation_ports& world_;
  std::shared_ptr<const search_space> space_;
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

  expected<void> tell(trial_id id, executor_trial& trial, object metrics,
                      const std::string& checkpoint, bool last);
  expected<void> retire(trial_id id, const executor_trial& trial, end_class how,
                        std::string detail);
  [[nodiscard]] object report_on_idle(trial_id id, const executor_trial& trial,
                                      const object& metrics) const;
  [[nodiscard]] object decision_on(trial_id id) const;
  [[nodiscard]] object offer(const cmd::launch& what) const;
  void add_others(object& to, const object& request);
};

} // namespace tune

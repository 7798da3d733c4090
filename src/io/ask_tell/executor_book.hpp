/// The runtime's knowledge of the trials that an external executor runs. Private to ask-tell.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/trial/attempt_session.hpp"
#include "tune/io/ask_tell/plain_runner.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tune {

/// A trial that an executor runs, or has run.
struct executor_trial {
  /// The newest attempt, and the number of attempts so far.
  attempt_id attempt;
  std::uint32_t attempts = 0;
  /// Values of the attempt's newest report.
  std::uint64_t number = 0;
  std::uint64_t iteration = 0;
  std::chrono::nanoseconds time_total{0};
  bool open = false;
  /// When an executor last spoke of the attempt.
  instant heard{0};
  /// Set while the attempt is open.
  std::optional<attempt_session> session;
  /// Location of the checkpoint that came with the report of iteration `kept_at`; empty if there is
  /// none.
  std::string kept;
  std::uint64_t kept_at = 0;
  /// True if a decision ended the attempt, not the executor; `reason` says why.
  bool let_go = false;
  std::string reason;
};

/// The trial side of a plain runner whose trials an executor runs. The executor learns of launches
/// and ends from answers, so here they take effect at once.
class executor_book : public trial_side {
public:
  /// @param world Must outlive the book.
  /// @param post_later `plain_runner::post_later`.
  executor_book(const plain_runner_ports& world, std::function<void(event_body)> post_later);

  void carry_out(const command& what) override;
  void see(const event& what) override;
  void recall(const cmd::halt& what) override;

  /// Lets the executor report on, or take over, the attempts that are open in the log. To be called
  /// after the replay.
  /// @param leased Whether they are given up after a silence only, and not at the next `next`.
  void adopt(const experiment& machine, bool leased);

  /// Null if the trial never ran.
  [[nodiscard]] executor_trial* find(trial_id id);
  /// Notes that the executor mentioned the trial, hence still runs it.
  void heard_of(trial_id id);
  /// The trials with open attempts that nobody has spoken of since then.
  [[nodiscard]] std::vector<trial_id> silent_since(instant when) const;
  /// Notes that the executor believes it runs the trial. If a decision ended the attempt, the
  /// executor is told again.
  void remind_of(trial_id id);
  /// The next trial to run: one left open by the last head that no request has mentioned yet, else
  /// the one that has waited longest; empty if there is none.
  [[nodiscard]] std::optional<trial_id> next() const;
  /// Notes that `id`, which `next` returned, is being placed.
  void taken(trial_id id);
  /// The configuration that was first added under `key`; `otherwise` if there was none.
  [[nodiscard]] config_ptr added(const std::string& key, config_ptr otherwise) const;
  /// Marks the trial as completed by the executor; until the next call, whatever ends the trial
  /// counts as completion.
  void completing(std::optional<trial_id> id) { completing_ = id; }

  /// The launch since the last call.
  [[nodiscard]] std::optional<cmd::launch> take_launched();
  /// The attempt of the trial was ended before it was given to anybody: nobody is to hear of that.
  void was_never_given(trial_id id) { std::erase(let_go_, id); }
  /// Trials whose attempts were ended by decisions since the last call.
  [[nodiscard]] std::vector<trial_id> take_let_go();

private:
  const plain_runner_ports& world_;
  std::function<void(event_body)> post_later_;
  std::map<trial_id, executor_trial> trials_;
  std::set<trial_id> left_open_;
  std::deque<trial_id> waiting_;
  std::map<std::string, config_ptr> added_;
  std::optional<trial_id> completing_;
  std::optional<cmd::launch> launched_;
  std::vector<trial_id> let_go_;

  void carry(const cmd::place& x);
  void carry(const cmd::cancel_place& x);
  void carry(const cmd::launch& x);
  void carry(const cmd::save& x);
  void carry(const cmd::halt& x);
  void carry(const cmd::discard& x);
  void let_go(trial_id id, attempt_id attempt, end_class how);

  void note(const on::add_asked& x);
  void note(const on::placed& x);
  void note(const on::reported& x);
  void note(const on::saved& x);
  void note(const on::decided& x);
  void note(const on::ended& x);
};

} // namespace tune

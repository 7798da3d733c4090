/// What the runtime knows of the trials that an external executor runs. Private to ask-tell.
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

/// One trial that an executor runs, or ran.
struct executor_trial {
  /// The newest, and how many there were.
  attempt_id attempt;
  std::uint32_t attempts = 0;
  /// Of its newest report.
  std::uint64_t number = 0;
  std::uint64_t iteration = 0;
  std::chrono::nanoseconds time_total{0};
  bool open = false;
  /// While the attempt is open.
  std::optional<attempt_session> session;
  /// Where the checkpoint lies that came with report `kept_at`; empty: none.
  std::string kept;
  std::uint64_t kept_at = 0;
  /// The attempt was ended by a decision, not by the executor; and why.
  bool let_go = false;
  std::string reason;
};

/// The far side of a plain runner whose trials an executor runs: it hears of launches and ends in
/// answers, so that here they take place at once.
class executor_book : public trial_side {
public:
  /// @param world Must outlive it.
  /// @param post_later `plain_runner::post_later`.
  executor_book(const plain_runner_ports& world, std::function<void(event_body)> post_later);

  void carry_out(const command& what) override;
  void see(const event& what) override;

  /// The attempts that are open in the log may be reported on, or taken over. After the replay.
  void adopt(const experiment& machine);

  /// Null where the trial never ran.
  [[nodiscard]] executor_trial* find(trial_id id);
  /// The executor spoke of it: it still runs it.
  void heard_of(trial_id id) { left_open_.erase(id); }
  /// The executor believes that it runs the trial: where a decision ended that, it is told again.
  void remind_of(trial_id id);
  /// What runs next: a trial that nobody has spoken of since the last head, else the one that waits
  /// longest. Nothing: none.
  [[nodiscard]] std::optional<trial_id> next() const;
  /// `id` came from `next`, and is placed now.
  void taken(trial_id id);
  /// What was added first by that name; `otherwise` where there was nothing.
  [[nodiscard]] config_ptr added(const std::string& key, config_ptr otherwise) const;
  /// The executor says that the trial is done: until then, whatever ends it is that.
  void completing(std::optional<trial_id> id) { completing_ = id; }

  /// What was launched since it was asked last.
  [[nodiscard]] std::optional<cmd::launch> take_launched();
  /// Trials whose attempts were ended by decisions since it was asked last.
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

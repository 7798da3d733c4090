/// The commands of an experiment: what has to happen next, and how durable its cause must be.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/event.hpp"
#include "tune/core/schedule/scheduler.hpp"
#include "tune/core/search/searcher.hpp"
#include "tune/core/trial/status.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tune {

/// Ways to end an attempt.
enum class halt_mode : std::uint8_t {
  /// Finish the iteration, deliver what there is, clean up.
  stop,
  /// Like `stop`; the checkpoint is already registered (pause, exploit, interrupt).
  release,
  /// End at once.
  kill,
};

/// Ways in which an experiment ended.
enum class experiment_status : std::uint8_t {
  done,
  time_limit,
  interrupted,
  stopped,
  failed,
  stalled,
  /// Only a part was to run, and that has ended; the rest can be resumed.
  left_off
};

[[nodiscard]] std::string_view to_text(experiment_status x);

namespace cmd {

/// Post this event next; the experiment itself causes it.
struct log {
  event_body what;
};
/// Ask the searcher.
struct ask_searcher {
  ask what;
};
/// Tell the searcher.
struct tell_searcher {
  searcher_fact what;
};
/// Tell the scheduler.
struct tell_scheduler {
  scheduler_fact what;
};
/// Ask the scheduler about the report `cause`.
struct judge {
  sequence cause = 0;
  trial_id trial;
};
/// Ask the scheduler which trials to run.
struct choose {
  sequence at = 0;
  std::uint32_t count = 1;
};
/// Ask the scheduler what to do now that nothing can run.
struct resolve_stall {
  sequence at = 0;
};
/// Ask the cluster for resources.
struct place {
  trial_id trial;
  resource_request request;
  /// The only suitable node: its memory holds what the trial goes on from. Empty: any node.
  std::string only_on = {};
};
/// Withdraw a `place` request.
struct cancel_place {
  trial_id trial;
};
/// Start an attempt on its lease.
struct launch {
  trial_id trial;
  attempt_id attempt;
  lineage_id lineage = 1;
  lease where;
  config_ptr config;
  /// Checkpoint to restore; none: start from scratch.
  checkpoint_id from;
  /// The trial that owns `from`; meaningless without `from`.
  trial_id from_trial;
  /// Location of `from`; see `on::saved`.
  std::string from_location;
  /// Iteration and training time to go on from.
  std::uint64_t iteration = 0;
  std::chrono::nanoseconds time_total{0};
  /// Number of earlier failed attempts of the trial.
  std::uint32_t failures = 0;
  /// True if the trial has come to its end, and the attempt is to make only the exports due then.
  bool ends = false;
  /// What the trial's attempts before this one have cost; null: nothing is known.
  metrics_ptr costs = {};
  /// True if the attempt goes on from a checkpoint of its trial, which has never reported the first
  /// objective: it has to do so yet.
  bool lacks_objective = false;
};
/// Give back a lease that was never used.
struct release {
  lease_id lease;
};
/// Answer a report: go on, without judgement up to iteration `until`.
struct proceed {
  trial_id trial;
  attempt_id attempt;
  /// The report that is answered.
  std::uint64_t number = 0;
  std::uint64_t until = 0;
};
/// Answer a report: write a checkpoint, then go on or end.
struct save {
  trial_id trial;
  attempt_id attempt;
  checkpoint_id checkpoint;
  /// The report that is answered.
  std::uint64_t number = 0;
  std::uint64_t iteration = 0;
  /// The attempt ends once the checkpoint is written.
  bool then_end = false;
  /// The checkpoint may be kept in the node's memory instead of on disk: it is only for a pause.
  bool in_memory = false;
  /// True at the end of the trial: the requested formats are to be exported.
  bool exports = false;
};
/// Remove the directory of a checkpoint: see `on::checkpoints_doomed`.
struct discard {
  checkpoint_id checkpoint;
  /// Relative to the experiment's directory.
  std::string location;
  /// The node whose memory holds the checkpoint; empty: it is on disk.
  std::string node = {};
};
/// End an attempt.
struct halt {
  trial_id trial;
  attempt_id attempt;
  halt_mode how = halt_mode::stop;
  std::string why;
  /// True at the end of the trial: the requested formats are to be exported.
  bool exports = false;
};
/// The trial's row changed: write it with the event.
struct trial_changed {
  trial_id trial;
  trial_status status = trial_status::pending;
  config_ptr config;
  std::string origin;
  std::uint32_t failures = 0;
  lineage_id lineage = 1;
  /// Reason of the trial's end, or its latest news; may be empty.
  std::string reason;
  std::string error;
  std::shared_ptr<const report> last;
  /// The report with the best first objective.
  std::shared_ptr<const report> best;
  /// Iteration the trial has reached, also if it runs again and has not reported since.
  std::uint64_t iteration = 0;
};
/// The trial reported: update its row accordingly.
struct trial_progressed {
  trial_id trial;
  std::shared_ptr<const report> last;
  /// As in `trial_changed`: the report with the best first objective.
  std::shared_ptr<const report> best;
};
/// The attempt's row changed.
struct attempt_changed {
  trial_id trial;
  attempt_id attempt;
  lineage_id lineage = 1;
  std::string node;
  /// The checkpoint it was restored from, if any.
  checkpoint_id from;
  /// The trial whose checkpoint it was cloned from, if not its own.
  std::optional<trial_id> donor;
  config_ptr config;
  std::int64_t pid = 0;
  instant began{0};
  /// Unset while it runs; the members below are then meaningless.
  std::optional<instant> finished;
  end_class how = end_class::finished;
  std::string detail;
  std::optional<std::int32_t> exit_status;
  /// See `on::ended`.
  metrics_ptr costs = {};
};
/// A decision other than a plain `go_on` took effect: write it with the event.
struct decision_taken {
  trial_id trial;
  attempt_id attempt;
  /// The iteration that was judged; 0 if none was.
  std::uint64_t iteration = 0;
  /// `name_of` the action, or "stop" for a stop condition.
  std::string action;
  object reason;
};
/// The experiment has ended.
struct finish {
  experiment_status status = experiment_status::done;
  std::string why;
};
/// Warn people of a likely mistake. Changes nothing.
struct warn {
  std::string text;
};

} // namespace cmd

using command_body
    = std::variant<cmd::log, cmd::ask_searcher, cmd::tell_searcher, cmd::tell_scheduler, cmd::judge,
                   cmd::choose, cmd::resolve_stall, cmd::place, cmd::cancel_place, cmd::launch,
                   cmd::release, cmd::proceed, cmd::save, cmd::halt, cmd::trial_changed,
                   cmd::trial_progressed, cmd::attempt_changed, cmd::decision_taken, cmd::finish,
                   cmd::warn, cmd::discard>;

/// One command with its name, its cause and its gate.
struct command {
  /// The event that caused it.
  sequence cause = 0;
  /// Position among the commands of that cause: (cause, part) names the command permanently.
  std::uint32_t part = 0;
  /// The command may be carried out once the log is on disk up to here; 0: at once.
  sequence gate = 0;
  command_body what;
};

/// "log", "ask_searcher", … for traces.
[[nodiscard]] std::string_view name_of(const command_body& x);

/// The trial that a command is about; empty if it is about none.
[[nodiscard]] std::optional<trial_id> trial_of(const command_body& x);

} // namespace tune

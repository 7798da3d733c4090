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

/// How an attempt is to end.
enum class halt_mode : std::uint8_t {
  /// Finish the iteration, deliver what there is, clean up.
  stop,
  /// The same; its checkpoint is already registered (pause, exploit, interrupt).
  release,
  /// At once.
  kill,
};

/// How an experiment ended.
enum class experiment_status : std::uint8_t {
  done,
  time_limit,
  interrupted,
  stopped,
  failed,
  stalled,
  /// Only a part was to run, and that has ended; the rest can be gone on with.
  left_off
};

[[nodiscard]] std::string_view to_text(experiment_status x);

namespace cmd {

/// Post this event next: the experiment is its cause.
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
/// Ask the scheduler whom to run.
struct choose {
  sequence at = 0;
  std::uint32_t count = 1;
};
/// Ask the scheduler what to do as nothing can run.
struct resolve_stall {
  sequence at = 0;
};
/// Ask the cluster for resources.
struct place {
  trial_id trial;
  resource_request request;
  /// The only node that will do: what the trial goes on from lies in its memory. Empty: any.
  std::string only_on = {};
};
/// Withdraw such a request.
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
  /// What to restore, none: from scratch.
  checkpoint_id from;
  /// Whose it is; counts only where there is one.
  trial_id from_trial;
  /// Where it lies; see `on::saved`.
  std::string from_location;
  /// Iteration and training time to go on from.
  std::uint64_t iteration = 0;
  std::chrono::nanoseconds time_total{0};
  /// Earlier failed attempts of the trial.
  std::uint32_t failures = 0;
  /// The trial has come to its end: only what it exports then is to be made.
  bool ends = false;
};
/// Give a lease back that was never used.
struct release {
  lease_id lease;
};
/// Answer a report: go on, unjudged up to iteration `until`.
struct proceed {
  trial_id trial;
  attempt_id attempt;
  /// The report that is answered.
  std::uint64_t number = 0;
  std::uint64_t until = 0;
};
/// Answer a report: have a checkpoint written, then go on or end.
struct save {
  trial_id trial;
  attempt_id attempt;
  checkpoint_id checkpoint;
  /// The report that is answered.
  std::uint64_t number = 0;
  std::uint64_t iteration = 0;
  /// The attempt ends once the checkpoint is written.
  bool then_end = false;
  /// The node's memory will do, and the disk as well: it is for a pause only.
  bool in_memory = false;
  /// It is the end of the trial: what was asked for is to be exported.
  bool exports = false;
};
/// Remove the directory of a checkpoint: see `on::checkpoints_doomed`.
struct discard {
  checkpoint_id checkpoint;
  /// Relative to the experiment's directory.
  std::string location;
  /// In whose memory it lies; empty: on disk.
  std::string node = {};
};
/// End an attempt.
struct halt {
  trial_id trial;
  attempt_id attempt;
  halt_mode how = halt_mode::stop;
  std::string why;
  /// It is the end of the trial: what was asked for is to be exported.
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
  /// Why it ended, or what happened last; may be empty.
  std::string reason;
  std::string error;
  std::shared_ptr<const report> last;
  /// Report with the best first objective.
  std::shared_ptr<const report> best;
  /// Iteration that it has come to, also where it runs again and has not reported since.
  std::uint64_t iteration = 0;
};
/// The trial reported: its row says so, too.
struct trial_progressed {
  trial_id trial;
  std::shared_ptr<const report> last;
  /// As in `trial_changed`.
  std::shared_ptr<const report> best;
};
/// The attempt's row changed.
struct attempt_changed {
  trial_id trial;
  attempt_id attempt;
  lineage_id lineage = 1;
  std::string node;
  /// What it was restored from, if anything.
  checkpoint_id from;
  /// Trial whose checkpoint it was cloned from, if another's.
  std::optional<trial_id> donor;
  config_ptr config;
  std::int64_t pid = 0;
  instant began{0};
  /// Unset while it runs; then nothing below counts.
  std::optional<instant> finished;
  end_class how = end_class::finished;
  std::string detail;
  std::optional<std::int32_t> exit_status;
};
/// A decision other than a plain go-on took effect: write it with the event.
struct decision_taken {
  trial_id trial;
  attempt_id attempt;
  /// Iteration that was judged; 0 where none was.
  std::uint64_t iteration = 0;
  /// `name_of` the action, or "stop" for a stop condition.
  std::string action;
  object reason;
};
/// All is over.
struct finish {
  experiment_status status = experiment_status::done;
  std::string why;
};
/// Something is probably not as it was meant: tell people. Changes nothing.
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

/// One command: its name, its cause, its gate.
struct command {
  /// The event that caused it.
  sequence cause = 0;
  /// Position among the commands of that cause: (cause, part) names it for ever.
  std::uint32_t part = 0;
  /// It may be carried out once the log is on disk up to here; 0: at once.
  sequence gate = 0;
  command_body what;
};

/// "log", "ask_searcher", … for traces.
[[nodiscard]] std::string_view name_of(const command_body& x);

/// The trial a command is about; nothing for those about none.
[[nodiscard]] std::optional<trial_id> trial_of(const command_body& x);

} // namespace tune

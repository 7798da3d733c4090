/// Runs experiments from C++ and returns their results.
///
/// The library prints nothing, installs no signal handler and never ends the process.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/tuner/choices.hpp"
#include "tune/tuner/result_grid.hpp"
#include "tune/tuner/run_options.hpp"
#include "tune/tuner/steering.hpp"

#include <memory>
#include <optional>
#include <string>

namespace tune {

/// Receives the events of a running experiment.
///
/// Called from a thread of its own, one call at a time, in the order of events: trials never wait
/// for it. `tuner::run` returns when it has received everything. If it falls behind by 10,000
/// reports and decisions, further ones are dropped until it has caught up, and a warning of the
/// grid says how many. An exception ends the calls, and is among the warnings, too. A callback may
/// use `tuner::steer`, `stop`, `interrupt` and `view`, but not `run`.
///
/// An event told here is decided, and on its way to the disk: after a crash the experiment may go
/// on from before the last few events.
class tuner_callback {
public:
  virtual ~tuner_callback() = default;

  /// The directory is there; the first trials are about to start.
  virtual void began(const std::filesystem::path& directory) { static_cast<void>(directory); }
  /// Workers may join at `address`, "HOST:PORT".
  virtual void listens(const std::string& address) { static_cast<void>(address); }
  /// A worker came, went or was sent away: a line for people.
  virtual void worker_changed(const std::string& line) { static_cast<void>(line); }
  /// A trial's status changed. `what.last` is its newest report, `what.best` its best one.
  virtual void trial_changed(const cmd::trial_changed& what, instant now) {
    static_cast<void>(what);
    static_cast<void>(now);
  }
  /// A trial reported. `tune::metric` reads from it, automatic metrics included.
  virtual void reported(const report& what, instant now) {
    static_cast<void>(what);
    static_cast<void>(now);
  }
  /// A checkpoint is complete. `what.location` is relative to the experiment's directory, unless it
  /// lies in a node's memory; see `kept_in_memory`.
  virtual void saved(const on::saved& what, instant now) {
    static_cast<void>(what);
    static_cast<void>(now);
  }
  /// A decision of the scheduler or a stop condition took effect; `reason` says why. Where a trial
  /// goes on, that is told only with a note of the scheduler, as on a passed rung: "annotate".
  virtual void decided(const cmd::decision_taken& what, instant now) {
    static_cast<void>(what);
    static_cast<void>(now);
  }
  /// An attempt failed. @param again Whether the trial will be tried again.
  virtual void attempt_failed(const cmd::attempt_changed& what, bool again, instant now) {
    static_cast<void>(what);
    static_cast<void>(again);
    static_cast<void>(now);
  }
  /// Something is probably not as the user meant it.
  virtual void warned(const std::string& text) { static_cast<void>(text); }
  /// The experiment is over. @param why may be empty.
  virtual void finished(experiment_status how, const std::string& why) {
    static_cast<void>(how);
    static_cast<void>(why);
  }
};

/// Runs one experiment at a time. For several at once use several tuners, on threads of their own.
class tuner {
public:
  /// @param what Everything experiments may name.
  explicit tuner(choices what = builtin_choices());
  /// Uses the shipped searchers and schedulers, and these trainables.
  explicit tuner(trainable_registry trainables);
  ~tuner();
  tuner(tuner&&) noexcept;
  tuner& operator=(tuner&&) noexcept;

  /// Runs an experiment to its end; blocks. Failed trials are no error: see `result_grid::errors`.
  ///
  /// Where the options say `resume` and the experiment is finished, its grid is read and returned.
  /// @errors `ec::bad_option` with all faults of the options, `ec::unreadable` for the file;
  ///         `ec::refused` if the directory holds an experiment that may not go on, if process
  ///         isolation is asked for and `host_main` was not called, if a port cannot be opened or
  ///         has no certificates, or if this tuner runs an experiment already;
  ///         `ec::impossible_request` if no trial could ever start; `ec::storage` if the record
  ///         cannot be written.
  [[nodiscard]] expected<result_grid> run(const run_options& what);

  /// Ends the running experiment: its trials end, in order, and `run` returns. From any thread;
  /// without effect if none is running.
  void stop(std::string why = "stopped by the program");
  /// Interrupts the running experiment: trials save if they can, and the experiment can be resumed.
  /// From any thread.
  void interrupt(std::string why = "interrupted by the program");
  /// The state of the running experiment; nothing if there is none, or it does not answer within
  /// seconds. From any thread.
  [[nodiscard]] std::optional<experiment_view> view() const;
  /// A handle by which other threads add, stop, pause and retry trials, list them, and ask for free
  /// resources. May be taken at any time.
  [[nodiscard]] steering steer() const;

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace tune

/// Runs experiments from C++ and returns what came out of them.
///
/// The library prints nothing, installs no signal handler and never ends the process.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/tuner/choices.hpp"
#include "tune/tuner/result_grid.hpp"
#include "tune/tuner/run_options.hpp"

#include <memory>
#include <optional>
#include <string>

namespace tune {

/// Hears of a running experiment.
///
/// Called from a thread of the runtime, one call at a time: be quick, hand the news on. What it
/// throws ends its calls, and is among the grid's warnings.
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
  /// An attempt failed. @param again the trial will be tried again.
  virtual void attempt_failed(const cmd::attempt_changed& what, bool again, instant now) {
    static_cast<void>(what);
    static_cast<void>(again);
    static_cast<void>(now);
  }
  /// Something is probably not as it was meant.
  virtual void warned(const std::string& text) { static_cast<void>(text); }
};

/// Runs one experiment at a time. For several at once take several tuners, on threads of their own.
class tuner {
public:
  /// @param what What experiments may name.
  explicit tuner(choices what = builtin_choices());
  /// The shipped searchers and schedulers, and these trainables.
  explicit tuner(trainable_registry trainables);
  ~tuner();
  tuner(tuner&&) noexcept;
  tuner& operator=(tuner&&) noexcept;

  /// Runs an experiment to its end; blocks. Failed trials are no error: see `result_grid::errors`.
  ///
  /// Where the options say `resume` and the experiment is finished, its grid is read and returned.
  /// @errors `ec::bad_option` with all faults of the options, `ec::unreadable` for the file;
  ///         `ec::refused` where the directory holds an experiment and may not be gone on with,
  ///         where process isolation is asked for and `host_main` was not called, where a port
  ///         cannot be opened or has no certificates, or where this tuner runs one already;
  ///         `ec::impossible_request` where no trial could ever start;
  ///         `ec::storage` where the record cannot be written.
  [[nodiscard]] expected<result_grid> run(const run_options& what);

  /// Ends the experiment under way: its trials end, in order, and `run` returns. From any thread;
  /// without effect where none is under way.
  void stop(std::string why = "stopped by the program");
  /// Leaves off in order: trials save where they can, and the experiment can be resumed. From any
  /// thread.
  void interrupt(std::string why = "interrupted by the program");
  /// The state of the experiment under way; nothing where there is none, or it does not answer
  /// within seconds. From any thread.
  [[nodiscard]] std::optional<experiment_view> view() const;

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace tune

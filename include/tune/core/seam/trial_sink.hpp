/// Destinations of results besides the record: a service, a file format of another program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/event.hpp"
#include "tune/core/experiment/settings.hpp"
#include "tune/core/plugin/catalogue.hpp"
#include "tune/core/trial/report.hpp"
#include "tune/core/trial/status.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// An attempt that reports, or ends.
struct attempt_facts {
  object config;
  std::string node;
  /// When it was placed. Unix time in milliseconds.
  std::int64_t began_ms = 0;
};

/// Position of an entry in the log of an experiment, and its time.
struct log_place {
  sequence seq = 0;
  instant at{0};
  /// Unix time in milliseconds. Only reports bear a date of their own; that of all else is reckoned
  /// from the nearest report before it.
  std::int64_t wall_ms = 0;
  /// Of a report, a checkpoint or the end of an attempt: that attempt; null elsewhere.
  const attempt_facts* by = nullptr;
};

/// The experiment as a whole.
struct experiment_facts {
  std::string name;
  /// Tells experiments apart that have the same name: creation and seed.
  std::string identity;
  /// Unix time of the creation, in milliseconds.
  std::int64_t created_ms = 0;
  std::uint64_t seed = 0;
  /// The first one decides what is best. [>= 1]
  std::vector<objective> objectives;
  constraint_list constraints;
  /// Parameters in the order of declaration, each with its text of `[space]`.
  std::vector<std::pair<std::string, std::string>> space;
  /// Whether the configuration of a running trial may change.
  bool changes_configurations = false;
};

/// A trial as it stands when a sink hears of it.
struct trial_facts {
  trial_id trial;
  trial_status status = trial_status::pending;
  object config;
  /// Configuration of the best report, where it is another one.
  std::optional<object> best_config;
  /// "random", "grid", "point 1", …
  std::string origin;
  std::string reason;
  std::string error;
  std::uint64_t iterations = 0;
  std::uint64_t best_iteration = 0;
  /// Metrics of the last and of the best report.
  std::optional<object> metrics;
  std::optional<object> best_metrics;
  instant created{0};
  std::optional<instant> ended;
  /// The same as Unix time, in milliseconds.
  std::int64_t created_ms = 0;
};

/// How an experiment ended, so far: it may go on.
struct experiment_end {
  /// "done", "time_limit", "interrupted", …
  std::string status;
  std::string why;
};

/// Is told of everything on disk, in the order of the log, from a thread of its own: a sink that is
/// slow, hangs or throws does not affect any trial. Entries it has not been told wait in the
/// database, however many they are. An exception from it becomes a warning, and ends its work. The
/// end of the run waits for `[sinks] finish_timeout` until it has been told everything.
class trial_sink {
public:
  virtual ~trial_sink() = default;

  /// Sequence number of the last entry that the sink has stored permanently, in this or an earlier
  /// run: later entries are told. 0: everything is told from the beginning, again after each
  /// resume. Asked once, at the beginning.
  [[nodiscard]] virtual sequence cursor() const { return 0; }

  /// The experiment that all else is about. Called first, once in each run,
  /// before `cursor`.
  virtual void introduced(const experiment_facts& what) { static_cast<void>(what); }
  /// A head opened the experiment, or goes on with it.
  virtual void opened(const log_place& where, const on::opened& what) {
    static_cast<void>(where);
    static_cast<void>(what);
  }
  /// There is a new trial. Its configuration may be a draft until its first attempt begins.
  virtual void created(const log_place& where, const trial_facts& what) {
    static_cast<void>(where);
    static_cast<void>(what);
  }
  /// An attempt of a trial begins on the nodes of `what.what`, with this configuration.
  virtual void started(const log_place& where, const on::placed& what, const object& config) {
    static_cast<void>(where);
    static_cast<void>(what);
    static_cast<void>(config);
  }
  /// A trial reported. An attempt that goes on from a checkpoint may report iterations again.
  virtual void reported(const log_place& where, const report& what) {
    static_cast<void>(where);
    static_cast<void>(what);
  }
  /// A checkpoint is complete. `what.location` is relative to the experiment's directory, unless it
  /// lies in a node's memory; see `kept_in_memory`.
  virtual void saved(const log_place& where, const on::saved& what) {
    static_cast<void>(where);
    static_cast<void>(what);
  }
  /// An attempt ended, well or not; its trial may begin another.
  virtual void ended(const log_place& where, const on::ended& what) {
    static_cast<void>(where);
    static_cast<void>(what);
  }
  /// A trial is over, unless somebody has it run again.
  virtual void concluded(const log_place& where, const trial_facts& what) {
    static_cast<void>(where);
    static_cast<void>(what);
  }
  /// The experiment is over, unless it is resumed. May be told again in a later run.
  virtual void finished(const log_place& where, const experiment_end& how) {
    static_cast<void>(where);
    static_cast<void>(how);
  }
  /// Everything up to `place` was told: stores what was gathered. Called now and then, and at the
  /// end.
  /// @errors `ec::unreachable` and `ec::shortage` may pass: the sink is told nothing until another
  ///         call succeeds. Every other error ends its work.
  [[nodiscard]] virtual expected<void> flush(sequence place) {
    static_cast<void>(place);
    return {};
  }
};

/// Given to every sink's factory in addition to its options.
struct sink_context {
  /// The experiment's name, and its directory, absolute.
  std::string experiment;
  std::string directory;
  /// Directory of the INI file, absolute.
  std::string ini_dir = {};
  /// How long a call of the sink may still take; changes when the run ends. Empty: no limit.
  std::function<std::chrono::milliseconds()> time_left = {};
  /// Whether all of it is told once, and never again: no mark is kept, and a file or directory that
  /// is there already is refused.
  bool is_export = false;
  /// Takes notices for people. Empty: there is nobody. From the sink's thread only.
  std::function<void(const std::string&)> notice = {};
};

/// Sinks by name: those shipped, and a program's own. Each factory is called in the thread of its
/// sink, once there is something to tell. `NAME = VALUE` of `[sinks]` sets its first option.
using sink_catalogue = catalogue<trial_sink, sink_context>;

} // namespace tune

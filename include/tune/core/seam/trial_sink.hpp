/// Destinations of results that a program adds besides the record: a service, its own file format.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/event.hpp"
#include "tune/core/plugin/catalogue.hpp"
#include "tune/core/trial/report.hpp"

#include <string>

namespace tune {

/// Position of an entry in the log of an experiment, and its time.
struct log_place {
  sequence seq = 0;
  instant at{0};
};

/// Is told of everything on disk, in the order of the log, from a thread of its own: a sink that is
/// slow, hangs or throws does not affect any trial. Entries it has not been told wait in the
/// database, however many they are. An exception from it becomes a warning, and ends its work. The
/// end of the run waits until it has been told everything.
class trial_sink {
public:
  virtual ~trial_sink() = default;

  /// Sequence number of the last entry that the sink has stored permanently, in this or an earlier
  /// run: later entries are told. 0: everything is told from the beginning, again after each
  /// resume.
  [[nodiscard]] virtual sequence cursor() const { return 0; }

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
  /// Everything up to `place` was told: gathered output may be sent. Called now and then, and at
  /// the end.
  virtual void flush(sequence place) { static_cast<void>(place); }
};

/// Given to every sink's factory in addition to its options.
struct sink_context {
  /// The experiment's name, and its directory, absolute.
  std::string experiment;
  std::string directory;
};

/// A program's own sinks, by name. Each factory is called in the thread of its sink, once there is
/// something to tell.
using sink_catalogue = catalogue<trial_sink, sink_context>;

} // namespace tune

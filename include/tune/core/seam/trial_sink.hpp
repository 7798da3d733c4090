/// Where a program takes results beside the record: a service, a file format of its own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/event.hpp"
#include "tune/core/plugin/catalogue.hpp"
#include "tune/core/trial/report.hpp"

#include <string>

namespace tune {

/// Where something stands in the log of an experiment, and when it happened.
struct log_place {
  sequence seq = 0;
  instant at{0};
};

/// Is told what is on disk, in the order of the log, from a thread that is there for nothing else:
/// one that is slow, hangs or throws costs no trial anything. What it has not heard waits in the
/// database, however much that is. What it throws is a warning, and the end of its work. The end of
/// the run waits until it has heard everything.
class trial_sink {
public:
  virtual ~trial_sink() = default;

  /// The place of the last record that it has for good, of this or an earlier run: what comes
  /// behind it is told. 0: all from the beginning, after each resume again.
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
  /// All up to `place` was told: what it gathered may go out. Called now and then, and at the end.
  virtual void flush(sequence place) { static_cast<void>(place); }
};

/// What every sink's factory is given beside its options.
struct sink_context {
  /// The experiment's name, and its directory, absolute.
  std::string experiment;
  std::string directory;
};

/// Sinks of a program's own, by name. Their factories are called in the threads that they are told
/// from, once there is something to tell.
using sink_catalogue = catalogue<trial_sink, sink_context>;

} // namespace tune

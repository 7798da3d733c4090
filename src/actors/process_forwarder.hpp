/// Carries the events of a process from the service's thread to its actor. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/core/value.hpp"
#include "tune/io/process/metric_pattern.hpp"
#include "tune/io/process/process_service.hpp"

#include <chrono>
#include <string>
#include <variant>

namespace tune {

/// An event of one process.
struct process_news {
  struct started {
    pid_t pid = 0;
  };
  /// A line of the report descriptor; the next lines wait.
  struct said {
    std::string line;
    bool truncated = false;
  };
  /// A report read from stdout; later output waits until it was judged.
  struct printed {
    object metrics;
  };
  /// A remark for people on how its output is read.
  struct noticed {
    pattern_remark what;
  };
  /// The program printed all of its reports at once as it ended.
  struct came_late {
    std::chrono::nanoseconds run{0};
    /// Whether it had run for so long that it should report earlier.
    bool is_long = false;
  };
  /// It had ended when its last report was looked at, and used this. Its end follows once that
  /// report is judged.
  struct used {
    std::optional<process_usage> usage;
  };
  /// Why its files did not contain all of their metrics.
  struct missing {
    std::string why;
  };
  /// The program leaves its answers unread.
  struct deaf {};
  /// There is room again for output that was held back.
  struct room {};
  /// The host waits for another trial.
  struct parked {
    exit_info so_far;
  };
  std::variant<deaf, room, started, said, printed, noticed, came_late, used, missing, parked,
               exit_info>
      what;
};

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_process)
TUNE_LOCAL_TYPE(tune_process, tune::process_news)
TUNE_END_LOCAL_TYPES(tune_process)

namespace tune {

/// A trainable actor that receives events of its process, and its own timer's tick.
using process_impl
    = extend<trainable_actor, caf::result<void>(process_news), caf::result<void>(tick_atom)>;

/// Passes on the events of one process. Called from the service's thread.
class process_forwarder : public process_listener {
public:
  explicit process_forwarder(process_impl to) : to_{std::move(to)} {}

  void started(pid_t pid) override { tell(process_news::started{pid}); }

  line_flow report_line(std::string_view line, bool truncated) override {
    tell(process_news::said{std::string{line}, truncated});
    return line_flow::hold;
  }

  void answers_unread() override { tell(process_news::deaf{}); }

  void exited(const exit_info& how) override {
    tell(how);
    to_ = nullptr;
  }

  void parked(const exit_info& so_far) override {
    tell(process_news::parked{so_far});
    to_ = nullptr;
  }

protected:
  template <class What>
  void tell(What what) {
    send_from_outside(to_, process_news{std::move(what)});
  }

private:
  process_impl to_;
};

} // namespace tune

/// Carries what a process says from the service's thread to its actor. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/io/process/metric_pattern.hpp"
#include "tune/io/process/process_service.hpp"

#include <optional>
#include <string>
#include <variant>

namespace tune {

/// News of the process service about one process.
struct process_news {
  struct started {
    pid_t pid = 0;
  };
  /// A line of the report descriptor; the rest of it waits.
  struct said {
    std::string line;
    bool truncated = false;
  };
  /// A report read from stdout; the rest of stdout waits.
  struct printed {
    object metrics;
  };
  /// It leaves its answers unread.
  struct deaf {};
  std::variant<started, said, printed, deaf, exit_info> what;
};

} // namespace tune

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(tune::process_news)

namespace tune {

/// A trainable actor that hears of its process, and of its own alarm.
using process_impl
    = extend<trainable_actor, caf::result<void>(process_news), caf::result<void>(tick_atom)>;

/// Hands on what one process says. Called from the service's thread.
class process_courier : public process_listener {
public:
  process_courier(process_impl to, std::optional<metric_pattern> patterns)
      : to_{std::move(to)}, patterns_{std::move(patterns)} {}

  void started(pid_t pid) override {
    send_from_outside(to_, process_news{process_news::started{pid}});
  }

  line_flow report_line(std::string_view line, bool truncated) override {
    send_from_outside(to_, process_news{process_news::said{std::string{line}, truncated}});
    return line_flow::hold;
  }

  void answers_unread() override { send_from_outside(to_, process_news{process_news::deaf{}}); }

  line_flow stdout_line(std::string_view line, bool) override {
    auto report = patterns_->read(line);
    if (!report)
      return line_flow::go_on;
    send_from_outside(to_, process_news{process_news::printed{std::move(*report)}});
    return line_flow::hold;
  }

  void exited(const exit_info& how) override {
    if (patterns_ && !how.requested) {
      if (auto last = patterns_->finish())
        send_from_outside(to_, process_news{process_news::printed{std::move(*last)}});
    }
    send_from_outside(to_, process_news{how});
    to_ = nullptr;
  }

private:
  process_impl to_;
  std::optional<metric_pattern> patterns_;
};

} // namespace tune

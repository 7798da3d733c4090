// SPDX-License-Identifier: BSD-3-Clause
#include "support/stage.hpp"

#include "tune/actors/actors.hpp"
#include "tune/actors/system.hpp"

#if TUNE_CAF_1
#include <caf/test/fixture/deterministic.hpp>
#include <caf/test/reporter.hpp>
#else
#include <caf/scheduler/test_coordinator.hpp>
#endif

namespace tune::support {

#if TUNE_CAF_1

namespace {

/// Registers the message types before the first system exists, and the reporter that CAF's fixture
/// needs.
struct preparations {
  preparations() {
    init_message_types();
    static auto reporter = caf::test::reporter::make_default();
    caf::test::reporter::instance(reporter.get());
  }
};

} // namespace

struct stage::machinery {
  preparations ready;
  caf::test::fixture::deterministic fixture;

  caf::actor_system& system() { return fixture.sys; }
  bool run_once() { return fixture.dispatch_message(); }
  std::size_t advance(caf::timespan by) { return fixture.advance_time(by); }
  bool has_timer() { return fixture.has_pending_timeout(); }
  void cancel_timers() {
    // CAF offers no way to drop timers: fire them now that nobody listens.
    fixture.trigger_all_timeouts();
  }
};

#else

struct stage::machinery {
  system_config config{1};
  std::unique_ptr<caf::actor_system> actors;

  machinery() {
    // The built-in scheduler gives way to the testing one.
    config.module_factories.clear();
    set(config, "scheduler.policy", caf::atom("testing"));
    actors = std::make_unique<caf::actor_system>(config);
  }

  caf::actor_system& system() const { return *actors; }
  [[nodiscard]] caf::scheduler::test_coordinator& coordinator() const {
    return dynamic_cast<caf::scheduler::test_coordinator&>(actors->scheduler());
  }
  [[nodiscard]] bool run_once() const { return coordinator().try_run_once(); }
  [[nodiscard]] std::size_t advance(caf::timespan by) const {
    return coordinator().clock().advance_time(by);
  }
  [[nodiscard]] bool has_timer() const { return coordinator().has_pending_timeout(); }
  void cancel_timers() const { coordinator().clock().cancel_all(); }
};

#endif

stage::stage() : machinery_{std::make_unique<machinery>()} {}
stage::~stage() = default;

caf::actor_system& stage::system() {
  return machinery_->system();
}

bool stage::run_once() {
  return machinery_->run_once();
}

std::size_t stage::advance(caf::timespan by) {
  return machinery_->advance(by);
}

bool stage::has_timer() {
  return machinery_->has_timer();
}

void stage::cancel_timers() {
  machinery_->cancel_timers();
}

} // namespace tune::support

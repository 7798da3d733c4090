// SPDX-License-Identifier: BSD-3-Clause
#include "scale_bench_trials.hpp"

#include "tune/actors/clocks.hpp"
#include "tune/actors/firm.hpp"
#include "tune/actors/job.hpp"
#include "tune/actors/own_trainable.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <utility>

namespace tune::bench {

namespace {

constexpr const char* name_of_trainable = "paced";

/// The number says which timer rang; 0: the pace has changed.
using paced_actor = extend<own_trainable_actor, caf::result<void>(tick_atom, std::uint64_t)>;

} // namespace

struct paced_trials::shared {
  std::atomic<std::int64_t> pace_ns{-1};
  std::atomic<std::uint64_t> answered{0};
  mutable std::mutex mutex;
  /// By the address of their states.
  std::map<const void*, paced_actor> running;
};

namespace {

instant random_part_of(instant whole) {
  thread_local std::minstd_rand draws{std::random_device{}()};
  return instant{std::uniform_int_distribution<instant::rep>{0, whole.count()}(draws)};
}

struct paced_state {
  static inline const char* name = "bench.paced";

  std::shared_ptr<paced_trials::shared> all;
  paced_actor::pointer self = nullptr;
  /// The report that is due.
  std::optional<caf::typed_response_promise<training_result>> owed;
  instant due{0};
  std::uint64_t timer = 0;
  std::uint64_t reports = 0;

  ~paced_state() {
    if (all == nullptr)
      return;
    std::lock_guard guard{all->mutex};
    all->running.erase(this);
  }

  void set_up() {
    std::lock_guard guard{all->mutex};
    all->running.emplace(this, paced_actor{caf::actor_cast<paced_actor>(self)});
  }

  caf::typed_response_promise<training_result> step() {
    if (reports > 0)
      ++all->answered;
    owed = self->make_response_promise<training_result>();
    auto result = *owed;
    wait(instant{all->pace_ns}, due + instant{all->pace_ns});
    return result;
  }

  void wait(instant pace, instant next) {
    ++timer;
    if (pace.count() < 0)
      return;
    const auto now = steady_now();
    due = std::max(next, now);
    if (pace.count() == 0 || due == now)
      return report();
    delayed_send(self, caf::actor_cast<paced_actor>(self), due - now, tick_atom_v, timer);
  }

  void tick(std::uint64_t which) {
    if (!owed)
      return;
    const instant pace{all->pace_ns};
    if (which == 0)
      wait(pace, steady_now() + random_part_of(std::max(pace, instant{0})));
    else if (which == timer)
      report();
  }

  void report() {
    const auto x = 1.0 / static_cast<double>(++reports);
    auto promise = *std::exchange(owed, std::nullopt);
    promise.deliver(training_result{{{"loss", x}, {"accuracy", 1 - x}}});
  }
};

paced_actor::behavior_type paced(paced_actor::stateful_pointer<paced_state> self,
                                 std::shared_ptr<paced_trials::shared> all) {
  auto& state = state_of(self);
  state.self = self;
  state.all = std::move(all);
  return {
      [&state](const training_setup&) { state.set_up(); },
      [](const training_load&) {},
      [&state](const training_step&) { return state.step(); },
      [](const training_save&) {},
      [](const training_export&) { return false; },
      [&state](tick_atom, std::uint64_t which) { state.tick(which); },
  };
}

job_lookup_actor::behavior_type finder() {
  return {
      [](const job_wanted& what) {
        job found;
        found.id = what.id;
        found.experiment = "scale";
        found.directory = std::filesystem::current_path();
        found.plan = run_as_actor{name_of_trainable};
        found.objective = "loss";
        found.trial_files = false;
        return job_ready{std::make_shared<const job>(std::move(found)), {}, false};
      },
      [](const job_over&) {},
  };
}

checkpoint_service_actor::behavior_type idle_checkpoint_service() {
  return {
      [](const prepare_attempt& what) {
        return attempt_prepared{what.directory, {}, {}, false, false};
      },
      [](const copy_draft&) { return draft_copied{}; },
      [](const keep_draft&) { return draft_kept{}; },
      [](const gather_exported&) { return exports_gathered{}; },
      [](const keep_artifacts&) { return artifacts_kept{}; },
      [](const drop_directory&) {},
      [](const attempt_left&) {},
      [](const job_over&) {},
      [](const forget_paused&) {},
      [](const saves_dropped&) {},
      [](leave_atom) {},
  };
}

} // namespace

paced_trials::paced_trials() : shared_{std::make_shared<shared>()} {}

std::shared_ptr<const trainable_registry> paced_trials::registry() const {
  own_trainable how;
  how.can_save = false;
  how.spawn = [all = shared_](caf::actor_system& system, const trial_context&) {
    return own_trainable_actor{system.spawn(paced, all)};
  };
  auto result = std::make_shared<trainable_registry>();
  add_actor(*result, name_of_trainable, std::move(how));
  return result;
}

void paced_trials::set_pace(std::chrono::microseconds pace) {
  shared_->pace_ns = instant{pace}.count();
  std::lock_guard guard{shared_->mutex};
  for (const auto& [state, trial] : shared_->running)
    send_from_outside(trial, tick_atom_v, std::uint64_t{0});
}

paced_trials::tally paced_trials::counts() const {
  std::lock_guard guard{shared_->mutex};
  return {shared_->running.size(), shared_->answered};
}

job_lookup_actor spawn_finder(caf::actor_system& system) {
  return system.spawn(finder);
}

checkpoint_service_actor spawn_idle_checkpoint_service(caf::actor_system& system) {
  return system.spawn(idle_checkpoint_service);
}

} // namespace tune::bench

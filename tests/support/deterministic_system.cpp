// SPDX-License-Identifier: BSD-3-Clause
#include "support/deterministic_system.hpp"

#include <algorithm>

namespace tune::support {

namespace {

/// Makes a handler that records what it receives.
template <class T>
auto hears(const std::shared_ptr<ear>& heard) {
  return [heard](const T& x) { heard->hear(x); };
}

template <class T>
auto hears_numbered(const std::shared_ptr<ear>& heard) {
  return [heard](std::uint64_t number, const T& x) { heard->hear(numbered<T>{number, x}); };
}

runner_actor::behavior_type runner(std::shared_ptr<ear> heard) {
  return {
      hears<news>(heard),
      hears<client_orders>(heard),
      hears<lease_granted>(heard),
      hears<lease_refused>(heard),
      hears<remark>(heard),
      hears<requests_unmet>(heard),
      hears<durable_up_to>(heard),
      hears<storage_failed>(heard),
      [heard](run_atom) { heard->hear(run_atom_v); },
      [heard](status_atom, std::uint32_t most) {
        heard->hear(most);
        return runner_status{};
      },
      [](ping_atom, std::uint64_t x) { return x; },
  };
}

trial_actor::behavior_type trial(std::shared_ptr<ear> heard) {
  return {
      hears<launch_order>(heard),
      hears<attempt_answer>(heard),
      hears<attempt_halt>(heard),
      [heard](const attempt_key& key, const trainable_actor& whom) {
        heard->hear(attach_words{key, whom});
      },
      hears<attempt_started>(heard),
      hears<attempt_report>(heard),
      hears<attempt_saved>(heard),
      hears<attempt_save_failed>(heard),
      hears<attempt_exported>(heard),
      hears<attempt_ended>(heard),
      [heard](const attempt_key& key, const attempt_proxy_actor& whom) {
        heard->hear(attempt_proxy_words{key, whom});
      },
      hears_numbered<attempt_started>(heard),
      hears_numbered<attempt_report>(heard),
      hears_numbered<attempt_saved>(heard),
      hears_numbered<attempt_save_failed>(heard),
      hears_numbered<attempt_exported>(heard),
      hears_numbered<attempt_ended>(heard),
      [](ping_atom, std::uint64_t x) { return x; },
  };
}

trainable_actor::behavior_type trainable(std::shared_ptr<ear> heard) {
  return {
      hears<attempt_answer>(heard),
      hears<attempt_halt>(heard),
      [](ping_atom, std::uint64_t x) { return x; },
  };
}

node_actor::behavior_type node(std::shared_ptr<ear> heard) {
  return {
      [heard](const launch_order& order, const trial_actor& whom) {
        heard->hear(launch_words{order, whom});
      },
      hears<leases_kept>(heard),
      hears<lease_revoked>(heard),
      hears<job_over>(heard),
      hears<pause_dropped>(heard),
      [heard](leave_atom) { heard->hear(leave_atom_v); },
      [heard](drain_atom) { heard->hear(drain_atom_v); },
      [](ping_atom, std::uint64_t x) { return x; },
  };
}

cluster_actor::behavior_type cluster(std::shared_ptr<ear> heard) {
  return {
      [heard](const node_offer& x, const node_actor&) { heard->hear(x); },
      hears<node_silent>(heard),
      [heard](const launch_order& order, const trial_actor& whom) {
        heard->hear(launch_words{order, whom});
      },
      [heard](const lease_request& x, const runner_actor&) { heard->hear(x); },
      [heard](const lease_cancel& x, const runner_actor&) { heard->hear(x); },
      hears<lease_over>(heard),
      hears<launch_declined>(heard),
      hears<node_leaving>(heard),
      hears<job_over>(heard),
      hears<pause_dropped>(heard),
      [](const runner_actor&) {},
      hears<remark>(heard),
      [heard](status_atom) {
        heard->hear(status_atom_v);
        return cluster_status{};
      },
      [](const fit_question&) { return std::string{}; },
      [heard](drain_atom) {
        heard->hear(drain_atom_v);
        return std::uint64_t{0};
      },
  };
}

recorder_actor::behavior_type recorder(std::shared_ptr<ear> heard) {
  return {
      hears<record_turn>(heard),
      hears<runner_actor>(heard),
      hears<sink_actor>(heard),
      [](drain_atom) { return std::string{}; },
  };
}

scheduler_actor::behavior_type scheduler_mock(std::shared_ptr<ear> heard) {
  return {[heard](const scheduler_turn& x, const runner_actor&) { heard->hear(x); }};
}

searcher_actor::behavior_type searcher_mock(std::shared_ptr<ear> heard) {
  return {[heard](const searcher_turn& x, const runner_actor&) { heard->hear(x); }};
}

} // namespace

void ear::expect_silence() {
  for (const auto& word : words_) {
    const auto* what = std::any_cast<news>(&word);
    ADD_FAILURE() << who_ << " was told unexpectedly: " << word.type().name() << ' '
                  << (what != nullptr ? name_of(what->what) : "");
  }
  words_.clear();
}

deterministic_system::deterministic_system() : system{&stage_.system()} {}

deterministic_system::~deterministic_system() {
  stage_.cancel_timers();
  for (const auto& whom : kept_)
    caf::anon_send_exit(whom, caf::exit_reason::user_shutdown);
  kept_.clear();
  run_now();
  stage_.cancel_timers();
}

void deterministic_system::TearDown() {
  run_now();
  for (const auto& x : ears_)
    x->expect_silence();
}

void deterministic_system::run_now() {
  while (stage_.run_once()) {}
}

std::size_t deterministic_system::pass(caf::timespan duration) {
  run_now();
  std::size_t result = 0;
  // In small steps, since a timer that fires may set the next one.
  for (auto left = duration; left.count() > 0;) {
    auto step = std::min<caf::timespan>(left, std::chrono::milliseconds{100});
    left -= step;
    result += stage_.advance(step);
    run_now();
  }
  return result;
}

bool deterministic_system::has_timer() {
  return stage_.has_timer();
}

std::shared_ptr<ear> deterministic_system::new_ear(const char* who) {
  return ears_.emplace_back(std::make_shared<ear>(who));
}

mock<runner_actor> deterministic_system::mock_runner() {
  auto heard = new_ear("the runner");
  return {keep(system->spawn(runner, heard)), heard};
}

mock<trial_actor> deterministic_system::mock_trial() {
  auto heard = new_ear("the trial");
  return {keep(system->spawn(trial, heard)), heard};
}

mock<trainable_actor> deterministic_system::mock_trainable() {
  auto heard = new_ear("the trainable");
  return {keep(system->spawn(trainable, heard)), heard};
}

mock<node_actor> deterministic_system::mock_node() {
  auto heard = new_ear("the node");
  return {keep(system->spawn(node, heard)), heard};
}

mock<cluster_actor> deterministic_system::mock_cluster() {
  auto heard = new_ear("the cluster");
  return {keep(system->spawn(cluster, heard)), heard};
}

mock<recorder_actor> deterministic_system::mock_recorder() {
  auto heard = new_ear("the recorder");
  return {keep(system->spawn(recorder, heard)), heard};
}

mock<scheduler_actor> deterministic_system::mock_scheduler() {
  auto heard = new_ear("the scheduler");
  return {keep(system->spawn(scheduler_mock, heard)), heard};
}

mock<searcher_actor> deterministic_system::mock_searcher() {
  auto heard = new_ear("the searcher");
  return {keep(system->spawn(searcher_mock, heard)), heard};
}

} // namespace tune::support

// A node that cannot start a thread for a trial: its head is told, and it costs the trial nothing.
// SPDX-License-Identifier: BSD-3-Clause
#include "../../src/actors/not_ready.hpp"

#include "support/deterministic_system.hpp"
#include "support/process_limit.hpp"

#include "tune/actors/node.hpp"

#include <gmock/gmock.h>

#include <cerrno>
#include <functional>
#include <stdexcept>

namespace tune {
namespace {

using namespace std::chrono_literals;
using support::attach_words;
using support::numbered;
using testing::HasSubstr;

not_ready after(const std::function<void()>& fails) {
  try {
    fails();
  } catch (...) {
    return not_ready_after_exception();
  }
  ADD_FAILURE() << "it did not fail";
  return {"", false};
}

TEST(not_ready, is_known_by_the_error_with_which_an_actor_quits) {
  auto found = not_ready_from(to_caf({"no process", true}));

  ASSERT_TRUE(found);
  EXPECT_EQ(found->why, "no process");
  EXPECT_TRUE(found->is_passing);
  EXPECT_FALSE(not_ready_from(to_caf({"no disk", false}))->is_passing);
  EXPECT_FALSE(not_ready_from(caf::exit_reason::kill));
  EXPECT_FALSE(not_ready_from(caf::error{}));
  EXPECT_FALSE(not_ready_from(caf::sec::cannot_spawn_actor_from_arguments));
}

TEST(not_ready, follows_from_an_exception_for_want_of_threads_or_memory) {
  auto thread = after([] { throw std::system_error{EAGAIN, std::generic_category()}; });
  auto denied = after([] { throw std::system_error{EPERM, std::generic_category()}; });

  EXPECT_THAT(thread.why, HasSubstr("cannot start a thread: Resource temporarily unavailable"));
  EXPECT_TRUE(thread.is_passing);
  EXPECT_FALSE(denied.is_passing);
  EXPECT_TRUE(after([] { throw std::bad_alloc{}; }).is_passing);
  EXPECT_THROW(after([] { throw std::runtime_error{"a bug"}; }), std::runtime_error);
}

/// Answers every request at once.
checkpoint_service_actor::behavior_type
ready_checkpoint_service(checkpoint_service_actor::pointer) {
  return {
      [](const prepare_attempt&) { return attempt_prepared{}; },
      [](const copy_draft&) { return draft_copied{}; },
      [](const keep_draft&) { return draft_kept{}; },
      [](const gather_exported&) { return exports_gathered{}; },
      [](const drop_directory&) {},
      [](const attempt_left&) {},
      [](const job_over&) {},
      [](const forget_paused&) {},
      [](const keep_artifacts&) { return artifacts_kept{}; },
      [](const saves_dropped&) {},
      [](leave_atom) {},
  };
}

struct node_shortage_test : support::deterministic_system {
  support::mock<cluster_actor> desk = mock_cluster();
  support::mock<trial_actor> trial = mock_trial();
  node_settings settings;
  node_local_actor uut;

  node_shortage_test() {
    job work;
    work.id = "x";
    work.plan = run_in_thread{"mine"};
    settings.jobs = {std::make_shared<const job>(work)};
    trainable_registry all;
    all.add_function("mine", [](session&) {});
    settings.trainables = std::make_shared<const trainable_registry>(all);
  }

  void start() { uut = keep(spawn_local_node(*system, settings, desk.actor)); }
  void start_with_checkpoint_service() {
    settings.checkpoint_service = keep(system->spawn(ready_checkpoint_service));
    start();
  }
  void launch() {
    launch_order order;
    order.job = "x";
    order.lease = 7;
    order.turn = 1;
    order.attempt = attempt_id{1, 7};
    order.config = {std::make_shared<const object>()};
    tell(uut, order, trial.actor);
  }
  void expect_declined(const std::string& why) {
    auto told = desk.take<launch_declined>();
    EXPECT_EQ(told.lease, 7u);
    EXPECT_TRUE(told.is_passing);
    EXPECT_THAT(told.why, HasSubstr(why));
  }
  static void expect_preempted(const attempt_ended& end, const std::string& why) {
    EXPECT_EQ(end.how, static_cast<std::uint8_t>(end_class::preempted));
    EXPECT_THAT(end.detail, HasSubstr("node local is not ready for it: " + why));
  }
};

#define SKIP_WITHOUT(limit)                                                                        \
  if (!(limit).holds())                                                                            \
  GTEST_SKIP() << "no control group that limits processes can be made here"

TEST_F(node_shortage_test, of_a_training_thread_ends_no_trial) {
  start_with_checkpoint_service();
  support::process_limit none;
  SKIP_WITHOUT(none);

  launch();

  expect_declined("cannot start a training thread: Resource temporarily unavailable: pids.max of "
                  + none.path().string());
  EXPECT_EQ(desk.take<lease_over>().lease, 7u);
  trial.take<attach_words>();
  expect_preempted(trial.take<attempt_ended>(), "cannot start a training thread");
}

TEST_F(node_shortage_test, of_a_training_thread_is_heard_from_another_node) {
  auto gate = std::make_shared<session_fence>([this] { return clock_now(); });
  gate->set_end(clock_now() + 10s);
  settings.gate = gate;
  start_with_checkpoint_service();
  support::process_limit none;
  SKIP_WITHOUT(none);

  launch();

  expect_declined("cannot start a training thread");
  trial.take<support::attempt_proxy_words>();
  auto [number, end] = trial.take<numbered<attempt_ended>>();
  EXPECT_EQ(number, 1u);
  expect_preempted(end, "cannot start a training thread");
}

TEST_F(node_shortage_test, of_a_checkpoint_services_thread_ends_no_trial) {
  start();
  support::process_limit none;
  SKIP_WITHOUT(none);

  launch();

  expect_declined("only 0 of 1 threads can be started");
  EXPECT_EQ(desk.take<lease_over>().lease, 7u);
  expect_preempted(trial.take<attempt_ended>(), "only 0 of 1 threads");
}

TEST_F(node_shortage_test, of_a_launchers_thread_ends_no_trial) {
  job work;
  work.id = "x";
  work.plan = run_command{*command_template::parse("/bin/true", {}), "/", {}, {}};
  settings.jobs = {std::make_shared<const job>(work)};
  start_with_checkpoint_service();
  support::process_limit none;
  SKIP_WITHOUT(none);

  launch();

  expect_declined("only 0 of 1 threads can be started");
  EXPECT_EQ(desk.take<lease_over>().lease, 7u);
  expect_preempted(trial.take<attempt_ended>(), "only 0 of 1 threads");
}

} // namespace
} // namespace tune

// A node that temporarily lacks processes, descriptors or memory.
// SPDX-License-Identifier: BSD-3-Clause
#include "process_fixture.hpp"

#include "support/process_limit.hpp"

#include <gmock/gmock.h>

#include <signal.h>
#include <sys/resource.h>

namespace tune {
namespace {

using support::descriptor_limit;
using support::process_limit;
using testing::AllOf;
using testing::HasSubstr;

struct process_shortage_test : process_fixture {
  /// Limit of descriptors that leaves only the standard ones.
  static constexpr ::rlim_t hardly_any = 3;

  /// Starts a guard that has room for `further` descriptors beside its own.
  void limit_guard(::rlim_t further) {
    auto options = with_fake_guard();
    options.guard_program = support::program_with_descriptors(
        support::highest_descriptor_of(uut->guard_pid()) + 1 + further, TUNE_FAKE_TRAINABLE,
        scratch.path());
    auto started = process_service::start(options);
    ASSERT_TRUE(started) << started.error().detail;
    uut = std::move(*started);
  }

  void raise_limit_of_guard() const { support::raise_descriptor_limit_of(uut->guard_pid()); }

  exit_info run_again(std::vector<std::string> script) {
    heard = std::make_shared<support::recorder>();
    return run(std::move(script));
  }
};

TEST_F(process_shortage_test, is_told_from_a_command_that_is_wrong) {
  auto missing = order({});
  missing.argv = {"/no/such/program"};
  auto too_long = order({});
  too_long.env.push_back("LONG=" + std::string(300'000, 'x'));
  auto no_program = order({});
  no_program.argv = {scratch.path().string()};

  for (const auto& what : {missing, too_long, no_program}) {
    heard = std::make_shared<support::recorder>();
    auto how = run(what);
    EXPECT_NE(how.trouble, "");
    EXPECT_EQ(how.fault, ec::process) << how.trouble;
  }
}

TEST_F(process_shortage_test, of_processes_is_no_fault_of_the_command_and_passes) {
  process_limit none{uut->guard_pid()};
  if (!none.holds())
    GTEST_SKIP() << "no control group that limits processes can be made here";

  auto how = run({"exit", "6"});

  EXPECT_EQ(how.fault, ec::shortage);
  EXPECT_FALSE(how.guard_lost);
  EXPECT_EQ(how.code, std::nullopt);
  EXPECT_THAT(how.trouble,
              AllOf(HasSubstr("cannot make a process: Resource temporarily"),
                    HasSubstr("pids.max of " + none.path().string() + " is reached (1 of 1)")));
  none.lift();
  EXPECT_EQ(run_again({"exit", "6"}).code, 6);
}

TEST_F(process_shortage_test, of_the_nodes_threads_is_no_fault_of_the_command_and_passes) {
  process_limit none{::getpid()};
  if (!none.holds())
    GTEST_SKIP() << "no control group that limits processes can be made here";

  auto how = run({"exit", "6"});
  none.lift();

  EXPECT_EQ(how.fault, ec::shortage);
  EXPECT_EQ(how.code, std::nullopt);
  EXPECT_THAT(how.trouble,
              HasSubstr("cannot start a thread that writes output: Resource temporarily"));
  EXPECT_EQ(run_again({"exit", "6"}).code, 6);
}

TEST_F(process_shortage_test, of_the_nodes_descriptors_is_no_fault_of_the_command_and_passes) {
  descriptor_limit none{hardly_any};
  auto how = run({"exit", "6"});
  none.lift();

  EXPECT_EQ(how.fault, ec::shortage);
  EXPECT_THAT(how.trouble,
              AllOf(HasSubstr("cannot make a pipe: Too many open files"), HasSubstr("= 3 of")));
  EXPECT_EQ(run_again({"exit", "6"}).code, 6);
}

TEST_F(process_shortage_test, of_the_guards_descriptors_is_no_fault_of_the_command_and_passes) {
  limit_guard(0);
  auto how = run({"exit", "6"});
  raise_limit_of_guard();

  EXPECT_EQ(how.fault, ec::shortage);
  EXPECT_THAT(how.trouble, HasSubstr("cannot take over the process's pipes: Too many open files"));
  EXPECT_EQ(run_again({"exit", "6"}).code, 6);
}

TEST_F(process_shortage_test, of_descriptors_is_told_of_an_order_larger_than_a_packet) {
  auto what = order({"exit", "6"});
  what.env.push_back("LONG=" + std::string(100'000, 'x'));
  limit_guard(0);
  auto how = run(what);
  raise_limit_of_guard();

  EXPECT_EQ(how.fault, ec::shortage);
  heard = std::make_shared<support::recorder>();
  EXPECT_EQ(run(what).code, 6);
}

TEST_F(process_shortage_test, leaves_the_guard_what_it_needs_to_find_what_a_trial_left) {
  // Leaves room for the descriptors of one process and little else.
  limit_guard(3);

  EXPECT_EQ(run({"exit", "6"}).fault, ec::shortage);
  raise_limit_of_guard();
  EXPECT_EQ(run_again({"exit", "6"}).code, 6);
}

TEST_F(process_shortage_test, is_not_made_for_later_trials_by_one_that_lowers_the_guards_limits) {
  for (auto which : {RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_AS, RLIMIT_NPROC}) {
    ::rlimit now{};
    ::prlimit(uut->guard_pid(), which, nullptr, &now);
    now.rlim_cur = 0;
    ASSERT_EQ(::prlimit(uut->guard_pid(), which, &now, nullptr), 0);

    EXPECT_EQ(run_again({"exit", "6"}).code, 6) << which;
  }
}

TEST_F(process_shortage_test, for_good_of_the_guard_is_met_by_another_guard) {
  auto bystander = std::make_shared<support::recorder>();
  uut->launch(order({"hang"}), bystander);
  ASSERT_TRUE(bystander->wait_started());
  const auto old_guard = uut->guard_pid();
  const ::rlimit none{};
  ASSERT_EQ(::prlimit(old_guard, RLIMIT_FSIZE, &none, nullptr), 0);

  auto first = run({"exit", "6"});

  ::rlimit now{};
  if (uut->guard_pid() == old_guard && ::prlimit(old_guard, RLIMIT_FSIZE, nullptr, &now) == 0
      && now.rlim_max != 0) {
    EXPECT_EQ(first.code, 6) << "whoever may raise hard limits, does";
    return;
  }
  EXPECT_TRUE(bystander->wait_exit().guard_lost);
  EXPECT_TRUE(first.guard_lost || first.code == 6) << first.trouble;
  EXPECT_EQ(run_again({"exit", "6"}).code, 6);
}

TEST_F(process_shortage_test, of_what_a_new_guard_needs_is_no_loss_of_a_process) {
  auto hanging = std::make_shared<support::recorder>();
  uut->launch(order({"hang"}), hanging);
  ASSERT_TRUE(hanging->wait_started());
  ::kill(uut->guard_pid(), SIGKILL);
  ASSERT_TRUE(hanging->wait_exit().guard_lost);
  descriptor_limit none{hardly_any};
  auto how = run({"exit", "6"});
  none.lift();

  EXPECT_EQ(how.fault, ec::shortage);
  EXPECT_FALSE(how.guard_lost);
  EXPECT_EQ(run_again({"exit", "6"}).code, 6);
}

TEST_F(process_shortage_test, lets_no_service_begin_but_the_next) {
  process_limit none;
  if (!none.holds())
    GTEST_SKIP() << "no control group that limits processes can be made here";

  auto short_of_processes = process_service::start(with_fake_guard());
  none.lift();
  expected<std::unique_ptr<process_service>> short_of_descriptors{error{}};
  {
    descriptor_limit few{hardly_any};
    short_of_descriptors = process_service::start(with_fake_guard());
  }

  ASSERT_FALSE(short_of_processes);
  EXPECT_EQ(short_of_processes.error().code, ec::shortage);
  EXPECT_THAT(short_of_processes.error().detail, HasSubstr("pids.max of"));
  ASSERT_FALSE(short_of_descriptors);
  EXPECT_EQ(short_of_descriptors.error().code, ec::shortage);
  EXPECT_TRUE(process_service::start(with_fake_guard()));
}

TEST_F(process_shortage_test, loses_nothing_of_what_is_printed_meanwhile) {
  auto what = order({"say", "ready", "hear", "out", "early", "say", "printed", "hear", "out",
                     "late", "exit", "0"});
  what.protocol = true;
  auto handle = uut->launch(what, heard);
  ASSERT_TRUE(heard->wait_reports(1));
  {
    descriptor_limit none{hardly_any};
    uut->answer(handle, "go on");
    ASSERT_TRUE(heard->wait_lines(2));
    ASSERT_TRUE(heard->wait_reports(2));
  }
  uut->answer(handle, "go on");

  auto how = heard->wait_exit();
  EXPECT_EQ(how.output_trouble, "");
  EXPECT_THAT(content("stdout"), AllOf(HasSubstr("early\n"), HasSubstr("late\n")));
}

TEST_F(process_shortage_test, that_never_passes_is_told_with_what_was_printed) {
  auto what = order({"say", "ready", "hear", "out", "lost", "exit", "0"});
  what.protocol = true;
  auto handle = uut->launch(what, heard);
  ASSERT_TRUE(heard->wait_reports(1));
  descriptor_limit none{hardly_any};
  uut->answer(handle, "go on");

  EXPECT_THAT(heard->wait_exit().output_trouble, HasSubstr("Too many open files"));
}

} // namespace
} // namespace tune

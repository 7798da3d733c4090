// SPDX-License-Identifier: BSD-3-Clause
#include "process_fixture.hpp"

#include <gmock/gmock.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using texts = std::vector<std::string>;

struct process_service_test : process_fixture {};

TEST_F(process_service_test, tells_start_lines_and_exit_in_this_order) {
  auto how = run({"out", "a", "err", "b", "exit", "3"});

  EXPECT_EQ(how.code, 3);
  EXPECT_EQ(how.signal, std::nullopt);
  EXPECT_EQ(how.trouble, "");
  EXPECT_FALSE(how.requested);
  EXPECT_NE(heard->pid(), 0);
  EXPECT_THAT(heard->lines(), ElementsAre("a"));
  EXPECT_THAT(how.stderr_lines, ElementsAre("b"));
  EXPECT_EQ(content("stdout"), "a\n");
  EXPECT_EQ(content("stderr"), "b\n");
}

TEST_F(process_service_test, tells_signals_from_exit_statuses) {
  struct fault {
    std::string verb;
    int signal;
  };
  for (const auto& [verb, signal] : {fault{"abort", SIGABRT}, fault{"segv", SIGSEGV},
                                     fault{"throw", SIGABRT}, fault{"kill_self", SIGKILL}}) {
    heard = std::make_shared<support::recorder>();
    auto how = run({verb});
    EXPECT_EQ(how.signal, signal) << verb;
    EXPECT_EQ(how.code, std::nullopt) << verb;
    EXPECT_FALSE(how.out_of_memory) << verb;
  }
}

TEST_F(process_service_test, says_which_program_is_missing) {
  auto what = order({});
  what.argv = {"no-such-program-here", "x"};
  auto how = run(what);

  EXPECT_THAT(how.trouble, HasSubstr("cannot execute 'no-such-program-here': No such file"));
  EXPECT_THAT(how.trouble, HasSubstr("PATH"));
  EXPECT_EQ(how.code, std::nullopt);
  EXPECT_EQ(heard->pid(), 0);
  EXPECT_EQ(heard->exits(), 1);
}

TEST_F(process_service_test, says_which_file_of_the_directory_is_missing_or_not_executable) {
  auto what = order({});
  what.argv = {"./train.py"};
  EXPECT_THAT(run(what).trouble, HasSubstr("in directory " + scratch.path().string()));

  std::ofstream{scratch.path() / "train.py"} << "pass\n";
  heard = std::make_shared<support::recorder>();
  EXPECT_THAT(run(what).trouble, HasSubstr("Permission denied"));
}

TEST_F(process_service_test, says_that_an_interpreter_is_missing) {
  auto script = scratch.path() / "train.py";
  std::ofstream{script} << "#!/no/such/python\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  auto what = order({});
  what.argv = {"./train.py"};

  EXPECT_THAT(run(what).trouble, HasSubstr("interpreter"));
}

TEST_F(process_service_test, runs_a_script_without_interpreter_line_by_the_shell) {
  auto script = scratch.path() / "train";
  std::ofstream{script} << "echo $1\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  auto what = order({});
  what.argv = {"./train", "hello"};

  EXPECT_EQ(run(what).code, 0);
  EXPECT_THAT(heard->lines(), ElementsAre("hello"));
}

TEST_F(process_service_test, says_which_directory_is_missing) {
  auto what = order({"exit", "0"});
  what.directory = scratch.path() / "nowhere";
  EXPECT_THAT(run(what).trouble, HasSubstr("cannot enter directory"));
}

TEST_F(process_service_test, refuses_a_command_without_words) {
  auto what = order({});
  what.argv.clear();
  EXPECT_THAT(run(what).trouble, HasSubstr("without words"));
}

TEST_F(process_service_test, looks_programs_up_in_the_path_of_the_order) {
  auto fake = scratch.path() / "fake";
  std::filesystem::create_symlink(TUNE_FAKE_TRAINABLE, fake);
  auto what = order({});
  what.argv = {"fake", "out", "found"};
  what.env = environment_with({{"PATH", "/nowhere:" + scratch.path().string()}});

  EXPECT_EQ(run(what).code, 0);
  EXPECT_THAT(heard->lines(), ElementsAre("found"));
}

TEST_F(process_service_test, gives_directory_environment_and_nothing_else) {
  // A descriptor that is not close-on-exec, as careless libraries leave them open.
  auto leak = ::dup(0);
  auto what = order({"cwd", "env", "MINE", "env", "TUNE_TRIAL_ATTEMPT", "env", "TUNE_INSIDE_GUARD",
                     "fds", "signals"});
  what.env = environment_with({{"MINE", "a=b"}});
  run(what);
  ::close(leak);

  EXPECT_THAT(heard->lines(),
              ElementsAre(scratch.path().string(), "MINE=a=b", "TUNE_TRIAL_ATTEMPT=" + tag,
                          "TUNE_INSIDE_GUARD=(none)", "fd 0", "fd 1", "fd 2"));
}

TEST_F(process_service_test, opens_the_protocol_descriptors_on_demand) {
  auto what = order({"env", "TUNE_TRIAL_REPORT_FD", "env", "TUNE_TRIAL_ANSWER_FD", "fds"});
  what.protocol = true;
  run(what);

  EXPECT_THAT(heard->lines(), ElementsAre("TUNE_TRIAL_REPORT_FD=3", "TUNE_TRIAL_ANSWER_FD=4",
                                          "fd 0", "fd 1", "fd 2", "fd 3", "fd 4"));
}

TEST_F(process_service_test, passes_environments_larger_than_a_packet) {
  auto what = order({"env", "BIG"});
  // One variable may have at most 128 KiB, so several are needed.
  std::string big(100'000, 'x');
  what.env = environment_with({{"BIG", big}, {"BIG2", big}, {"BIG3", big}, {"BIG4", big}});
  run(what);

  ASSERT_EQ(heard->lines().size(), 1u);
  EXPECT_THAT(heard->lines()[0], testing::StartsWith("BIG=xxx"));
}

TEST_F(process_service_test, sets_limits) {
  auto what = order({});
  what.argv = {"sh", "-c", "ulimit -n"};
  what.limits = {{static_cast<std::uint32_t>(7 /* RLIMIT_NOFILE */), 123}};
  run(what);
  EXPECT_THAT(heard->lines(), ElementsAre("123"));
}

TEST_F(process_service_test, notices_that_the_memory_limit_ended_it) {
  auto what = order({"memory", "300000000", "out", "survived"});
  what.memory_limit = 100'000'000;
  auto how = run(what);
  if (how.code == 0)
    GTEST_SKIP() << "no control group can be made here";

  EXPECT_EQ(how.signal, SIGKILL);
  EXPECT_TRUE(how.out_of_memory);
}

TEST_F(process_service_test, notices_that_the_memory_limit_ended_a_process_below_a_shell) {
  for (const auto* script :
       {"\"$0\" memory 300000000; exit $?", "\"$0\" memory 300000000; exit 0"}) {
    heard = std::make_shared<support::recorder>();
    auto what = order({});
    what.argv = {"sh", "-c", script, TUNE_FAKE_TRAINABLE};
    what.memory_limit = 100'000'000;
    auto how = run(what);
    if (how.memory_unwatched)
      GTEST_SKIP() << "no control group can be made here";

    EXPECT_TRUE(how.out_of_memory) << script;
    EXPECT_FALSE(how.signal) << script;
  }
}

TEST_F(process_service_test, takes_no_kill_for_want_of_memory_that_others_met_meanwhile) {
  auto unlimited = std::make_shared<support::recorder>();
  auto first = order({});
  first.argv = {"sh", "-c", "echo up; until [ -e go ]; do sleep 0.02; done; kill -KILL $$"};
  first.stdout_file = scratch.path() / "stdout of the first";
  first.tag += "-first";
  const auto go = scratch.path() / "go";
  uut->launch(std::move(first), unlimited);
  ASSERT_TRUE(unlimited->wait_lines(1));
  auto what = order({"memory", "300000000", "out", "survived"});
  what.memory_limit = 100'000'000;
  if (run(what).code == 0)
    GTEST_SKIP() << "no control group can be made here";

  std::ofstream{go} << "now";

  auto how = unlimited->wait_exit();
  EXPECT_EQ(how.signal, SIGKILL);
  EXPECT_FALSE(how.out_of_memory);
}

/// A fixture with a process that waits in a control group of its own.
struct process_in_group_test : process_service_test {
  std::filesystem::path group;

  void SetUp() override {
    process_service_test::SetUp();
    auto what = order({});
    what.argv = {"sh", "-c",
                 "grep -E '(^0:|:memory):.*tune-' /proc/self/cgroup || echo; exec sleep 1000"};
    what.memory_limit = 100'000'000;
    uut->launch(std::move(what), heard);
    ASSERT_TRUE(heard->wait_lines(1));
    auto line = heard->lines().front();
    auto name = line.substr(line.rfind(':') + 1);
    group = (line.starts_with("0:") ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory") + name;
    if (name.empty() || !exists(group))
      GTEST_SKIP() << "no control group can be made, or seen, here";
  }

  /// Makes a sibling group, as a guard makes them.
  [[nodiscard]] std::filesystem::path make_group(pid_t guard) const {
    auto result = group.parent_path() / ("tune-" + std::to_string(guard) + "-1000000");
    create_directory(result);
    return result;
  }
};

TEST_F(process_in_group_test, leaves_no_group_when_the_guard_is_killed) {
  ::kill(uut->guard_pid(), SIGKILL);

  EXPECT_TRUE(heard->wait_exit().guard_lost);
  EXPECT_FALSE(exists(group));
}

TEST_F(process_in_group_test, removes_groups_of_guards_that_died_with_their_nodes) {
  auto dead = ::fork();
  if (dead == 0)
    ::_exit(0);
  ::waitpid(dead, nullptr, 0);
  auto left = make_group(dead);
  auto other = make_group(uut->guard_pid());

  auto another = process_service::start(with_fake_guard());

  ASSERT_TRUE(another);
  EXPECT_FALSE(exists(left));
  EXPECT_TRUE(exists(other));
  EXPECT_TRUE(exists(group));
  std::filesystem::remove(other);
}

TEST_F(process_service_test, answers_as_far_as_they_are_read) {
  auto what = order({"report", "3"});
  what.protocol = true;
  process_handle handle;
  heard->react = [&](const std::string& line) {
    if (line.find("metrics") != line.npos)
      uut->answer(handle, R"({"decision":"continue"})");
  };
  heard->on_report = line_flow::hold;
  handle = uut->launch(what, heard);
  for (std::size_t n = 1; n <= 4; ++n) {
    ASSERT_TRUE(heard->wait_reports(n));
    uut->resume_reports(handle);
  }

  EXPECT_EQ(heard->wait_exit().code, 0);
  EXPECT_THAT(heard->reports(), ElementsAre(R"({"tune":1})", R"({"metrics":{"i":1}})",
                                            R"({"metrics":{"i":2}})", R"({"metrics":{"i":3}})"));
}

TEST_F(process_service_test, survives_programs_that_do_not_read_their_answers) {
  auto what = order({"close_answers", "say", "closed", "hang"});
  what.protocol = true;
  auto handle = uut->launch(what, heard);
  ASSERT_TRUE(heard->wait_reports(1));
  for (int i = 0; i < 100; ++i)
    uut->answer(handle, std::string(1000, 'a'));
  uut->kill(handle);
  EXPECT_EQ(heard->wait_exit().signal, SIGKILL);

  heard = std::make_shared<support::recorder>();
  what = order({"hang"});
  what.protocol = true;
  handle = uut->launch(what, heard);
  for (int i = 0; i < 10'000; ++i)
    uut->answer(handle, std::string(1000, 'a'));
  uut->kill(handle);
  EXPECT_EQ(heard->wait_exit().signal, SIGKILL);
}

TEST_F(process_service_test, runs_two_hundred_at_once) {
  std::vector<std::shared_ptr<support::recorder>> all;
  std::vector<process_handle> handles;
  for (int i = 0; i < 200; ++i) {
    all.push_back(std::make_shared<support::recorder>());
    auto what = order({"say", std::to_string(i), "hear", "exit", std::to_string(i % 100)});
    what.protocol = true;
    what.stdout_file.clear();
    what.stderr_file.clear();
    handles.push_back(uut->launch(what, all.back()));
  }
  for (auto& one : all)
    ASSERT_TRUE(one->wait_reports(1));
  EXPECT_EQ(support::count_tagged(tag), 200u);
  for (auto handle : handles)
    uut->answer(handle, "go");

  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i]->wait_exit().code, static_cast<int>(i % 100));
    EXPECT_THAT(all[i]->lines(), ElementsAre("heard go"));
  }
}

TEST_F(process_service_test, tells_every_one_of_many_fast_exits_once) {
  std::vector<std::shared_ptr<support::recorder>> all;
  for (int i = 0; i < 300; ++i) {
    all.push_back(std::make_shared<support::recorder>());
    uut->launch(order({"raw", std::to_string(i), "exit", std::to_string(i % 200)}), all.back());
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i]->wait_exit().code, static_cast<int>(i % 200));
    // By such a status shells tell of a signal: the line, which has no end, may be cut off.
    if (i % 200 > 128 && i % 200 <= 192)
      EXPECT_THAT(all[i]->lines(), testing::IsEmpty());
    else
      EXPECT_THAT(all[i]->lines(), ElementsAre(std::to_string(i)));
    EXPECT_EQ(all[i]->exits(), 1);
  }
}

TEST_F(process_service_test, ends_everything_when_it_is_destroyed) {
  auto gentle = order({"term_exits", "say", "x", "hang"});
  gentle.protocol = true;
  auto stubborn = order({"ignore_term", "say", "x", "hang"});
  stubborn.protocol = true;
  stubborn.grace = std::chrono::milliseconds{100};
  auto other = std::make_shared<support::recorder>();
  uut->launch(gentle, heard);
  uut->launch(stubborn, other);
  ASSERT_TRUE(heard->wait_reports(1) && other->wait_reports(1));

  uut.reset();

  EXPECT_EQ(heard->exits(), 1);
  EXPECT_EQ(heard->wait_exit().code, 7);
  EXPECT_EQ(other->wait_exit().signal, SIGKILL);
  EXPECT_EQ(support::count_tagged(tag), 0u);
}

TEST(process_service, needs_a_guard_program_that_knows_its_part) {
  process_service_options options;
  options.guard_program = "/bin/true";
  auto uut = process_service::start(options);
  ASSERT_FALSE(uut);
  EXPECT_THAT(uut.error().detail, HasSubstr("tune::host_main(argc, argv) first in main"));

  options.guard_program = "/no/such/program";
  uut = process_service::start(options);
  ASSERT_FALSE(uut);
  EXPECT_THAT(uut.error().detail, HasSubstr("/no/such/program"));
}

TEST(process_service, begins_its_guard_with_all_signals_blocked) {
  // A Ctrl-C may come before the guard has left the group of its node.
  support::scratch_directory scratch;
  const auto seen = scratch.path() / "seen";
  process_service_options options;
  options.guard_program = scratch.path() / "guard";
  std::ofstream{options.guard_program} << "#!/bin/bash\ngrep SigBlk: /proc/$$/status >'"
                                       << seen.string() << "'\n";
  std::filesystem::permissions(options.guard_program, std::filesystem::perms::owner_all);

  ASSERT_FALSE(process_service::start(options));

  std::string word;
  std::uint64_t blocked = 0;
  std::ifstream{seen} >> word >> std::hex >> blocked;
  for (auto number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP})
    EXPECT_NE(blocked & (std::uint64_t{1} << (number - 1)), 0u) << number;
}

TEST(process_service, refuses_to_start_inside_a_program_started_as_guard) {
  ::setenv("TUNE_INSIDE_GUARD", "1", 1);
  auto uut = process_service::start(process_fixture::with_fake_guard());
  ::unsetenv("TUNE_INSIDE_GUARD");

  ASSERT_FALSE(uut);
  EXPECT_EQ(uut.error().code, ec::refused);
}

TEST(environment_with, replaces_and_does_not_inherit_what_marks_a_trial) {
  ::setenv("TUNE_TRIAL_ID", "00001", 1);
  ::setenv("TUNE_TEST_KEPT", "kept", 1);
  auto uut = environment_with({{"A", "1"}, {"A", "2"}, {"B=C", "x"}, {"TUNE_TRIAL_ID", "00002"}});
  auto bare = environment_with({});
  ::unsetenv("TUNE_TRIAL_ID");
  ::unsetenv("TUNE_TEST_KEPT");

  EXPECT_THAT(uut, testing::Contains("A=2"));
  EXPECT_THAT(uut, testing::Not(testing::Contains("A=1")));
  EXPECT_THAT(uut, testing::Contains("TUNE_TEST_KEPT=kept"));
  EXPECT_THAT(uut, testing::Contains("TUNE_TRIAL_ID=00002"));
  EXPECT_THAT(uut, testing::Not(testing::Contains(testing::StartsWith("B=C"))));
  EXPECT_THAT(bare, testing::Not(testing::Contains(testing::StartsWith("TUNE_TRIAL_ID"))));
}

} // namespace
} // namespace tune

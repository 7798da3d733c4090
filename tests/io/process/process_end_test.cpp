// SPDX-License-Identifier: BSD-3-Clause
#include "dying_node.hpp"
#include "process_fixture.hpp"

#include <gmock/gmock.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <utility>
#include <variant>

namespace tune {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using texts = std::vector<std::string>;

/// Counts processes whose command line contains `mark`, including those that wiped their
/// environment.
std::size_t count_marked(const std::string& mark) {
  std::size_t result = 0;
  for (const auto& entry : std::filesystem::directory_iterator{"/proc"}) {
    auto text = contents(entry.path() / "cmdline");
    result += text.starts_with("fake") && text.find(mark) != text.npos;
  }
  return result;
}

struct process_end_test : process_fixture {
  /// Launches a script, and waits until it has passed the point READY.
  process_handle launch_ready(texts script, std::shared_ptr<support::recorder> who) {
    auto at = std::find(script.begin(), script.end(), "READY");
    if (at != script.end())
      script.insert(script.erase(at), {"say", "ready"});
    auto what = order(std::move(script));
    what.protocol = true;
    auto result = uut->launch(what, who);
    EXPECT_TRUE(who->wait_reports(1));
    return result;
  }
  process_handle launch_ready(texts script) { return launch_ready(std::move(script), heard); }
};

TEST_F(process_end_test, asks_first) {
  auto handle = launch_ready({"term_exits", "READY", "hang"});
  uut->end(handle, support::deadline);

  auto how = heard->wait_exit();
  EXPECT_EQ(how.code, 7);
  EXPECT_TRUE(how.requested);
}

TEST_F(process_end_test, kills_what_ignores_being_asked) {
  auto handle = launch_ready({"ignore_term", "READY", "hang"});
  uut->end(handle, 50ms);

  auto how = heard->wait_exit();
  EXPECT_EQ(how.signal, SIGKILL);
  EXPECT_TRUE(how.requested);
  EXPECT_FALSE(how.out_of_memory);
}

TEST_F(process_end_test, can_shorten_the_grace) {
  auto handle = launch_ready({"ignore_term", "READY", "hang"});
  uut->end(handle, 1h);
  uut->end(handle, 10ms);
  EXPECT_EQ(heard->wait_exit().signal, SIGKILL);
}

TEST_F(process_end_test, kills_a_stopped_process) {
  auto handle = launch_ready({"READY", "hang"});
  ::kill(heard->pid(), SIGSTOP);
  uut->end(handle, support::deadline);
  EXPECT_EQ(heard->wait_exit().signal, SIGTERM);
}

TEST_F(process_end_test, ends_a_process_before_it_is_well_started) {
  auto handle = uut->launch(order({"hang"}), heard);
  uut->kill(handle);
  EXPECT_EQ(heard->wait_exit().signal, SIGKILL);
  uut->kill(handle); // Late and repeated: no effect.
  uut->end({4711}, 1s);
}

TEST_F(process_end_test, takes_children_of_the_group_along) {
  auto handle = launch_ready({"children", "5", "READY", "hang"});
  EXPECT_EQ(support::count_tagged(tag), 6u);
  uut->kill(handle);
  heard->wait_exit();
  EXPECT_EQ(support::count_tagged(tag), 0u);
}

TEST_F(process_end_test, ends_children_that_outlive_an_ordinary_exit) {
  EXPECT_EQ(run({"children", "3", "exit", "0"}).code, 0);
  EXPECT_EQ(support::count_tagged(tag), 0u);
}

TEST_F(process_end_test, lets_the_group_finish_within_the_grace) {
  // The shell dies of TERM at once; its child saves first.
  auto what = order({});
  what.argv
      = {"sh", "-c",
         "sh -c 'trap \"echo saved; exit 0\" TERM; echo ready >&3; while :; do read x <&4; done'"
         " & trap - TERM; wait"};
  what.protocol = true;
  auto handle = uut->launch(what, heard);
  ASSERT_TRUE(heard->wait_reports(1));
  uut->answer(handle, "x");
  uut->end(handle, support::deadline);
  heard->wait_exit();

  EXPECT_EQ(content("stdout"), "saved\n");
}

TEST_F(process_end_test, finds_daemons_that_left_the_session_twice) {
  auto handle = launch_ready({"daemon", "daemon", "READY", "hang"});
  EXPECT_EQ(support::count_tagged(tag), 3u);
  uut->end(handle, 50ms);
  heard->wait_exit();
  EXPECT_EQ(support::count_tagged(tag), 0u);
}

TEST_F(process_end_test, finds_daemons_after_an_ordinary_exit) {
  EXPECT_EQ(run({"daemon", "exit", "5"}).code, 5);
  EXPECT_EQ(support::count_tagged(tag), 0u);
}

TEST_F(process_end_test, follows_chains_of_daemons) {
  run({"chain", "exit", "0"});
  EXPECT_EQ(support::count_tagged(tag), 0u);
}

TEST_F(process_end_test, finds_daemons_that_wiped_their_environment) {
  auto mark = "mark-" + tag;
  auto handle = launch_ready({"daemon_bare", mark, "READY", "hang"});
  ASSERT_TRUE(support::eventually([&] { return count_marked(mark) == 1; }));
  uut->kill(handle);
  heard->wait_exit();
  EXPECT_EQ(count_marked(mark), 0u);
}

TEST_F(process_end_test, leaves_the_daemons_of_other_trials_alone) {
  auto mark = "mark-" + tag;
  auto other = std::make_shared<support::recorder>();
  auto first = launch_ready({"READY", "hang"});
  auto first_tag = std::exchange(tag, support::unique_tag("other"));
  auto second = launch_ready({"daemon", "daemon_bare", mark, "READY", "hang"}, other);
  ASSERT_TRUE(support::eventually([&] { return count_marked(mark) == 1; }));

  uut->kill(first);
  heard->wait_exit();
  EXPECT_EQ(support::count_tagged(first_tag), 0u);
  EXPECT_EQ(support::count_tagged(tag), 2u);
  EXPECT_EQ(count_marked(mark), 1u);

  uut->kill(second);
  other->wait_exit();
  EXPECT_EQ(support::count_tagged(tag), 0u);
  EXPECT_EQ(count_marked(mark), 0u);
}

TEST_F(process_end_test, does_not_wait_for_a_stray_that_holds_the_pipe) {
  // Both trials could be the parent of the daemon. So it lives as long as one of them does, and
  // holds the pipes of the second.
  auto mark = "mark-" + tag;
  auto other = std::make_shared<support::recorder>();
  auto bystander = launch_ready({"READY", "hang"});
  auto handle = launch_ready({"daemon_bare", mark, "out", "last", "READY", "hang"}, other);
  ASSERT_TRUE(support::eventually([&] { return count_marked(mark) == 1; }));

  uut->kill(handle);
  EXPECT_EQ(other->wait_exit().signal, SIGKILL);
  EXPECT_THAT(other->lines(), ElementsAre("last"));
  uut->kill(bystander);
  heard->wait_exit();
  EXPECT_EQ(count_marked(mark), 0u);
}

TEST_F(process_end_test, loses_nothing_but_the_processes_when_the_guard_is_killed) {
  auto handle = launch_ready({"children", "1", "daemon", "READY", "out", "x", "hang"});
  ASSERT_TRUE(heard->wait_lines(1));
  auto old_guard = uut->guard_pid();
  ::kill(old_guard, SIGKILL);

  auto how = heard->wait_exit();
  EXPECT_TRUE(how.guard_lost);
  EXPECT_NE(how.trouble, "");
  EXPECT_EQ(support::count_tagged(tag), 0u);
  uut->kill(handle);

  heard = std::make_shared<support::recorder>();
  EXPECT_EQ(run({"exit", "6"}).code, 6);
  EXPECT_NE(uut->guard_pid(), old_guard);
}

TEST_F(process_end_test, spares_the_trials_of_other_guards_with_the_same_tag) {
  // As in another container with the same path.
  auto other = dying_node{tag, "hang"};
  auto other_guard = other.read("guard");
  auto other_child = other.read("child");
  ASSERT_GT(other_child, 0);
  launch_ready({"READY", "hang"});
  ::kill(uut->guard_pid(), SIGKILL);

  EXPECT_TRUE(heard->wait_exit().guard_lost);

  EXPECT_TRUE(is_alive(other_child));
  ::kill(parent_of(other_guard), SIGKILL);
  EXPECT_TRUE(support::eventually([&] { return support::count_tagged(tag) == 0; }));
}

TEST_F(process_end_test, kills_a_guard_that_does_not_answer_and_starts_another) {
  auto options = with_fake_guard();
  options.guard_silence = 200ms;
  uut = std::move(*process_service::start(options));
  auto bystander = std::make_shared<support::recorder>();
  launch_ready({"READY", "hang"}, bystander);
  auto handle = launch_ready({"children", "1", "daemon", "READY", "hang"});
  auto old_guard = uut->guard_pid();
  ::kill(old_guard, SIGSTOP);

  uut->end(handle, 50ms);

  auto how = heard->wait_exit();
  EXPECT_TRUE(how.guard_lost);
  EXPECT_TRUE(how.requested);
  EXPECT_THAT(how.trouble, testing::HasSubstr("did not answer for 0.2 s"));
  EXPECT_TRUE(bystander->wait_exit().guard_lost);
  EXPECT_FALSE(is_alive(old_guard));
  EXPECT_EQ(support::count_tagged(tag), 0u);
  heard = std::make_shared<support::recorder>();
  EXPECT_EQ(run({"exit", "6"}).code, 6);
}

TEST_F(process_end_test, notices_a_stopped_guard_when_a_process_ends_by_itself) {
  auto options = with_fake_guard();
  options.guard_silence = 200ms;
  uut = std::move(*process_service::start(options));
  auto handle = launch_ready({"READY", "hear", "exit", "6"});
  ::kill(uut->guard_pid(), SIGSTOP);

  uut->answer(handle, "go");

  auto how = heard->wait_exit();
  EXPECT_TRUE(how.guard_lost);
  EXPECT_THAT(how.trouble, testing::HasSubstr("did not answer for 0.2 s"));
}

TEST_F(process_end_test, does_not_wait_for_a_stopped_guard_at_its_end) {
  auto options = with_fake_guard();
  options.guard_silence = 200ms;
  uut = std::move(*process_service::start(options));
  EXPECT_EQ(run({"exit", "6"}).code, 6);
  auto guard = uut->guard_pid();
  ::kill(guard, SIGSTOP);

  uut.reset();

  EXPECT_FALSE(is_alive(guard));
}

TEST_F(process_end_test, keeps_the_guard_through_signals_meant_for_the_node) {
  auto handle = launch_ready({"READY", "hang"});
  for (auto signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1})
    ::kill(uut->guard_pid(), signal);
  uut->end(handle, 1s);
  auto how = heard->wait_exit();
  EXPECT_FALSE(how.guard_lost);
  EXPECT_EQ(how.signal, SIGTERM);
}

TEST(guard, ends_everything_when_its_node_is_killed) {
  dying_node node{"killed", "ignore_term children 2 daemon hang", 100};
  auto guard = node.read("guard");
  auto child = node.read("child");
  ASSERT_GT(guard, 0);
  ASSERT_GT(child, 0);
  ASSERT_TRUE(support::eventually([&] { return support::count_tagged(node.tag) == 4; }));

  ::kill(parent_of(guard), SIGKILL);

  EXPECT_TRUE(support::eventually([&] { return support::count_tagged(node.tag) == 0; }));
  EXPECT_TRUE(support::eventually([&] { return !is_alive(guard); }));
}

TEST(guard, runs_the_obituary_of_a_node_that_was_killed_when_all_its_processes_are_gone) {
  support::scratch_directory scratch;
  const auto file = scratch.path() / "it is over";
  ::setenv("TUNE_TEST_OBITUARY", file.c_str(), 1);
  dying_node node{"obituary", "ignore_term daemon hang", 100};
  ::unsetenv("TUNE_TEST_OBITUARY");
  auto guard = node.read("guard");
  ASSERT_GT(node.read("child"), 0);
  ASSERT_TRUE(support::eventually([&] { return support::count_tagged(node.tag) == 2; }));
  EXPECT_FALSE(std::filesystem::exists(file));
  // Meant for the node, as a Ctrl-C that reaches both.
  ::kill(guard, SIGINT);

  ::kill(parent_of(guard), SIGKILL);

  EXPECT_TRUE(support::eventually([&] { return std::filesystem::exists(file); }));
  EXPECT_EQ(support::count_tagged(node.tag), 0u);
}

TEST_F(process_end_test, runs_no_obituary_at_its_end) {
  const auto file = scratch.path() / "it is over";
  auto options = with_fake_guard();
  options.obituary = {"/bin/touch", file.string()};
  uut = std::move(*process_service::start(options));
  launch_ready({"READY", "hang"});

  // Waits for the end of the guard, and so for any obituary that it might run.
  uut.reset();

  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(guard, leaves_daemons_to_the_sweep_only_when_it_is_killed_along_with_its_node) {
  dying_node node{"both", "daemon children 1 hang", 100};
  auto guard = node.read("guard");
  auto child = node.read("child");
  ASSERT_GT(guard, 0);
  ASSERT_TRUE(support::eventually([&] { return support::count_tagged(node.tag) == 3; }));

  auto parent = parent_of(guard);
  ::kill(parent, SIGSTOP);
  ASSERT_TRUE(support::eventually([&] { return state_of(parent) == 'T'; }));
  ::kill(guard, SIGKILL);
  ::kill(parent, SIGKILL);
  ASSERT_TRUE(support::eventually([&] { return !is_alive(child); }));

  auto left = find_leftovers([&](std::string_view x) { return x == node.tag; });
  // Of the daemon and its child one may go with the guard, if it was killed just as they began.
  EXPECT_GE(left.size(), 1u);
  EXPECT_EQ(end_leftovers(left, 50ms), 0u);
  EXPECT_EQ(support::count_tagged(node.tag), 0u);
}

} // namespace
} // namespace tune

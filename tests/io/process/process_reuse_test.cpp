// SPDX-License-Identifier: BSD-3-Clause
#include "process_fixture.hpp"

#include <gmock/gmock.h>

#include <signal.h>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A process that reports "idle" and then is given its next trial.
struct process_reuse_test : process_fixture {
  std::shared_ptr<support::recorder> holder = std::make_shared<support::recorder>();
  std::shared_ptr<support::recorder> next = std::make_shared<support::recorder>();
  process_handle handle;

  /// Starts the process and waits for its first report.
  void start(std::vector<std::string> script) {
    auto what = order(std::move(script));
    what.protocol = true;
    what.stdout_lines = false;
    heard->on_report = line_flow::hold;
    handle = uut->launch(std::move(what), heard);
    ASSERT_TRUE(heard->wait_reports(1));
  }
  void park() {
    handle = uut->park(handle, holder);
    ASSERT_TRUE(heard->wait_parked());
    EXPECT_EQ(heard->exits(), 0);
  }
  [[nodiscard]] process_turn turn() const {
    process_turn result;
    result.stdout_file = scratch.path() / "next_stdout";
    result.stderr_file = scratch.path() / "next_stderr";
    return result;
  }
  void hand_on(const process_turn& how) { handle = uut->hand_on(handle, how, next, "go"); }
};

TEST_F(process_reuse_test, switches_listener_and_files) {
  start({"raw", "a, cut short", "err", "a", "say", "idle", "hear", "out", "b", "err", "b", "say",
         "two", "exit", "3"});
  park();
  hand_on(turn());

  EXPECT_EQ(next->wait_exit().code, 3);
  EXPECT_EQ(content("stdout"), "a, cut short");
  EXPECT_EQ(content("stderr"), "a\n");
  EXPECT_EQ(content("next_stdout"), "heard go\nb\n");
  EXPECT_EQ(content("next_stderr"), "b\n");
  EXPECT_THAT(heard->reports(), ElementsAre("idle"));
  EXPECT_THAT(heard->parked_as()->stderr_lines, ElementsAre("a"));
  EXPECT_THAT(holder->reports(), IsEmpty());
  EXPECT_THAT(next->reports(), ElementsAre("two"));
  EXPECT_THAT(next->wait_exit().stderr_lines, ElementsAre("b"));
  EXPECT_EQ(next->pid(), heard->pid());
  EXPECT_EQ(holder->pid(), heard->pid());
  EXPECT_EQ(heard->exits() + holder->exits(), 0);
}

TEST_F(process_reuse_test, loses_nothing_that_was_printed_before_the_word) {
  start({"bytes", "300000", "say", "idle", "hear"});
  park();

  EXPECT_EQ(content("stdout").size(), 300000u);
}

TEST_F(process_reuse_test, drops_what_is_printed_in_between) {
  start({"say", "idle", "hear", "out", "noise", "say", "printed", "hear"});
  park();
  uut->answer(handle, "print");
  ASSERT_TRUE(holder->wait_reports(1));
  hand_on(turn());

  next->wait_exit();
  EXPECT_EQ(content("stdout"), "");
  EXPECT_EQ(content("next_stdout"), "heard go\n");
}

TEST_F(process_reuse_test, counts_anew_for_each) {
  auto how = turn();
  how.output_cap = 12;
  start({"out", "0123456789", "say", "idle", "hear", "out", "0123456789"});
  park();
  hand_on(how);

  next->wait_exit();
  EXPECT_THAT(content("next_stdout"), HasSubstr("heard go\n\n[8 bytes left out here]\n89\n"));
}

TEST_F(process_reuse_test, lets_nobody_reach_it_by_a_handle_of_before) {
  start({"say", "idle", "hear", "say", "two", "hear"});
  auto before = handle;
  park();
  auto parked = handle;
  hand_on(turn());
  next->on_report = line_flow::hold;

  uut->kill(before);
  uut->kill(parked);
  uut->answer(before, "not this");
  ASSERT_TRUE(next->wait_reports(1));
  uut->answer(handle, "but this");

  EXPECT_EQ(next->wait_exit().code, 0);
  EXPECT_EQ(content("next_stdout"), "heard go\nheard but this\n");
}

TEST_F(process_reuse_test, tells_its_holder_that_it_died) {
  start({"say", "idle", "hear"});
  park();
  ASSERT_TRUE(holder->wait_started());

  ::kill(holder->pid(), SIGKILL);

  EXPECT_EQ(holder->wait_exit().signal, SIGKILL);
  EXPECT_EQ(heard->exits(), 0);

  hand_on(turn());

  EXPECT_THAT(next->wait_exit().trouble, HasSubstr("gone before it was handed on"));
  EXPECT_EQ(next->pid(), 0);
}

TEST_F(process_reuse_test, is_not_parked_once_it_was_asked_to_end) {
  start({"say", "idle", "hear"});

  uut->end(handle, std::chrono::seconds{60});
  uut->park(handle, holder);

  EXPECT_EQ(heard->wait_exit().signal, SIGTERM);
  EXPECT_FALSE(heard->parked_as());
  EXPECT_EQ(holder->pid(), 0);
}

TEST_F(process_reuse_test, is_not_parked_while_it_has_descendants) {
  std::vector<std::vector<std::string>> all{{"children", "1"}, {"daemon"}, {"chain"}};
  for (auto& script : all) {
    heard = std::make_shared<support::recorder>();
    script.insert(script.end(), {"say", "idle", "hear", "exit", "4"});
    start(script);

    uut->park(handle, holder);

    // The process was not ended by a signal: it read the end of its answers.
    auto how = heard->wait_exit();
    EXPECT_EQ(how.code, 4) << script.front();
    EXPECT_FALSE(how.requested);
    EXPECT_FALSE(heard->parked_as());
    EXPECT_EQ(holder->pid(), 0);
    EXPECT_EQ(support::count_tagged(tag), 0u);
  }
}

TEST_F(process_reuse_test, is_not_parked_once_it_is_gone) {
  start({"say", "idle", "exit", "4"});
  ASSERT_TRUE(support::eventually([&] { return ::kill(heard->pid(), 0) != 0; }));

  uut->park(handle, holder);

  // If it was checked before its death was noticed, its end may be told to the holder.
  ASSERT_TRUE(support::eventually([&] { return heard->exits() + holder->exits() > 0; }));
  EXPECT_NE(heard->parked_as().has_value(), heard->exits() == 1);
}

TEST_F(process_reuse_test, is_parked_beside_others_with_descendants) {
  auto busy = std::make_shared<support::recorder>();
  auto other = order({"daemon", "children", "1", "say", "ready", "hear"});
  other.protocol = true;
  other.tag += "/other";
  auto other_handle = uut->launch(other, busy);
  ASSERT_TRUE(busy->wait_reports(1));
  start({"say", "idle", "hear"});

  park();

  uut->kill(other_handle);
  busy->wait_exit();
}

TEST_F(process_reuse_test, is_not_parked_if_it_is_to_end_while_that_is_looked_into) {
  start({"say", "idle", "hear"});

  uut->park(handle, holder);
  uut->end(handle, std::chrono::seconds{60});

  auto parked = [&] { return heard->parked_as() || heard->exits() > 0; };
  ASSERT_TRUE(support::eventually(parked));
  // The request to end came before the guard's answer, or too late.
  EXPECT_NE(heard->parked_as().has_value(), heard->exits() == 1);
}

TEST_F(process_reuse_test, ends_with_its_service_while_it_waits) {
  start({"say", "idle", "hear"});
  park();

  uut.reset();

  EXPECT_EQ(holder->exits(), 1);
  EXPECT_EQ(support::count_tagged(tag), 0u);
}

TEST_F(process_reuse_test, is_lost_with_its_guard_while_it_waits) {
  start({"say", "idle", "hear"});
  park();

  ::kill(uut->guard_pid(), SIGKILL);

  EXPECT_TRUE(holder->wait_exit().guard_lost);
  EXPECT_EQ(support::count_tagged(tag), 0u);
}

} // namespace
} // namespace tune

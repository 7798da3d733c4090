// SPDX-License-Identifier: BSD-3-Clause
#include "process_fixture.hpp"

#include <gmock/gmock.h>

#include <signal.h>
#include <sys/stat.h>

#include <fstream>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Resident memory of this process. [KiB]
std::size_t resident_kib() {
  std::ifstream file{"/proc/self/statm"};
  std::size_t total = 0;
  std::size_t resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / 1024;
}

struct process_output_test : process_fixture {};

TEST_F(process_output_test, cuts_files_at_the_cap_and_says_so_once) {
  auto what = order({"bytes", "300000"});
  what.output_cap = 1000;
  what.stdout_lines = false;
  EXPECT_EQ(run(what).code, 0);

  EXPECT_EQ(content("stdout"),
            std::string(750, 'x') + "\n[299000 bytes left out here]\n" + std::string(250, 'x'));
}

TEST_F(process_output_test, keeps_the_beginning_and_the_end) {
  auto what = order({"out", "first words", "bytes", "300000", "out", "", "out", "last words"});
  what.output_cap = 1000;
  EXPECT_EQ(run(what).code, 0);

  EXPECT_THAT(content("stdout"), testing::StartsWith("first words\n"));
  EXPECT_THAT(content("stdout"), testing::EndsWith("\nlast words\n"));
}

TEST_F(process_output_test, keeps_what_just_fits_and_appends_at_the_next_attempt) {
  auto what = order({"bytes", "1000"});
  what.output_cap = 1500;
  what.stdout_lines = false;
  run(what);
  EXPECT_EQ(content("stdout"), std::string(1000, 'x'));

  heard = std::make_shared<support::recorder>();
  run(what);
  EXPECT_EQ(content("stdout"),
            std::string(1125, 'x') + "\n[500 bytes left out here]\n" + std::string(375, 'x'));

  heard = std::make_shared<support::recorder>();
  what.argv.insert(what.argv.end(), {"out", "", "out", "newest"});
  run(what);
  EXPECT_EQ(content("stdout"), std::string(1125, 'x') + "\n[1508 bytes left out here]\n"
                                   + std::string(367, 'x') + "\nnewest\n");
}

TEST_F(process_output_test, gives_out_each_state_of_a_progress_bar_as_a_line) {
  run({"raw", "10% acc=1\r50% acc=2", "raw", "\r100% acc=3\r", "raw", "\ndone\r\n\n", "raw",
       "x\r"});

  EXPECT_THAT(heard->lines(), ElementsAre("10% acc=1", "50% acc=2", "100% acc=3", "done", "", "x"));
  EXPECT_EQ(content("stdout"), "10% acc=1\r50% acc=2\r100% acc=3\r\ndone\r\n\nx\r");
}

TEST_F(process_output_test, hears_a_state_of_a_progress_bar_before_the_next_comes) {
  auto handle = uut->launch(order({"raw", "50%\r", "hang"}), heard);

  EXPECT_TRUE(heard->wait_lines(1));
  uut->kill(handle);
  heard->wait_exit();
}

TEST_F(process_output_test, takes_no_line_that_may_be_cut_off) {
  auto lines_of = [this](const std::string& end) {
    heard = std::make_shared<support::recorder>();
    auto what = order({});
    what.argv = {"sh", "-c", "printf 'a\\nloss = 0.9'; " + end};
    run(what);
    return heard->lines();
  };
  EXPECT_THAT(lines_of("exit 3"), ElementsAre("a", "loss = 0.9"));
  EXPECT_THAT(lines_of("kill -9 $$"), ElementsAre("a"));
  EXPECT_THAT(lines_of("exit 137"), ElementsAre("a")) << "a shell that tells of a child's end";
}

TEST_F(process_output_test, hears_lines_of_stderr_where_told) {
  auto what = order({"out", "a", "err", "b", "err", "c"});
  what.stdout_lines = false;
  what.stderr_lines = true;
  EXPECT_EQ(run(what).code, 0);

  EXPECT_THAT(heard->lines(), ElementsAre("b", "c"));
  EXPECT_EQ(content("stderr"), "b\nc\n");
}

TEST_F(process_output_test, gives_a_terminal_that_changes_nothing) {
  auto what = order({});
  what.argv = {"sh", "-c", "test -t 1 && test ! -t 2 && printf 'a\\nb\\r\\n\\001\\003\\004\\377c'"};
  what.terminal = terminal_use::required;

  EXPECT_EQ(run(what).code, 0);

  EXPECT_EQ(content("stdout"), "a\nb\r\n\001\003\004\377c");
  EXPECT_THAT(heard->lines(), ElementsAre("a", "b", "\001\003\004\377c"));
}

TEST_F(process_output_test, loses_nothing_that_a_terminal_held_at_the_end) {
  for (int i = 0; i < 20; ++i) {
    heard = std::make_shared<support::recorder>();
    auto what = order({"bytes", "300000", "raw", "\n", "out", "end"});
    what.terminal = terminal_use::wanted;

    EXPECT_EQ(run(what).code, 0);

    EXPECT_THAT(heard->lines(), ElementsAre(std::string(65536, 'x') + "[cut]", "end"));
  }
}

TEST_F(process_output_test, controls_nobody_by_its_terminal) {
  auto what = order({});
  what.argv = {"sh", "-c", "(: </dev/tty) 2>/dev/null || echo none; sleep 0 & wait"};
  what.terminal = terminal_use::required;

  EXPECT_EQ(run(what).code, 0);

  EXPECT_THAT(heard->lines(), ElementsAre("none"));
}

/// Counts changes of watched files.
struct file_listener : support::recorder {
  std::atomic<int> times = 0;
  void files_changed() override { ++times; }
};

TEST_F(process_output_test, tells_when_files_were_written) {
  for (const auto* script : {"echo 1 > r; echo x > other; cat",
                             "mkdir -p a/b; echo 1 > a/b/new; mv a/b/new a/b/r; cat"}) {
    auto listener = std::make_shared<file_listener>();
    auto what = order({"say", "x", "hear"});
    what.argv = {"sh", "-c", std::string{script} + " <&$TUNE_TRIAL_ANSWER_FD"};
    what.protocol = true;
    what.watched_files = {"r", "a/b/r"};

    auto handle = uut->launch(what, listener);
    EXPECT_TRUE(support::eventually([&] { return listener->times > 0; })) << script;
    uut->end(handle);
    listener->wait_exit();
  }
}

TEST_F(process_output_test, makes_no_file_where_there_is_no_output) {
  run({"exit", "0"});
  EXPECT_FALSE(std::filesystem::exists(scratch.path() / "stdout"));
  EXPECT_FALSE(std::filesystem::exists(scratch.path() / "stderr"));
}

TEST_F(process_output_test, says_why_a_file_cannot_be_written) {
  auto what = order({"out", "x"});
  what.stdout_file = scratch.path() / "no" / "such" / "stdout";
  auto how = run(what);

  EXPECT_EQ(how.code, 0);
  EXPECT_THAT(how.output_trouble, HasSubstr("cannot open"));
  EXPECT_THAT(heard->lines(), ElementsAre("x"));
}

TEST_F(process_output_test, puts_a_file_in_the_place_of_a_pipe_and_says_so) {
  const auto file = scratch.path() / "stdout";
  ASSERT_EQ(::mkfifo(file.c_str(), 0666), 0);

  auto how = run(order({"out", "x"}));

  EXPECT_EQ(how.code, 0);
  EXPECT_EQ(how.output_trouble, file.string() + " was a named pipe and is replaced by a new file");
  EXPECT_EQ(content("stdout"), "x\n");
}

TEST_F(process_output_test, writes_through_no_link) {
  const auto victim = scratch.path() / "victim";
  std::ofstream{victim} << "precious";
  std::filesystem::create_symlink(victim, scratch.path() / "stdout");
  std::filesystem::create_hard_link(victim, scratch.path() / "stderr");

  run({"out", "x", "err", "y"});

  EXPECT_EQ(content("victim"), "precious");
  EXPECT_EQ(content("stdout"), "x\n");
  EXPECT_EQ(content("stderr"), "y\n");
}

TEST_F(process_output_test, stays_small_under_a_gigabyte_of_output) {
  run({"bytes", "1000000"}); // All buffers are allocated after this.
  auto before = resident_kib();

  heard = std::make_shared<support::recorder>();
  auto what = order({"bytes", "1000000000"});
  what.output_cap = 100'000;
  EXPECT_EQ(run(what).code, 0);

  EXPECT_LT(resident_kib(), before + 4096);
  EXPECT_EQ(heard->lines().size(), 1u);
  EXPECT_EQ(heard->lines()[0].size(), 65536u + 5);
}

TEST_F(process_output_test, cuts_long_lines_and_hears_the_next) {
  run({"bytes", "100000000", "raw", "\n", "out", "next"});

  ASSERT_EQ(heard->lines().size(), 2u);
  EXPECT_EQ(heard->lines()[0], std::string(65536, 'x') + "[cut]");
  EXPECT_EQ(heard->lines()[1], "next");
}

TEST_F(process_output_test, does_not_wait_for_the_end_of_a_long_line) {
  auto handle = uut->launch(order({"bytes", "65537", "hang"}), heard);

  EXPECT_TRUE(heard->wait_lines(1));
  uut->kill(handle);
  heard->wait_exit();
  EXPECT_THAT(heard->lines(), ElementsAre(std::string(65536, 'x') + "[cut]"));
}

TEST_F(process_output_test, passes_lines_of_just_the_limit_whole) {
  run({"bytes", "65536", "raw", "\n", "bytes", "65537", "raw", "\n", "raw", "a\r\n", "raw", "\n",
       "raw", "end"});

  EXPECT_THAT(heard->lines(), ElementsAre(std::string(65536, 'x'),
                                          std::string(65536, 'x') + "[cut]", "a", "", "end"));
}

TEST_F(process_output_test, takes_binary_junk_as_it_comes) {
  auto how = run({"junk", "1000000"});

  EXPECT_EQ(how.code, 0);
  EXPECT_EQ(content("stdout").size(), 1'000'000u);
  std::size_t bytes = 0;
  for (const auto& line : heard->lines())
    bytes += line.size();
  EXPECT_GT(bytes, 900'000u);
  for (const auto& line : how.stdout_lines)
    EXPECT_EQ(line.find_first_of(std::string_view{"\0\x1b\x07\r", 4}), line.npos);
}

TEST_F(process_output_test, keeps_the_first_three_and_the_last_five_lines_of_stderr) {
  auto how = run({"err", "1", "err", "2", "err", "3", "err", "4", "err", "5", "err", "6"});
  EXPECT_THAT(how.stderr_lines, ElementsAre("1", "2", "3", "4", "5", "6"));

  heard = std::make_shared<support::recorder>();
  std::vector<std::string> words;
  for (int i = 1; i <= 10; ++i)
    words.insert(words.end(), {"err", std::to_string(i)});
  how = run(words);
  EXPECT_THAT(how.stderr_lines,
              ElementsAre("1", "2", "3", "… (2 lines between)", "6", "7", "8", "9", "10"));

  heard = std::make_shared<support::recorder>();
  how = run({"err", std::string(100'000, 'e')});
  ASSERT_EQ(how.stderr_lines.size(), 1u);
  EXPECT_EQ(how.stderr_lines[0], std::string(500, 'e'));
}

TEST_F(process_output_test, shows_control_characters_of_the_last_lines) {
  auto how = run({"err", "b\xc3\xb6se \x1b[31m\tend \xff"});

  EXPECT_THAT(how.stderr_lines, ElementsAre("b\xc3\xb6se \\x1b[31m\tend \xef\xbf\xbd"));
}

TEST_F(process_output_test, reads_no_further_line_until_the_one_before_was_judged) {
  heard->on_stdout = line_flow::hold;
  auto handle = uut->launch(order({"lines", "2", "exit", "0"}), heard);

  for (std::size_t n = 1; n <= 4; ++n) {
    ASSERT_TRUE(heard->wait_lines(n));
    EXPECT_EQ(heard->lines().size(), n);
    EXPECT_FALSE(heard->has_exited());
    uut->resume_output(handle);
  }
  EXPECT_EQ(heard->wait_exit().code, 0);
  EXPECT_THAT(heard->lines(), ElementsAre("step 1", "Accuracy = 1%", "step 2", "Accuracy = 2%"));
}

TEST_F(process_output_test, holds_back_a_program_that_floods_reports) {
  heard->on_report = line_flow::hold;
  auto what = order({"flood", "100000", "out", "done"});
  what.protocol = true;
  auto handle = uut->launch(what, heard);
  ASSERT_TRUE(heard->wait_reports(1));

  // Far more than the pipe holds, so it cannot all have come through.
  uut->resume_reports(handle);
  ASSERT_TRUE(heard->wait_reports(2));
  EXPECT_EQ(heard->reports().size(), 2u);
  EXPECT_TRUE(heard->lines().empty());

  uut->kill(handle);
  auto how = heard->wait_exit();
  EXPECT_EQ(how.signal, SIGKILL);
  EXPECT_LE(heard->reports().size(), 2u + 256u);
}

TEST_F(process_output_test, delivers_all_of_an_unheld_flood) {
  auto what = order({"flood", "20000"});
  what.protocol = true;
  EXPECT_EQ(run(what).code, 0);
  EXPECT_EQ(heard->reports().size(), 20'000u);
  EXPECT_EQ(heard->reports().back(), R"({"metrics":{"i":20000}})");
}

TEST_F(process_output_test, drops_lines_of_stdout_once_its_end_was_asked_for) {
  heard->on_stdout = line_flow::hold;
  auto handle = uut->launch(order({"ignore_term", "out", "heard", "out", "late", "hang"}), heard);
  ASSERT_TRUE(heard->wait_lines(1));
  uut->end(handle, std::chrono::milliseconds{50});

  EXPECT_EQ(heard->wait_exit().signal, SIGKILL);
  EXPECT_THAT(heard->lines(), ElementsAre("heard"));
  EXPECT_EQ(content("stdout"), "heard\nlate\n");
}

TEST_F(process_output_test, goes_on_when_a_program_closes_its_output) {
  auto what = order({"out", "a", "close_output", "say", "still here", "hear", "exit", "4"});
  what.protocol = true;
  auto handle = uut->launch(what, heard);
  ASSERT_TRUE(heard->wait_reports(1));
  uut->answer(handle, "go");

  EXPECT_EQ(heard->wait_exit().code, 4);
  EXPECT_THAT(heard->lines(), ElementsAre("a"));
}

} // namespace
} // namespace tune

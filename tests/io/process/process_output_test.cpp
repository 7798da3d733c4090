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

  EXPECT_EQ(content("stdout"), std::string(1000, 'x') + "\n[output truncated after 1000 bytes]\n");
}

TEST_F(process_output_test, keeps_what_just_fits_and_appends_at_the_next_attempt) {
  auto what = order({"bytes", "1000"});
  what.output_cap = 1500;
  what.stdout_lines = false;
  run(what);
  EXPECT_EQ(content("stdout"), std::string(1000, 'x'));

  heard = std::make_shared<support::recorder>();
  run(what);
  EXPECT_EQ(content("stdout"), std::string(1500, 'x') + "\n[output truncated after 1500 bytes]\n");

  heard = std::make_shared<support::recorder>();
  run(what);
  EXPECT_EQ(content("stdout"), std::string(1500, 'x') + "\n[output truncated after 1500 bytes]\n");
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
  run({"bytes", "1000000"}); // Everything has its buffers now.
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

TEST_F(process_output_test, keeps_the_last_five_lines_of_stderr) {
  auto how
      = run({"err", "1", "err", "2", "err", "3", "err", "4", "err", "5", "err", "6", "exit", "1"});
  EXPECT_THAT(how.stderr_lines, ElementsAre("2", "3", "4", "5", "6"));

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

  // Far more than the pipe holds: it cannot have come through.
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

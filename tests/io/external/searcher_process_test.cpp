// SPDX-License-Identifier: BSD-3-Clause
#include "support/processes.hpp"

#include "tune/io/external/searcher_process.hpp"
#include "tune/io/process/leftovers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <future>
#include <iterator>

namespace tune {
namespace {

using external::heard;
using external::line_heard;
using external::partner;
using external::partner_lost;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

/// A fixture for processes that are shell scripts.
struct searcher_process_fixture : testing::Test {
  support::scratch_directory scratch;

  void TearDown() override {
    EXPECT_EQ(support::count_tagged(trial_tag(scratch.path(), "search")), 0U) << "left behind";
  }

  std::unique_ptr<partner> run(const std::string& script,
                               std::chrono::milliseconds patience = 60s) {
    std::ofstream{scratch.path() / "script.sh"} << script;
    return started("/bin/sh ./script.sh", patience);
  }

  std::unique_ptr<partner> started(const std::string& command,
                                   std::chrono::milliseconds patience = 60s) {
    process_service_options how;
    how.guard_program = TUNE_FAKE_TRAINABLE;
    auto made = make_searcher_process({command, patience},
                                      {scratch.path(), scratch.path().string()}, how);
    EXPECT_TRUE(made) << made.error().detail;
    (*made)->begin();
    return std::move(*made);
  }

  [[nodiscard]] std::string content(const std::string& name) const {
    std::ifstream file{scratch.path() / name, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
  }
};

std::string text_of(const heard& what) {
  if (const auto* line = std::get_if<line_heard>(&what))
    return to_text(value{line->said});
  return "lost: " + std::get<partner_lost>(what).why;
}

bool is_for_good(const heard& what) {
  const auto* lost = std::get_if<partner_lost>(&what);
  return lost != nullptr && lost->for_good;
}

/// Answers each line with the line's number and length.
constexpr const char* counting = "n=0\n"
                                 "while read -r line; do n=$((n + 1))\n"
                                 "echo '{\"n\":'$n',\"bytes\":'${#line}'}'; done\n";

using searcher_process_test = searcher_process_fixture;

TEST(source_names, are_words_against_the_ini_file) {
  auto named = source_names("first {ini_dir}/second 'a third'", "/home");
  ASSERT_TRUE(named) << named.error().detail;
  EXPECT_THAT(*named, ElementsAre("first", "/home/second", "a third"));
  EXPECT_TRUE(source_names("", "/home")->empty());
}

TEST(source_names, say_that_one_is_empty) {
  EXPECT_EQ(source_names("''", "/home").error().detail, "holds a name that is empty");
  EXPECT_EQ(source_names("first ''", "/home").error().detail, "holds a name that is empty");
  EXPECT_EQ(source_names("{trial_id}", "/home").error().detail,
            "{trial_id} is known to trials alone");
}

TEST(searcher_news, reach_who_listens) {
  searcher_news uut;
  uut.warn("nobody listens yet");
  std::vector<std::string> heard;
  uut.listen([&](const std::string& text) { heard.push_back(text); });
  uut.warn("begun anew");
  uut.listen({});
  uut.warn("nobody listens any more");
  EXPECT_THAT(heard, ElementsAre("begun anew"));
}

TEST_F(searcher_process_test, passes_warnings_on) {
  auto news = std::make_shared<searcher_news>();
  std::vector<std::string> heard;
  news->listen([&](const std::string& text) { heard.push_back(text); });
  auto made = make_searcher_process({"/bin/true", 60s},
                                    {scratch.path(), scratch.path().string(), nullptr, news});
  ASSERT_TRUE(made) << made.error().detail;
  (*made)->warn("begun anew");
  EXPECT_THAT(heard, ElementsAre("begun anew"));
}

TEST_F(searcher_process_test, speaks_lines_over_stdin_and_stdout) {
  auto uut = run("echo hello >&2\n" + std::string{counting});
  uut->tell({{{"a", 1}}, {{"b", "two"}}});
  EXPECT_EQ(text_of(uut->hear()), "{n: 1, bytes: 7}");
  EXPECT_EQ(text_of(uut->hear()), "{n: 2, bytes: 11}");
  uut->close({});
  EXPECT_EQ(content(searcher_log_name), "hello\n");
}

TEST_F(searcher_process_test, is_heard_though_it_was_told_much) {
  auto uut = run("n=0; while read -r line; do case $line in *last*) echo '{\"n\":'$n'}';; esac\n"
                 "n=$((n + 1)); done\n");
  std::vector<object> much(3000, object{{"text", std::string(300, 'x')}});
  much.push_back({{"last", true}});
  uut->tell(much);
  EXPECT_EQ(text_of(uut->hear()), "{n: 3000}");
}

TEST_F(searcher_process_test, tells_how_it_ended) {
  auto uut = run("echo 'no module named bayes' >&2\nexit 3\n");
  auto end = uut->hear();
  EXPECT_THAT(text_of(end), AllOf(HasSubstr("exit status 3"), HasSubstr("no module named bayes")));
  EXPECT_FALSE(is_for_good(end));
  uut = run("kill -KILL $$\n");
  EXPECT_THAT(text_of(uut->hear()), HasSubstr("signal 9"));
}

TEST_F(searcher_process_test, begins_anew) {
  auto uut = run("echo '{\"pid\":'$$'}'; while read -r line; do :; done\n");
  auto first = text_of(uut->hear());
  uut->begin();
  auto second = text_of(uut->hear());
  EXPECT_THAT(second, HasSubstr("pid"));
  EXPECT_NE(first, second);
}

TEST_F(searcher_process_test, is_lost_for_good_where_there_is_no_such_program) {
  auto uut = started("/no/such/program");
  auto end = uut->hear();
  EXPECT_THAT(text_of(end), HasSubstr("'/no/such/program'"));
  EXPECT_TRUE(is_for_good(end));
}

TEST_F(searcher_process_test, breaks_off_where_it_says_what_is_no_line) {
  auto uut = run("echo 'not meant so' >&2; echo; echo 'Hello, world'; read -r line\n");
  EXPECT_THAT(text_of(uut->hear()), AllOf(HasSubstr("no JSON object: Hello, world"),
                                          HasSubstr("on stderr:\n  not meant so")));
  uut = run("head -c 1048577 /dev/zero | tr '\\0' x; echo\n");
  EXPECT_THAT(text_of(uut->hear()), HasSubstr("a line of more than 1048576 bytes"));
}

TEST_F(searcher_process_test, breaks_off_where_it_says_nothing) {
  auto uut = run("echo 'thinking' >&2; while :; do sleep 1; done\n", 100ms);
  EXPECT_THAT(text_of(uut->hear()), HasSubstr("said nothing for 0.1 s"));
}

TEST_F(searcher_process_test, breaks_off_where_it_says_empty_lines_alone) {
  auto uut = run("while :; do echo; done\n", 100ms);
  EXPECT_THAT(text_of(uut->hear()), HasSubstr("said nothing for 0.1 s"));
}

TEST_F(searcher_process_test, breaks_off_where_it_reads_nothing) {
  auto uut = run("while :; do sleep 1; done\n", 200ms);
  uut->tell(std::vector<object>(3000, object{{"text", std::string(300, 'x')}}));
  EXPECT_THAT(text_of(uut->hear()), HasSubstr("reads nothing"));
}

TEST_F(searcher_process_test, is_told_the_end_and_may_do_its_last) {
  auto uut = run("while read -r line; do echo \"$line\" >>said; done; echo done >>said\n");
  uut->tell({{{"a", 1}}});
  uut->close([] { return std::vector<object>{{{"b", 2}}, {{"type", "end"}}}; });
  // The process has seen the end of its input by then.
  EXPECT_EQ(content("said"), "{\"a\":1}\n{\"b\":2}\n{\"type\":\"end\"}\ndone\n");
}

TEST_F(searcher_process_test, leaves_nothing_behind) {
  auto uut = run("trap '' TERM; setsid sh -c 'trap \"\" TERM; sleep 1000' &\n"
                 "echo '{\"up\":1}'; while :; do sleep 1; done\n");
  EXPECT_EQ(text_of(uut->hear()), "{up: 1}");
  uut->close({});
}

TEST_F(searcher_process_test, lets_nobody_wait_who_is_asked_to_go) {
  auto uut = run("while read -r line; do :; done\n");
  uut->enter();
  auto answer = std::async(std::launch::async, [&] { return uut->hear(); });
  uut->close([] { return std::vector<object>{}; });
  EXPECT_TRUE(is_for_good(answer.get()));
  uut->leave();
  uut->begin();
  EXPECT_TRUE(is_for_good(uut->hear()));
}

TEST_F(searcher_process_test, runs_in_the_directory_with_a_clean_environment) {
  auto uut = run("echo \"{\\\"at\\\":\\\"$(pwd)\\\",\\\"fd\\\":\\\"$TUNE_TRIAL_REPORT_FD\\\","
                 "\\\"py\\\":\\\"$PYTHONUNBUFFERED\\\"}\"\n");
  EXPECT_EQ(text_of(uut->hear()), "{at: " + scratch.path().string() + ", fd: , py: 1}");
}

TEST(searcher_words, are_those_of_commands) {
  auto words = searcher_words("python3 ./a.py '{ini_dir}/b c' --x", "/ini");
  ASSERT_TRUE(words);
  EXPECT_THAT(*words, ElementsAre("python3", "/ini/a.py", "/ini/b c", "--x"));
  EXPECT_THAT(searcher_words("x {lr}", "/ini").error().detail, HasSubstr("{lr}"));
  EXPECT_THAT(searcher_words("x {trial_dir}", "/ini").error().detail,
              HasSubstr("{trial_dir} is known to trials alone"));
  EXPECT_FALSE(searcher_words("x 'y", "/ini"));
}

} // namespace
} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/runtime_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <stdlib.h>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

struct runtime_log_test : testing::Test {
  std::filesystem::path root;

  void SetUp() override {
    auto name = (std::filesystem::temp_directory_path() / "tune_log_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root = name;
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(root, ignored);
  }

  /// The log's lines after a small run.
  std::vector<std::string> lines_at(log_level least) {
    auto uut = open_runtime_log({root / "below" / "run.log", least});
    if (!uut) {
      ADD_FAILURE() << to_text(uut.error());
      return {};
    }
    auto& log = **uut;
    cmd::trial_changed trial;
    trial.trial = trial_id{3};
    log.trial_changed(trial, instant{0});
    cmd::attempt_changed attempt;
    attempt.trial = trial_id{3};
    attempt.attempt = {1, 7};
    attempt.node = "here";
    log.attempt_began(attempt, instant{0});
    trial.status = trial_status::running;
    log.trial_changed(trial, instant{0});
    log.trial_changed(trial, instant{0});
    log.decided({trial_id{3}, {1, 7}, 4, "stop", {{"rung", 4}}}, instant{0});
    attempt.how = end_class::user_error;
    attempt.detail = "line 1\nline 2";
    log.attempt_failed(attempt, true, instant{0});
    log.warned("mind \x1b[2J this");
    trial.status = trial_status::terminated;
    trial.reason = "it is over";
    log.trial_changed(trial, instant{0});
    log.finished({});
    // The log's destructor waits until its thread has written everything.
    uut = error{ec::internal, ""};
    return read(root / "below" / "run.log");
  }

  static std::vector<std::string> read(const std::filesystem::path& file) {
    std::vector<std::string> result;
    std::ifstream in{file};
    for (std::string line; std::getline(in, line);)
      result.push_back(line);
    return result;
  }
};

TEST_F(runtime_log_test, has_a_line_for_each_change_of_status_and_all_that_is_more_urgent) {
  EXPECT_THAT(lines_at(log_level::info),
              ElementsAre(EndsWith("info 00003 PENDING"), EndsWith("info 00003 RUNNING"),
                          EndsWith("warning 00003 attempt 1.7 failed (user_error, will be tried "
                                   "again): line 1\\nline 2"),
                          EndsWith("warning mind \\x1b[2J this"),
                          EndsWith("info 00003 TERMINATED: it is over"),
                          EndsWith("info the run is over, done")));
}

TEST_F(runtime_log_test, tells_placements_and_decisions_where_that_is_wanted) {
  auto lines = lines_at(log_level::debug);

  ASSERT_EQ(lines.size(), 8u);
  EXPECT_THAT(lines[1], EndsWith("debug 00003 placed on here, attempt 1.7"));
  EXPECT_THAT(lines[3], HasSubstr("debug 00003 stop at iteration 4: "));
}

TEST_F(runtime_log_test, leaves_out_what_is_less_urgent) {
  EXPECT_EQ(lines_at(log_level::warning).size(), 2u);
  EXPECT_THAT(read(root / "none.log"), IsEmpty());
}

TEST_F(runtime_log_test, goes_on_with_a_file_that_is_there) {
  lines_at(log_level::warning);

  EXPECT_EQ(lines_at(log_level::warning).size(), 4u);
}

TEST_F(runtime_log_test, begins_a_line_of_its_own_where_the_last_one_was_cut_short) {
  lines_at(log_level::warning);
  std::ofstream{root / "below" / "run.log", std::ios::app} << "2026-01-31T12:0";

  auto lines = lines_at(log_level::warning);

  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[2], "2026-01-31T12:0");
  EXPECT_THAT(lines[3], HasSubstr(" warning 00003 attempt"));
}

TEST_F(runtime_log_test, keeps_its_files_within_a_bound) {
  runtime_log_options how{root / "run.log", log_level::info, {}, 1000, 3};
  auto uut = open_runtime_log(how);
  ASSERT_TRUE(uut);

  for (int i = 0; i < 500; ++i)
    (*uut)->warned(std::string(80, 'x'));
  uut = error{ec::internal, ""};

  std::uint64_t bytes = 0;
  std::size_t files = 0;
  for (const auto& x : std::filesystem::directory_iterator{root}) {
    bytes += x.file_size();
    ++files;
  }
  EXPECT_EQ(files, 3u);
  EXPECT_LE(bytes, 3000u);
}

TEST_F(runtime_log_test, writes_through_no_link) {
  std::ofstream{root / "victim"} << "precious\n";
  std::filesystem::create_symlink(root / "victim", root / "run.log");

  auto uut = open_runtime_log({root / "run.log", log_level::info});

  ASSERT_FALSE(uut);
  EXPECT_THAT(uut.error().detail, HasSubstr("run.log is a link, not a file of its own: remove it"));
  EXPECT_THAT(read(root / "victim"), ElementsAre("precious"));
}

TEST_F(runtime_log_test, names_key_and_path_where_the_file_cannot_be_opened) {
  auto uut = open_runtime_log({root, log_level::info});

  ASSERT_FALSE(uut);
  EXPECT_EQ(uut.error().code, ec::storage);
  EXPECT_THAT(uut.error().detail, HasSubstr("[log] file = " + root.string()));
}

} // namespace
} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/job_directories.hpp"

#include "../scratch_directory.hpp"

#include <filesystem>
#include <string>

namespace tune {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

struct job_directories_test : samples::scratch_directory {
  void SetUp() override {
    samples::scratch_directory::SetUp();
    for (auto name : {"jobs/a-1/files/data/x", "jobs/a-1/files.complete", "jobs/a-1/trials/00000/o",
                      "jobs/b-2/files/y", "content/ab/keep", "lock"})
      fill(root / name, name);
  }
  bool has(const std::string& name) const { return fs::exists(fs::symlink_status(root / name)); }
};

TEST_F(job_directories_test, removes_one_job_and_nothing_else) {
  auto done = remove_job_directory(root, "a-1");

  ASSERT_TRUE(done) << done.error().detail;
  EXPECT_FALSE(has("jobs/a-1"));
  EXPECT_TRUE(has("jobs/b-2/files/y"));
  EXPECT_TRUE(has("content/ab/keep"));
  EXPECT_EQ(std::distance(fs::directory_iterator{root / "jobs"}, fs::directory_iterator{}), 1);
}

TEST_F(job_directories_test, is_content_where_there_is_no_such_job) {
  EXPECT_TRUE(remove_job_directory(root, "c-3"));
  EXPECT_TRUE(remove_job_directory(root / "nowhere", "a-1"));
  EXPECT_TRUE(sweep_job_directories(root / "nowhere", 0ms));
}

TEST_F(job_directories_test, removes_what_a_trial_closed) {
  auto closed = root / "jobs/a-1/trials/00000/closed";
  fill(closed / "deep/x", "x");
  fs::permissions(closed / "deep", fs::perms::none);
  fs::permissions(closed, fs::perms::owner_read);

  auto done = remove_job_directory(root, "a-1");

  ASSERT_TRUE(done) << done.error().detail;
  EXPECT_FALSE(has("jobs/a-1"));
}

TEST_F(job_directories_test, follows_no_link) {
  fill(root / "outside/x", "x");
  fs::create_directory_symlink(root / "outside", root / "jobs/a-1/trials/out");
  fs::create_directory_symlink(root / "outside", root / "jobs/linked");

  EXPECT_TRUE(remove_job_directory(root, "a-1"));
  EXPECT_TRUE(remove_job_directory(root, "linked"));
  EXPECT_TRUE(sweep_job_directories(root, 0ms));

  EXPECT_TRUE(has("outside/x"));
  EXPECT_FALSE(has("jobs/linked"));
}

TEST_F(job_directories_test, goes_on_where_a_crash_left_off) {
  fill(root / "jobs/.over-a-1/files/old", "x");

  EXPECT_TRUE(remove_job_directory(root, "a-1"));

  EXPECT_FALSE(has("jobs/.over-a-1"));
  EXPECT_FALSE(has("jobs/a-1"));
}

TEST_F(job_directories_test, sweeps_all_jobs_and_what_was_being_removed) {
  fill(root / "jobs/.over-c-3/files/old", "x");

  auto done = sweep_job_directories(root, 0ms);

  ASSERT_TRUE(done) << done.error().detail;
  EXPECT_TRUE(fs::is_empty(root / "jobs"));
  EXPECT_TRUE(has("content/ab/keep"));
  EXPECT_TRUE(has("lock"));
}

} // namespace
} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/job_directories.hpp"

#include "../own_mounts.hpp"
#include "../scratch_directory.hpp"

#include <gmock/gmock.h>

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

namespace tune {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;

struct job_directories_test : samples::scratch_directory {
  void SetUp() override {
    samples::scratch_directory::SetUp();
    for (auto name : {"jobs/a-1/files/data/x", "jobs/a-1/files.complete", "jobs/a-1/trials/00000/o",
                      "jobs/b-2/files/y", "content/ab/keep", "lock"})
      fill(root / name, name);
    ASSERT_TRUE(mark_job_directory(root / "jobs/b-2"));
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

TEST_F(job_directories_test, keeps_those_that_somebody_goes_on_with) {
  ASSERT_TRUE(sweep_job_directories(root, 0ms, {}, {"b-2"}));

  EXPECT_FALSE(has("jobs/a-1"));
  EXPECT_TRUE(has("jobs/b-2/files/y"));
}

TEST_F(job_directories_test, follows_no_link) {
  fill(root / "outside/x", "x");
  fs::create_directory_symlink(root / "outside", root / "jobs/a-1/trials/out");
  fs::create_directory_symlink(root / "outside", root / "jobs/linked");

  EXPECT_TRUE(remove_job_directory(root, "a-1"));
  EXPECT_TRUE(remove_job_directory(root, "linked"));
  EXPECT_TRUE(sweep_job_directories(root, 0ms));
  EXPECT_FALSE(has("jobs/a-1"));

  EXPECT_TRUE(has("outside/x"));
  EXPECT_FALSE(has("jobs/linked"));
}

TEST_F(job_directories_test, goes_on_where_a_crash_left_off) {
  fill(root / "jobs/.over-a-1/files/old", "x");

  EXPECT_TRUE(remove_job_directory(root, "a-1"));

  EXPECT_FALSE(has("jobs/.over-a-1"));
  EXPECT_FALSE(has("jobs/a-1"));
}

TEST_F(job_directories_test, removes_what_another_jobs_removal_had_no_time_for) {
  fill(root / "jobs/.over-c-3/files/old", "x");

  EXPECT_TRUE(remove_job_directory(root, "a-1"));

  EXPECT_FALSE(has("jobs/.over-c-3"));
}

TEST_F(job_directories_test, sweeps_all_jobs_and_what_was_being_removed) {
  fill(root / "jobs/.over-c-3/files/old", "x");

  auto done = sweep_job_directories(root, 0ms);

  ASSERT_TRUE(done) << done.error().detail;
  EXPECT_TRUE(fs::is_empty(root / "jobs"));
  EXPECT_TRUE(has("content/ab/keep"));
  EXPECT_TRUE(has("lock"));
}

TEST_F(job_directories_test, sweeps_nothing_that_was_not_made_for_a_job) {
  fill(root / "jobs/2024-thesis/chapter1", "x");
  fill(root / "jobs/notes.txt", "x");
  // A directory that was made anew after somebody had removed it together with its mark.
  fill(root / "jobs/name-0123456789abcdef/trials/00000/o", "x");
  fs::create_directory_symlink(root / "content", root / "jobs/link-0123456789abcdef");
  std::vector<std::string> told;

  auto done = sweep_job_directories(root, 0ms, [&](const std::string& x) { told.push_back(x); });

  ASSERT_TRUE(done) << done.error().detail;
  EXPECT_TRUE(has("jobs/2024-thesis/chapter1"));
  EXPECT_TRUE(has("jobs/notes.txt"));
  EXPECT_TRUE(has("jobs/link-0123456789abcdef"));
  EXPECT_FALSE(has("jobs/a-1"));
  EXPECT_FALSE(has("jobs/b-2"));
  EXPECT_FALSE(has("jobs/name-0123456789abcdef"));
  EXPECT_EQ(told.size(), 3u);
}

struct work_directory_check : samples::scratch_directory {
  fs::path work() const { return root / "work"; }
  /// The directory or file that the check names as somebody's own; empty if it names none.
  std::string refused() const {
    auto checked = check_work_directory(work());
    if (checked)
      return {};
    EXPECT_EQ(checked.error().code, ec::storage);
    const auto& text = checked.error().detail;
    const auto begin = text.find(": ") + 2;
    return text.substr(begin, text.find(" is ", begin) - begin);
  }
  std::string in_work(const std::string& name) const { return (work() / name).string(); }
};

TEST_F(work_directory_check, takes_what_is_not_there_or_empty) {
  EXPECT_EQ(refused(), "");
  fs::create_directories(work() / "lost+found");
  EXPECT_EQ(refused(), "");
}

TEST_F(work_directory_check, refuses_what_has_anything_of_somebody_else) {
  for (auto name : {"thesis.txt", ".bashrc", "jobs/2024-thesis/chapter1", "jobs/.over-night/x",
                    "jobs/loads/files.complete", "jobs/name-0123456789abcdef/files/x",
                    "content/incoming/abc123", "content/index.html", "lock"}) {
    fill(work() / name, "x");
    auto odd = refused();
    EXPECT_NE(odd, "") << name;
    EXPECT_TRUE(in_work(name).starts_with(odd)) << odd;
    fs::remove_all(work());
  }
}

TEST_F(work_directory_check, takes_what_it_marked_whatever_is_in_it_now) {
  fs::create_directory(work());
  ASSERT_TRUE(mark_work_directory(work()));
  ASSERT_TRUE(mark_work_directory(work()));
  fill(work() / "notes.txt", "x");
  fill(work() / "jobs/2024-thesis/chapter1", "x");

  EXPECT_EQ(refused(), "");
}

TEST_F(work_directory_check, takes_no_mark_of_another_program) {
  fill(work() / ".tune-work", "something else");
  EXPECT_EQ(refused(), in_work(".tune-work"));
  fill(work() / ".tune-work", "This directory was made for a tune-node worker or head.\nno");
  EXPECT_EQ(refused(), in_work(".tune-work"));
}

TEST_F(work_directory_check, takes_what_earlier_versions_made) {
  fill(work() / "lock", "");
  EXPECT_EQ(refused(), "") << "killed as it began";
  fill(work() / ".tune-work", "");
  fill(work() / "content/ab/x", "x");
  fs::create_directories(work() / "content/incoming");
  fill(work() / "jobs/a-1/files/x", "x");
  ASSERT_TRUE(mark_job_directory(work() / "jobs/a-1"));
  EXPECT_EQ(refused(), "");

  fill(work() / "jobs/2024-thesis/chapter1", "x");
  EXPECT_EQ(refused(), in_work("jobs/2024-thesis"));
}

TEST_F(work_directory_check, refuses_what_is_no_directory_or_leads_elsewhere) {
  fs::create_directories(root / "elsewhere");
  fs::create_directory(work());
  ASSERT_TRUE(mark_work_directory(work()));
  for (auto name : {"jobs", "content", "lock"}) {
    const auto place = work() / name;
    fs::create_symlink(root / "elsewhere", place);
    EXPECT_EQ(refused(), place.string());
    fs::remove(place);
    fs::create_symlink("/nowhere", place);
    EXPECT_EQ(refused(), place.string());
    fs::remove(place);
    ASSERT_EQ(::mkfifo(place.c_str(), 0600), 0);
    EXPECT_EQ(refused(), place.string());
    fs::remove(place);
  }
  fill(work() / "jobs", "x");
  EXPECT_EQ(refused(), in_work("jobs"));
  fs::remove_all(work());
  fill(work(), "x");
  EXPECT_EQ(refused(), work().string());
}

TEST_F(job_directories_test, leaves_what_a_trial_mounted_and_says_so) {
  fill(root / "precious/x", "x");
  fs::create_directories(root / "jobs/a-1/trials/00000/data");
  const auto status = samples::in_own_mounts([this] {
    if (!samples::bind(root / "precious", root / "jobs/a-1/trials/00000/data"))
      return samples::cannot_mount;
    auto gone = remove_job_directory(root, "a-1");
    if (gone || gone.error().code != ec::refused || has("jobs/a-1"))
      return 1;
    // The next job may have the same name and end in the same way.
    fs::create_directories(root / "jobs/a-1/trials/00000/data");
    if (!samples::bind(root / "precious", root / "jobs/a-1/trials/00000/data")
        || remove_job_directory(root, "a-1") || has("jobs/a-1"))
      return 2;
    std::vector<std::string> told;
    auto swept = sweep_job_directories(root, 0ms, [&](const auto& x) { told.push_back(x); });
    return swept && told.size() == 2 && !has("jobs/b-2") ? 0 : 3;
  });
  if (samples::may_not_mount(status))
    GTEST_SKIP() << "only root can mount";

  EXPECT_EQ(status, 0);
  EXPECT_EQ(content(root / "precious/x"), "x");
}

} // namespace
} // namespace tune

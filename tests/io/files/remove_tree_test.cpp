// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/remove_tree.hpp"

#include "../own_mounts.hpp"
#include "../scratch_directory.hpp"

#include "tune/io/files/removing_tree.hpp"

#include <gmock/gmock.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tune {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct remove_tree_test : samples::scratch_directory {
  void SetUp() override {
    samples::scratch_directory::SetUp();
    fill(root / "precious/data/x", "x");
    fill(root / "doomed/one/two/x", "x");
    fill(root / "doomed/x", "x");
    fs::create_directories(root / "doomed/mine");
    fill(root / "doomed/file", "x");
  }
  [[nodiscard]] bool has(const std::string& name) const {
    return fs::exists(fs::symlink_status(root / name));
  }
  [[nodiscard]] std::string removed() const {
    auto done = remove_tree(root / "doomed", without_limit);
    return done ? std::string{} : done.error().detail;
  }
};

/// Makes nested directories, too deep for any path.
void make_chain(const fs::path& where, int depth) {
  fs::create_directories(where);
  int at = ::open(where.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  for (int i = 0; i < depth; ++i) {
    ASSERT_EQ(::mkdirat(at, "deeper", 0755), 0);
    const int next = ::openat(at, "deeper", O_PATH | O_DIRECTORY | O_CLOEXEC);
    ::close(at);
    at = next;
  }
  const int file = ::openat(at, "x", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  ASSERT_GE(file, 0);
  ::close(file);
  ::close(at);
}

TEST_F(remove_tree_test, removes_all_that_is_below_and_nothing_beside) {
  EXPECT_EQ(removed(), "");

  EXPECT_FALSE(has("doomed"));
  EXPECT_TRUE(has("precious/data/x"));
}

TEST_F(remove_tree_test, is_content_where_nothing_is_there) {
  EXPECT_TRUE(remove_tree(root / "nothing"));
  EXPECT_TRUE(remove_tree(root / "nothing/below"));
  EXPECT_TRUE(remove_tree_below(root, "nothing/below/that"));
}

TEST_F(remove_tree_test, removes_a_file_and_a_link_by_their_names) {
  fs::create_directory_symlink(root / "precious", root / "link");

  EXPECT_TRUE(remove_tree(root / "link"));
  EXPECT_TRUE(remove_tree(root / "doomed/x"));

  EXPECT_FALSE(has("link"));
  EXPECT_FALSE(has("doomed/x"));
  EXPECT_TRUE(has("precious/data/x"));
}

TEST_F(remove_tree_test, follows_no_link_below) {
  fs::create_directory_symlink(root / "precious", root / "doomed/one/link");

  EXPECT_EQ(removed(), "");

  EXPECT_FALSE(has("doomed"));
  EXPECT_TRUE(has("precious/data/x"));
}

TEST_F(remove_tree_test, goes_through_no_link_on_the_way) {
  fs::create_directory_symlink(root / "precious", root / "doomed/one/link");

  auto done = remove_tree_below(root, "doomed/one/link/data");

  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().detail, HasSubstr("doomed/one/link is a link"));
  EXPECT_TRUE(has("precious/data/x"));
}

TEST_F(remove_tree_test, removes_what_somebody_closed) {
  fs::permissions(root / "doomed/one/two", fs::perms::none);
  fs::permissions(root / "doomed/one", fs::perms::owner_read);

  EXPECT_EQ(removed(), "");

  EXPECT_FALSE(has("doomed"));
}

TEST_F(remove_tree_test, needs_few_descriptors_at_any_depth) {
  make_chain(root / "doomed/chain", 3000);
  // The limit applies to the whole process, hence a child.
  const auto child = ::fork();
  if (child == 0) {
    const ::rlimit few{64, 64};
    ::_exit(::setrlimit(RLIMIT_NOFILE, &few) == 0 && removed().empty() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);

  EXPECT_EQ(status, 0);
  EXPECT_FALSE(has("doomed"));
}

TEST_F(remove_tree_test, leaves_the_rest_for_a_later_call_when_its_time_is_over) {
  make_chain(root / "doomed/chain", 50);

  auto first = remove_tree(root / "doomed", std::chrono::milliseconds{0});

  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().code, ec::shortage);
  EXPECT_THAT(first.error().detail,
              HasSubstr("cannot remove all of " + (root / "doomed").string()));
  EXPECT_TRUE(has("doomed"));
  ASSERT_TRUE(remove_tree(root / "doomed", without_limit));
  EXPECT_FALSE(has("doomed"));
}

TEST_F(remove_tree_test, takes_turns_with_others_until_all_is_gone) {
  constexpr int names = 20000;
  const int directory = ::open((root / "doomed/mine").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  for (int i = 0; i < names; ++i)
    ASSERT_EQ(::symlinkat("x", directory, std::to_string(i).c_str()), 0);
  ::close(directory);
  auto uut = removing_tree_below(root, "doomed");

  int slices = 1;
  while (!uut.step())
    ++slices;

  EXPECT_GT(slices, 1);
  EXPECT_TRUE(uut.take());
  EXPECT_FALSE(has("doomed"));
  EXPECT_TRUE(has("precious/data/x"));
}

TEST_F(remove_tree_test, leaves_what_is_mounted_below_and_says_so) {
  const auto status = samples::in_own_mounts([this] {
    if (!samples::bind(root / "precious", root / "doomed/mine")
        || !samples::bind(root / "precious/data/x", root / "doomed/file"))
      return samples::cannot_mount;
    const auto told = removed();
    // One mount point is named, and the number of further ones; everything else is removed.
    if (told.find("something is mounted there") == told.npos
        || told.find("(1 more below") == told.npos
        || (told.find((root / "doomed/mine").string()) == told.npos
            && told.find((root / "doomed/file").string()) == told.npos))
      return 1;
    if (!has("doomed/mine/data/x") || has("doomed/one") || has("doomed/x"))
      return 2;
    return 0;
  });
  if (samples::may_not_mount(status))
    GTEST_SKIP() << "only root can mount";

  EXPECT_EQ(status, 0);
  EXPECT_EQ(content(root / "precious/data/x"), "x");
}

TEST_F(remove_tree_test, leaves_what_is_mounted_in_its_own_place) {
  const auto status = samples::in_own_mounts([this] {
    if (!samples::bind(root / "precious", root / "doomed"))
      return samples::cannot_mount;
    return removed().find("something is mounted there") != std::string::npos
                   && !remove_tree_below(root, "doomed/data")
               ? 0
               : 1;
  });
  if (samples::may_not_mount(status))
    GTEST_SKIP() << "only root can mount";

  EXPECT_EQ(status, 0);
  EXPECT_EQ(content(root / "precious/data/x"), "x");
}

TEST_F(remove_tree_test, does_not_wait_for_a_file_system_that_never_answers) {
  const auto status = samples::in_own_mounts([this] {
    if (!samples::mount_dead(root / "doomed/mine"))
      return samples::cannot_mount;
    const auto told = removed();
    return told.find("something is mounted there") != told.npos && !has("doomed/one") ? 0 : 1;
  });
  if (samples::may_not_mount(status))
    GTEST_SKIP() << "only root with /dev/fuse can mount that";

  EXPECT_EQ(status, 0);
}

} // namespace
} // namespace tune

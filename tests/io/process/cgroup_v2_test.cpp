// The rules of the kernel are those of a tree of plain files here: what it would refuse is a
// directory in the place of a file.
// SPDX-License-Identifier: BSD-3-Clause
#include "process/cgroup_v2.hpp"
#include "support/processes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace tune::cgroup_v2 {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

struct cgroup_v2_test : testing::Test {
  support::scratch_directory scratch;

  [[nodiscard]] std::string path(const std::string& group) const {
    return group.empty() ? scratch.path().string() : (scratch.path() / group).string();
  }
  void put(const std::string& file, const std::string& text) const {
    std::ofstream{scratch.path() / file} << text;
  }
  [[nodiscard]] std::string text_of(const std::string& file) const {
    std::ifstream in{scratch.path() / file};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
  void group(const std::string& name, const std::string& has,
             const std::string& children_have) const {
    fs::create_directories(path(name));
    const auto prefix = name.empty() ? name : name + "/";
    put(prefix + "cgroup.procs", "");
    put(prefix + "cgroup.controllers", has);
    put(prefix + "cgroup.subtree_control", children_have);
  }
  /// As of a group with processes of its own: the kernel lets nobody turn anything on.
  void forbid(const std::string& name) const {
    fs::remove(path(name) + "/cgroup.subtree_control");
    fs::create_directory(path(name) + "/cgroup.subtree_control");
  }
};

TEST_F(cgroup_v2_test, lists_groups_from_the_nearest_to_the_mount) {
  group("a/b", "", "");

  EXPECT_THAT(groups_above(path(""), "/a/b"), ElementsAre(path("a/b"), path("a"), path("")));
  EXPECT_THAT(groups_above(path(""), "/"), ElementsAre(path("")));
  EXPECT_THAT(groups_above(path(""), "/a/unseen/b"), ElementsAre(path("a"), path("")));
  EXPECT_THAT(groups_above(path(""), "/../../docker/4711"), ElementsAre(path("")));
}

TEST_F(cgroup_v2_test, takes_its_own_group_where_children_have_limits) {
  group("", "cpu memory", "cpu memory");
  group("a", "cpu memory", "cpu memory");

  EXPECT_EQ(parent_for_limits(path(""), "/a"), path("a"));
}

TEST_F(cgroup_v2_test, takes_the_nearest_group_above_whose_children_have_limits) {
  group("", "cpu memory", "cpu memory");
  group("a", "cpu memory", "cpu memory");
  group("a/b", "cpu memory", "");
  forbid("a/b");

  EXPECT_EQ(parent_for_limits(path(""), "/a/b"), path("a"));
}

TEST_F(cgroup_v2_test, turns_limits_on_where_it_may_and_off_again) {
  group("", "cpu memory", "memory");
  group("a", "cpu memory", "cpu");
  group("a/b", "cpu", "");

  EXPECT_EQ(parent_for_limits(path(""), "/a/b"), path("a"));
  EXPECT_EQ(text_of("a/cgroup.subtree_control"), "+memory");

  fs::create_directory(path("a/tune-1-2-3"));
  leave(path("a"));
  EXPECT_EQ(text_of("a/cgroup.subtree_control"), "+memory") << "a trial is left";

  fs::remove(path("a/tune-1-2-3"));
  leave(path("a"));
  EXPECT_EQ(text_of("a/cgroup.subtree_control"), "-memory");
}

TEST_F(cgroup_v2_test, turns_nothing_off_that_others_turned_on) {
  group("", "memory", "memory");

  EXPECT_EQ(parent_for_limits(path(""), "/"), path(""));
  leave(path(""));

  EXPECT_EQ(text_of("cgroup.subtree_control"), "memory");
}

TEST_F(cgroup_v2_test, finds_none_where_nothing_may_be_turned_on) {
  group("", "cpu memory", "");
  forbid("");
  group("a", "cpu", "");

  EXPECT_EQ(parent_for_limits(path(""), "/a"), std::nullopt);
}

TEST_F(cgroup_v2_test, takes_no_group_from_which_no_process_can_be_brought) {
  group("", "memory", "memory");
  group("a", "memory", "memory");
  fs::remove(path("a/cgroup.procs"));

  EXPECT_EQ(parent_for_limits(path(""), "/a"), path(""));
}

} // namespace
} // namespace tune::cgroup_v2

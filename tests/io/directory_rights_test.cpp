// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/store/directory_rights.hpp"

#include "scratch_directory.hpp"

#include <gmock/gmock.h>

#include <sys/stat.h>
#include <unistd.h>

namespace tune {
namespace {

using testing::HasSubstr;

constexpr ::uid_t me = 1000;

/// The warning, or "refused: …" if the rights are refused.
std::string judged(const directory_rights& found) {
  auto result = judge_rights("/data/x", found, me);
  return result ? *result : "refused: " + result.error().detail;
}

TEST(directory_rights, are_fine_where_nobody_else_may_write) {
  EXPECT_EQ(judged({0755, me}), "");
  EXPECT_EQ(judged({0700, me}), "");
  EXPECT_EQ(judged({0755, 0}), "") << "root may do everything anyway";
}

TEST(directory_rights, are_fine_where_the_group_is_only_the_user) {
  EXPECT_EQ(judged({0775, me, true}), "");
}

TEST(directory_rights, are_warned_of_where_a_group_may_write) {
  EXPECT_THAT(judged({0775, me}), HasSubstr("/data/x may be written by its group (mode 0775)"));
  EXPECT_THAT(judged({0775, me}), HasSubstr("chmod g-w /data/x"));
}

TEST(directory_rights, are_refused_where_everybody_may_replace_files) {
  EXPECT_THAT(judged({0777, me}), HasSubstr("refused: /data/x may be written by everybody"));
  EXPECT_THAT(judged({0777, me}), HasSubstr("chmod o-w /data/x"));
}

TEST(directory_rights, are_warned_of_where_everybody_may_add_files) {
  EXPECT_EQ(judged({01777, 0}).find("/data/x may be written by everybody (mode 1777)"), 0u);
}

TEST(directory_rights, are_warned_of_where_the_file_system_makes_them_up) {
  EXPECT_EQ(judged({0777, me, false, false}).find("/data/x may be written by everybody"), 0u);
}

TEST(directory_rights, are_warned_of_where_it_belongs_to_another) {
  EXPECT_THAT(judged({0755, 1001}), HasSubstr("belongs to another user (uid 1001)"));
}

struct directory_rights_test : samples::scratch_directory {};

TEST_F(directory_rights_test, are_those_of_the_directory) {
  ASSERT_EQ(::chmod(root.c_str(), 0755), 0);
  EXPECT_EQ(*check_rights(root), "");
  ASSERT_EQ(::chmod(root.c_str(), 0777), 0);
  EXPECT_FALSE(check_rights(root).has_value());
  ASSERT_EQ(::chmod(root.c_str(), 01777), 0);
  EXPECT_NE(*check_rights(root), "");
}

TEST_F(directory_rights_test, are_fine_of_what_is_yet_to_be_made) {
  EXPECT_EQ(*check_rights(root / "none"), "");
}

} // namespace
} // namespace tune

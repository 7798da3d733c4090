// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/checkpoint/shared_storage.hpp"

#include "../scratch_directory.hpp"

namespace tune {
namespace {

namespace fs = std::filesystem;

struct shared_storage_test : samples::scratch_directory {
  void SetUp() override {
    samples::scratch_directory::SetUp();
    fs::create_directories(root / "trials");
  }
};

TEST_F(shared_storage_test, is_told_by_the_token_that_was_left) {
  ASSERT_TRUE(leave_storage_token(root, "abc"));

  EXPECT_TRUE(shares_storage(root, "abc"));
  EXPECT_FALSE(shares_storage(root, "abd"));
  EXPECT_FALSE(shares_storage(root, "ab"));
  EXPECT_FALSE(shares_storage(root, "abcd"));
  EXPECT_FALSE(shares_storage(root, ""));
  EXPECT_FALSE(shares_storage(root / "elsewhere", "abc"));
  EXPECT_FALSE(shares_storage("relative", "abc"));
}

TEST_F(shared_storage_test, knows_the_newest_token_only) {
  ASSERT_TRUE(leave_storage_token(root, "old"));
  ASSERT_TRUE(leave_storage_token(root, "new"));

  EXPECT_FALSE(shares_storage(root, "old"));
  EXPECT_TRUE(shares_storage(root, "new"));
}

TEST_F(shared_storage_test, is_not_where_no_token_is) {
  ASSERT_TRUE(leave_storage_token(root, "abc"));
  remove_storage_token(root);

  EXPECT_FALSE(shares_storage(root, "abc"));
  EXPECT_FALSE(fs::exists(root / storage_token_name));
}

TEST_F(shared_storage_test, is_not_where_nothing_could_be_written) {
  ASSERT_TRUE(leave_storage_token(root, "abc"));
  fs::remove(root / "trials");

  EXPECT_FALSE(shares_storage(root, "abc"));
}

TEST_F(shared_storage_test, says_why_no_token_can_be_left) {
  auto left = leave_storage_token(root / "none", "abc");

  ASSERT_FALSE(left);
  EXPECT_EQ(left.error().code, ec::storage);
}

} // namespace
} // namespace tune

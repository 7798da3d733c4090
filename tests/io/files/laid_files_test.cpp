// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/laid_files.hpp"

#include "../scratch_directory.hpp"

#include <gmock/gmock.h>

#include <sys/stat.h>

namespace tune {
namespace {

using testing::HasSubstr;

struct laid_files_test : samples::scratch_directory {
  laid_files uut;

  void SetUp() override {
    samples::scratch_directory::SetUp();
    uut = {root, {"a.sh", "data/b.csv", "data/c.csv"}};
    for (const auto& path : uut.paths)
      fill(root / path, "text of " + path);
  }
};

TEST_F(laid_files_test, are_there_also_where_a_trial_wrote_into_one) {
  fill(root / "data/b.csv", "other and longer text");

  EXPECT_TRUE(look_for(uut));
}

TEST_F(laid_files_test, are_named_once_one_is_gone) {
  std::filesystem::remove(root / "data/c.csv");

  auto looked = look_for(uut);

  ASSERT_FALSE(looked);
  EXPECT_EQ(looked.error().code, ec::unreadable);
  EXPECT_THAT(looked.error().detail, HasSubstr((root / "data/c.csv").string()));
}

TEST_F(laid_files_test, are_gone_where_something_else_took_their_place) {
  std::filesystem::remove(root / "a.sh");
  ASSERT_EQ(::mkfifo((root / "a.sh").c_str(), 0600), 0);

  EXPECT_FALSE(look_for(uut));
}

TEST_F(laid_files_test, are_counted_where_several_are_gone) {
  std::filesystem::remove_all(root);

  auto looked = look_for(uut);

  ASSERT_FALSE(looked);
  EXPECT_THAT(looked.error().detail, HasSubstr("a.sh and 2 more"));
}

} // namespace
} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "worker/work_directory.hpp"

#include "../io/scratch_directory.hpp"

#include <gmock/gmock.h>

namespace tune::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

using work_directory_test = samples::scratch_directory;

TEST_F(work_directory_test, is_that_of_one_process) {
  auto uut = work_directory::claim(root / "work");
  ASSERT_TRUE(uut);

  EXPECT_EQ(work_directory::claim(root / "work").error().code, ec::refused);
  EXPECT_TRUE(uut->keep());
}

TEST_F(work_directory_test, is_none_of_somebody_elses) {
  fill(root / "home" / "thesis.txt", "x");

  auto uut = work_directory::claim(root / "home");

  ASSERT_FALSE(uut);
  EXPECT_EQ(uut.error().code, ec::storage);
  EXPECT_EQ(std::distance(fs::directory_iterator{root / "home"}, fs::directory_iterator{}), 1);
}

TEST_F(work_directory_test, is_known_again_by_its_mark) {
  ASSERT_TRUE(work_directory::claim(root / "work"));
  fs::remove(root / "work" / "lock");
  fill(root / "work" / "notes.txt", "x");

  EXPECT_TRUE(work_directory::claim(root / "work"));
}

TEST_F(work_directory_test, is_made_and_locked_anew_where_it_was_removed) {
  auto uut = work_directory::claim(root / "work");
  ASSERT_TRUE(uut);
  fs::remove_all(root / "work");

  ASSERT_TRUE(uut->keep());

  EXPECT_TRUE(fs::is_directory(root / "work"));
  EXPECT_EQ(work_directory::claim(root / "work").error().code, ec::refused);
}

TEST_F(work_directory_test, is_not_kept_once_another_took_it) {
  auto uut = work_directory::claim(root / "work");
  ASSERT_TRUE(uut);
  fs::remove(root / "work" / "lock");
  auto other = work_directory::claim(root / "work");
  ASSERT_TRUE(other);

  auto kept = uut->keep();

  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code, ec::refused);
  EXPECT_THAT(kept.error().detail, HasSubstr("was taken by another process"));
  EXPECT_TRUE(other->keep());
}

} // namespace
} // namespace tune::cli

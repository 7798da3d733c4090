// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/checkpoint/attempt_directory.hpp"

#include "../scratch_directory.hpp"

#include <gmock/gmock.h>

#include <fstream>

namespace tune {
namespace {

namespace fs = std::filesystem;

struct attempt_directory_test : samples::scratch_directory {
  fs::path name = "trials/00007/attempt_2_5/checkpoint_000001.tmp";
  fs::path disk;
  fs::path memory;

  void SetUp() override {
    scratch_directory::SetUp();
    disk = root / "disk";
    memory = root / "memory";
  }
};

TEST_F(attempt_directory_test, is_made_on_disk_with_all_above_it) {
  auto made = make_directory({name, disk});

  ASSERT_TRUE(made);
  EXPECT_EQ(made->path, disk / name);
  EXPECT_FALSE(made->in_memory);
  EXPECT_TRUE(fs::is_directory(disk / name));
}

TEST_F(attempt_directory_test, is_made_in_memory_where_that_can_be) {
  auto made = make_directory({name, disk, memory});

  ASSERT_TRUE(made);
  EXPECT_EQ(made->path, memory / name);
  EXPECT_TRUE(made->in_memory);
  EXPECT_FALSE(fs::exists(disk));
}

TEST_F(attempt_directory_test, is_made_on_disk_where_it_cannot_be_in_memory) {
  std::ofstream{memory} << "a file";

  auto made = make_directory({name, disk, memory});

  ASSERT_TRUE(made);
  EXPECT_EQ(made->path, disk / name);
  EXPECT_FALSE(made->in_memory);
}

TEST_F(attempt_directory_test, keeps_what_is_in_it) {
  fs::create_directories(disk / name);
  std::ofstream{disk / name / "state"} << 1;

  EXPECT_TRUE(make_directory({name, disk}));

  EXPECT_TRUE(fs::exists(disk / name / "state"));
}

TEST_F(attempt_directory_test, is_made_behind_no_link_of_a_trial) {
  fs::create_directories(root / "elsewhere");
  fs::create_directories(disk / "trials");
  fs::create_directory_symlink(root / "elsewhere", disk / "trials" / "00007");

  auto made = make_directory({name, disk});

  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ec::refused);
  EXPECT_TRUE(fs::is_empty(root / "elsewhere"));
}

TEST_F(attempt_directory_test, goes_wherever_it_was_made) {
  for (const auto& place : {disk, memory}) {
    fs::create_directories(place / name);
    std::ofstream{place / name / "state"} << 1;
  }

  remove_directory({name, disk, memory});

  EXPECT_FALSE(fs::exists(disk / name));
  EXPECT_FALSE(fs::exists(memory / name));
  EXPECT_TRUE(fs::exists((disk / name).parent_path()));
}

} // namespace
} // namespace tune

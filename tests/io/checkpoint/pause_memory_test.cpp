// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/checkpoint/pause_memory.hpp"

#include "../own_mounts.hpp"
#include "../scratch_directory.hpp"

#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/checkpoint/checkpoint_manifest.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>

namespace tune {
namespace {

namespace fs = std::filesystem;

/// An ordinary directory stands for memory: apart from `make`, only the places of files matter.
struct pause_memory_test : samples::scratch_directory {
  fs::path memory;
  fs::path disk;
  checkpoint_draft draft;

  void SetUp() override {
    samples::scratch_directory::SetUp();
    memory = root / "memory";
    disk = root / "disk";
  }

  /// Writes an incomplete checkpoint of five bytes.
  void write() {
    checkpoint_directory names{disk, trial_id{7}, attempt_id{2, 5}};
    auto begun = names.begin_in(memory);
    ASSERT_TRUE(begun);
    fill(begun->path / "deep" / "state", "12345");
    draft = {memory, names.hand_over(), 4};
  }

  [[nodiscard]] expected<safe_checkpoint> keep(std::uint64_t room) const {
    return *finish(keeping_in_memory(draft, disk, room));
  }
};

constexpr const char* place = "trials/00007/attempt_2_5/checkpoint_000001";

TEST_F(pause_memory_test, keeps_what_has_room) {
  write();

  auto kept = keep(5);

  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->location, std::string{"memory:"} + place);
  EXPECT_EQ(kept->bytes, 5u);
  EXPECT_TRUE(verify_checkpoint(memory / place));
  EXPECT_FALSE(fs::exists(disk));
}

TEST_F(pause_memory_test, moves_what_has_none_to_the_disk) {
  write();

  auto safe = keep(4);

  ASSERT_TRUE(safe);
  EXPECT_FALSE(fs::exists(memory / (std::string{place} + ".tmp")));
  EXPECT_EQ(safe->location, place);
  EXPECT_EQ(content(disk / place / "deep" / "state"), "12345");
}

TEST_F(pause_memory_test, leaves_links_as_they_are_on_the_way_to_the_disk) {
  write();
  fill(root / "outside", "nobody's business");
  fs::create_symlink(root / "outside", draft.directory / "out");
  fs::create_symlink("deep/state", draft.directory / "newest");
  fs::create_symlink("nowhere", draft.directory / "deep" / "dangling");
  fs::create_directory_symlink(".", draft.directory / "loop");

  auto safe = keep(4);

  ASSERT_TRUE(safe) << to_text(safe.error());
  const auto there = disk / place;
  EXPECT_EQ(fs::read_symlink(there / "out"), root / "outside");
  EXPECT_EQ(fs::read_symlink(there / "newest"), "deep/state");
  EXPECT_EQ(fs::read_symlink(there / "deep" / "dangling"), "nowhere");
  EXPECT_EQ(fs::read_symlink(there / "loop"), ".");
  EXPECT_EQ(content(there / "deep" / "state"), "12345");
  EXPECT_TRUE(verify_checkpoint(there));
}

TEST_F(pause_memory_test, counts_what_is_there_already) {
  fill(memory / "other", "123");
  write();

  auto kept = keep(7);

  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->location, place);
}

TEST_F(pause_memory_test, fails_where_it_can_be_neither_here_nor_there) {
  fill(disk, "a file");
  write();

  auto kept = keep(4);

  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code, ec::storage);
  EXPECT_FALSE(fs::exists(draft.directory));
}

TEST_F(pause_memory_test, refuses_what_is_too_much_for_the_disk_as_well) {
  write();
  draft.limits.max_bytes = 4;

  auto kept = keep(5);

  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code, ec::refused);
  EXPECT_FALSE(fs::exists(draft.directory));
  EXPECT_FALSE(fs::exists(disk));
}

TEST_F(pause_memory_test, leaves_no_draft_where_it_is_given_up) {
  write();
  { auto never_begun = keeping_in_memory(draft, disk, 5); }
  EXPECT_FALSE(fs::exists(draft.directory));
}

TEST_F(pause_memory_test, finds_what_it_kept_and_nothing_else) {
  EXPECT_EQ(*place_in_memory(memory, std::string{"memory:"} + place), memory / place);
  for (const std::string wrong :
       {"", "memory:", "memory:/etc/passwd", "memory:../x/y/checkpoint_1", place})
    EXPECT_FALSE(place_in_memory(memory, wrong)) << wrong;
  EXPECT_FALSE(place_in_memory({}, std::string{"memory:"} + place));
}

TEST_F(pause_memory_test, gives_each_job_a_part_of_its_own) {
  EXPECT_EQ(pause_directory(memory, "digits-0123"), memory / "job-digits-0123");
  EXPECT_EQ(pause_directory(memory, "../x"), memory / "job-.._x");
}

TEST_F(pause_memory_test, is_none_on_a_disk) {
  EXPECT_TRUE(pause_memory::make("/proc").directory().empty());
  EXPECT_TRUE(pause_memory::make(root / "nothing").directory().empty());
}

TEST(pause_memory, goes_with_its_owner_and_sweeps_after_those_that_were_killed) {
  std::error_code ignored;
  auto first = pause_memory::make();
  if (first.directory().empty())
    GTEST_SKIP() << "/dev/shm is no memory here";
  // This directory's lock is not held.
  const auto dead = first.directory().parent_path() / "1-23";
  fs::create_directories(dead);
  const auto dead_lock = dead.parent_path() / ".1-23.lock";
  std::ofstream{dead_lock};
  fs::create_directories(first.directory() / "job-x");
  const auto where = first.directory();
  {
    auto second = pause_memory::make();
    EXPECT_NE(second.directory(), where);
    EXPECT_FALSE(fs::exists(dead, ignored));
    EXPECT_FALSE(fs::exists(dead_lock, ignored));
    EXPECT_TRUE(fs::exists(where, ignored));
    first = std::move(second);
  }

  EXPECT_FALSE(fs::exists(where, ignored));
}

TEST(pause_memory, sweeps_nothing_but_what_has_a_name_of_its_own_making) {
  // In a memory file system of its own, since a wrong sweep could remove everything beside it.
  const auto status = samples::in_own_mounts([] {
    const fs::path memory{"/dev/shm"};
    if (::mount("tmpfs", memory.c_str(), "tmpfs", 0, nullptr) != 0)
      return samples::cannot_mount;
    const auto all = memory / ("tune-node-" + std::to_string(::geteuid()));
    fs::create_directories(memory / "others");
    fs::create_directories(all / "mine");
    fs::create_directories(all / "-5");
    fs::create_directories(all / "5-");
    fs::permissions(all, fs::perms::owner_all);
    for (const auto* name : {"....lock", "...lock", "..lock", ".lock", ".mine.lock", ".-5.lock",
                             ".5-.lock", ".5-6-7.lock"})
      std::ofstream{all / name};

    auto made = pause_memory::make();

    if (made.directory().empty() || !fs::exists(memory / "others"))
      return 1;
    return fs::exists(all / "mine") && fs::exists(all / "-5") && fs::exists(all / "5-") ? 0 : 2;
  });
  if (samples::may_not_mount(status))
    GTEST_SKIP() << "only root can mount";

  EXPECT_EQ(status, 0);
}

TEST(pause_memory, is_left_alone_by_those_who_do_not_see_its_process) {
  // As seen from another PID namespace, in which the number belongs to no process or to another
  // one.
  auto first = pause_memory::make();
  if (first.directory().empty())
    GTEST_SKIP() << "/dev/shm is no memory here";
  const auto elsewhere = first.directory().parent_path() / "2147483647-1";
  const auto file = elsewhere.parent_path() / ".2147483647-1.lock";
  const auto lock = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::flock(lock, LOCK_EX | LOCK_NB), 0);
  fs::create_directories(elsewhere);

  auto second = pause_memory::make();

  EXPECT_TRUE(fs::exists(elsewhere));
  fs::remove_all(elsewhere);
  fs::remove(file);
  ::close(lock);
}

} // namespace
} // namespace tune

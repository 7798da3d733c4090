// SPDX-License-Identifier: BSD-3-Clause
#include "../scratch_directory.hpp"
#include "checkpoint/file_copy.hpp"

#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/checkpoint/checkpoint_scan.hpp"
#include "tune/io/checkpoint/checkpoint_stream.hpp"
#include "tune/io/checkpoint/commit_checkpoint.hpp"
#include "tune/io/files/sha256.hpp"

#include <gmock/gmock.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>

namespace tune {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t tebibyte = std::uint64_t{1} << 40;

struct checkpoint_limits_test : samples::scratch_directory {
  fs::path from;
  fs::path to;

  void SetUp() override {
    samples::scratch_directory::SetUp();
    from = root / "from";
    to = root / "to";
    fs::create_directories(from);
    fs::create_directories(to);
  }

  /// Makes a sparse file of `bytes` bytes.
  static void leave_hole(const fs::path& file, std::uint64_t bytes) {
    std::ofstream{file};
    fs::resize_file(file, bytes);
  }
  static std::uint64_t allocated(const fs::path& file) {
    struct stat about {};
    EXPECT_EQ(::stat(file.c_str(), &about), 0);
    return static_cast<std::uint64_t>(about.st_blocks) * 512;
  }
  /// Makes a draft as an attempt leaves it.
  checkpoint_draft draft(const checkpoint_limits& limits) const {
    checkpoint_directory names{root, trial_id{7}, attempt_id{2, 5}};
    auto begun = names.begin();
    EXPECT_TRUE(begun);
    return {root, names.hand_over(), 4, true, limits};
  }
};

TEST_F(checkpoint_limits_test, refuse_a_hole_of_a_terabyte_before_anything_is_copied) {
  fill(from / "a small one", "12345");
  leave_hole(from / "huge", tebibyte);

  auto copied = copy_checkpoint(from, to, {mebibyte});

  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().code, ec::refused);
  EXPECT_THAT(copied.error().detail, HasSubstr("[checkpoint] max_size"));
  EXPECT_THAT(copied.error().detail, HasSubstr("1048576 bytes"));
  EXPECT_TRUE(fs::is_empty(to));
}

TEST_F(checkpoint_limits_test, say_the_same_each_time) {
  leave_hole(from / "huge", tebibyte);
  auto first = copy_checkpoint(from, to, {mebibyte});
  leave_hole(from / "huge", tebibyte + 1);
  auto second = copy_checkpoint(from, to, {mebibyte});

  ASSERT_FALSE(first);
  EXPECT_EQ(first.error(), second.error());
}

TEST_F(checkpoint_limits_test, refuse_a_draft_before_anything_is_hashed_and_remove_it) {
  auto what = draft({mebibyte});
  leave_hole(what.directory / "huge", tebibyte);

  auto kept = commit_checkpoint(what);

  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code, ec::refused);
  EXPECT_FALSE(fs::exists(what.directory));
}

TEST_F(checkpoint_limits_test, allow_what_is_just_as_large) {
  fill(from / "state", std::string(1000, 'x'));

  EXPECT_TRUE(copy_checkpoint(from, to, {1000}));
  EXPECT_FALSE(copy_checkpoint(from, to, {999}));
}

TEST_F(checkpoint_limits_test, count_files_directories_and_links) {
  for (auto i = 0; i < 3; ++i)
    fill(from / ("d" + std::to_string(i)) / "state", "1");
  auto what = draft({0, 7});
  for (auto i = 0; i < 6; ++i)
    fill(what.directory / std::to_string(i), "1");
  fs::create_symlink("0", what.directory / "link");

  EXPECT_TRUE(copy_checkpoint(from, to, {0, 6}));
  auto copied = copy_checkpoint(from, to, {0, 5});
  ASSERT_FALSE(copied);
  EXPECT_THAT(copied.error().detail, HasSubstr("more than 5 files and directories"));
  EXPECT_THAT(copied.error().detail, HasSubstr("[checkpoint] max_files"));
  EXPECT_TRUE(*finish(scanning_checkpoint(what.directory, 1, what.limits)));
  fs::create_directory(what.directory / "one too many");
  EXPECT_FALSE(commit_checkpoint(what));
}

TEST_F(checkpoint_limits_test, refuse_what_is_too_deep_on_either_way) {
  auto deepest = from;
  for (std::size_t i = 0; i <= max_checkpoint_depth; ++i)
    deepest /= "d";
  fs::create_directories(deepest);
  auto what = draft({});
  fs::rename(from / "d", what.directory / "d");
  fs::create_directories(deepest);

  auto copied = copy_checkpoint(from, to);
  auto kept = commit_checkpoint(what);

  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().code, ec::refused);
  EXPECT_THAT(copied.error().detail, HasSubstr("100 directories in one another"));
  EXPECT_EQ(kept.error(), copied.error());
  EXPECT_FALSE(fs::exists(what.directory));
}

TEST_F(checkpoint_limits_test, hold_for_what_comes_from_another_node) {
  auto what = draft({});
  fill(what.directory / "a", "12345");
  fill(what.directory / "b", "12345");
  auto kept = commit_checkpoint(what);
  ASSERT_TRUE(kept);
  auto reader = checkpoint_reader::open(root / kept->location);
  const auto& outline = reader->outline();

  auto too_large = checkpoint_writer::begin(root / "large", outline, {9});
  auto too_many = checkpoint_writer::begin(root / "many", outline, {10, 1});

  ASSERT_FALSE(too_large);
  EXPECT_EQ(too_large.error().code, ec::refused);
  EXPECT_FALSE(fs::exists(root / "large"));
  ASSERT_TRUE(too_many) << "its list has not come";
  auto listed = too_many->append(*reader->read(0, outline.manifest_size));
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().code, ec::refused);
}

// -- Copies.

TEST_F(checkpoint_limits_test, leave_holes_as_they_are) {
  const auto file = from / "sparse";
  leave_hole(file, 64 * mebibyte);
  {
    std::fstream out{file, std::ios::in | std::ios::out | std::ios::binary};
    out.seekp(32 * mebibyte);
    out << "in the middle";
  }
  fs::permissions(file, fs::perms::owner_all);
  if (allocated(file) > mebibyte)
    GTEST_SKIP() << "this file system knows no holes";

  ASSERT_TRUE(copy_checkpoint(from, to));

  EXPECT_LT(allocated(to / "sparse"), mebibyte);
  EXPECT_EQ(fs::file_size(to / "sparse"), 64 * mebibyte);
  EXPECT_EQ(digest_file(to / "sparse")->hash, digest_file(file)->hash);
  EXPECT_EQ(fs::status(to / "sparse").permissions(), fs::perms::owner_all);
}

TEST_F(checkpoint_limits_test, leave_room_on_the_disk) {
  const auto where = guarded_directory::open(root);
  ASSERT_TRUE(where);

  EXPECT_TRUE(check_room(*where, 1));

  auto room = check_room(*where, tebibyte * 1024);

  ASSERT_FALSE(room);
  EXPECT_EQ(room.error().code, ec::storage);
  EXPECT_THAT(room.error().detail, HasSubstr("are kept for the record"));
  EXPECT_EQ(room_kept_free(tebibyte), 64 * mebibyte);
  EXPECT_EQ(room_kept_free(mebibyte), mebibyte / 20);
}

TEST_F(checkpoint_limits_test, end_with_a_file_that_grows_while_it_is_read) {
  fill(from / "state", std::string(1000, 'x'));

  auto digest = finish(digesting(from / "state", 999));

  ASSERT_FALSE(*digest);
  EXPECT_EQ(digest->error().code, ec::refused);
  EXPECT_TRUE(*finish(digesting(from / "state", 1000)));
}

TEST_F(checkpoint_limits_test, let_work_be_given_up_without_a_trace) {
  auto what = draft({});
  leave_hole(what.directory / "large", 1024 * 1024 * mebibyte);
  const auto place = what.directory.parent_path();
  {
    auto work = committing_checkpoint(what);
    EXPECT_FALSE(work.step()) << "it takes many slices to hash this";
    EXPECT_TRUE(fs::exists(what.directory));
  }
  EXPECT_TRUE(fs::is_empty(place));

  what = draft({});
  { auto never_begun = committing_checkpoint(what); }
  EXPECT_TRUE(fs::is_empty(place));
}

TEST_F(checkpoint_limits_test, let_a_long_copy_be_given_up) {
  leave_hole(from / "sparse", mebibyte);
  fill(from / "large", std::string(256 * mebibyte, 'x'));
  auto looks = 0;

  auto copied = finish(copying_checkpoint(from, to, {}), [&] { return ++looks < 2; });

  EXPECT_FALSE(copied) << "it takes more than two slices";
}

/// Runs work in slices as short as possible: each ends where the work first allows it.
struct shortest_slices {
  struct promise_type : slicing::promise_base {
    shortest_slices get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    void return_void() {}
    template <class U>
    sliced<U>&& await_transform(sliced<U>&& inner) {
      return std::move(inner);
    }
  };
  std::coroutine_handle<promise_type> handle;
};

template <class T>
shortest_slices cut_up(sliced<T> work, std::optional<T>& result) {
  result.emplace(co_await std::move(work));
}

/// Counts how often work may be interrupted.
template <class T>
std::size_t count_slices(sliced<T> work) {
  std::optional<T> result;
  const auto whole = cut_up(std::move(work), result).handle;
  auto& progress = *whole.promise().all;
  progress.current = whole;
  std::size_t count = 0;
  for (; !whole.done(); ++count) {
    progress.is_over = false;
    progress.began = {};
    while (!progress.is_over && !whole.done())
      progress.current.resume();
  }
  EXPECT_TRUE(result && *result);
  whole.destroy();
  return count;
}

TEST_F(checkpoint_limits_test, let_others_take_turns_with_many_files_that_are_empty) {
  constexpr std::size_t count = 30;
  auto what = draft({});
  for (std::size_t i = 0; i < count; ++i)
    fill(what.directory / std::to_string(i), "");
  fs::copy(what.directory, from);
  auto place = what.directory;
  place.replace_extension();

  EXPECT_GE(count_slices(copying_checkpoint(from, to, {})), 2 * count) << "listed, copied";
  EXPECT_GE(count_slices(committing_checkpoint(what)), 3 * count) << "listed, hashed, synced";
  EXPECT_GE(count_slices(verifying_checkpoint(place)), count) << "hashed";
}

TEST_F(checkpoint_limits_test, let_others_take_turns_with_many_links) {
  constexpr std::size_t count = 30;
  auto what = draft({});
  fill(what.directory / "state", "1");
  for (std::size_t i = 0; i < count; ++i)
    fs::create_symlink("state", what.directory / std::to_string(i));
  auto place = what.directory;
  place.replace_extension();

  EXPECT_GE(count_slices(committing_checkpoint(what)), 2 * count) << "listed, passed over";
  EXPECT_GE(count_slices(verifying_checkpoint(place)), count) << "read";
}

std::chrono::nanoseconds time_of_thread() {
  struct timespec now {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
}

// Each directory can be reached in twice as many ways as the one before. Linux follows at most 40
// links on the way to a file, and counts them twice where it has to start again.
TEST_F(checkpoint_limits_test, refuse_few_directories_that_links_make_many_of) {
  fs::create_directory(from / "0");
  for (auto i = 1; i < 20; ++i) {
    const auto next = from / std::to_string(i);
    fs::create_directory(next);
    for (const auto* name : {"a", "b"})
      fs::create_symlink("../" + std::to_string(i - 1), next / name);
  }

  const auto began = time_of_thread();
  auto copied = copy_checkpoint(from, to, {0, 20000});

  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().code, ec::refused);
  EXPECT_THAT(copied.error().detail, HasSubstr("[checkpoint] max_files"));
  EXPECT_LT(time_of_thread() - began, std::chrono::seconds{10});
  EXPECT_TRUE(fs::is_empty(to));
}

} // namespace
} // namespace tune

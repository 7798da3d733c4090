// SPDX-License-Identifier: BSD-3-Clause
#include "checkpoint/copy_apart.hpp"

#include "../own_mounts.hpp"
#include "../scratch_directory.hpp"

#include "tune/io/checkpoint/commit_checkpoint.hpp"

#include <gmock/gmock.h>

#include <condition_variable>
#include <mutex>
#include <vector>

namespace tune {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;

/// Blocks callers until it is opened.
struct gate {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_open = false;

  void pass() {
    std::unique_lock guard{mutex};
    changed.wait(guard, [this] { return is_open; });
  }
  void open() {
    const std::lock_guard guard{mutex};
    is_open = true;
    changed.notify_all();
  }
};

sliced<expected<void>> fails() {
  co_return error{ec::refused, "no"};
}

sliced<expected<void>> hangs(std::shared_ptr<gate> at) {
  at->pass();
  co_return expected<void>{};
}

TEST(copy_apart, ends_as_its_work_does) {
  auto done = finish(working_apart(fails, "/x", 1h));

  ASSERT_TRUE(done);
  ASSERT_FALSE(*done);
  EXPECT_EQ(done->error(), (error{ec::refused, "no"}));
}

TEST(copy_apart, does_not_wait_for_ever) {
  auto at = std::make_shared<gate>();

  auto done = finish(working_apart([at] { return hangs(at); }, "/x", 0ms));
  at->open();

  ASSERT_TRUE(done);
  ASSERT_FALSE(*done);
  EXPECT_EQ(done->error().code, ec::storage);
  EXPECT_THAT(done->error().detail, HasSubstr("/x: its file system did not answer"));
}

TEST(copy_apart, leaves_no_more_than_so_many_threads_behind) {
  auto at = std::make_shared<gate>();
  std::vector<sliced<expected<void>>> all;
  for (int i = 0; i < most_copies_apart; ++i) {
    all.push_back(working_apart([at] { return hangs(at); }, "/x", 1h));
    EXPECT_FALSE(all.back().step());
  }

  auto refused = finish(working_apart(fails, "/y", 0ms));
  auto waits = working_apart(fails, "/z", 1h);
  EXPECT_FALSE(waits.step());
  at->open();

  ASSERT_TRUE(refused);
  ASSERT_FALSE(*refused);
  EXPECT_THAT(refused->error().detail, HasSubstr("cannot copy /y: 64 other copies wait"));
  for (auto& x : all)
    EXPECT_TRUE(*finish(std::move(x)));
  EXPECT_EQ(finish(std::move(waits))->error(), (error{ec::refused, "no"}));
}

TEST(copy_apart, lets_others_take_turns) {
  auto at = std::make_shared<gate>();
  auto uut = working_apart([at] { return hangs(at); }, "/x", 1h);

  EXPECT_FALSE(uut.step());
  EXPECT_FALSE(uut.step());
  at->open();
  while (!uut.step()) {}

  EXPECT_TRUE(uut.take());
}

struct copy_apart_test : samples::scratch_directory {};

TEST_F(copy_apart_test, is_how_a_file_system_is_copied_that_may_not_answer) {
  fill(root / "from" / "x", "x");
  fs::create_directories(root / "from" / "dead");
  fs::create_directories(root / "to");
  const auto status = samples::in_own_mounts([this] {
    if (!samples::mount_dead(root / "from" / "dead"))
      return samples::cannot_mount;
    auto work = copying_checkpoint(root / "from", root / "to", {});
    // Other work has its turns while this copy waits.
    for (int i = 0; i < 5; ++i) {
      if (work.step())
        return 1;
    }
    return 0;
  });
  if (samples::may_not_mount(status))
    GTEST_SKIP() << "only root with /dev/fuse can mount that";

  EXPECT_EQ(status, 0);
}

} // namespace
} // namespace tune

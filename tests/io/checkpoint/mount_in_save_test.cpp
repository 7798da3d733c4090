// SPDX-License-Identifier: BSD-3-Clause
// A file system that never answers is mounted while a checkpoint is being processed: at the end of
// each slice, upon each place that a program may choose.
#include "../own_mounts.hpp"
#include "../scratch_directory.hpp"

#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/checkpoint/checkpoint_scan.hpp"
#include "tune/io/checkpoint/checkpoint_stream.hpp"
#include "tune/io/checkpoint/commit_checkpoint.hpp"
#include "tune/io/checkpoint/gather_exports.hpp"
#include "tune/io/checkpoint/pause_memory.hpp"

#include <gmock/gmock.h>

#include <fstream>

namespace tune {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// Number of slices after which something may be mounted.
constexpr int most_slices = 3;
/// Exit codes of a child; 0 means that all went well.
constexpr int is_done_too_soon = 10;
constexpr int is_done_all_the_same = 11;
constexpr int says_something_else = 12;
constexpr int left_it_there = 13;

struct mount_in_save_test : samples::scratch_directory {
  fs::path attempt() const { return root / "trials" / "00007" / "attempt_2_5"; }
  fs::path draft() const { return attempt() / "checkpoint_000001.tmp"; }
  fs::path whole() const { return attempt() / "checkpoint_000001"; }
  checkpoint_draft order() const { return {root, draft(), 4}; }

  /// Writes files that take some slices to be hashed or copied: large ones that are all holes, and
  /// a small one.
  static void write(const fs::path& where) {
    fs::remove_all(where);
    fill(where / "deep" / "small", "x");
    for (const auto* name : {"deep/large", "deep/other"}) {
      std::ofstream{where / name};
      fs::resize_file(where / name, 192 << 20);
    }
  }

  /// Writes files that take some slices to be copied, although copying skips holes.
  static void write_many(const fs::path& where) {
    fs::remove_all(where);
    for (int i = 0; i < 2500; ++i)
      fill(where / "deep" / std::to_string(i), "x");
  }

  /// Does `work`, and mounts a dead file system after `slices` slices. @returns the wait status.
  template <class Begin>
  int with_mount(const fs::path& upon, int slices, Begin begin) const {
    return samples::in_own_mounts([&] {
      auto work = begin();
      for (int i = 0; i < slices; ++i) {
        if (work.step())
          return is_done_too_soon;
      }
      if (!samples::mount_dead(upon))
        return samples::cannot_mount;
      while (!work.step()) {}
      auto done = work.take();
      if (done)
        return is_done_all_the_same;
      const auto& why = done.error();
      return why.code == ec::refused && why.detail.find("mount") != why.detail.npos
                     && why.detail.find(upon.string()) != why.detail.npos
                 ? 0
                 : says_something_else;
    });
  }

  /// @param is_noticed If false, the mount may do no harm, and success is fine too.
  template <class Prepare, class Begin>
  void fails_with_its_name(const fs::path& upon, bool is_noticed, Prepare prepare, Begin begin) {
    for (int slices = 0; slices < most_slices; ++slices) {
      prepare();
      const auto status = with_mount(upon, slices, begin);
      if (samples::may_not_mount(status))
        GTEST_SKIP() << "only root with /dev/fuse can mount that";
      ASSERT_TRUE(WIFEXITED(status)) << upon << " after " << slices << " slices: it hangs";
      const bool is_well = !is_noticed && WEXITSTATUS(status) == is_done_all_the_same;
      EXPECT_EQ(is_well ? 0 : WEXITSTATUS(status), 0) << upon << " after " << slices << " slices";
    }
  }
};

TEST_F(mount_in_save_test, a_save_fails_with_the_name_of_what_appears_in_its_draft) {
  for (const auto& upon : {draft(), draft() / "deep", draft() / "deep" / "small"}) {
    fails_with_its_name(
        upon, true, [this] { write(draft()); }, [this] { return committing_checkpoint(order()); });
    EXPECT_FALSE(fs::exists(whole()));
  }
}

TEST_F(mount_in_save_test, a_save_fails_where_it_appears_on_the_way_to_its_draft) {
  for (const auto& upon : {attempt(), attempt().parent_path()})
    fails_with_its_name(
        upon, true,
        [this] {
          write(draft());
          fs::remove_all(whole());
        },
        [this] { return committing_checkpoint(order()); });
}

TEST_F(mount_in_save_test, a_copy_waits_for_nothing_that_appears_where_it_goes_to) {
  write_many(root / "from");
  for (const auto& upon : {draft(), draft() / "deep", draft() / "deep" / "7", attempt()}) {
    // A mount upon what is already done, or held open, does no harm.
    fails_with_its_name(
        upon, false,
        [this] {
          fs::remove_all(draft());
          fill(draft() / "deep" / "7", "x");
        },
        [this] { return copying_checkpoint(root / "from", draft(), {}); });
  }
}

TEST_F(mount_in_save_test, a_copy_waits_apart_for_what_appears_where_it_comes_from) {
  write_many(root / "from");
  fs::create_directories(draft());
  for (const auto& upon : {root / "from", root / "from" / "deep", root / "from" / "deep" / "7"}) {
    const auto status = samples::in_own_mounts([&] {
      auto work = copying_checkpoint(root / "from", draft(), {});
      if (work.step())
        return is_done_too_soon;
      if (!samples::mount_dead(upon))
        return samples::cannot_mount;
      // The copy ends, or other work has its turns while it waits.
      for (int i = 0; i < 100 && !work.step(); ++i) {}
      return 0;
    });
    if (samples::may_not_mount(status))
      GTEST_SKIP() << "only root with /dev/fuse can mount that";
    EXPECT_EQ(status, 0) << upon;
  }
}

TEST_F(mount_in_save_test, a_restore_fails_with_the_name_of_what_appears_in_its_checkpoint) {
  write(draft());
  ASSERT_TRUE(commit_checkpoint(order()));
  for (const auto& upon : {whole() / "deep", whole() / "deep" / "small", whole()}) {
    // What has been hashed already, or is held open, is whole all the same.
    fails_with_its_name(
        upon, false, [] {}, [this] { return verifying_checkpoint(whole()); });
  }
}

TEST_F(mount_in_save_test, a_pause_in_memory_fails_likewise) {
  for (const auto& upon : {draft(), draft() / "deep", draft() / "deep" / "small"})
    // Nothing is synced, so what has been hashed already is whole all the same.
    fails_with_its_name(
        upon, upon == draft(),
        [this] {
          write(draft());
          fs::remove_all(whole());
        },
        [this] { return keeping_in_memory(order(), root / "disk", std::uint64_t{1} << 40); });
}

TEST_F(mount_in_save_test, what_comes_from_another_node_is_written_past_it) {
  write(root / "from");
  const auto status = samples::in_own_mounts([&] {
    auto from = checkpoint_reader::open(root / "from");
    auto to = from ? checkpoint_writer::begin(draft(), from->outline()) : from.error();
    if (!to)
      return says_something_else;
    const auto half = from->outline().bytes / 2;
    for (std::uint64_t at = 0; at < from->outline().bytes; at = to->written()) {
      const auto size = std::min<std::uint64_t>(from->outline().bytes - at, 1 << 20);
      if (at < half && at + size >= half && !samples::mount_dead(draft()))
        return samples::cannot_mount;
      auto piece = from->read(at, size);
      if (!piece || !to->append(*piece))
        return says_something_else;
    }
    auto placed = place_checkpoint(order());
    return placed || placed.error().code != ec::refused ? is_done_all_the_same : 0;
  });
  if (samples::may_not_mount(status))
    GTEST_SKIP() << "only root with /dev/fuse can mount that";
  EXPECT_EQ(status, 0);
}

TEST_F(mount_in_save_test, exports_are_not_taken_from_behind_it) {
  const auto from = fs::path{"trials"} / "00007" / "attempt_2_5" / "checkpoint_export.tmp";
  const exported_files what{
      root, from, "trials/00007/attempt_2_5/checkpoint_000003.tmp", {"onnx", "text"}};
  for (const auto& upon : {root / from / "onnx", root / from, attempt(), attempt().parent_path()}) {
    fill(root / from / "onnx" / "x", "x");
    fill(root / from / "text", "x");
    const auto status = samples::in_own_mounts([&] {
      if (!samples::mount_dead(upon))
        return samples::cannot_mount;
      const auto all = gather_exports(what);
      if (!all.failed.contains("onnx") || all.failed.at("onnx").find("mount") == std::string::npos)
        return says_something_else;
      return all.is_draft == (upon == root / from / "onnx") ? 0 : left_it_there;
    });
    if (samples::may_not_mount(status))
      GTEST_SKIP() << "only root with /dev/fuse can mount that";
    EXPECT_EQ(status, 0) << upon;
    fs::remove_all(root / "trials");
  }
}

} // namespace
} // namespace tune

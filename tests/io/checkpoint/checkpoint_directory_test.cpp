// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/checkpoint/checkpoint_directory.hpp"

#include "../own_mounts.hpp"
#include "../scratch_directory.hpp"

#include "tune/io/checkpoint/checkpoint_manifest.hpp"
#include "tune/io/files/descriptor.hpp"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <set>

namespace tune {
namespace {

namespace fs = std::filesystem;

struct checkpoint_directory_test : samples::scratch_directory {
  fs::path attempt() const { return root / "trials" / "00007" / "attempt_2_5"; }
  checkpoint_directory make() const { return {root, trial_id{7}, attempt_id{2, 5}}; }
};

TEST_F(checkpoint_directory_test, what_is_mounted_in_a_checkpoint_or_above_is_found_and_not_asked) {
  const auto whole = attempt() / "checkpoint_000001";
  const auto other = attempt() / "checkpoint_000002";
  const auto later = root / "trials" / "00008" / "attempt_2_6" / "checkpoint_000001";
  for (const auto& x : {whole / "deep", other, later})
    fs::create_directories(x);
  const auto status = samples::in_own_mounts([&] {
    // Mounts above "trials" are the user's business.
    if (!samples::bind(root, root))
      return samples::cannot_mount;
    if (!check_unmounted(whole) || !check_unmounted(root / "trials" / "1" / "2" / "3"))
      return 1;
    if (!samples::mount_dead(whole / "deep") || !samples::mount_dead(later.parent_path()))
      return samples::cannot_mount;
    if (check_unmounted(whole) || !check_unmounted(other) || check_unmounted(later))
      return 2;
    auto refused = read_checkpoint_manifest(whole);
    return !refused && refused.error().code == ec::refused
                   && !read_checkpoint_manifest(later).has_value()
               ? 0
               : 3;
  });
  if (samples::may_not_mount(status))
    GTEST_SKIP() << "only root with /dev/fuse can mount that";

  EXPECT_EQ(status, 0);
}

TEST_F(checkpoint_directory_test, makes_nothing_before_it_is_asked_to) {
  auto uut = make();

  EXPECT_TRUE(fs::is_empty(root));
}

TEST_F(checkpoint_directory_test, never_uses_a_name_twice) {
  auto uut = make();
  std::set<fs::path> names;

  for (int i = 0; i < 3; ++i) {
    names.insert(*uut.begin());
    static_cast<void>(uut.hand_over());
    names.insert(*uut.begin());
    uut.abandon();
  }

  EXPECT_EQ(names.size(), 6u);
}

TEST_F(checkpoint_directory_test, leaves_alone_what_was_handed_over) {
  auto uut = make();
  auto first = uut.begin();
  fill(*first / "state", "1");

  auto given = uut.hand_over();
  auto second = uut.begin();
  uut.abandon();

  EXPECT_EQ(given, *first);
  EXPECT_EQ(content(given / "state"), "1");
  EXPECT_FALSE(fs::exists(*second));
  EXPECT_EQ(uut.hand_over(), fs::path{});
}

TEST_F(checkpoint_directory_test, drafts_of_an_attempt_that_is_over_are_removed) {
  for (const auto* name : {"checkpoint_000001", "checkpoint_000002.tmp", "own.tmp"})
    fill(attempt() / name / "state", "1");

  remove_drafts(root, trial_id{7}, attempt_id{2, 5});
  remove_drafts(root, trial_id{7}, attempt_id{2, 6});

  EXPECT_TRUE(fs::exists(attempt() / "checkpoint_000001" / "state"));
  EXPECT_FALSE(fs::exists(attempt() / "checkpoint_000002.tmp"));
  EXPECT_TRUE(fs::exists(attempt() / "own.tmp"));
}

TEST_F(checkpoint_directory_test, is_removed_by_its_location) {
  std::vector<std::string> made;
  for (std::uint64_t i = 1; i <= 2; ++i) {
    made.push_back(
        (checkpoint_folder(trial_id{7}, attempt_id{2, 5}) / checkpoint_name(i)).string());
    fill(root / made.back() / "state", "12345");
  }

  auto done = remove_checkpoint(root, made[0]);
  auto again = remove_checkpoint(root, made[0]);
  auto none = remove_checkpoint(root, "");

  EXPECT_TRUE(done);
  EXPECT_TRUE(again);
  EXPECT_TRUE(none);
  EXPECT_FALSE(fs::exists(root / made[0]));
  EXPECT_EQ(content(root / made[1] / "state"), "12345");
}

TEST_F(checkpoint_directory_test, is_a_draft_before_its_first_file_is_removed) {
  const auto location = "trials/00007/attempt_2_5/checkpoint_000001";
  fill(root / location / "state", "12345");
  const store::descriptor seen{::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)};
  ASSERT_GE(::inotify_add_watch(seen.number(), attempt().c_str(), IN_MOVED_FROM | IN_DELETE), 0);
  ASSERT_GE(::inotify_add_watch(seen.number(), (root / location).c_str(), IN_DELETE), 0);

  ASSERT_TRUE(remove_checkpoint(root, location));

  std::vector<std::string> names;
  alignas(::inotify_event) std::array<char, 4096> bytes{};
  const auto count = ::read(seen.number(), bytes.data(), bytes.size());
  for (::ssize_t at = 0; at < count;) {
    ::inotify_event head{};
    std::memcpy(&head, bytes.data() + at, sizeof(head));
    if (head.len > 0)
      names.emplace_back(bytes.data() + at + sizeof(head));
    at += static_cast<::ssize_t>(sizeof(head) + head.len);
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"checkpoint_000001", "state", "checkpoint_000001.tmp"}));
}

TEST_F(checkpoint_directory_test, is_removed_although_there_is_a_draft_of_its_name) {
  const auto location = "trials/00007/attempt_2_5/checkpoint_000001";
  fill(root / location / "state", "12345");
  fill(attempt() / "checkpoint_000001.tmp" / "mine", "1");

  EXPECT_TRUE(remove_checkpoint(root, location));

  EXPECT_FALSE(fs::exists(root / location));
  EXPECT_TRUE(fs::exists(attempt() / "checkpoint_000001.tmp" / "mine"));
}

TEST_F(checkpoint_directory_test, removes_nothing_that_is_no_checkpoint) {
  for (const char* location : {".", "..", "trials", "trials/00007/attempt_2_5", "/etc/passwd/x/y",
                               "trials/00007/attempt_2_5/state", "trials/00007/../checkpoint_1",
                               "trials/../../a/checkpoint_1", "results/a/b/checkpoint_1"})
    EXPECT_FALSE(remove_checkpoint(root, location)) << location;
  EXPECT_TRUE(fs::exists(root));
}

TEST_F(checkpoint_directory_test, removes_what_is_abandoned) {
  auto uut = make();
  auto to = uut.begin();
  fill(*to / "half", "done");

  uut.abandon();

  EXPECT_TRUE(fs::is_empty(attempt()));
}

TEST_F(checkpoint_directory_test, abandons_what_was_begun_before) {
  auto uut = make();
  auto first = uut.begin();
  fill(*first / "half", "done");

  auto second = uut.begin();

  EXPECT_FALSE(fs::exists(*first));
  EXPECT_TRUE(fs::is_empty(*second));
}

TEST_F(checkpoint_directory_test, says_why_it_cannot_begin) {
  fill(root / "trials", "a file where a directory should be");
  auto uut = make();

  auto to = uut.begin();

  ASSERT_FALSE(to);
  EXPECT_EQ(to.error().code, ec::storage);
  EXPECT_NE(to.error().detail.find("trials"), std::string::npos);
}

TEST_F(checkpoint_directory_test, are_swept_where_nobody_registered_them) {
  for (const auto* name : {"checkpoint_000001", "checkpoint_000002", "checkpoint_000003.tmp"})
    fill(attempt() / name / "state", "1");
  fill(root / "trials" / "00007" / "output" / "checkpoint_000001" / "mine", "1");
  fill(root / "trials" / "strange" / "attempt_1_1" / "checkpoint_000001" / "mine", "1");

  auto swept = sweep_checkpoints(root, [](trial_id trial, const std::string& location) {
    EXPECT_EQ(trial, trial_id{7});
    return expected<bool>{location == "trials/00007/attempt_2_5/checkpoint_000002"};
  });

  EXPECT_EQ(*swept, 2u);
  EXPECT_FALSE(fs::exists(attempt() / "checkpoint_000001"));
  EXPECT_TRUE(fs::exists(attempt() / "checkpoint_000002" / "state"));
  EXPECT_FALSE(fs::exists(attempt() / "checkpoint_000003.tmp"));
  EXPECT_TRUE(fs::exists(root / "trials" / "00007" / "output" / "checkpoint_000001" / "mine"));
  EXPECT_TRUE(fs::exists(root / "trials" / "strange" / "attempt_1_1" / "checkpoint_000001"));
}

TEST_F(checkpoint_directory_test, of_one_attempt_are_swept_where_nobody_registered_them) {
  const auto other = root / checkpoint_folder(trial_id{7}, attempt_id{2, 6});
  for (const auto* name : {"checkpoint_000001", "checkpoint_000002", "checkpoint_000003.tmp"}) {
    fill(attempt() / name / "state", "1");
    fill(other / name / "state", "1");
  }

  sweep_checkpoints(root, trial_id{7}, attempt_id{2, 5},
                    {"trials/00007/attempt_2_5/checkpoint_000002"});

  EXPECT_FALSE(fs::exists(attempt() / "checkpoint_000001"));
  EXPECT_TRUE(fs::exists(attempt() / "checkpoint_000002" / "state"));
  EXPECT_FALSE(fs::exists(attempt() / "checkpoint_000003.tmp"));
  EXPECT_TRUE(fs::exists(other / "checkpoint_000001" / "state"));
  EXPECT_TRUE(fs::exists(other / "checkpoint_000003.tmp" / "state"));
}

TEST_F(checkpoint_directory_test, stay_where_it_is_not_known_whether_they_are_registered) {
  fill(attempt() / "checkpoint_000001" / "state", "1");

  auto swept = sweep_checkpoints(root, [](trial_id, const std::string&) {
    return expected<bool>{error{ec::storage, "unreadable"}};
  });

  EXPECT_FALSE(swept);
  EXPECT_TRUE(fs::exists(attempt() / "checkpoint_000001" / "state"));
}

TEST_F(checkpoint_directory_test, removes_nothing_through_a_link) {
  const auto kept = root / "elsewhere" / "checkpoint_000001";
  const auto draft = root / "elsewhere" / "checkpoint_000002.tmp";
  fill(kept / "state", "precious");
  fill(draft / "state", "precious");
  fs::create_directories(root / "trials" / "00007");
  fs::create_directory_symlink(root / "elsewhere", root / "trials" / "00007" / "attempt_2_5");

  auto removed = remove_checkpoint(root, "trials/00007/attempt_2_5/checkpoint_000001");
  remove_drafts(root, trial_id{7}, attempt_id{2, 5});
  sweep_checkpoints(root, trial_id{7}, attempt_id{2, 5}, {});

  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code, ec::refused);
  EXPECT_EQ(content(kept / "state"), "precious");
  EXPECT_EQ(content(draft / "state"), "precious");
}

TEST_F(checkpoint_directory_test, removes_a_link_in_the_place_of_a_checkpoint_and_no_more) {
  fill(root / "elsewhere" / "state", "precious");
  fs::create_directories(root / "trials" / "00007" / "attempt_2_5");
  const auto place = root / "trials" / "00007" / "attempt_2_5" / "checkpoint_000001";
  fs::create_directory_symlink(root / "elsewhere", place);

  EXPECT_TRUE(remove_checkpoint(root, "trials/00007/attempt_2_5/checkpoint_000001"));

  EXPECT_FALSE(fs::exists(fs::symlink_status(place)));
  EXPECT_EQ(content(root / "elsewhere" / "state"), "precious");
}

} // namespace
} // namespace tune

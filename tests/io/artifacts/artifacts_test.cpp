// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/artifacts/artifacts.hpp"

#include "io/own_mounts.hpp"
#include "io/scratch_directory.hpp"

#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/checkpoint/removing.hpp"
#include "tune/io/files/sha256.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace tune {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct artifacts_test : samples::scratch_directory {
  fs::path trial;
  fs::path experiment;
  artifact_rules all{{"."}, 0, max_artifact_files};

  void SetUp() override {
    scratch_directory::SetUp();
    trial = root / "worker" / "trials" / "00007";
    experiment = root / "head";
    fs::create_directories(trial);
  }

  artifact_list list(const artifact_rules& rules, std::vector<std::string> except = {}) const {
    auto result = *finish(listing_artifacts(trial, rules, std::move(except)));
    EXPECT_TRUE(result) << to_text(result.error());
    return result ? *result : artifact_list{};
  }
  std::vector<std::string> names(const artifact_rules& rules,
                                 std::vector<std::string> except = {}) const {
    std::vector<std::string> result;
    for (const auto& x : list(rules, std::move(except)).content.files)
      result.push_back(x.path);
    return result;
  }
  /// As a head does with what a worker sent.
  expected<std::uint64_t> place(const artifact_rules& rules) const {
    const artifact_source whose{trial_id{7}, {1, 5}};
    auto from = checkpoint_reader::of(trial, list(rules).content);
    if (auto cleared = clear_artifact_draft(experiment, whose); !from || !cleared)
      return from ? cleared.error() : from.error();
    auto to = checkpoint_writer::begin(experiment / artifact_draft(whose), from->outline());
    if (!to)
      return to.error();
    auto bytes = from->read(0, static_cast<std::size_t>(from->outline().bytes));
    auto written = bytes ? to->append(*bytes) : expected<void>{bytes.error()};
    if (!written)
      return written.error();
    to->release();
    return *finish(placing_artifacts(experiment, whose, to->content()));
  }
  fs::path there() const { return experiment / "trials" / "00007"; }
};

TEST_F(artifacts_test, what_is_mounted_is_left_behind_and_not_asked) {
  fill(trial / "logs" / "x", "x");
  fill(trial / "plot.png", "y");
  const auto status = samples::in_own_mounts([this] {
    if (!samples::mount_dead(trial / "logs"))
      return samples::cannot_mount;
    const auto found = list(all);
    if (found.content.files.size() != 1
        || found.left_behind != "cannot keep logs: something is mounted there")
      return 1;
    // Nothing is missing that a pattern names.
    if (!list({{"*.png"}, 0, max_artifact_files}).left_behind.empty())
      return 2;
    if (!samples::mount_dead(trial))
      return samples::cannot_mount;
    auto refused = *finish(listing_artifacts(trial, all, {}));
    return !refused && refused.error().code == ec::refused ? 0 : 3;
  });
  if (samples::may_not_mount(status))
    GTEST_SKIP() << "only root with /dev/fuse can mount that";

  EXPECT_EQ(status, 0);
}

TEST_F(artifacts_test, names_are_matched_part_by_part_and_directories_hold_what_is_below) {
  EXPECT_TRUE(matches_artifact(".", "a/b"));
  EXPECT_TRUE(matches_artifact("*.png", "a.png"));
  EXPECT_FALSE(matches_artifact("*.png", "plots/a.png"));
  EXPECT_TRUE(matches_artifact("plots", "plots/deep/a.png"));
  EXPECT_TRUE(matches_artifact("./plots/*/", "plots/deep/a.png"));
  EXPECT_FALSE(matches_artifact("plots", "plot"));
  EXPECT_FALSE(matches_artifact(".", ".cache/x"));
  EXPECT_FALSE(matches_artifact("a", "a/.hidden"));
  EXPECT_TRUE(matches_artifact(".cache", ".cache/x"));
  EXPECT_TRUE(may_match_below("plots/*.png", "plots"));
  EXPECT_FALSE(may_match_below("plots/*.png", "logs"));
}

TEST_F(artifacts_test, patterns_that_lead_out_are_refused) {
  EXPECT_THAT(check_artifact_pattern("a/../../b").error().detail, HasSubstr("leads out"));
  EXPECT_THAT(check_artifact_pattern("/etc").error().detail, HasSubstr("not be absolute"));
  EXPECT_FALSE(check_artifact_pattern(""));
  EXPECT_TRUE(check_artifact_pattern("a..b/*"));
}

TEST_F(artifacts_test, finds_regular_files_that_are_none_of_the_runtimes) {
  fill(trial / "notes.txt", "notes");
  fill(trial / "deep" / "er" / "b", "");
  for (const auto* name : {"params.json", "result.jsonl", "stdout.1.4", "stderr", ".hidden",
                           "stdout.rank1", "stderr.rank12.1.4"})
    fill(trial / name, "x");
  fill(trial / "attempt_1_4" / "checkpoint_000001" / "state", "x");
  fill(trial / "stdout.txt", "mine");
  fill(trial / "stdout.ranks", "mine");

  auto found = list(all);

  ASSERT_EQ(found.content.files.size(), 4u);
  EXPECT_EQ(found.content.files[0].path, "deep/er/b");
  EXPECT_EQ(found.content.files[1].path, "notes.txt");
  EXPECT_EQ(found.content.files[1].hash, sha256_of("notes"));
  EXPECT_EQ(found.content.files[2].path, "stdout.ranks");
  EXPECT_EQ(found.content.files[3].path, "stdout.txt");
  EXPECT_THAT(found.content.directories, ElementsAre("deep", "deep/er"));
  EXPECT_EQ(found.left_behind, "");
}

TEST_F(artifacts_test, follows_no_link_and_opens_neither_pipe_nor_socket) {
  fill(root / "secret" / "key", "secret");
  fs::create_symlink(root / "secret" / "key", trial / "link");
  fs::create_directory_symlink(root / "secret", trial / "directory");
  ASSERT_EQ(::mkfifo((trial / "pipe").c_str(), 0600), 0);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  (trial / "socket").string().copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ::close(socket);

  EXPECT_THAT(names(all), IsEmpty());
  EXPECT_THAT(names({{"link", "pipe", "socket", "directory/key"}, 0, 10}), IsEmpty());
}

TEST_F(artifacts_test, a_trials_directory_that_is_a_link_has_none) {
  fill(root / "other" / "key", "secret");
  fs::remove(trial);
  fs::create_directory_symlink(root / "other", trial);

  EXPECT_FALSE(*finish(listing_artifacts(trial, all, {})));
}

TEST_F(artifacts_test, what_is_not_there_or_not_wanted_is_nothing) {
  EXPECT_THAT(names(all), IsEmpty());
  fill(trial / "a", "a");
  EXPECT_THAT(names({}), IsEmpty());
  fs::remove_all(trial);
  EXPECT_THAT(names(all), IsEmpty());
}

TEST_F(artifacts_test, takes_the_smallest_files_where_all_are_too_much) {
  fill(trial / "large", std::string(1000, 'x'));
  fill(trial / "middle", std::string(100, 'x'));
  fill(trial / "small", "x");

  auto found = list({{"."}, 200, 10});

  ASSERT_EQ(found.content.files.size(), 2u);
  EXPECT_EQ(found.content.files[0].path, "middle");
  EXPECT_EQ(found.left_behind,
            "1 file of 3 that it wrote stays behind, the largest large with 1kB: "
            "[trainable] artifacts_max_size is 200");
  EXPECT_EQ(names({{"."}, 101, 10}), (std::vector<std::string>{"middle", "small"}));
  EXPECT_EQ(names({{"."}, 100, 10}), (std::vector<std::string>{"small"}));
}

TEST_F(artifacts_test, takes_as_many_files_as_may_come) {
  for (int i = 0; i < 5; ++i)
    fill(trial / std::to_string(i), std::string(static_cast<std::size_t>(i), 'x'));

  auto found = list({{"."}, 0, 2});

  EXPECT_EQ(found.content.files.size(), 2u);
  EXPECT_THAT(found.left_behind, HasSubstr("3 files of 5"));
  EXPECT_THAT(found.left_behind, HasSubstr("artifacts_max_files is 2"));
}

TEST_F(artifacts_test, leaves_out_what_came_as_a_checkpoint) {
  fill(trial / "saved" / "state", "x");
  fill(trial / "saved2", "x");

  EXPECT_THAT(names(all, {"saved"}), ElementsAre("saved2"));
}

TEST_F(artifacts_test, tells_of_a_file_that_cannot_be_kept) {
  fill(trial / "bad\xff", "x");
  fill(trial / "good", "x");

  auto found = list(all);

  EXPECT_EQ(found.content.files.size(), 1u);
  EXPECT_THAT(found.left_behind, HasSubstr("cannot keep"));
}

TEST_F(artifacts_test, puts_them_where_a_local_trial_leaves_them) {
  fill(trial / "plots" / "a.png", "new");
  fill(trial / "run.sh", "run");
  fs::permissions(trial / "run.sh", fs::perms::owner_all);
  fill(there() / "plots" / "a.png", "old");
  fill(there() / "params.json", "{}");

  auto placed = place(all);

  ASSERT_TRUE(placed) << to_text(placed.error());
  EXPECT_EQ(*placed, 6u);
  EXPECT_EQ(content(there() / "plots" / "a.png"), "new");
  EXPECT_EQ(content(there() / "params.json"), "{}");
  EXPECT_NE(fs::status(there() / "run.sh").permissions() & fs::perms::owner_exec, fs::perms::none);
  EXPECT_FALSE(fs::exists(experiment / artifact_draft({trial_id{7}, {1, 5}})));
}

TEST_F(artifacts_test, replaces_a_link_at_the_head_and_follows_none) {
  fill(root / "victim" / "notes", "untouched");
  fill(trial / "notes", "mine");
  fill(trial / "deep" / "x", "x");
  fs::create_directories(there());
  fs::create_symlink(root / "victim" / "notes", there() / "notes");
  fs::create_directory_symlink(root / "victim", there() / "deep");

  auto placed = place(all);

  // The way to the other file leads through a link: that is reported, and no other file is held
  // back.
  ASSERT_FALSE(placed);
  EXPECT_THAT(placed.error().detail, HasSubstr("deep"));
  EXPECT_EQ(content(root / "victim" / "notes"), "untouched");
  EXPECT_FALSE(fs::exists(root / "victim" / "x"));
  EXPECT_EQ(content(there() / "notes"), "mine");
  EXPECT_FALSE(fs::is_symlink(there() / "notes"));
  EXPECT_FALSE(fs::exists(experiment / artifact_draft({trial_id{7}, {1, 5}})));
}

TEST_F(artifacts_test, refuses_runtimes_names_and_links_of_a_peer_before_anything_is_moved) {
  const auto draft = experiment / artifact_draft({trial_id{7}, {1, 5}});
  for (const auto* bad : {"params.json", "attempt_1_4/checkpoint_000001/state"}) {
    fill(draft / "a", "a");
    checkpoint_manifest listed;
    listed.files = {{"a", 0, 1, sha256_of("a")}, {bad, 0, 1, sha256_of("a")}};

    auto placed = *finish(placing_artifacts(experiment, {trial_id{7}, {1, 5}}, listed));

    ASSERT_FALSE(placed);
    EXPECT_EQ(placed.error().code, ec::refused);
    EXPECT_FALSE(fs::exists(there() / "a"));
    EXPECT_FALSE(fs::exists(draft));
  }
  fill(draft / "a", "a");
  checkpoint_manifest listed;
  listed.links = {{"link", "/etc"}};
  EXPECT_FALSE(*finish(placing_artifacts(experiment, {trial_id{7}, {1, 5}}, listed)));
}

TEST_F(artifacts_test, what_was_left_half_way_is_swept_like_a_checkpoint) {
  fill(experiment / artifact_draft({trial_id{7}, {1, 5}}) / "a", "a");

  remove_drafts(experiment, trial_id{7}, {1, 5});

  EXPECT_FALSE(fs::exists(experiment / artifact_draft({trial_id{7}, {1, 5}})));
}

TEST_F(artifacts_test, of_further_ranks_stay_when_the_first_is_over) {
  const auto draft = experiment / artifact_draft({trial_id{7}, {1, 5}, 2});
  fill(draft / "a", "a");

  remove_drafts(experiment, trial_id{7}, {1, 5});
  static_cast<void>(*finish(removing_drafts(experiment, trial_id{7}, {1, 5})));

  EXPECT_TRUE(fs::exists(draft / "a"));
  auto swept = sweep_checkpoints(
      experiment, [](trial_id, const std::string&) { return expected<bool>{false}; }, {});
  ASSERT_TRUE(swept);
  EXPECT_EQ(*swept, 1u);
  EXPECT_FALSE(fs::exists(draft));
}

} // namespace
} // namespace tune

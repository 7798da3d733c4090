// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/checkpoint/commit_checkpoint.hpp"

#include "../scratch_directory.hpp"

#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/checkpoint/checkpoint_manifest.hpp"

#include <sys/stat.h>

namespace tune {
namespace {

namespace fs = std::filesystem;

struct commit_checkpoint_test : samples::scratch_directory {
  fs::path attempt() const { return root / "trials" / "00007" / "attempt_2_5"; }
  checkpoint_directory make() const { return {root, trial_id{7}, attempt_id{2, 5}}; }
  expected<safe_checkpoint> commit(checkpoint_directory& from) const {
    return commit_checkpoint({root, from.hand_over(), 4});
  }
  /// Takes a directory over as if a trainable had handed it in.
  expected<safe_checkpoint> adopt(checkpoint_directory& to, const fs::path& from) const {
    auto draft = to.begin();
    if (!draft)
      return draft.error();
    if (auto copied = copy_checkpoint(from, *draft); !copied) {
      to.abandon();
      return copied.error();
    }
    return commit(to);
  }
};

TEST_F(commit_checkpoint_test, hides_a_checkpoint_until_it_is_complete) {
  auto uut = make();
  auto to = uut.begin();
  ASSERT_TRUE(to);
  EXPECT_TRUE(fs::is_directory(*to));
  EXPECT_TRUE(fs::is_empty(*to));
  EXPECT_EQ(to->extension(), ".tmp");
  fill(*to / "state", "12345");
  fill(*to / "deep" / "er" / "more", "678");

  auto done = commit(uut);

  ASSERT_TRUE(done);
  EXPECT_EQ(done->location, "trials/00007/attempt_2_5/checkpoint_000001");
  EXPECT_EQ(done->bytes, 8u);
  EXPECT_EQ(content(root / done->location / "state"), "12345");
  EXPECT_EQ(content(root / done->location / "deep" / "er" / "more"), "678");
  EXPECT_FALSE(fs::exists(*to));
}

TEST_F(commit_checkpoint_test, says_why_a_checkpoint_cannot_be_made_safe) {
  auto uut = make();
  auto to = uut.begin();
  fs::remove_all(*to);

  auto done = commit(uut);

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ec::storage);
  EXPECT_NE(done.error().detail.find("checkpoint_000001"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(attempt()));
}

/// After each possible number of slices the program puts another directory in the draft's place.
TEST_F(commit_checkpoint_test, takes_nothing_for_complete_that_took_the_drafts_place) {
  auto is_over = false;
  for (std::uint64_t slices = 0; !is_over; ++slices) {
    checkpoint_directory uut{root, trial_id{7}, attempt_id{2, slices + 1}};
    auto to = uut.begin();
    ASSERT_TRUE(to);
    fill(*to / "state", "12345");
    auto work = committing_checkpoint({root, uut.hand_over(), 4});
    for (std::uint64_t i = 0; i < slices && !is_over; ++i)
      is_over = work.step();
    if (!is_over && fs::exists(*to)) {
      fs::rename(*to, root / ("aside" + std::to_string(slices)));
      fill(*to / "state", "something else");
    }

    auto done = is_over ? work.take() : *finish(std::move(work));

    EXPECT_TRUE(!done || verify_checkpoint(root / done->location)) << slices;
    ASSERT_LT(slices, 1000u);
  }
}

TEST_F(commit_checkpoint_test, refuses_a_directory_with_the_name_of_the_list_of_files) {
  auto uut = make();
  auto to = uut.begin();
  ASSERT_TRUE(to);
  fill(*to / "state", "12345");
  fill(*to / checkpoint_manifest_name / "many", "files");

  auto done = commit(uut);

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ec::refused);
  EXPECT_NE(done.error().detail.find("is a directory"), std::string::npos) << done.error().detail;
}

TEST_F(commit_checkpoint_test, keeps_nothing_that_a_link_in_the_place_of_a_draft_leads_to) {
  fill(root / "elsewhere" / "state", "precious");
  auto uut = make();
  auto to = uut.begin();
  fs::remove(*to);
  fs::create_directory_symlink(root / "elsewhere", *to);

  auto done = commit(uut);

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ec::refused);
  EXPECT_NE(done.error().detail.find("is a link, not a directory"), std::string::npos);
  EXPECT_EQ(content(root / "elsewhere" / "state"), "precious");
  EXPECT_FALSE(fs::exists(root / "elsewhere" / checkpoint_manifest_name));
  EXPECT_TRUE(fs::is_empty(attempt()));
}

TEST_F(commit_checkpoint_test, keeps_checkpoints_where_all_trials_lie_behind_a_link) {
  fs::create_directories(root / "large_disk");
  fs::create_directory_symlink(root / "large_disk", root / "trials");
  auto uut = make();
  fill(*uut.begin() / "state", "12345");

  auto done = commit(uut);

  ASSERT_TRUE(done) << done.error().detail;
  EXPECT_EQ(content(root / "large_disk" / "00007" / "attempt_2_5" / "checkpoint_000001" / "state"),
            "12345");
}

TEST_F(commit_checkpoint_test, writes_no_draft_through_a_link) {
  fs::create_directories(root / "elsewhere");
  fs::create_directories(attempt().parent_path());
  fs::create_directory_symlink(root / "elsewhere", attempt());

  auto to = make().begin();

  ASSERT_FALSE(to);
  EXPECT_NE(to.error().detail.find("attempt_2_5 is a link, not a directory"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(root / "elsewhere"));
}

TEST_F(commit_checkpoint_test, does_not_wait_for_what_is_no_file) {
  auto uut = make();
  auto to = uut.begin();
  fill(*to / "state", "1");
  ASSERT_EQ(::mkfifo((*to / "pipe").c_str(), 0600), 0);
  fs::create_symlink("/nowhere", *to / "link");

  auto done = commit(uut);

  ASSERT_TRUE(done) << to_text(done.error());
  EXPECT_EQ(done->bytes, 1u);
}

TEST_F(commit_checkpoint_test, takes_a_copy_of_what_is_handed_over) {
  auto uut = make();
  fill(root / "own" / "state", "123");
  fill(root / "own" / "deep" / "more", "4567");

  auto done = adopt(uut, root / "own");

  ASSERT_TRUE(done);
  EXPECT_EQ(done->bytes, 7u);
  fs::remove_all(root / "own");
  EXPECT_EQ(content(root / done->location / "deep" / "more"), "4567");
}

TEST_F(commit_checkpoint_test, says_why_nothing_can_be_taken_over) {
  auto uut = make();

  auto done = adopt(uut, root / "not there");

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ec::storage);
  EXPECT_NE(done.error().detail.find("not there"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(attempt()));
}

TEST_F(commit_checkpoint_test, takes_over_nothing_but_files_and_directories) {
  auto uut = make();
  fill(root / "own" / "state", "1");
  fs::create_directory_symlink(root / "own", root / "link");
  fill(root / "mixed" / "state", "1");
  ASSERT_EQ(::mkfifo((root / "mixed" / "pipe").c_str(), 0600), 0);
  fs::create_directories(root / "torn");
  fs::create_symlink("/nowhere", root / "torn" / "to");

  auto linked = adopt(uut, root / "link");
  auto file = adopt(uut, root / "own" / "state");
  auto mixed = adopt(uut, root / "mixed");
  auto torn = adopt(uut, root / "torn");

  ASSERT_TRUE(linked) << to_text(linked.error());
  EXPECT_EQ(content(root / linked->location / "state"), "1");
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().detail.find("state: it is not a directory"), std::string::npos);
  ASSERT_FALSE(mixed);
  EXPECT_NE(mixed.error().detail.find("pipe: it is neither a file nor a directory"),
            std::string::npos);
  ASSERT_FALSE(torn);
  EXPECT_NE(torn.error().detail.find("torn/to: "), std::string::npos) << torn.error().detail;
}

TEST_F(commit_checkpoint_test, follows_no_link_to_where_it_lies) {
  auto uut = make();
  for (const auto* name : {"1", "2", "3"}) {
    fs::create_directories(root / "near");
    fs::create_symlink(".", root / "near" / name);
    fs::create_directories(root / "far" / "a");
    fs::create_directories(root / "far" / "b");
    fs::create_symlink("../b", root / "far" / "a" / name);
    fs::create_symlink("../a", root / "far" / "b" / name);
  }
  fs::create_directories(root / "inside");
  fs::create_directory_symlink(root, root / "inside" / "out");
  fs::create_directory_symlink(root / "inside", root / "another name");

  for (const auto* from : {"near", "far", "inside", "another name"}) {
    auto done = adopt(uut, root / from);

    ASSERT_FALSE(done);
    EXPECT_NE(done.error().detail.find("leads to where it lies"), std::string::npos)
        << done.error().detail;
  }
}

TEST_F(commit_checkpoint_test, does_not_copy_a_directory_into_itself) {
  auto uut = make();
  fill(root / "trials" / "00007" / "state", "1");

  auto done = adopt(uut, root / "trials" / "00007");

  ASSERT_FALSE(done);
  EXPECT_NE(done.error().detail.find("keeps its checkpoints"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(attempt()));
}

TEST_F(commit_checkpoint_test, keeps_attempts_apart) {
  auto one = make();
  checkpoint_directory other{root, trial_id{7}, attempt_id{2, 6}};
  fill(*one.begin() / "x", "1");
  fill(*other.begin() / "x", "2");

  auto first = commit(one);
  auto second = commit(other);

  EXPECT_EQ(content(root / first->location / "x"), "1");
  EXPECT_EQ(content(root / second->location / "x"), "2");
}

TEST_F(commit_checkpoint_test, writes_a_manifest_that_fits) {
  auto uut = make();
  auto to = uut.begin();
  fill(*to / "deep" / "state", "123");
  fs::create_symlink("deep/state", *to / "newest");

  auto done = commit(uut);

  ASSERT_TRUE(done) << to_text(done.error());
  auto listed = verify_checkpoint(root / done->location);
  ASSERT_TRUE(listed) << to_text(listed.error());
  ASSERT_TRUE(*listed);
  EXPECT_EQ((*listed)->iteration, 4u);
  EXPECT_EQ((*listed)->directories, std::vector<std::string>{"deep"});
  ASSERT_EQ((*listed)->files.size(), 1u);
  EXPECT_EQ((*listed)->files[0].path, "deep/state");
  EXPECT_EQ((*listed)->links, (std::vector<checkpoint_link>{{"newest", "deep/state"}}));
}

TEST_F(commit_checkpoint_test, knows_its_place) {
  auto uut = make();
  fill(*uut.begin() / "state", "1");
  auto first = commit(uut);
  fill(*uut.begin() / "state", "2");
  auto second = commit(uut);
  ASSERT_TRUE(first && second);
  fs::remove_all(root / second->location);
  fs::copy(root / first->location, root / second->location, fs::copy_options::recursive);

  EXPECT_TRUE(verify_checkpoint(root / first->location));
  auto swapped = verify_checkpoint(root / second->location);

  ASSERT_FALSE(swapped);
  EXPECT_EQ(swapped.error(),
            (error{ec::storage, (root / second->location).string()
                                    + " is another checkpoint: the one of " + first->location}));
  // An experiment may be moved as a whole.
  const auto moved = root / "elsewhere" / "x";
  fs::create_directories(moved);
  fs::rename(root / "trials", moved / "trials");
  EXPECT_TRUE(verify_checkpoint(moved / first->location));
}

TEST_F(commit_checkpoint_test, replaces_a_manifest_that_was_brought_along) {
  auto uut = make();
  fill(*uut.begin() / "state", "1");
  auto first = commit(uut);
  auto to = uut.begin();
  fs::copy(root / first->location, *to, fs::copy_options::overwrite_existing);
  fill(*to / "state", "22");

  auto second = commit(uut);

  ASSERT_TRUE(second);
  EXPECT_EQ(second->bytes, 2u);
  EXPECT_TRUE(verify_checkpoint(root / second->location));
}

TEST_F(commit_checkpoint_test, keeps_no_name_that_it_could_not_list) {
  auto uut = make();
  fill(*uut.begin() / "bad\xff", "1");

  auto done = commit(uut);

  ASSERT_FALSE(done);
  EXPECT_NE(done.error().detail.find("not UTF-8"), std::string::npos) << done.error().detail;
  EXPECT_TRUE(fs::is_empty(attempt()));
}

TEST_F(commit_checkpoint_test, replaces_no_checkpoint) {
  auto uut = make();
  auto to = uut.begin();
  fill(attempt() / "checkpoint_000001" / "state", "old");

  auto done = commit(uut);

  ASSERT_FALSE(done);
  EXPECT_EQ(content(attempt() / "checkpoint_000001" / "state"), "old");
  EXPECT_FALSE(fs::exists(*to));
}

} // namespace
} // namespace tune

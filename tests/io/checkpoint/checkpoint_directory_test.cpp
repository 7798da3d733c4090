// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/checkpoint/checkpoint_directory.hpp"

#include "../scratch_directory.hpp"

#include <sys/stat.h>

#include <set>

namespace tune {
namespace {

namespace fs = std::filesystem;

struct checkpoint_directory_test : samples::scratch_directory {
  fs::path attempt() const { return root / "trials" / "00007" / "attempt_2_5"; }
  checkpoint_directory make() const { return {root, trial_id{7}, attempt_id{2, 5}}; }
};

TEST_F(checkpoint_directory_test, makes_nothing_before_it_is_asked_to) {
  auto uut = make();

  EXPECT_TRUE(fs::is_empty(root));
}

TEST_F(checkpoint_directory_test, hides_a_checkpoint_until_it_is_complete) {
  auto uut = make();
  auto to = uut.begin();
  ASSERT_TRUE(to);
  EXPECT_TRUE(fs::is_directory(*to));
  EXPECT_TRUE(fs::is_empty(*to));
  EXPECT_EQ(to->extension(), ".tmp");
  fill(*to / "state", "12345");
  fill(*to / "deep" / "er" / "more", "678");

  auto done = uut.commit();

  ASSERT_TRUE(done);
  EXPECT_EQ(done->location, "trials/00007/attempt_2_5/checkpoint_000001");
  EXPECT_EQ(done->bytes, 8u);
  EXPECT_EQ(content(root / done->location / "state"), "12345");
  EXPECT_EQ(content(root / done->location / "deep" / "er" / "more"), "678");
  EXPECT_FALSE(fs::exists(*to));
}

TEST_F(checkpoint_directory_test, never_uses_a_name_twice) {
  auto uut = make();
  std::set<fs::path> names;

  for (int i = 0; i < 3; ++i) {
    names.insert(*uut.begin());
    ASSERT_TRUE(uut.commit());
    names.insert(*uut.begin());
    uut.abandon();
  }

  EXPECT_EQ(names.size(), 6u);
}

TEST_F(checkpoint_directory_test, is_removed_by_its_location) {
  auto uut = make();
  std::vector<std::string> made;
  for (int i = 0; i < 2; ++i) {
    fill(*uut.begin() / "state", "12345");
    made.push_back(uut.commit()->location);
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

TEST_F(checkpoint_directory_test, says_that_nothing_was_begun) {
  auto uut = make();

  EXPECT_FALSE(uut.commit());
  uut.abandon();
  EXPECT_FALSE(uut.commit());
}

TEST_F(checkpoint_directory_test, says_why_a_checkpoint_cannot_be_made_safe) {
  auto uut = make();
  auto to = uut.begin();
  fs::remove_all(*to);

  auto done = uut.commit();

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ec::storage);
  EXPECT_NE(done.error().detail.find("checkpoint_000001"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(attempt()));
}

TEST_F(checkpoint_directory_test, says_why_it_cannot_begin) {
  fill(root / "trials", "a file where a directory should be");
  auto uut = make();

  auto to = uut.begin();

  ASSERT_FALSE(to);
  EXPECT_EQ(to.error().code, ec::storage);
  EXPECT_NE(to.error().detail.find("trials"), std::string::npos);
}

TEST_F(checkpoint_directory_test, does_not_wait_for_what_is_no_file) {
  auto uut = make();
  auto to = uut.begin();
  fill(*to / "state", "1");
  ASSERT_EQ(::mkfifo((*to / "pipe").c_str(), 0600), 0);
  fs::create_symlink("/nowhere", *to / "link");

  auto done = uut.commit();

  ASSERT_TRUE(done) << to_text(done.error());
  EXPECT_EQ(done->bytes, 1u);
}

TEST_F(checkpoint_directory_test, takes_a_copy_of_what_is_handed_over) {
  auto uut = make();
  fill(root / "own" / "state", "123");
  fill(root / "own" / "deep" / "more", "4567");

  auto done = uut.adopt(root / "own");

  ASSERT_TRUE(done);
  EXPECT_EQ(done->bytes, 7u);
  fs::remove_all(root / "own");
  EXPECT_EQ(content(root / done->location / "deep" / "more"), "4567");
}

TEST_F(checkpoint_directory_test, says_why_nothing_can_be_taken_over) {
  auto uut = make();

  auto done = uut.adopt(root / "not there");

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ec::storage);
  EXPECT_NE(done.error().detail.find("not there"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(attempt()));
}

TEST_F(checkpoint_directory_test, takes_over_nothing_but_files_and_directories) {
  auto uut = make();
  fill(root / "own" / "state", "1");
  fs::create_directory_symlink(root / "own", root / "link");
  fill(root / "mixed" / "state", "1");
  ASSERT_EQ(::mkfifo((root / "mixed" / "pipe").c_str(), 0600), 0);
  fs::create_directories(root / "torn");
  fs::create_symlink("/nowhere", root / "torn" / "to");

  auto linked = uut.adopt(root / "link");
  auto file = uut.adopt(root / "own" / "state");
  auto mixed = uut.adopt(root / "mixed");
  auto torn = uut.adopt(root / "torn");

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

TEST_F(checkpoint_directory_test, follows_no_link_to_where_it_lies) {
  auto uut = make();
  for (const auto* name : {"1", "2", "3"}) {
    fs::create_directories(root / "near");
    fs::create_symlink(".", root / "near" / name);
    fs::create_directories(root / "far" / "a");
    fs::create_directories(root / "far" / "b");
    fs::create_symlink("../b", root / "far" / "a" / name);
    fs::create_symlink("../a", root / "far" / "b" / name);
  }

  for (const auto* from : {"near", "far"}) {
    auto done = uut.adopt(root / from);

    ASSERT_FALSE(done);
    EXPECT_NE(done.error().detail.find("leads to where it lies"), std::string::npos)
        << done.error().detail;
  }
}

TEST_F(checkpoint_directory_test, does_not_copy_a_directory_into_itself) {
  auto uut = make();
  fill(root / "trials" / "00007" / "state", "1");

  auto done = uut.adopt(root / "trials" / "00007");

  ASSERT_FALSE(done);
  EXPECT_NE(done.error().detail.find("keeps its checkpoints"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(attempt()));
}

TEST_F(checkpoint_directory_test, keeps_attempts_apart) {
  auto one = make();
  checkpoint_directory other{root, trial_id{7}, attempt_id{2, 6}};
  fill(*one.begin() / "x", "1");
  fill(*other.begin() / "x", "2");

  auto first = one.commit();
  auto second = other.commit();

  EXPECT_EQ(content(root / first->location / "x"), "1");
  EXPECT_EQ(content(root / second->location / "x"), "2");
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

TEST_F(checkpoint_directory_test, stay_where_it_is_not_known_whether_they_are_registered) {
  fill(attempt() / "checkpoint_000001" / "state", "1");

  auto swept = sweep_checkpoints(root, [](trial_id, const std::string&) {
    return expected<bool>{error{ec::storage, "unreadable"}};
  });

  EXPECT_FALSE(swept);
  EXPECT_TRUE(fs::exists(attempt() / "checkpoint_000001" / "state"));
}

TEST_F(checkpoint_directory_test, keeps_none_once_it_is_closed) {
  checkpoint_directory uut{root, trial_id{7}, attempt_id{1, 2}};
  uut.close("nowhere to keep it");

  auto begun = uut.begin();
  auto taken = uut.adopt(root);

  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().detail, "nowhere to keep it");
  EXPECT_FALSE(taken);
}

} // namespace
} // namespace tune

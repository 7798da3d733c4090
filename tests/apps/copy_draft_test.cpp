// SPDX-License-Identifier: BSD-3-Clause
#include "client/arriving_copy.hpp"
#include "client/copy_draft.hpp"
#include "client/fetched_place.hpp"

#include "../io/scratch_directory.hpp"
#include "tune/io/store/experiment_directory.hpp"

#include <gmock/gmock.h>

#include <sys/stat.h>

namespace tune::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class copy_draft_test : public samples::scratch_directory {
protected:
  /// As a killed process leaves it.
  void leave_a_draft() {
    fill(root / "x.part" / "sub" / "old", "old");
    ASSERT_EQ(::chmod((root / "x.part").c_str(), 01700), 0);
  }
};

TEST_F(copy_draft_test, comes_to_its_place_when_it_is_whole) {
  copy_draft uut;
  ASSERT_TRUE(uut.begin(root / "x"));
  fill(uut.path() / "file", "x");
  EXPECT_FALSE(fs::exists(root / "x"));

  ASSERT_TRUE(uut.end());

  EXPECT_EQ(content(root / "x" / "file"), "x");
  EXPECT_FALSE(fs::exists(root / "x.part"));
  fs::create_directory(root / "other");
  EXPECT_EQ(fs::status(root / "x").permissions(), fs::status(root / "other").permissions());
  EXPECT_FALSE(uut.abandon());
  EXPECT_TRUE(fs::exists(root / "x"));
}

TEST_F(copy_draft_test, leaves_nothing_where_it_does_not_end) {
  {
    copy_draft uut;
    ASSERT_TRUE(uut.begin(root / "x"));
    fill(uut.path() / "sub" / "file", "x");
  }
  EXPECT_TRUE(fs::is_empty(root));

  copy_draft uut;
  ASSERT_TRUE(uut.begin(root / "x"));
  fill(uut.path() / "file", "x");
  EXPECT_TRUE(uut.abandon());
  EXPECT_TRUE(fs::is_empty(root));
  EXPECT_FALSE(uut.steps().try_lock());
  uut.steps().unlock();
}

TEST_F(copy_draft_test, is_refused_while_another_process_writes_it) {
  copy_draft first;
  ASSERT_TRUE(first.begin(root / "x"));
  fill(first.path() / "file", "x");

  copy_draft second;
  auto begun = second.begin(root / "x");

  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().code, ec::refused);
  EXPECT_THAT(begun.error().detail, HasSubstr("another process"));
  second.discard();
  ASSERT_TRUE(first.end());
  EXPECT_TRUE(fs::exists(root / "x" / "file"));
}

TEST_F(copy_draft_test, replaces_what_a_killed_process_left) {
  leave_a_draft();
  copy_draft uut;

  auto begun = uut.begin(root / "x/");

  ASSERT_TRUE(begun) << begun.error().detail;
  EXPECT_TRUE(fs::is_empty(uut.path()));
  ASSERT_TRUE(uut.end());
  EXPECT_TRUE(fs::is_empty(root / "x"));
}

TEST_F(copy_draft_test, harms_nothing_that_is_no_draft) {
  fill(root / "x.part" / "thesis", "x");
  fill(root / "y.part", "x");
  fs::create_directory_symlink(root / "x.part", root / "z.part");

  for (const auto* name : {"x", "y", "z"}) {
    copy_draft uut;
    auto begun = uut.begin(root / name);
    ASSERT_FALSE(begun) << name;
    EXPECT_EQ(begun.error().code, ec::refused);
    EXPECT_THAT(begun.error().detail, HasSubstr("no unfinished copy"));
  }

  EXPECT_EQ(content(root / "x.part" / "thesis"), "x");
  EXPECT_EQ(content(root / "y.part"), "x");
  EXPECT_TRUE(fs::is_symlink(root / "z.part"));
}

TEST_F(copy_draft_test, replaces_nothing) {
  fill(root / "x" / "file", "x");
  copy_draft uut;
  EXPECT_EQ(uut.begin(root / "x").error().code, ec::refused);

  ASSERT_TRUE(uut.begin(root / "y"));
  fs::create_directory(root / "y");
  auto ended = uut.end();

  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ec::refused);
  EXPECT_THAT(ended.error().detail, HasSubstr("is there already"));
}

TEST_F(copy_draft_test, begins_again) {
  copy_draft uut;
  ASSERT_TRUE(uut.begin(root / "x"));
  fill(uut.path() / "file", "x");

  ASSERT_TRUE(uut.begin(root / "y"));

  EXPECT_FALSE(fs::exists(root / "x.part"));
  ASSERT_TRUE(uut.end());
  EXPECT_TRUE(fs::is_empty(root / "y"));
}

TEST(copy_about_test, is_one_line) {
  const copy_about x{"x-00001-checkpoint_000002", "checkpoint", "00001", true};

  auto read = copy_about_from_line(to_line(x));

  ASSERT_TRUE(read);
  EXPECT_EQ(read->name, x.name);
  EXPECT_EQ(read->what, "checkpoint");
  EXPECT_EQ(read->trial, value{"00001"});
  EXPECT_TRUE(read->is_listed);
}

TEST(copy_about_test, leads_nowhere) {
  for (const std::string name : {"", ".", "..", "../x", "/x", "a/b", "a/"}) {
    auto read = copy_about_from_line(to_line({name, "trial", value{}, false}));
    ASSERT_FALSE(read) << name;
    EXPECT_EQ(read.error().code, ec::protocol);
  }
  EXPECT_FALSE(copy_about_from_line("{}"));
  EXPECT_FALSE(copy_about_from_line("tar: no such file"));
}

using record_mark_test = samples::scratch_directory;

TEST_F(record_mark_test, tells_that_somebody_led_the_experiment) {
  { ASSERT_TRUE(directory_lock::take(root)); }
  const auto before = record_mark::of(root);
  EXPECT_EQ(before, record_mark::of(root));

  fs::last_write_time(root / "lock", fs::last_write_time(root / "lock") - std::chrono::seconds{9});
  const auto earlier = record_mark::of(root);
  { ASSERT_TRUE(directory_lock::take(root)); }

  EXPECT_NE(earlier, record_mark::of(root));
}

TEST_F(record_mark_test, tells_that_the_record_changed) {
  fill(root / "experiment.db", "x");
  const auto before = record_mark::of(root);

  fill(root / "experiment.db-wal", "");
  EXPECT_EQ(before, record_mark::of(root));
  fill(root / "experiment.db-wal", "x");
  EXPECT_NE(before, record_mark::of(root));
  fs::remove(root / "experiment.db-wal");
  fill(root / "experiment.db", "xy");
  EXPECT_NE(before, record_mark::of(root));
}

} // namespace
} // namespace tune::cli

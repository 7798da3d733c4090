// A head whose files are removed, replaced or cut while it writes: it acknowledges nothing more,
// and everything it had acknowledged is there.
// SPDX-License-Identifier: BSD-3-Clause
#include "store_fixture.hpp"

#include <gmock/gmock.h>

#include <sys/stat.h>

#include <fstream>
#include <functional>

namespace tune {
namespace {

namespace fs = std::filesystem;
using samples::rows;
using testing::HasSubstr;

class files_in_use_test : public samples::store_fixture {
protected:
  [[nodiscard]] fs::path beside(const char* ending) const {
    return database_file(directory()).string() + ending;
  }
  [[nodiscard]] fs::path log() const { return beside("-wal"); }

  void SetUp() override {
    samples::store_fixture::SetUp();
    uut_.emplace(fresh());
    ASSERT_TRUE(uut_->write(a_run(2, 3)));
    acknowledged_ = uut_->last_seq();
    ASSERT_GT(fs::file_size(log()), 32U);
  }

  /// Writes one more event.
  expected<void> write() {
    return uut_->write(
        std::vector<store_item>{at(uut_->last_seq() + 1, on::stop_asked{{}, "enough"})});
  }

  /// Leaves the directory as after a kill: nothing is closed.
  void kill() {
    const auto left = root / "left";
    fs::copy(directory(), left, fs::copy_options::recursive);
    uut_.reset();
    fs::remove_all(directory());
    fs::rename(left, directory());
    fs::remove(beside("-shm"));
  }
  /// Checks that the next head has everything.
  void expect_nothing_lost() {
    kill();
    auto next = experiment_store::open(directory());
    ASSERT_TRUE(next) << next.error().detail;
    EXPECT_GE(next->last_seq(), acknowledged_);
    EXPECT_EQ(sql().ask("PRAGMA integrity_check"), (rows{{"ok"}}));
    EXPECT_EQ(sql().ask("SELECT count(*) FROM results"), (rows{{"6"}}));
    EXPECT_TRUE(next->write(
        std::vector<store_item>{at(next->last_seq() + 1, on::stop_asked{{}, "again"})}));
  }
  /// Checks that nothing more is acknowledged.
  void expect_end(const std::string& why) {
    auto late = write();
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, ec::storage);
    EXPECT_THAT(late.error().detail, HasSubstr(why));
    EXPECT_EQ(write().error(), late.error());
  }

  std::optional<experiment_store> uut_;
  sequence acknowledged_ = 0;
};

constexpr auto gone = "-wal: was removed, moved or replaced while it was in use; nothing recorded"
                      " is lost with it";

TEST_F(files_in_use_test, loses_nothing_with_a_log_that_is_removed) {
  fs::remove(log());

  expect_end(gone);
  expect_nothing_lost();
}

TEST_F(files_in_use_test, loses_nothing_with_a_log_that_is_moved) {
  fs::rename(log(), beside("-wal.old"));

  expect_end(gone);
  expect_nothing_lost();
}

TEST_F(files_in_use_test, loses_nothing_with_a_log_that_another_file_replaces) {
  fill(root / "other", std::string(100'000, 'x'));
  fs::rename(root / "other", log());

  expect_end(gone);
  EXPECT_EQ(content(beside("-wal.foreign")).size(), 100'000U);
  expect_nothing_lost();
}

TEST_F(files_in_use_test, loses_nothing_with_a_log_that_an_older_one_replaces) {
  fs::copy(log(), root / "older");
  ASSERT_TRUE(write());
  acknowledged_ = uut_->last_seq();
  fs::rename(root / "older", log());

  expect_end(gone);
  expect_nothing_lost();
}

TEST_F(files_in_use_test, loses_nothing_with_all_that_lies_beside_the_database) {
  for (const char* ending : {"-wal", "-shm"})
    fs::remove(beside(ending));
  fs::remove(directory() / "lock");

  expect_end(gone);
  expect_nothing_lost();
}

TEST_F(files_in_use_test, loses_nothing_with_the_memory_that_readers_share) {
  fs::remove(beside("-shm"));

  expect_end("-shm: was removed, moved or replaced while it was in use; nothing recorded is lost");
  expect_nothing_lost();
}

TEST_F(files_in_use_test, leaves_the_database_to_whoever_took_the_lock) {
  for (const char* ending : {"-wal", "-shm"})
    fs::remove(beside(ending));
  fs::remove(directory() / "lock");
  const auto before = content(database_file(directory()));
  auto other = directory_lock::take(directory());
  ASSERT_TRUE(other);

  auto late = write();

  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ec::refused);
  EXPECT_THAT(late.error().detail, HasSubstr("another head may work there"));
  EXPECT_EQ(content(database_file(directory())), before);
}

TEST_F(files_in_use_test, acknowledges_nothing_behind_the_end_of_a_log_that_was_cut) {
  constexpr auto cut = "-wal: was cut short or written over while it was in use";
  const std::vector<std::function<void()>> ways{
      [&] { fs::resize_file(log(), 0); },
      [&] { fs::resize_file(log(), fs::file_size(log()) - 1); },
      [&] { fs::resize_file(log(), 5000); },
      [&] {
        fs::resize_file(log(), 0);
        fs::resize_file(log(), 1 << 20);
      },
  };
  for (const auto& change : ways) {
    TearDown();
    SetUp();
    change();

    expect_end(cut);
    // No frame was written behind the hole.
    EXPECT_FALSE(write());
  }
}

TEST_F(files_in_use_test, acknowledges_nothing_once_an_older_log_is_written_over_it) {
  const auto older = content(log());
  ASSERT_TRUE(write());
  fill(log(), older);

  expect_end("-wal: was cut short or written over while it was in use");
}

TEST_F(files_in_use_test, acknowledges_nothing_once_its_database_is_cut_or_written_over) {
  const auto file = database_file(directory());
  const std::vector<std::function<void()>> ways{
      [&] { fs::resize_file(file, 0); },
      [&] { fs::resize_file(file, 10); },
      [&] { fs::resize_file(file, fs::file_size(file) - 1); },
      [&] { fs::resize_file(file, fs::file_size(file) - 4096); },
      [&] {
        std::fstream{file, std::ios::in | std::ios::out} << std::string(4096, 'x');
      },
      // A file that is as long as before, and empty.
      [&] {
        const auto size = fs::file_size(file);
        fs::resize_file(file, 0);
        fs::resize_file(file, size);
      },
  };
  for (const auto journal : {journal_kind::wal, journal_kind::rollback}) {
    for (const auto& change : ways) {
      uut_.reset();
      fs::remove_all(directory());
      uut_.emplace(fresh({std::chrono::milliseconds{1000}, journal}));
      ASSERT_TRUE(uut_->write(a_run(2, 3)));
      change();

      auto late = write();

      ASSERT_FALSE(late);
      EXPECT_EQ(late.error().code, ec::storage);
      EXPECT_THAT(late.error().detail,
                  HasSubstr("experiment.db: was cut short or written over while it was in use"));
    }
  }
}

TEST_F(files_in_use_test, goes_on_where_another_client_makes_the_database_smaller) {
  sql().ask("CREATE TABLE mine (x); INSERT INTO mine VALUES (zeroblob(1000000))");
  sql().ask("PRAGMA wal_checkpoint(TRUNCATE)");
  ASSERT_TRUE(write());
  const auto before = fs::file_size(database_file(directory()));
  sql().ask("DROP TABLE mine");
  sql().ask("VACUUM");
  EXPECT_TRUE(write());
  sql().ask("PRAGMA wal_checkpoint(TRUNCATE)");

  auto written = write();

  EXPECT_TRUE(written) << written.error().detail;
  EXPECT_LT(fs::file_size(database_file(directory())), before);
  acknowledged_ = uut_->last_seq();
  expect_nothing_lost();
}

TEST_F(files_in_use_test, puts_aside_whatever_is_in_the_place_of_the_log) {
  const std::vector<std::function<void()>> ways{
      [&] { ASSERT_EQ(::mkfifo(log().c_str(), 0600), 0); },
      [&] { fs::create_directory(log()); },
      [&] { fs::create_symlink("nowhere", log()); },
      [&] { fs::create_symlink("experiment.db-wal.old", log()); },
  };
  for (const auto& put : ways) {
    TearDown();
    SetUp();
    // A file that was put aside before stays.
    fill(beside("-wal.foreign"), "older");
    fs::rename(log(), beside("-wal.old"));
    put();

    expect_end(gone);
    EXPECT_EQ(content(beside("-wal.foreign")), "older");
    EXPECT_TRUE(fs::exists(fs::symlink_status(beside("-wal.foreign.2"))));
    uut_.reset();
    auto next = experiment_store::open(directory());
    ASSERT_TRUE(next) << next.error().detail;
    EXPECT_GE(next->last_seq(), acknowledged_);
  }
}

TEST_F(files_in_use_test, goes_on_where_its_lock_is_removed_and_nobody_took_it) {
  fs::remove(directory() / "lock");

  EXPECT_TRUE(write());

  auto second = experiment_store::open(directory());
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().detail, HasSubstr("works on it"));
}

TEST_F(files_in_use_test, goes_on_where_another_client_merges_the_log) {
  for (const char* how : {"PASSIVE", "FULL", "RESTART", "TRUNCATE"}) {
    sql().ask(std::string{"PRAGMA wal_checkpoint("} + how + ")");

    auto written = write();

    ASSERT_TRUE(written) << how << ": " << written.error().detail;
  }
  acknowledged_ = uut_->last_seq();
  expect_nothing_lost();
}

TEST_F(files_in_use_test, goes_on_where_its_files_are_only_touched) {
  for (const char* ending : {"", "-wal", "-shm"})
    fs::last_write_time(beside(ending), fs::file_time_type::clock::now());

  EXPECT_TRUE(write());
}

TEST_F(files_in_use_test, goes_on_with_a_rollback_journal) {
  uut_.reset();
  fs::remove_all(directory());
  uut_.emplace(fresh({std::chrono::milliseconds{1000}, journal_kind::rollback}));
  ASSERT_TRUE(uut_->write(a_run(2, 3)));
  fs::remove(directory() / "lock");

  EXPECT_TRUE(write());
  fs::rename(database_file(directory()), root / "elsewhere");
  EXPECT_FALSE(write());
}

} // namespace
} // namespace tune

// Traces of crashes that the next start mends: reported as such, and never as faults.
// SPDX-License-Identifier: BSD-3-Clause
#include "store_fixture.hpp"

#include "tune/io/check/crash_traces.hpp"
#include "tune/io/sinks/trial_files/trial_files.hpp"

#include <gmock/gmock.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

namespace tune {
namespace {

namespace fs = std::filesystem;
using samples::rows;
using testing::ElementsAre;
using testing::IsEmpty;

class crash_traces_test : public samples::store_fixture {
protected:
  [[nodiscard]] fs::path log() const { return database_file(directory()).string() + "-wal"; }
  [[nodiscard]] fs::path file(const char* name) const {
    return trials_directory(directory()) / "00000" / name;
  }

  /// Makes an experiment of one trial, with all its files.
  void make(experiment_store& store) {
    ASSERT_TRUE(store.write(a_run(1, 3)));
    auto files = trial_files::open(directory());
    ASSERT_TRUE(files);
    ASSERT_TRUE((*files)->catch_up(store.last_seq()));
  }
  /// Leaves the files as after a kill, with the log still beside the database.
  void make_killed() {
    const auto kept = root / "kept";
    {
      auto store = fresh();
      make(store);
      fs::copy(directory(), kept, fs::copy_options::recursive);
    }
    fs::remove_all(directory());
    fs::rename(kept, directory());
    fs::remove(database_file(directory()).string() + "-shm");
  }

  std::vector<crash_trace> found(crash_trace_query about = {}) {
    auto with = reader();
    auto result = crash_traces(with, directory(), about);
    EXPECT_TRUE(result) << result.error().detail;
    return std::move(*result);
  }
  std::vector<std::string> told(crash_trace_query about = {}) {
    std::vector<std::string> result;
    for (const auto& x : found(std::move(about)))
      result.push_back(to_text(x));
    std::sort(result.begin(), result.end());
    return result;
  }
  void append(const fs::path& to, const std::string& text) {
    std::ofstream{to, std::ios::binary | std::ios::app} << text;
  }
  std::vector<std::string> faults() { return *reader().faults(); }
};

TEST_F(crash_traces_test, are_none_where_all_is_as_it_should_be) {
  make_killed();

  EXPECT_THAT(told(), IsEmpty());
  EXPECT_THAT(faults(), IsEmpty());
}

TEST_F(crash_traces_test, are_bytes_of_a_transaction_that_was_cut_short) {
  make_killed();
  const auto size = fs::file_size(log());
  fs::resize_file(log(), size - 1000);

  const auto torn = found();

  // The transaction's pages that were written whole are part of the torn tail.
  ASSERT_EQ(torn.size(), 1U);
  EXPECT_EQ(torn[0].kind, "torn_tail");
  EXPECT_EQ(torn[0].path, "experiment.db-wal");
  EXPECT_GE(torn[0].bytes, 4120U - 1000U);
  EXPECT_LT(torn[0].bytes, size - 32);
  EXPECT_THAT(faults(), IsEmpty());
}

TEST_F(crash_traces_test, are_zeros_at_the_end_of_a_log_that_grew_before_its_content) {
  make_killed();
  append(log(), std::string(2 * 4120 + 100, '\0'));

  EXPECT_THAT(told(), ElementsAre("experiment.db-wal: torn tail: 8340 bytes hold no whole"
                                  " transaction"));
  EXPECT_THAT(faults(), IsEmpty());
}

TEST_F(crash_traces_test, are_gone_once_a_head_has_been_there) {
  make_killed();
  append(log(), std::string(4120, '\0'));
  {
    auto next = experiment_store::open(directory());
    ASSERT_TRUE(next);
  }

  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(crash_traces_test, are_torn_and_missing_files_of_trials) {
  make_killed();
  append(file("result.jsonl"), R"({"los)");
  append(file("progress.csv"), std::string(7, '\0'));
  fs::remove(file("params.json"));

  EXPECT_THAT(
      told(),
      ElementsAre("trials/00000/params.json: behind: does not hold the trial's configuration",
                  "trials/00000/progress.csv: torn tail: 7 bytes hold no whole line, or zeros",
                  "trials/00000/result.jsonl: torn tail: 5 bytes hold no whole line, or zeros"));
  EXPECT_THAT(told({{}, {}, false}), IsEmpty());
  fs::resize_file(file("result.jsonl"), 0);
  EXPECT_THAT(told(), testing::Contains("trials/00000/result.jsonl: behind: holds 0 results; 3 are"
                                        " recorded"));
}

TEST_F(crash_traces_test, are_told_of_huge_files_that_are_not_read) {
  make_killed();
  for (const auto* name : {"result.jsonl", "progress.csv"})
    fs::resize_file(file(name), std::uintmax_t{1} << 42U);

  EXPECT_THAT(told(), ElementsAre(testing::StartsWith("trials/00000/progress.csv: torn tail: "
                                                      "4398046"),
                                  testing::StartsWith("trials/00000/result.jsonl: torn tail: "
                                                      "4398046")));
}

TEST_F(crash_traces_test, are_checkpoints_that_nobody_keeps) {
  make_killed();
  const auto attempt = fs::path{"trials/00000/attempt_1_1"};
  for (const char* name :
       {"checkpoint_000001", "checkpoint_000002", "checkpoint_000003.tmp", "checkpoint_000004"})
    fs::create_directories(directory() / attempt / name);

  EXPECT_THAT(
      told({{(attempt / "checkpoint_000002").string()},
            {(attempt / "checkpoint_000004").string()},
            true}),
      ElementsAre("trials/00000/attempt_1_1/checkpoint_000001: leftover: a checkpoint that is"
                  " not registered, or given up",
                  "trials/00000/attempt_1_1/checkpoint_000003.tmp: leftover: a checkpoint that was"
                  " not completed",
                  "trials/00000/attempt_1_1/checkpoint_000004: leftover: a checkpoint that is"
                  " recorded as removed"));
}

/// A head with a rollback journal, as on a network file system, that dies within a transaction.
class half_written_test : public crash_traces_test {
protected:
  void make_half_written() {
    {
      auto store = fresh({std::chrono::milliseconds{1000}, journal_kind::rollback});
      make(store);
    }
    const auto child = ::fork();
    if (child == 0) {
      auto other = sql();
      other.ask("PRAGMA journal_mode = TRUNCATE; PRAGMA cache_size = 1; BEGIN IMMEDIATE;"
                "UPDATE t_results SET metrics = 'spoilt';"
                "CREATE TABLE much AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1"
                " FROM n WHERE i < 2000) SELECT i, randomblob(200) FROM n;");
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_GT(fs::file_size(journal()), 512U);
  }
  [[nodiscard]] fs::path journal() const {
    return database_file(directory()).string() + "-journal";
  }
};

TEST_F(half_written_test, is_taken_back_by_the_next_head) {
  make_half_written();

  auto next = experiment_store::open(directory(),
                                     {std::chrono::milliseconds{1000}, journal_kind::rollback});

  ASSERT_TRUE(next) << next.error().detail;
  EXPECT_EQ(sql().ask("SELECT count(*) FROM results WHERE metrics = 'spoilt'"), (rows{{"0"}}));
}

TEST_F(half_written_test, is_no_fault_to_the_checker) {
  make_half_written();

  EXPECT_THAT(faults(), IsEmpty());
  EXPECT_THAT(told(), IsEmpty());
}

} // namespace
} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/store/experiment_store.hpp"

#include "store_fixture.hpp"

#include "tune/core/own_words.hpp"

#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tune {
namespace {

namespace fs = std::filesystem;
using samples::rows;

class experiment_store_test : public samples::store_fixture {};

TEST_F(experiment_store_test, makes_exactly_the_directory_it_was_given) {
  auto uut = fresh();

  EXPECT_EQ(uut.directory(), directory());
  EXPECT_TRUE(fs::is_regular_file(directory() / "experiment.db"));
  EXPECT_TRUE(fs::is_directory(directory() / "trials"));
  EXPECT_EQ(uut.epoch(), 1u);
  EXPECT_EQ(uut.last_seq(), 0u);
  EXPECT_FALSE(fs::exists(directory() / ".probe"));
}

TEST_F(experiment_store_test, keeps_what_it_acknowledged_over_a_reopening) {
  const auto run = a_run(3, 2);
  {
    auto uut = fresh();
    ASSERT_TRUE(uut.write(run).has_value());
    EXPECT_EQ(uut.last_seq(), 22u);
  }
  auto uut = experiment_store::open(directory());

  ASSERT_TRUE(uut.has_value()) << uut.error().detail;
  EXPECT_EQ(uut->epoch(), 2u);
  EXPECT_EQ(uut->last_seq(), 22u);
  EXPECT_TRUE(uut->write(a_run(1, 1, 23, 2)).has_value());
  EXPECT_EQ(uut->last_seq(), 28u);
}

TEST_F(experiment_store_test, has_committed_when_write_returns) {
  auto uut = fresh();
  ASSERT_TRUE(uut.write(a_run(1, 1)).has_value());

  // A copy made behind the writer's back is what a crash would leave.
  fs::copy(directory(), root / "copy", fs::copy_options::recursive);
  auto left = store_reader::open(root / "copy");

  ASSERT_TRUE(left.has_value()) << left.error().detail;
  EXPECT_EQ(*left->last_seq(), 6u);
}

TEST_F(experiment_store_test, syncs_fully_and_uses_the_write_ahead_log) {
  auto uut = fresh();

  EXPECT_EQ(sql().ask("PRAGMA journal_mode"), (rows{{"wal"}}));
}

TEST_F(experiment_store_test, uses_a_rollback_journal_where_asked_or_on_network_file_systems) {
  {
    auto uut = fresh({std::chrono::seconds{10}, journal_kind::rollback});
    ASSERT_TRUE(uut.write(a_run(1, 1)).has_value());
    EXPECT_FALSE(fs::exists(directory() / "experiment.db-wal"));
    EXPECT_EQ(*reader().last_seq(), 6u);
  }
  EXPECT_EQ(journal_for(0x6969), journal_kind::rollback);     // NFS
  EXPECT_EQ(journal_for(0x0BD00BD0), journal_kind::rollback); // Lustre
  EXPECT_EQ(journal_for(0xEF53), journal_kind::wal);          // ext4
  EXPECT_EQ(journal_for(0x01021994), journal_kind::wal);      // tmpfs
}

TEST_F(experiment_store_test, changes_the_journal_of_a_database_that_moved) {
  {
    auto uut = fresh();
    ASSERT_TRUE(uut.write(a_run(1, 1)).has_value());
  }
  auto uut
      = experiment_store::open(directory(), {std::chrono::seconds{10}, journal_kind::rollback});

  ASSERT_TRUE(uut.has_value()) << uut.error().detail;
  ASSERT_TRUE(uut->write(a_run(1, 1, 7, 2)).has_value());
  EXPECT_FALSE(fs::exists(directory() / "experiment.db-wal"));
}

TEST_F(experiment_store_test, refuses_to_begin_where_an_experiment_is) {
  {
    auto first = fresh();
    ASSERT_TRUE(first.write(a_run(1, 1)).has_value());
  }
  auto uut = experiment_store::create(directory());

  ASSERT_FALSE(uut.has_value());
  EXPECT_EQ(uut.error().code, ec::refused);
  EXPECT_NE(uut.error().detail.find(way_to_resume()), std::string::npos);
  EXPECT_NE(uut.error().detail.find(directory().string()), std::string::npos);
  EXPECT_EQ(*inspect_directory(directory()), directory_state::experiment);
}

TEST_F(experiment_store_test, begins_afresh_where_an_experiment_never_opened) {
  EXPECT_EQ(*inspect_directory(directory()), directory_state::absent);
  { auto half = fresh(); }
  EXPECT_EQ(*inspect_directory(directory()), directory_state::half_made);
  EXPECT_EQ(experiment_store::open(directory()).error().code, ec::unreadable);

  auto uut = fresh();

  EXPECT_TRUE(uut.write(a_run(1, 1)).has_value());
  EXPECT_EQ(*inspect_directory(directory()), directory_state::experiment);
}

TEST_F(experiment_store_test, begins_afresh_over_an_empty_file) {
  fill(directory() / "experiment.db", "");
  EXPECT_EQ(*inspect_directory(directory()), directory_state::half_made);

  auto uut = fresh();

  EXPECT_TRUE(uut.write(a_run(1, 1)).has_value());
}

TEST_F(experiment_store_test, leaves_a_foreign_database_alone) {
  fs::create_directories(directory());
  sql().ask("CREATE TABLE theirs(x); INSERT INTO theirs VALUES (1);");

  EXPECT_EQ(experiment_store::create(directory()).error().code, ec::refused);
  EXPECT_EQ(experiment_store::open(directory()).error().code, ec::refused);
  EXPECT_EQ(sql().ask("SELECT x FROM theirs"), (rows{{"1"}}));
}

TEST_F(experiment_store_test, refuses_a_file_that_is_no_database) {
  fill(directory() / "experiment.db", std::string(4096, 'x'));

  auto uut = experiment_store::create(directory());

  ASSERT_FALSE(uut.has_value());
  EXPECT_EQ(uut.error().code, ec::storage);
  EXPECT_NE(uut.error().detail.find("experiment.db"), std::string::npos);
}

TEST_F(experiment_store_test, refuses_the_schema_of_a_newer_version) {
  {
    auto uut = fresh();
    ASSERT_TRUE(uut.write(a_run(1, 1)).has_value());
  }
  sql().ask("PRAGMA user_version = 99");

  for (const auto& why :
       {experiment_store::open(directory()).error(), store_reader::open(directory()).error()}) {
    EXPECT_EQ(why.code, ec::refused);
    EXPECT_NE(why.detail.find("schema 99"), std::string::npos) << why.detail;
  }
}

TEST_F(experiment_store_test, refuses_views_in_the_place_of_tables) {
  {
    auto uut = fresh();
    ASSERT_TRUE(uut.write(a_run(1, 1)).has_value());
  }
  sql().ask("ALTER TABLE t_trials RENAME TO t_old");
  sql().ask("CREATE VIEW t_trials AS SELECT * FROM t_old");

  for (const auto& why :
       {experiment_store::open(directory()).error(), store_reader::open(directory()).error()}) {
    EXPECT_EQ(why.code, ec::refused);
    EXPECT_NE(why.detail.find("in the place of its table t_trials"), std::string::npos)
        << why.detail;
  }
}

TEST_F(experiment_store_test, refuses_a_second_head_naming_the_first) {
  auto first = fresh();
  ASSERT_TRUE(first.write(a_run(1, 1)).has_value());

  auto second = experiment_store::open(directory());

  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ec::refused);
  EXPECT_NE(second.error().detail.find("pid " + std::to_string(::getpid())), std::string::npos)
      << second.error().detail;
  EXPECT_TRUE(first.write(a_run(0, 0, 7)).has_value());
}

TEST_F(experiment_store_test, ends_for_good_when_another_head_has_taken_over) {
  auto uut = fresh();
  ASSERT_TRUE(uut.write(a_run(1, 1)).has_value());
  sql().ask("UPDATE t_head SET epoch = 5");

  for (int i = 0; i < 2; ++i) {
    auto late = uut.write(a_run(1, 1, 7));
    ASSERT_FALSE(late.has_value());
    EXPECT_EQ(late.error().code, ec::refused);
    EXPECT_NE(late.error().detail.find("epoch 5, ours is 1"), std::string::npos);
  }
  EXPECT_EQ(sql().ask("SELECT last_seq, epoch FROM t_head"), (rows{{"6", "5"}}));
  EXPECT_EQ(*reader().last_seq(), 6u);
}

TEST_F(experiment_store_test, is_poisoned_by_a_failure_and_keeps_nothing_of_the_batch) {
  auto uut = fresh();
  ASSERT_TRUE(uut.write(a_run(1, 1)).has_value());
  sql().ask("CREATE TRIGGER fault BEFORE INSERT ON t_events WHEN new.kind = 'interrupted'"
            " BEGIN SELECT RAISE(ABORT, 'the disk is on fire'); END");
  const std::vector<store_item> batch{at(7, on::stop_asked{{}, "x"}), at(8, on::interrupted{"y"})};

  auto failed = uut.write(batch);
  sql().ask("DROP TRIGGER fault");
  auto later = uut.write(std::vector<store_item>{at(7, on::stop_asked{{}, "x"})});

  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().code, ec::storage);
  EXPECT_NE(failed.error().detail.find("the disk is on fire"), std::string::npos);
  ASSERT_FALSE(later.has_value());
  EXPECT_EQ(later.error(), failed.error());
  EXPECT_EQ(uut.last_seq(), 6u);
  EXPECT_EQ(*reader().last_seq(), 6u);
  EXPECT_EQ(sql().ask("SELECT count(*) FROM t_events WHERE seq > 6"), (rows{{"0"}}));
}

TEST_F(experiment_store_test, is_poisoned_when_its_file_is_removed_or_moved) {
  auto removed = fresh();
  auto items = a_run(2, 1);
  ASSERT_TRUE(removed.write({items.data(), 1}).has_value());
  std::filesystem::rename(directory(), root / "elsewhere");

  auto moved = removed.write({items.data() + 1, items.size() - 1});

  ASSERT_FALSE(moved.has_value());
  EXPECT_EQ(moved.error().code, ec::storage);
  EXPECT_EQ(moved.error().detail, database_file(directory()).string()
                                      + ": was removed, moved or replaced while it was in use");
}

TEST_F(experiment_store_test, is_poisoned_by_a_lock_that_stays) {
  auto uut = fresh({std::chrono::milliseconds{20}, std::nullopt});
  ASSERT_TRUE(uut.write(a_run(1, 1)).has_value());
  auto other = sql();
  other.ask("BEGIN IMMEDIATE");

  auto failed = uut.write(a_run(0, 0, 7));
  other.ask("ROLLBACK");

  ASSERT_FALSE(failed.has_value());
  EXPECT_NE(failed.error().detail.find("locked"), std::string::npos) << failed.error().detail;
  EXPECT_EQ(uut.write(a_run(0, 0, 7)).error(), failed.error());
}

TEST_F(experiment_store_test, reports_a_full_disk_and_leaves_a_readable_database) {
  // A limit on file size acts like a full disk; it applies to the whole process, hence a child.
  const auto child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    auto uut = experiment_store::create(directory());
    if (!uut || !uut->write(a_run(1, 1)))
      ::_exit(1);
    const rlimit most{256 * 1024, 256 * 1024};
    ::setrlimit(RLIMIT_FSIZE, &most);
    auto written = uut->write(a_run(500, 5, 7));
    if (written || written.error().code != ec::storage)
      ::_exit(2);
    if (written.error().detail.find("File too large") == std::string::npos)
      ::_exit(3);
    if (uut->write(a_run(0, 0, 7)))
      ::_exit(4);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);

  auto again = experiment_store::open(directory());

  ASSERT_TRUE(again.has_value()) << again.error().detail;
  EXPECT_EQ(again->last_seq(), 6u);
  EXPECT_EQ(sql().ask("PRAGMA integrity_check"), (rows{{"ok"}}));
}

TEST_F(experiment_store_test, loses_nothing_it_acknowledged_when_it_is_killed) {
  {
    auto uut = fresh();
    ASSERT_TRUE(uut.write(a_run(0, 0)).has_value());
  }
  sequence acknowledged = 1;
  for (int round = 0; round < 4; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const auto child = ::fork();
    if (child == 0) {
      auto uut = experiment_store::open(directory());
      for (sequence i = acknowledged + 1; uut.has_value(); ++i) {
        if (!uut->write(std::vector<store_item>{at(i, on::interrupted{std::string(5000, 'x')})}))
          ::_exit(1);
        if (::write(ends[1], &i, sizeof i) != sizeof i)
          ::_exit(2);
      }
      ::_exit(3);
    }
    ::close(ends[1]);
    // The child is killed somewhere after its 5th, 10th, 15th, 20th acknowledgement.
    for (int i = 0; i < 5 * (round + 1); ++i)
      ASSERT_EQ(::read(ends[0], &acknowledged, sizeof acknowledged), ssize_t{sizeof acknowledged});
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    while (::read(ends[0], &acknowledged, sizeof acknowledged) == sizeof acknowledged) {}
    ::close(ends[0]);

    const auto left = *reader().last_seq();
    EXPECT_GE(left, acknowledged);
    EXPECT_LE(left, acknowledged + 1);
    EXPECT_EQ(reader().events_after(0, 10'000)->size(), left);
    acknowledged = left;
  }
}

TEST_F(experiment_store_test, finds_a_full_disk_at_the_start) {
  const auto child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit most{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &most);
    auto made = experiment_store::create(directory());
    const bool told = !made && made.error().code == ec::storage
                      && made.error().detail.find(directory().string()) != std::string::npos
                      && made.error().detail.find("File too large") != std::string::npos;
    ::_exit(told ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(experiment_store_test, names_path_and_reason_where_it_cannot_write) {
  fill(root / "results", "a file in the way");

  auto uut = experiment_store::create(directory());

  ASSERT_FALSE(uut.has_value());
  EXPECT_EQ(uut.error().code, ec::storage);
  EXPECT_NE(uut.error().detail.find((root / "results").string()), std::string::npos);
  EXPECT_NE(uut.error().detail.find("File exists"), std::string::npos) << uut.error().detail;
}

TEST_F(experiment_store_test, names_a_directory_without_permission) {
  fs::create_directories(root / "results");
  fs::permissions(root, fs::perms{0755});
  fs::permissions(root / "results", fs::perms{0555});

  // Root may write everywhere, so the child becomes nobody.
  const auto child = ::fork();
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    if (::geteuid() == 0 && ::setuid(nobody) != 0)
      ::_exit(1);
    auto made = experiment_store::create(directory());
    const auto wanted = directory().string() + ": cannot create the directory: Permission denied";
    ::_exit(!made && made.error() == error{ec::storage, wanted} ? 0 : 2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(experiment_store_test, names_an_existing_directory_that_cannot_be_written_to) {
  fs::create_directories(directory() / "trials");
  fs::permissions(root, fs::perms{0755});
  fs::permissions(directory(), fs::perms{0555});

  // Root may write everywhere, so the child becomes nobody.
  const auto child = ::fork();
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    if (::geteuid() == 0 && ::setuid(nobody) != 0)
      ::_exit(1);
    auto made = experiment_store::create(directory());
    const auto wanted = directory().string() + ": cannot create files in it: Permission denied";
    ::_exit(!made && made.error() == error{ec::storage, wanted} ? 0 : 2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(experiment_store_test, refuses_a_gap_in_the_log) {
  auto uut = fresh();
  ASSERT_TRUE(uut.write(a_run(1, 1)).has_value());

  EXPECT_EQ(uut.write(std::vector<store_item>{at(8, on::interrupted{})}).error().code,
            ec::internal);
}

TEST_F(experiment_store_test, refuses_metrics_that_could_not_be_read_back) {
  value deep{1};
  for (int i = 0; i < 995; ++i)
    deep = value{value::list{std::move(deep)}};
  auto uut = fresh();

  auto written = uut.write(std::vector<store_item>{
      at(1, on::reported{samples::a_report(3, 1, {1, 1}, {{"deep", std::move(deep)}})})});

  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code, ec::bad_option);
  EXPECT_NE(written.error().detail.find("trial 00003"), std::string::npos);
}

TEST_F(experiment_store_test, writes_a_row_once_and_the_last_change_wins) {
  auto uut = fresh();
  sql().ask("CREATE TABLE writes(n); CREATE TRIGGER w1 AFTER INSERT ON t_trials BEGIN"
            " INSERT INTO writes VALUES (1); END; CREATE TRIGGER w2 AFTER UPDATE ON t_trials BEGIN"
            " INSERT INTO writes VALUES (1); END");

  ASSERT_TRUE(uut.write(a_run(1, 1)).has_value());

  EXPECT_EQ(sql().ask("SELECT count(*) FROM writes"), (rows{{"1"}}));
  EXPECT_EQ(sql().ask("SELECT status, created, ended FROM trials"),
            (rows{{"TERMINATED", "1.0", "3.0"}}));
}

TEST_F(experiment_store_test, shows_how_far_a_running_trial_is) {
  auto uut = fresh();
  auto best = samples::a_report(0, 1, {1, 1}, {{"loss", 0.25}});
  auto last = samples::a_report(0, 2, {1, 1}, {{"loss", 0.5}});
  std::vector<store_item> items{at(1, on::opened{1, "0.1.0", "{}", 7})};
  cmd::trial_changed row;
  row.status = trial_status::running;
  items.emplace_back(1, row);
  items.push_back(at(2, on::reported{best}));
  items.emplace_back(2, cmd::trial_progressed{{0}, best, best});
  items.push_back(at(3, on::reported{last}));
  items.emplace_back(3, cmd::trial_progressed{{0}, last, best});

  auto done = uut.write(items);

  ASSERT_TRUE(done.has_value()) << done.error().detail;
  auto found = reader().trial({0});
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->iterations, 2u);
  EXPECT_EQ(*(*found)->metrics, (object{{"loss", 0.5}}));
  EXPECT_EQ((*found)->best_iteration, 1u);
  EXPECT_EQ(*(*found)->best_metrics, (object{{"loss", 0.25}}));
}

TEST_F(experiment_store_test, finds_no_damage_in_a_trial_whose_configuration_was_changed) {
  auto uut = fresh();
  for (sequence seq : {1, 2}) {
    cmd::trial_changed row;
    row.config = std::make_shared<const object>(object{{"lr", 0.5 * static_cast<double>(seq)}});
    std::vector<store_item> items{at(seq, on::opened{1, "0.1.0", "{}", 7})};
    items.emplace_back(seq, row);
    ASSERT_TRUE(uut.write(items).has_value());
  }

  auto found = reader().trial({0});

  ASSERT_TRUE(found.has_value()) << found.error().detail;
  EXPECT_EQ((*found)->config, (object{{"lr", 1.0}}));
}

TEST_F(experiment_store_test, keeps_the_time_of_creation_over_later_changes) {
  auto uut = fresh();
  for (const auto& item : a_run(1, 1))
    ASSERT_TRUE(uut.write(std::span{&item, 1}).has_value());

  EXPECT_EQ(sql().ask("SELECT status, created, ended FROM trials"),
            (rows{{"TERMINATED", "1.0", "3.0"}}));
  EXPECT_EQ(sql().ask("SELECT attempt, started, ended, end_class, exit_status FROM attempts"),
            (rows{{"1.1", "1.0", "2.0", "finished", "0"}}));
}

TEST_F(experiment_store_test, takes_texts_that_are_not_utf8) {
  auto uut = fresh();
  auto items = a_run(1, 1);
  std::get<cmd::trial_changed>(items[items.size() - 2].what).error = "bad \xFF byte";

  ASSERT_TRUE(uut.write(items).has_value());

  EXPECT_EQ(sql().ask("SELECT error FROM trials"), (rows{{"bad \xEF\xBF\xBD byte"}}));
}

// -- What a disk may have done to it.

std::string log_of(const fs::path& directory) {
  return database_file(directory).string() + "-wal";
}

TEST_F(experiment_store_test, leaves_its_log_alone_once_a_write_failed) {
  std::uintmax_t size = 0;
  {
    auto uut = fresh();
    ASSERT_TRUE(uut.write(a_run(1, 1)).has_value());
    sql().ask("CREATE TRIGGER fault BEFORE INSERT ON t_events"
              " BEGIN SELECT RAISE(ABORT, 'the disk is on fire'); END");
    ASSERT_FALSE(uut.write(a_run(0, 0, 7)).has_value());
    size = fs::file_size(log_of(directory()));
  }
  // The sync was not tried again, and nothing was moved to where it may not be safe.
  ASSERT_TRUE(fs::exists(log_of(directory())));
  EXPECT_EQ(fs::file_size(log_of(directory())), size);
  EXPECT_EQ(*reader().last_seq(), 6u);
}

TEST_F(experiment_store_test, takes_what_the_last_head_left_into_the_database) {
  {
    auto uut = fresh();
    ASSERT_TRUE(uut.write(a_run(1, 1)).has_value());
    fs::copy(directory(), root / "copy", fs::copy_options::recursive);
  }
  const auto before = fs::file_size(database_file(root / "copy"));
  fs::remove(database_file(root / "copy").string() + "-shm");

  auto uut = experiment_store::open(root / "copy");

  ASSERT_TRUE(uut.has_value()) << uut.error().detail;
  EXPECT_GE(fs::file_size(database_file(root / "copy")), before);
  // The database alone, without the log, has everything that the last head had.
  fs::copy_file(database_file(root / "copy"), root / "alone");
  samples::client alone{root / "alone"};
  EXPECT_EQ(alone.ask("SELECT last_seq FROM t_head"), (rows{{"6"}}));
}

TEST_F(experiment_store_test, refuses_a_damaged_row_of_its_head) {
  for (const char* sql_text :
       {"epoch = 9", "last_seq = 0", "created_ms = 1", "opened_seq = 2", "opened_seq = NULL",
        "status = 'done'", "status = NULL", "why = 'x'", "finished = 1", "sum = 1"}) {
    SCOPED_TRACE(sql_text);
    fs::remove_all(directory());
    {
      auto uut = fresh();
      ASSERT_TRUE(uut.write(a_run(1, 1)).has_value());
    }
    sql().ask(std::string{"UPDATE t_head SET "} + sql_text);

    auto next = experiment_store::open(directory());

    ASSERT_FALSE(next.has_value());
    EXPECT_EQ(next.error(), (error{ec::storage, database_file(directory()).string()
                                                    + ": t_head row 1: damaged: the checksum does"
                                                      " not fit"}));
    EXPECT_EQ(reader().experiment().error(), next.error());
    EXPECT_EQ(inspect_directory(directory()).error(), next.error());
  }
}

TEST_F(experiment_store_test, goes_on_with_rows_that_had_no_checksum) {
  {
    auto uut = fresh();
    ASSERT_TRUE(uut.write(a_run(1, 1)).has_value());
  }
  ASSERT_EQ(sql().ask("ALTER TABLE t_head DROP COLUMN sum"), rows{});
  ASSERT_EQ(sql().ask("ALTER TABLE t_trials DROP COLUMN sum"), rows{});
  EXPECT_EQ(reader().experiment()->last_seq, 6u);
  EXPECT_TRUE(*reader().trial({0}));

  {
    auto uut = experiment_store::open(directory());
    ASSERT_TRUE(uut.has_value()) << uut.error().detail;
    EXPECT_EQ(uut->epoch(), 2u);
    EXPECT_TRUE(uut->write(a_run(1, 1, 7, 2)).has_value());
  }
  EXPECT_EQ(sql().ask("SELECT sum != 0 FROM t_head"), (rows{{"1"}}));
  EXPECT_TRUE(*reader().trial({0}));
  EXPECT_EQ(sql().ask("SELECT count(*) FROM t_trials WHERE sum != 0"), (rows{{"1"}}));
  EXPECT_EQ(reader().experiment()->epoch, 2u);
}

TEST_F(experiment_store_test, goes_on_with_nodes_that_had_no_labels) {
  {
    auto uut = fresh();
    ASSERT_TRUE(uut.write(std::vector<store_item>{at(1, on::node_up{"a", {}})}).has_value());
  }
  sql().ask("DROP VIEW nodes");
  ASSERT_EQ(sql().ask("ALTER TABLE t_nodes DROP COLUMN labels"), rows{});
  ASSERT_EQ(sql().ask("ALTER TABLE t_nodes DROP COLUMN taints"), rows{});
  ASSERT_EQ(reader().nodes()->size(), 1u);
  EXPECT_EQ(reader().nodes()->front().labels, std::vector<std::string>{});

  {
    auto uut = experiment_store::open(directory());
    ASSERT_TRUE(uut.has_value()) << uut.error().detail;
    const on::node_up what{"b", {}, {"zone=b"}, {"spot"}};
    EXPECT_TRUE(uut->write(std::vector<store_item>{at(2, what)}).has_value());
  }

  EXPECT_EQ(sql().ask("SELECT node, labels, taints FROM nodes ORDER BY node"),
            (rows{{"a", "NULL", "NULL"}, {"b", R"(["zone=b"])", R"(["spot"])"}}));
  EXPECT_EQ(reader().nodes()->back().taints, std::vector<std::string>{"spot"});
}

TEST_F(experiment_store_test, does_not_begin_again_where_a_byte_says_that_nothing_is_there) {
  {
    auto uut = fresh();
    ASSERT_TRUE(uut.write(a_run(1, 1)).has_value());
  }
  sql().ask("PRAGMA user_version = 0");

  auto uut = experiment_store::create(directory());

  ASSERT_FALSE(uut.has_value());
  EXPECT_EQ(uut.error().code, ec::storage);
  EXPECT_NE(uut.error().detail.find("schema is version 0"), std::string::npos);
  EXPECT_EQ(sql().ask("SELECT last_seq FROM t_head"), (rows{{"6"}}));
}

TEST_F(experiment_store_test, does_not_begin_again_where_trials_have_lost_their_database) {
  {
    auto uut = fresh();
    ASSERT_TRUE(uut.write(a_run(1, 1)).has_value());
  }
  fs::create_directories(directory() / "trials" / "00000");
  for (const char* how : {"gone", "empty", "without a log"}) {
    SCOPED_TRACE(how);
    fs::remove(database_file(directory()));
    if (*how == 'e')
      fill(database_file(directory()), "");
    if (*how == 'w') {
      fs::rename(directory() / "trials", root / "trials");
      { auto half = fresh(); }
      fs::remove_all(directory() / "trials");
      fs::rename(root / "trials", directory() / "trials");
    }

    auto uut = experiment_store::create(directory());

    ASSERT_FALSE(uut.has_value());
    EXPECT_EQ(uut.error().code, ec::storage);
    EXPECT_NE(uut.error().detail.find("holds trials: restore it"), std::string::npos)
        << uut.error().detail;
  }
}

class damaged_log_test : public experiment_store_test {
protected:
  /// Leaves the files of a head that was killed after `transactions` transactions were on disk.
  void kill_after(std::uint64_t transactions) {
    {
      auto uut = fresh();
      for (sequence i = 1; i <= transactions; ++i)
        ASSERT_TRUE(uut.write(std::vector<store_item>{at(i, on::opened{1, "", "{}", 7})}));
      database_ = content(database_file(directory()));
      log_ = content(log_of(directory()));
    }
    fill(database_file(directory()), database_);
    fill(log_of(directory()), log_);
  }
  void flip(std::size_t at) {
    log_[at] = static_cast<char>(log_[at] ^ 1);
    fill(log_of(directory()), log_);
  }
  /// Each of these transactions changes two pages.
  static constexpr std::size_t frame = 4096 + 24;

  std::string database_, log_;
};

TEST_F(damaged_log_test, is_refused_with_the_place_where_others_come_after_it) {
  kill_after(5);
  const auto frames = (log_.size() - 32) / frame;
  flip(32 + (frames / 2) * frame + 100);
  const auto place = std::to_string(32 + (frames / 2) * frame);

  auto uut = experiment_store::open(directory());

  ASSERT_FALSE(uut.has_value());
  EXPECT_EQ(uut.error().code, ec::storage);
  EXPECT_EQ(uut.error().detail.find(log_of(directory()) + ": damaged at byte " + place), 0u)
      << uut.error().detail;
  EXPECT_NE(uut.error().detail.find("truncate -s " + place), std::string::npos);
  EXPECT_EQ(content(log_of(directory())), log_);
  EXPECT_EQ(content(database_file(directory())), database_);
  EXPECT_EQ(reader().faults()->size(), 1u);
  // The repair that the error suggests.
  fs::resize_file(log_of(directory()), 32 + (frames / 2) * frame);
  auto next = experiment_store::open(directory());
  ASSERT_TRUE(next.has_value()) << next.error().detail;
  EXPECT_GE(next->last_seq(), 1u);
  EXPECT_LT(next->last_seq(), 5u);
}

TEST_F(damaged_log_test, gives_up_the_last_transaction) {
  kill_after(5);
  flip(log_.size() - 100);

  auto uut = experiment_store::open(directory());

  ASSERT_TRUE(uut.has_value()) << uut.error().detail;
  EXPECT_EQ(uut->last_seq(), 4u);
}

TEST_F(damaged_log_test, is_refused_where_its_header_does_not_fit) {
  kill_after(2);
  flip(17);

  auto uut = experiment_store::open(directory());

  ASSERT_FALSE(uut.has_value());
  EXPECT_NE(uut.error().detail.find("damaged at byte 0: its header"), std::string::npos);
}

// Any process that can read the file can take a read lock, which blocks all writers.
TEST_F(experiment_store_test, says_who_holds_a_lock_on_its_database) {
  auto uut = fresh({std::chrono::milliseconds{20}, journal_kind::wal});
  ASSERT_TRUE(uut.write(a_run(1, 1)).has_value());
  const auto shared = database_file(directory()).string() + "-shm";
  int locked[2];
  int over[2];
  ASSERT_EQ(::pipe(locked), 0);
  ASSERT_EQ(::pipe(over), 0);
  const auto child = ::fork();
  if (child == 0) {
    ::close(over[1]);
    struct ::flock wish {};
    wish.l_type = F_RDLCK;
    const int file = ::open(shared.c_str(), O_RDONLY);
    const char done = ::fcntl(file, F_SETLK, &wish) == 0 ? 'y' : 'n';
    char word = 0;
    ::_exit(::write(locked[1], &done, 1) == 1 && ::read(over[0], &word, 1) == 0 ? 0 : 1);
  }
  ::close(over[0]);
  char done = 0;
  ASSERT_EQ(::read(locked[0], &done, 1), 1);
  ASSERT_EQ(done, 'y');

  auto late
      = uut.write(std::vector<store_item>{at(uut.last_seq() + 1, on::stop_asked{{}, "enough"})});

  for (const int number : {locked[0], locked[1], over[1]})
    ::close(number);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ec::storage);
  EXPECT_NE(late.error().detail.find("database is locked: process " + std::to_string(child) + " ("),
            std::string::npos)
      << late.error().detail;
  EXPECT_NE(late.error().detail.find(") holds a lock on " + shared + ": end it"), std::string::npos)
      << late.error().detail;
}

} // namespace
} // namespace tune

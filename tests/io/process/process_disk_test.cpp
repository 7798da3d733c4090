// Output files on a disk that does not respond.
// SPDX-License-Identifier: BSD-3-Clause
#include "process_fixture.hpp"

#include "../own_mounts.hpp"

#include "support/stuck_disk.hpp"

#include <gmock/gmock.h>

#include <signal.h>

#include <atomic>
#include <filesystem>
#include <iterator>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

/// A fixture where job "a" has its files in `a`, on a disk that does not respond, and job "b" in
/// `b`.
struct process_disk_test : process_fixture {
  support::stuck_disk disk{"/a/"};

  void SetUp() override { serve(process_service_options{}.output_patience); }
  void TearDown() override {
    disk.release();
    process_fixture::TearDown();
  }

  void serve(std::chrono::milliseconds patience) {
    auto options = with_fake_guard();
    options.output = disk.maker();
    options.output_patience = patience;
    auto started = process_service::start(options);
    ASSERT_TRUE(started) << started.error().detail;
    uut = std::move(*started);
  }

  [[nodiscard]] std::filesystem::path file(const std::string& job,
                                           const std::string& name = "stdout") const {
    return scratch.path() / job / name;
  }
  [[nodiscard]] process_order order_of(const std::string& job,
                                       std::vector<std::string> script) const {
    auto result = order(std::move(script));
    result.job = job;
    result.stdout_file = file(job);
    result.stderr_file = file(job, "stderr");
    return result;
  }
  /// Runs another job's program, which prints and ends.
  void run_other() {
    auto other = std::make_shared<support::recorder>();
    uut->launch(order_of("b", {"out", "x", "exit", "3"}), other);
    EXPECT_EQ(other->wait_exit().code, 3);
  }
  static std::size_t threads() {
    const std::filesystem::directory_iterator all{"/proc/self/task"};
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }
};

TEST_F(process_disk_test, keeps_no_other_job) {
  uut->launch(order_of("a", {"out", "heard", "exit", "0"}), heard);
  ASSERT_TRUE(disk.wait_stuck());

  run_other();
  EXPECT_EQ(disk.of(file("b")), "x\n");
  EXPECT_TRUE(heard->wait_lines(1));
  EXPECT_FALSE(heard->has_exited());

  disk.release();
  EXPECT_EQ(heard->wait_exit().code, 0);
  EXPECT_EQ(disk.of(file("a")), "heard\n");
}

TEST_F(process_disk_test, holds_a_program_back_until_its_file_has_room) {
  constexpr std::size_t pieces = 64;
  std::vector<std::string> script;
  for (std::size_t i = 0; i < pieces; ++i)
    script.insert(script.end(), {"bytes", "65536", "say", "printed"});
  auto what = order_of("a", script);
  what.protocol = true;
  what.stdout_lines = false;
  uut->launch(what, heard);
  ASSERT_TRUE(disk.wait_stuck());
  ASSERT_TRUE(heard->wait_reports(1));

  for (int i = 0; i < 5; ++i)
    run_other();
  // At most the report being written, those waiting, the last one read, and those in the pipe.
  EXPECT_LE(heard->reports().size(), 8u);

  disk.release();
  EXPECT_EQ(heard->wait_exit().code, 0);
  EXPECT_THAT(heard->reports(), SizeIs(pieces));
  EXPECT_EQ(disk.of(file("a")), std::string(pieces * 65536, 'x'));
}

TEST_F(process_disk_test, does_not_keep_reports_and_answers_from_its_own_program) {
  auto what = order_of("a", {"bytes", "1000", "say", "one", "hear", "say", "two", "hear"});
  what.protocol = true;
  auto handle = uut->launch(what, heard);
  ASSERT_TRUE(disk.wait_stuck());
  ASSERT_TRUE(heard->wait_reports(1));

  uut->answer(handle, "go");

  EXPECT_TRUE(heard->wait_reports(2));
  uut->kill(handle);
  disk.release();
  EXPECT_EQ(heard->wait_exit().signal, SIGKILL);
}

TEST_F(process_disk_test, does_not_keep_a_program_that_printed_nothing) {
  uut->launch(order_of("a", {"out", "x"}), heard);
  ASSERT_TRUE(disk.wait_stuck());
  auto silent = std::make_shared<support::recorder>();
  uut->launch(order_of("a", {"exit", "5"}), silent);

  EXPECT_EQ(silent->wait_exit().code, 5);
  EXPECT_FALSE(heard->has_exited());
}

TEST_F(process_disk_test, is_waited_for_before_the_end_of_a_killed_program_is_told) {
  auto handle = uut->launch(order_of("a", {"err", "why", "bytes", "3000000", "hang"}), heard);
  ASSERT_TRUE(disk.wait_stuck());
  ASSERT_TRUE(heard->wait_started());
  uut->kill(handle);
  ASSERT_TRUE(support::eventually([&] { return support::count_tagged(tag) == 0; }));
  run_other();
  EXPECT_FALSE(heard->has_exited());

  disk.release();
  const auto how = heard->wait_exit();

  EXPECT_EQ(how.signal, SIGKILL);
  EXPECT_THAT(how.stderr_lines, ElementsAre("why"));
  EXPECT_EQ(how.output_trouble, "");
  EXPECT_EQ(disk.of(file("a", "stderr")), "why\n");
}

TEST_F(process_disk_test, is_waited_for_before_a_process_goes_to_its_next_trial) {
  auto what = order_of("a", {"bytes", "2000000", "say", "idle", "hear", "exit", "0"});
  what.protocol = true;
  what.stdout_lines = false;
  what.max_report_line = 100;
  heard->on_report = line_flow::hold;
  auto holder = std::make_shared<support::recorder>();
  auto handle = uut->launch(what, heard);
  ASSERT_TRUE(disk.wait_stuck());
  disk.release();
  ASSERT_TRUE(heard->wait_reports(1));

  handle = uut->park(handle, holder);

  ASSERT_TRUE(heard->wait_parked());
  EXPECT_EQ(disk.of(file("a")).size(), 2'000'000u);
  EXPECT_EQ(holder->pid(), heard->pid());
}

struct parked_on_a_stuck_disk : process_disk_test {
  std::shared_ptr<support::recorder> holder = std::make_shared<support::recorder>();
  process_handle handle;

  void SetUp() override {
    process_disk_test::SetUp();
    auto what = order_of("a", {"out", "x", "say", "idle", "hear", "exit", "4"});
    what.protocol = true;
    heard->on_report = line_flow::hold;
    handle = uut->launch(what, heard);
    ASSERT_TRUE(disk.wait_stuck());
    ASSERT_TRUE(heard->wait_reports(1));
    uut->park(handle, holder);
    run_other();
  }
};

TEST_F(parked_on_a_stuck_disk, stays_with_its_trial_until_its_files_are_whole) {
  EXPECT_FALSE(heard->parked_as().has_value());
  EXPECT_EQ(holder->pid(), 0);

  disk.release();

  ASSERT_TRUE(heard->wait_parked());
  EXPECT_EQ(disk.of(file("a")), "x\n");
  EXPECT_EQ(holder->pid(), heard->pid());
}

TEST_F(parked_on_a_stuck_disk, can_still_be_ended) {
  uut->kill(handle);
  disk.release();

  EXPECT_EQ(heard->wait_exit().signal, SIGKILL);
  EXPECT_FALSE(heard->parked_as().has_value());
  EXPECT_EQ(holder->pid(), 0);
  EXPECT_EQ(holder->exits(), 0);
}

TEST_F(process_disk_test, does_not_keep_the_end_of_the_service) {
  serve(std::chrono::milliseconds{50});
  auto other = std::make_shared<support::recorder>();
  uut->launch(order_of("a", {"bytes", "3000000", "hang"}), heard);
  uut->launch(order_of("b", {"out", "y", "hang"}), other);
  ASSERT_TRUE(disk.wait_stuck());
  ASSERT_TRUE(other->wait_lines(1));

  uut.reset();

  EXPECT_EQ(heard->exits(), 1);
  EXPECT_EQ(heard->wait_exit().output_trouble,
            "cannot write " + file("a").string() + ": its file system did not answer for 0.05 s");
  EXPECT_EQ(other->exits(), 1);
  EXPECT_EQ(other->wait_exit().output_trouble, "");
  EXPECT_EQ(disk.of(file("b")), "y\n");
  // The writer thread owns everything it uses and may go on without the service.
  disk.release();
  EXPECT_TRUE(support::eventually([&] { return disk.of(file("a")).size() >= 65536; }));
}

TEST_F(process_disk_test, costs_as_many_threads_as_jobs_have_files_at_a_time) {
  run_other();
  const auto before = threads();

  for (int i = 0; i < 5; ++i) {
    heard = std::make_shared<support::recorder>();
    EXPECT_EQ(run(order_of("b" + std::to_string(i), {"out", "x", "err", "y"})).code, 0);
  }
  EXPECT_EQ(threads(), before);

  heard = std::make_shared<support::recorder>();
  uut->launch(order_of("a", {"out", "x", "err", "y"}), heard);
  ASSERT_TRUE(disk.wait_stuck());
  run_other();
  run_other();
  EXPECT_EQ(threads(), before + 1);
}

/// Also counts changes of watched files.
struct watcher : support::recorder {
  std::atomic<int> changes = 0;
  void files_changed() override { ++changes; }
};

/// A running program's files come to lie below a dead mount. Then it makes a directory that is
/// waited for, and prints for the first time. @returns 0 if another job's program runs to its end
/// all the same.
int run_beside_a_dead_mount(process_order stuck, process_order other) {
  auto options = process_fixture::with_fake_guard();
  options.output_patience = std::chrono::milliseconds{50};
  auto service = process_service::start(options);
  if (!service)
    return 1;
  auto heard = std::make_shared<watcher>();
  auto next = std::make_shared<support::recorder>();
  stuck.argv = {"sh", "-c",
                "echo 1 > q; read x <&$TUNE_TRIAL_ANSWER_FD; mkdir sub; echo words;"
                " echo said >&$TUNE_TRIAL_REPORT_FD; read x <&$TUNE_TRIAL_ANSWER_FD"};
  stuck.protocol = true;
  stuck.watched_files = {"q", "sub/r"};
  const auto handle = (*service)->launch(stuck, heard);
  if (!support::eventually([&] { return heard->changes > 0; }))
    return 2;
  if (!samples::mount_dead(stuck.directory.parent_path()))
    return samples::cannot_mount;
  (*service)->answer(handle, "go");
  if (!heard->wait_reports(1))
    return 3;
  (*service)->launch(std::move(other), next);
  if (next->wait_exit().code != 3 || heard->has_exited())
    return 4;
  service->reset();
  return heard->wait_exit().output_trouble.empty() ? 5 : 0;
}

/// A fixture without threads of its own, since its tests fork.
struct dead_disk_test : process_disk_test {
  void SetUp() override {}
};

TEST_F(dead_disk_test, keeps_neither_another_job_nor_the_end_of_the_service) {
  auto stuck = order_of("a", {});
  stuck.directory = scratch.path() / "a" / "trial";
  stuck.stdout_file = stuck.directory / "stdout";
  stuck.stderr_file = stuck.directory / "stderr";
  auto other = order_of("b", {"out", "x", "exit", "3"});
  std::filesystem::create_directories(stuck.directory);
  std::filesystem::create_directories(scratch.path() / "b");

  const auto status = samples::in_own_mounts([&] { return run_beside_a_dead_mount(stuck, other); });

  if (samples::may_not_mount(status))
    GTEST_SKIP() << "only root with /dev/fuse can mount that";
  EXPECT_EQ(status, 0);
}

} // namespace
} // namespace tune

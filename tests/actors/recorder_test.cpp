// SPDX-License-Identifier: BSD-3-Clause
#include "support/real_system.hpp"

#include "tune/actors/recorder.hpp"
#include "tune/actors/sink.hpp"

#include <algorithm>

namespace tune {
namespace {

using support::latch;

store_item item(sequence seq) {
  return event{seq, instant{0}, on::suggest_asked{seq, 1}};
}

/// The changed row of a trial, caused by event `cause`.
store_item row(sequence cause) {
  return {cause, cmd::trial_changed{}};
}

record_turn turn(std::vector<store_item> items) {
  return {std::move(items)};
}

/// A disk that a test can block or break.
struct fake_disk {
  latch gate{true};
  std::mutex guard;
  std::vector<std::vector<sequence>> commits;
  std::atomic<bool> broken = false;
  std::atomic<std::size_t> begun = 0;

  commit_function function() {
    return [this](std::span<const store_item> items) -> expected<void> {
      ++begun;
      gate.wait();
      if (broken)
        return error{ec::storage, "the disk is full"};
      std::lock_guard lock{guard};
      auto& last = commits.emplace_back();
      for (const auto& x : items)
        last.push_back(x.seq);
      return {};
    };
  }
  std::vector<std::vector<sequence>> all() {
    std::lock_guard lock{guard};
    return commits;
  }
};

struct recorder_test : support::real_system {
  fake_disk disk;
  recorder_actor uut = keep(spawn_recorder(*system, disk.function()));
  support::told<durable_up_to> durable;
  support::told<storage_failed> failed;

  // A detached actor's thread lives until nobody holds the actor, and the system waits for it.
  void TearDown() override {
    uut = recorder_actor{};
    real_system::TearDown();
  }

  void attach() {
    send_from_outside(uut, keep(system->spawn(listener, std::ref(durable), std::ref(failed))));
  }
  static runner_actor::behavior_type
  listener(std::reference_wrapper<support::told<durable_up_to>> durable,
           std::reference_wrapper<support::told<storage_failed>> failed) {
    return {
        [](const news&) {},
        [](const client_orders&) {},
        [](const lease_granted&) {},
        [](const lease_refused&) {},
        [](const requests_unmet&) {},
        [](const remark&) {},
        [durable](durable_up_to x) { durable.get().add(x); },
        [failed](const storage_failed& x) { failed.get().add(x); },
        [](run_atom) {},
        [](status_atom, std::uint32_t) { return runner_status{}; },
        [](ping_atom, std::uint64_t x) { return x; },
    };
  }
  /// Blocks the recorder's thread in its first commit.
  void block_in_first_commit() {
    disk.gate.close();
    send_from_outside(uut, turn({item(1)}));
    ASSERT_TRUE(support::eventually([&] { return disk.begun == 1; }));
  }
};

TEST_F(recorder_test, writes_all_turns_that_wait_in_one_transaction) {
  block_in_first_commit();
  for (sequence seq = 2; seq <= 50; ++seq)
    send_from_outside(uut, turn({item(seq)}));

  disk.gate.open();
  EXPECT_EQ(drained(uut), "");

  auto commits = disk.all();
  ASSERT_EQ(commits.size(), 2u);
  EXPECT_EQ(commits[0], std::vector<sequence>{1});
  ASSERT_EQ(commits[1].size(), 49u);
  EXPECT_TRUE(std::is_sorted(commits[1].begin(), commits[1].end()));
  EXPECT_EQ(commits[1].back(), 50u);
}

TEST_F(recorder_test, acknowledges_nothing_before_it_is_on_disk) {
  attach();
  block_in_first_commit();
  EXPECT_EQ(durable.size(), 0u);

  disk.gate.open();

  ASSERT_TRUE(durable.wait_for(1));
  EXPECT_EQ(durable.all()[0].seq, 1u);
}

TEST_F(recorder_test, acknowledges_an_event_although_an_older_row_is_last) {
  attach();

  send_from_outside(uut, turn({item(9), item(10), row(7)}));

  ASSERT_TRUE(durable.wait_for(1));
  EXPECT_EQ(durable.all()[0].seq, 10u);
}

TEST_F(recorder_test, never_takes_an_acknowledgement_back) {
  attach();
  send_from_outside(uut, turn({item(10)}));
  ASSERT_TRUE(durable.wait_for(1));

  send_from_outside(uut, turn({row(7)}));

  ASSERT_TRUE(durable.wait_for(2));
  EXPECT_EQ(durable.all()[1].seq, 10u);
}

TEST_F(recorder_test, holds_its_first_failure_for_final) {
  attach();
  block_in_first_commit();
  send_from_outside(uut, turn({item(2)}));
  disk.broken = true;

  disk.gate.open();
  ASSERT_TRUE(failed.wait_for(1));
  disk.broken = false;
  send_from_outside(uut, turn({item(3)}));

  EXPECT_EQ(drained(uut), "the disk is full");
  EXPECT_EQ(failed.all()[0].why.code, ec::storage);
  EXPECT_EQ(failed.size(), 1u);
  EXPECT_EQ(durable.size(), 0u);
  EXPECT_EQ(disk.begun, 1u);
}

TEST_F(recorder_test, answers_a_drain_when_all_is_written) {
  block_in_first_commit();
  send_from_outside(uut, turn({item(2)}));
  disk.gate.open();

  EXPECT_EQ(drained(uut), "");

  auto commits = disk.all();
  ASSERT_FALSE(commits.empty());
  EXPECT_EQ(commits.back().back(), 2u);
}

struct sink_test : recorder_test {
  latch gate{true};
  support::told<sequence> caught;
  support::told<error> complaints;
  std::atomic<bool> breaks = false;
  /// How many more times descriptors will run out.
  std::atomic<int> shortages = 0;
  std::atomic<std::size_t> begun = 0;
  sink_actor sink = keep(spawn_sink(
      *system,
      [this](sequence committed) -> expected<void> {
        ++begun;
        gate.wait();
        if (breaks)
          return error{ec::storage, "no room"};
        if (shortages-- > 0)
          return error{ec::shortage, "too many open files"};
        caught.add(committed);
        return {};
      },
      {[this](const error& why) { complaints.add(why); }, {}, {}, std::chrono::milliseconds{600}}));

  void TearDown() override {
    sink = sink_actor{};
    recorder_test::TearDown();
  }
};

TEST_F(sink_test, tries_again_where_it_had_no_descriptor_for_a_while) {
  shortages = 1;
  send_from_outside(sink, durable_up_to{1});
  ASSERT_TRUE(support::eventually([&] { return begun == 1; }));
  send_from_outside(sink, durable_up_to{2});

  EXPECT_EQ(drained(sink), "");
  EXPECT_EQ(caught.all(), (std::vector<sequence>{2}));
  EXPECT_EQ(complaints.size(), 0u);
}

TEST_F(sink_test, tells_of_a_shortage_that_lasts_to_the_end) {
  shortages = 1000;
  send_from_outside(sink, durable_up_to{1});

  EXPECT_EQ(drained(sink), "too many open files");
  EXPECT_EQ(complaints.size(), 1u);
}

TEST_F(sink_test, waits_at_the_end_for_what_is_missing_for_a_moment) {
  shortages = 2;
  send_from_outside(sink, durable_up_to{1});

  EXPECT_EQ(drained(sink), "");
  EXPECT_EQ(caught.all(), (std::vector<sequence>{1}));
  EXPECT_EQ(complaints.size(), 0u);
}

TEST_F(sink_test, whose_target_is_away_says_so_once_and_reads_on_by_itself) {
  support::told<error> away;
  std::atomic<int> back = 0;
  std::atomic<int> failures = 2;
  support::told<sequence> heard;
  sink = keep(spawn_sink(*system,
                         [&](sequence committed) -> expected<void> {
                           if (failures-- > 0)
                             return error{ec::unreachable, "nobody listens"};
                           heard.add(committed);
                           return {};
                         },
                         {[this](const error& why) { complaints.add(why); },
                          [&](const error& why) { away.add(why); }, [&] { ++back; }}));
  send_from_outside(sink, durable_up_to{1});
  send_from_outside(sink, durable_up_to{7});

  ASSERT_TRUE(heard.wait_for(1));
  EXPECT_EQ(heard.all()[0], 7u);
  EXPECT_EQ(away.size(), 1u);
  EXPECT_TRUE(support::eventually([&] { return back == 1; }));
  EXPECT_EQ(complaints.size(), 0u);
  // Once more for the experiment's end, which is no event.
  EXPECT_EQ(drained(sink), "");
  EXPECT_EQ(heard.size(), 2u);
}

TEST_F(sink_test, takes_many_commits_over_at_once) {
  gate.close();
  send_from_outside(sink, durable_up_to{1});
  ASSERT_TRUE(support::eventually([&] { return begun == 1; }));
  for (sequence seq = 2; seq <= 40; ++seq)
    send_from_outside(sink, durable_up_to{seq});

  gate.open();
  EXPECT_EQ(drained(sink), "");

  EXPECT_EQ(caught.all(), (std::vector<sequence>{1, 40}));
}

TEST_F(sink_test, tells_its_failure_once_and_leaves_off) {
  breaks = true;
  send_from_outside(sink, durable_up_to{1});
  EXPECT_EQ(drained(sink), "no room");
  breaks = false;

  send_from_outside(sink, durable_up_to{2});

  EXPECT_EQ(drained(sink), "no room");
  EXPECT_EQ(complaints.size(), 1u);
  EXPECT_EQ(caught.size(), 0u);
  EXPECT_EQ(begun, 1u);
}

TEST_F(sink_test, hears_of_what_was_committed_before_it_came) {
  send_from_outside(uut, turn({item(5)}));
  EXPECT_EQ(drained(uut), "");

  send_from_outside(uut, sink);

  ASSERT_TRUE(caught.wait_for(1));
  EXPECT_EQ(caught.all()[0], 5u);
}

TEST_F(sink_test, follows_the_recorder) {
  send_from_outside(uut, sink);

  send_from_outside(uut, turn({item(3)}));

  ASSERT_TRUE(caught.wait_for(1));
  EXPECT_EQ(caught.all()[0], 3u);
}

} // namespace
} // namespace tune

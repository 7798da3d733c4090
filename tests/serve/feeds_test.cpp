// SPDX-License-Identifier: BSD-3-Clause
#include "serve/change_feed.hpp"
#include "serve/trial_log.hpp"

#include "fake_model.hpp"
#include "io/scratch_directory.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

namespace tune::cli {
namespace {

using clock = std::chrono::steady_clock;

class feeds_test : public samples::scratch_directory {
protected:
  std::unique_ptr<feeds> uut;
  std::shared_ptr<support::fake_model> model;
  std::shared_ptr<recent_changes> changes;
  std::shared_ptr<http::byte_pipe> pipe = std::make_shared<http::byte_pipe>();
  std::string all;

  void SetUp() override {
    scratch_directory::SetUp();
    uut = std::move(*feeds::start());
    model = std::make_shared<support::fake_model>(root);
    changes = std::make_shared<recent_changes>(model);
  }

  expected<void> follow(sequence since) {
    return uut->add(make_change_feed(changes, "x", root, {0, since}, pipe), pipe);
  }

  /// Waits until the text has come. @returns how long that took.
  clock::duration await(const std::string& text) {
    const auto begin = clock::now();
    while (all.find(text) == all.npos && clock::now() - begin < std::chrono::seconds{60}) {
      all += pipe->take(10'000);
      std::this_thread::yield();
    }
    EXPECT_NE(all.find(text), all.npos) << text << " in " << all;
    return clock::now() - begin;
  }
};

TEST_F(feeds_test, tell_what_has_happened_since) {
  model->commit(7);
  ASSERT_TRUE(follow(3));
  await("id: 7@1\nevent: change\ndata: {\"last_seq\":7}\n\n");
}

TEST_F(feeds_test, wake_when_the_record_is_written) {
  model->commit(1);
  ASSERT_TRUE(follow(0));
  await("id: 1@1\n");
  model->commit(2);
  fill(root / "experiment.db-wal", "frame");
  // Far sooner than it would look by itself.
  EXPECT_LT(await("id: 2@1\n"), feeds::slow_pace);
}

TEST_F(feeds_test, tell_of_the_record_that_took_the_place_of_another) {
  model->commit(7);
  ASSERT_TRUE(follow(7));
  model->replace();
  model->commit(2);
  await("id: 2@2\nevent: change\ndata: {\"last_seq\":2}\n\n");
  EXPECT_EQ(all.find("id: 7"), all.npos);
}

TEST_F(feeds_test, end_with_an_experiment_that_is_removed) {
  model->commit(7);
  ASSERT_TRUE(follow(7));
  model->remove();
  await("event: gone\ndata: {}\n\n");
  while (pipe->how() == http::byte_pipe::state::open)
    std::this_thread::yield();
  EXPECT_EQ(pipe->how(), http::byte_pipe::state::whole);
}

TEST_F(feeds_test, tell_of_another_record_to_whoever_knew_an_earlier_one) {
  model->replace();
  model->commit(9);
  ASSERT_TRUE(uut->add(make_change_feed(changes, "x", root, {1, 9}, pipe), pipe));
  await("id: 9@2\n");
}

TEST_F(feeds_test, see_what_is_visible_only_a_moment_after_the_write) {
  ASSERT_TRUE(follow(0));
  fill(root / "experiment.db-wal", "frame");
  std::this_thread::yield();
  model->commit(1);
  EXPECT_LT(await("id: 1@1\n"), feeds::slow_pace);
}

TEST_F(feeds_test, gather_what_comes_fast) {
  ASSERT_TRUE(follow(0));
  const auto begin = clock::now();
  for (sequence i = 1; i <= 2000; ++i) {
    model->commit(i);
    fill(root / "experiment.db-wal", std::to_string(i));
  }
  await("id: 2000@1\n");
  std::size_t count = 0;
  for (auto at = all.find("event: change"); at != all.npos; at = all.find("event: change", at + 1))
    ++count;
  EXPECT_LE(count, static_cast<std::size_t>((clock::now() - begin) / feeds::pace) + 2);
}

TEST_F(feeds_test, are_bounded_and_forget_who_went) {
  for (std::size_t i = 0; i < feeds::most; ++i)
    ASSERT_TRUE(follow(0));
  EXPECT_EQ(follow(0).error().code, ec::shortage);
  pipe->close();
  fill(root / "experiment.db-wal", "frame");
  const auto begin = clock::now();
  auto other = std::make_shared<http::byte_pipe>();
  auto added = false;
  while (!added && clock::now() - begin < std::chrono::seconds{60})
    added = uut->add(make_change_feed(changes, "x", root, {}, other), other).has_value();
  EXPECT_TRUE(added);
}

TEST_F(feeds_test, end_with_the_log_of_a_trial_that_nobody_runs) {
  fill(root / "trials/00003/stdout", "one\ntwo\n");
  ASSERT_TRUE(uut->add(make_log_feed({root, trial_id{3}, "stdout"}, 4, pipe), pipe));
  await("event: end");
  EXPECT_NE(all.find("event: log\ndata: {\"text\":\"two\\n\",\"offset\":4,\"next_offset\":8,"
                     "\"bytes\":8,\"eof\":true}\n\n"),
            all.npos)
      << all;
  EXPECT_EQ(pipe->how(), http::byte_pipe::state::whole);
}

TEST_F(feeds_test, break_off_what_they_feed_when_they_end) {
  ASSERT_TRUE(follow(0));
  uut->stop();
  static_cast<void>(pipe->take(10'000));
  EXPECT_EQ(pipe->how(), http::byte_pipe::state::broken);
  EXPECT_FALSE(follow(0));
}

} // namespace
} // namespace tune::cli

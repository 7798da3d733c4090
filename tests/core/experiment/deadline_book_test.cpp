// SPDX-License-Identifier: BSD-3-Clause
#include "../../../src/core/experiment/deadline_book.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace tune {
namespace {

using kind = deadline_book::kind;
using std::chrono::seconds;

constexpr trial_id one{1};
constexpr trial_id two{2};

std::vector<std::uint64_t> trials_due(const deadline_book& x, instant now) {
  std::vector<std::uint64_t> result;
  for (const auto& due : x.due(now))
    result.push_back(due.trial.number);
  return result;
}

std::uint64_t digest(const deadline_book& x, trial_id trial) {
  fingerprint into;
  x.describe(into, trial);
  return into.digest();
}

TEST(deadline_book, has_nothing_due_at_first) {
  deadline_book uut;

  EXPECT_EQ(uut.next(), std::nullopt);
  EXPECT_TRUE(uut.due(instant::max()).empty());
  EXPECT_EQ(uut.count(kind::retry), 0u);
}

TEST(deadline_book, tells_what_is_due_earliest_first) {
  deadline_book uut;
  uut.set(one, kind::retry, seconds{3});
  uut.set(two, kind::stop_grace, seconds{2});

  EXPECT_EQ(uut.next(), seconds{2});
  EXPECT_EQ(trials_due(uut, seconds{3}), (std::vector<std::uint64_t>{2, 1}));
  EXPECT_EQ(trials_due(uut, seconds{2}), (std::vector<std::uint64_t>{2}));
}

TEST(deadline_book, moves_a_deadline_that_is_set_again) {
  deadline_book uut;
  uut.set(one, kind::progress_timeout, seconds{1});
  uut.set(one, kind::progress_timeout, seconds{5});

  EXPECT_EQ(uut.of(one, kind::progress_timeout), seconds{5});
  EXPECT_EQ(uut.count(kind::progress_timeout), 1u);
  EXPECT_TRUE(uut.due(seconds{4}).empty());
}

TEST(deadline_book, forgets_all_of_a_trial) {
  deadline_book uut;
  uut.set(one, kind::retry, seconds{1});
  uut.set(one, kind::draft, seconds{2});
  uut.set(two, kind::retry, seconds{3});
  uut.clear(one);

  EXPECT_EQ(trials_due(uut, instant::max()), (std::vector<std::uint64_t>{2}));
  EXPECT_EQ(uut.count(kind::retry), 1u);
  EXPECT_EQ(uut.count(kind::draft), 0u);
}

TEST(deadline_book, forgets_one_of_a_trial) {
  deadline_book uut;
  uut.set(one, kind::retry, seconds{1});
  uut.set(one, kind::draft, seconds{2});
  uut.clear(one, kind::retry);
  uut.clear(one, kind::stop_grace);
  uut.clear(two, kind::retry);

  EXPECT_FALSE(uut.has(one, kind::retry));
  EXPECT_EQ(uut.next(), seconds{2});
}

TEST(deadline_book, gives_what_is_due_once) {
  deadline_book uut;
  uut.set(one, kind::kill_time, seconds{2});

  EXPECT_FALSE(uut.take_due(one, kind::kill_time, seconds{1}));
  EXPECT_TRUE(uut.take_due(one, kind::kill_time, seconds{2}));
  EXPECT_FALSE(uut.take_due(one, kind::kill_time, seconds{2}));
}

TEST(deadline_book, looks_the_same_whatever_was_cleared) {
  deadline_book cleared;
  cleared.set(one, kind::retry, seconds{1});
  cleared.clear(one, kind::retry);

  EXPECT_EQ(digest(cleared, one), digest(deadline_book{}, one));
  cleared.set(one, kind::draft, seconds{1});
  EXPECT_NE(digest(cleared, one), digest(deadline_book{}, one));
}

} // namespace
} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "serve/event_numbers.hpp"

#include "io/scratch_directory.hpp"
#include "support/grown_record.hpp"

#include "tune/io/store/store_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tune::cli {
namespace {

using support::grown_record;
using support::growth;
using testing::Pair;
using testing::UnorderedElementsAre;
using enum trial_status;
using change = event_numbers::change;

TEST(time_histogram, counts_times_up_to_each_bound) {
  time_histogram uut;
  uut.add(std::chrono::microseconds{100});
  uut.add(std::chrono::milliseconds{3});
  uut.add(std::chrono::seconds{60});
  uut.add(instant{-1});

  EXPECT_EQ(uut.up_to(0), 2U);
  EXPECT_EQ(uut.up_to(3), 2U);
  EXPECT_EQ(uut.up_to(4), 3U);
  EXPECT_EQ(uut.up_to(time_histogram::bounds.size() - 1), 3U);
  EXPECT_EQ(uut.count(), 4U);
  EXPECT_NEAR(uut.sum(), 60.0031, 1e-9);
}

class event_numbers_test : public samples::scratch_directory {
protected:
  event_numbers uut;

  void look() {
    auto from = store_reader::open(root / "x");
    ASSERT_TRUE(from) << to_text(from.error());
    ASSERT_TRUE(from->hold());
    auto seen = uut.look(*from);
    ASSERT_TRUE(seen) << to_text(seen.error());
  }
};

TEST_F(event_numbers_test, follows_trials_and_decisions) {
  growth how{12, 9, 3, 5};
  grown_record record{root / "x", how, support::grown_spec("x")};
  record.write_all();
  look();

  EXPECT_THAT(uut.changes(), UnorderedElementsAre(Pair(change{pending, running}, 12U),
                                                  Pair(change{running, terminated}, 10U),
                                                  Pair(change{running, errored}, 2U)));
  std::uint64_t stopped = 0;
  for (std::uint64_t i = 0; i < 12; ++i)
    stopped += grown_record::is_stopped(i) && i % 5 != 4 ? 1 : 0;
  EXPECT_EQ(uut.decisions().count(), stopped);
  // An event is a millisecond there.
  EXPECT_NEAR(uut.decisions().sum(), 0.001 * static_cast<double>(stopped), 1e-9);

  look();
  EXPECT_EQ(uut.changes().at({pending, running}), 12U);
  record.begin_trial();
  record.flush();
  look();
  EXPECT_EQ(uut.changes().at({pending, running}), 13U);
}

TEST_F(event_numbers_test, takes_of_a_long_log_what_comes) {
  growth how{event_numbers::most_at_once / 10, 9, 0, 0};
  grown_record record{root / "x", how, support::grown_spec("x")};
  record.write_all();
  look();
  EXPECT_TRUE(uut.changes().empty());

  record.begin_trial();
  record.flush();
  look();
  EXPECT_THAT(uut.changes(), UnorderedElementsAre(Pair(change{pending, running}, 1U)));
}

} // namespace
} // namespace tune::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/learner/archive.hpp"

#include "tune/core/search/learner/ranking.hpp"

#include "support/asking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

using namespace tune;
using namespace tune::support;
using learning::archive;
using learning::ending;
using testing::ElementsAre;

/// An archive with trials 0, 1, … at x = 0, .1, ….
struct archive_test : testing::Test {
  std::shared_ptr<const encoding> space = std::make_shared<const encoding>(
      *encoding::make(space_of({{"x", "uniform(0, 1)"}}), "uut"));
  archive uut{space};
  sequence seq = 0;

  static config_ptr at(double x) { return std::make_shared<const object>(object{{"x", x}}); }

  void suggest(std::uint64_t count) {
    std::vector<suggestion> list;
    for (std::uint64_t i = 0; i < count; ++i)
      list.push_back({at(0.1 * static_cast<double>(i)), "test"});
    uut.apply({++seq, suggested_fact{1, std::move(list), trial_id{0}}});
  }
  void tell(std::uint64_t trial, outcome how, std::vector<double> values, config_ptr config = {},
            std::vector<double> constraints = {}) {
    if (config == nullptr)
      config = at(0.1 * static_cast<double>(trial));
    uut.apply({++seq, observation{trial_id{trial}, config, 1, 1, std::move(values),
                                  std::move(constraints), how}});
  }
  [[nodiscard]] bool is_taken(double x) const { return uut.is_taken(space->key({x})); }
};

TEST_F(archive_test, turns_objectives_round_and_knows_who_runs) {
  suggest(3);
  tell(1, outcome::running, {0.5});
  tell(1, outcome::completed, {0.7});

  ASSERT_EQ(uut.results().size(), 1u);
  EXPECT_EQ(uut.results()[0].value, -0.7);
  EXPECT_EQ(uut.results()[0].how, ending::finished);
  EXPECT_THAT(uut.pending(), ElementsAre(ElementsAre(0.0), ElementsAre(0.2)));
  EXPECT_EQ(uut.suggested(), 3u);
}

TEST_F(archive_test, takes_a_stopped_trial_that_diverged_for_a_failed_one) {
  suggest(2);
  tell(0, outcome::stopped, {std::nan("")});
  observation diverged{trial_id{1}, at(0.1), 1, 1, {std::nan("")}, {}, outcome::stopped};
  diverged.diverged = true;
  uut.apply({++seq, diverged});

  ASSERT_EQ(uut.results().size(), 2u);
  EXPECT_EQ(uut.results()[0].how, ending::stopped);
  EXPECT_EQ(uut.results()[1].how, ending::failed);
}

TEST_F(archive_test, forgets_a_draft_that_was_replaced) {
  suggest(3);
  uut.apply({++seq, suggested_fact{2, std::vector<suggestion>{{at(0.7), "test"}}, trial_id{1}}});

  EXPECT_FALSE(is_taken(0.1));
  EXPECT_TRUE(is_taken(0.7));
  EXPECT_EQ(uut.suggested(), 3u);
  EXPECT_EQ(uut.number_of({1}), 1u);
  EXPECT_THAT(uut.pending(), ElementsAre(ElementsAre(0.0), ElementsAre(0.7), ElementsAre(0.2)));
}

TEST_F(archive_test, leaves_out_a_draft_that_is_thought_over) {
  suggest(3);

  EXPECT_THAT(uut.pending(trial_id{1}), ElementsAre(ElementsAre(0.0), ElementsAre(0.2)));
  EXPECT_FALSE(uut.is_taken(space->key({0.1}), trial_id{1}));
  EXPECT_TRUE(uut.is_taken(space->key({0.2}), trial_id{1}));
  // Another trial has the same configuration.
  tell(7, outcome::running, {}, at(0.1));
  EXPECT_TRUE(uut.is_taken(space->key({0.1}), trial_id{1}));
}

TEST_F(archive_test, takes_no_stopped_trial_for_a_finished_one) {
  suggest(1);
  tell(0, outcome::stopped, {0.99});

  ASSERT_EQ(uut.results().size(), 1u);
  EXPECT_EQ(uut.results()[0].how, ending::stopped);
  EXPECT_TRUE(std::isnan(uut.results()[0].value));
  EXPECT_TRUE(learning::ranking(uut.results()).empty());
}

TEST_F(archive_test, takes_what_has_no_finite_objective_for_failed) {
  suggest(5);
  tell(0, outcome::failed, {0.5});
  tell(1, outcome::completed, {});
  tell(2, outcome::completed, {std::numeric_limits<double>::quiet_NaN()});
  tell(3, outcome::completed, {std::numeric_limits<double>::infinity()});
  tell(4, outcome::completed, {-std::numeric_limits<double>::infinity()});

  ASSERT_EQ(uut.results().size(), 5u);
  for (const auto& x : uut.results())
    EXPECT_EQ(x.how, ending::failed);
}

TEST_F(archive_test, keeps_no_trace_of_lost_trials) {
  suggest(2);
  ASSERT_TRUE(is_taken(0.1));
  tell(1, outcome::lost, {0.5});

  EXPECT_TRUE(uut.results().empty());
  EXPECT_FALSE(is_taken(0.1));
  EXPECT_TRUE(is_taken(0.0));
  EXPECT_EQ(uut.pending().size(), 1u);
}

TEST_F(archive_test, does_not_propose_again_what_was_removed) {
  suggest(1);
  tell(0, outcome::removed, {});

  EXPECT_TRUE(uut.results().empty());
  EXPECT_FALSE(uut.has_pending());
  EXPECT_TRUE(is_taken(0.0));
}

TEST_F(archive_test, hears_of_trials_that_others_added) {
  tell(7, outcome::running, {0.1});
  EXPECT_EQ(uut.pending().size(), 1u);
  tell(7, outcome::completed, {0.3});

  EXPECT_EQ(uut.results().size(), 1u);
  EXPECT_EQ(uut.suggested(), 0u);
}

TEST_F(archive_test, counts_a_changed_configuration_as_what_it_became) {
  suggest(1);
  tell(0, outcome::running, {0.1}, at(0.5));
  tell(0, outcome::completed, {0.3}, at(0.5));

  ASSERT_EQ(uut.results().size(), 1u);
  EXPECT_EQ(uut.results()[0].at, cube_point{0.5});
}

TEST_F(archive_test, leaves_out_configurations_of_another_space) {
  tell(0, outcome::completed, {1}, std::make_shared<const object>(object{{"y", 1}}));

  EXPECT_TRUE(uut.results().empty());
  EXPECT_TRUE(uut.pending().empty());
}

TEST_F(archive_test, notes_what_constraints_are_missed_by) {
  suggest(1);
  tell(0, outcome::completed, {1}, {},
       {-3, 2, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()});

  constexpr auto infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(uut.results()[0].missed, (std::vector<double>{0, 2, infinite, infinite}));
}

TEST_F(archive_test, tells_histories_apart) {
  suggest(2);
  tell(0, outcome::completed, {1});
  auto other = uut;
  EXPECT_EQ(other.digest(1), uut.digest(1));
  tell(1, outcome::completed, {1});
  other.apply({seq, observation{trial_id{1}, at(0.1), 1, 1, {2}, {}, outcome::completed}});

  EXPECT_NE(other.digest(2), uut.digest(2));
  fingerprint ours;
  uut.describe(ours);
  fingerprint theirs;
  other.describe(theirs);
  EXPECT_NE(ours.digest(), theirs.digest());
}

} // namespace

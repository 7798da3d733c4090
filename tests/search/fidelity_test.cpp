/// Trials that are cut short: their expected final values, and the proposals made from these.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/fidelity/courses.hpp"

#include "support/asking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

using namespace tune;
using namespace tune::support;
using fidelity::course_book;
using fidelity::extrapolated;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

struct courses : testing::Test {
  std::shared_ptr<const encoding> space = std::make_shared<const encoding>(
      *encoding::make(space_of({{"x", "uniform(0, 1)"}, {"kind", "choice(a, b)"}}), "uut"));
  course_book uut{space};
  sequence seq = 0;

  static config_ptr at(double x, const std::string& kind) {
    return std::make_shared<const object>(object{{"x", x}, {"kind", kind}});
  }
  void tell(std::uint64_t trial, std::uint64_t fidelity, double value, const config_ptr& config,
            outcome how = outcome::running, lineage_id lineage = 1) {
    uut.apply({++seq, observation{trial_id{trial}, config, lineage, fidelity, {-value}, {}, how}});
  }
  /// Tells the reports of one trial; the first is at fidelity 1.
  void train(std::uint64_t trial, const config_ptr& config, const std::vector<double>& values,
             outcome how = outcome::running) {
    for (std::size_t i = 0; i < values.size(); ++i)
      tell(trial, i + 1, values[i], config, i + 1 == values.size() ? how : outcome::running);
  }
  [[nodiscard]] std::vector<double> levels(std::uint64_t trial) const {
    return uut.courses().at(trial_id{trial}).levels;
  }
};

TEST_F(courses, keep_the_last_value_up_to_each_power_of_two) {
  train(0, at(0.5, "a"), {0.9, 0.8, 0.7, 0.6, 0.5});

  EXPECT_THAT(levels(0), ElementsAre(0.9, 0.8, 0.6, 0.5));
}

TEST_F(courses, forget_what_was_lost_and_what_another_took_over) {
  train(0, at(0.5, "a"), {0.9, 0.8});
  train(1, at(0.6, "a"), {0.9, 0.8});
  tell(0, 2, 0.8, at(0.5, "a"), outcome::lost);
  tell(1, 5, 0.3, at(0.7, "b"), outcome::running, 2);

  EXPECT_FALSE(uut.courses().contains(trial_id{0}));
  EXPECT_TRUE(std::isnan(levels(1)[0]));
  EXPECT_EQ(levels(1).back(), 0.3);
}

TEST_F(courses, take_no_value_for_a_number_that_is_none) {
  tell(0, 1, std::numeric_limits<double>::quiet_NaN(), at(0.5, "a"));
  tell(1, 1, -std::numeric_limits<double>::infinity(), at(0.5, "a"));

  EXPECT_THAT(uut.courses(), IsEmpty());
}

TEST_F(courses, of_trials_that_failed_are_as_bad_as_any) {
  train(0, at(0.5, "a"), {0.9, 0.1}, outcome::failed);
  tell(1, 0, std::numeric_limits<double>::quiet_NaN(), at(0.4, "b"), outcome::failed);

  auto known = extrapolated(*space, uut.courses());
  ASSERT_EQ(known.size(), 2u);
  EXPECT_TRUE(known[0].is_bad);
  EXPECT_TRUE(known[1].is_bad);
}

TEST_F(courses, of_trials_that_diverged_are_as_bad_as_any_until_they_have_a_number_again) {
  for (auto how : {outcome::running, outcome::stopped}) {
    const auto trial = how == outcome::running ? 0u : 1u;
    tell(trial, 1, 0.9, at(0.5, "a"));
    observation nan{trial_id{trial}, at(0.5, "a"), 1, 2, {std::nan("")}, {}, how};
    nan.diverged = true;
    uut.apply({++seq, nan});
  }
  for (const auto& x : extrapolated(*space, uut.courses()))
    EXPECT_TRUE(x.is_bad) << to_text(x.trial);

  // A report without the metric says nothing.
  tell(0, 3, std::nan(""), at(0.5, "a"));
  EXPECT_TRUE(uut.courses().at(trial_id{0}).is_bad);
  tell(0, 4, 0.7, at(0.5, "a"));
  EXPECT_FALSE(uut.courses().at(trial_id{0}).is_bad);
  EXPECT_EQ(extrapolated(*space, uut.courses())[0].value, 0.7);
}

TEST_F(courses, that_ended_are_worth_what_they_ended_with) {
  train(0, at(0.5, "a"), {0.9, 0.8}, outcome::completed);
  train(1, at(0.6, "a"), {0.9, 0.8, 0.7, 0.5});

  auto known = extrapolated(*space, uut.courses());
  EXPECT_EQ(known[0].value, 0.8);
  EXPECT_EQ(known[0].variance, 0);
}

TEST_F(courses, are_led_on_by_those_that_went_on) {
  // Each level takes the same amount off, whatever the configuration is.
  for (std::uint64_t i = 0; i < 12; ++i) {
    auto first = 0.5 + 0.04 * static_cast<double>(i);
    train(i, at(static_cast<double>(i) / 12, i % 2 == 0 ? "a" : "b"),
          {first, first - 0.1, first - 0.15, first - 0.2});
  }
  train(20, at(0.3, "a"), {0.7});

  auto known = extrapolated(*space, uut.courses());
  EXPECT_THAT(known.back().value, DoubleNear(0.5, 1e-3));
  EXPECT_LT(known.back().variance, 1e-3);
  EXPECT_EQ(known.front().variance, 0);
}

// Values computed with numpy by the formulas of the header from the same eight courses: weights by
// numpy.linalg.solve, leave-one-out errors by the hat matrix.
TEST_F(courses, are_extrapolated_as_computed_elsewhere) {
  const double xs[] = {0.05, 0.2, 0.35, 0.5, 0.6, 0.75, 0.85, 0.95};
  const double first[] = {0.80, 0.72, 0.66, 0.58, 0.61, 0.70, 0.77, 0.90};
  const double second[] = {0.70, 0.60, 0.50, 0.40, 0.47, 0.58, 0.70, 0.88};
  for (std::uint64_t i = 0; i < 8; ++i)
    train(i, at(xs[i], i % 3 == 0 ? "b" : "a"), {first[i], second[i]});
  train(9, at(0.45, "a"), {0.63});

  auto known = extrapolated(*space, uut.courses());
  EXPECT_NEAR(known.back().value, 0.4873769487041388, 1e-9);
  EXPECT_NEAR(known.back().variance, 0.0009556593131094829, 1e-12);
}

/// A searcher that sees trials while they run.
struct screened : testing::Test {
  asking uut{make()};

  static std::unique_ptr<searcher> make(std::uint64_t seed = 5) {
    searcher_context about;
    about.space = space_of({{"x", "uniform(0, 1)"}, {"y", "uniform(0, 1)"}});
    about.seed = seed;
    about.samples = 0;
    auto made = make_searcher("auto", about, {{"partial", "true"}});
    EXPECT_TRUE(made) << made.error().detail;
    return std::move(*made);
  }
  /// Final loss of a configuration; 0 is best.
  static double loss(const object& config) {
    auto x = *config.find("x")->number() - 0.3;
    auto y = *config.find("y")->number() - 0.8;
    return x * x + y * y;
  }
  suggestion next() { return std::get<0>(uut.next(1)).front(); }
  /// The trial reports up to fidelity `to`, and is not heard of any more.
  void train(std::uint64_t trial, const suggestion& what, std::uint64_t to) {
    for (std::uint64_t i = 1; i <= to; ++i)
      uut.tell({trial_id{trial},
                what.config,
                1,
                i,
                {-loss(*what.config) - 0.5 / static_cast<double>(i)},
                {},
                outcome::running});
  }
  /// Runs trials of which every fourth goes on to 8; none ends.
  void train(int trials) {
    for (int i = 0; i < trials; ++i) {
      auto trial = uut.trials();
      auto what = next();
      train(trial, what, i % 4 == 0 ? 8 : 1);
    }
  }
};

TEST_F(screened, are_better_than_chance_though_no_trial_has_ended) {
  double sum = 0;
  int learnt = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    uut = asking{make(seed)};
    train(30);
    for (int i = 0; i < 20; ++i) {
      auto trial = uut.trials();
      auto what = next();
      train(trial, what, 1);
      if (what.origin == "random")
        continue;
      ++learnt;
      sum += loss(*what.config);
    }
  }
  EXPECT_EQ(learnt, 5 * 16);
  // For random configurations the mean is .297.
  EXPECT_LT(sum / learnt, 0.25);
}

TEST_F(screened, keep_away_from_where_trials_diverge) {
  int inside = 0;
  int learnt = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    uut = asking{make(seed)};
    for (int i = 0; i < 40; ++i) {
      auto trial = uut.trials();
      auto what = next();
      // The best is where x is just small enough not to diverge.
      const auto diverges = *what.config->find("x")->number() < 0.5;
      learnt += what.origin.starts_with("best of");
      inside += what.origin.starts_with("best of") && diverges;
      if (!diverges) {
        train(trial, what, i % 4 == 0 ? 8 : 1);
        continue;
      }
      observation nan{trial_id{trial}, what.config, 1, 1, {std::nan("")}, {}, outcome::stopped};
      nan.diverged = true;
      uut.tell(nan);
    }
  }
  EXPECT_GT(learnt, 60);
  EXPECT_LT(inside, learnt / 3);
}

TEST_F(screened, begin_with_nine_spread_over_the_space) {
  std::vector<std::string> origins;
  for (int i = 0; i < 11; ++i)
    origins.push_back(next().origin);
  EXPECT_EQ(origins[0], "middle");
  EXPECT_EQ(origins[8], "design");
  EXPECT_EQ(origins[10], "random");
}

TEST_F(screened, are_the_same_after_a_replay) {
  train(37);
  asking again{make()};
  for (const auto& x : uut.facts())
    again.uut().apply(x);
  for (std::uint64_t i = 0; i < 3; ++i) {
    tune::ask question{100 + i, 2, uut.seq()};
    EXPECT_EQ(texts(std::get<0>(again.uut().propose(question))),
              texts(std::get<0>(uut.uut().propose(question))));
    auto known = uut.facts().size();
    train(1);
    for (; known < uut.facts().size(); ++known)
      again.uut().apply(uut.facts()[known]);
  }
}

TEST_F(screened, cope_with_trials_that_all_failed_or_are_all_alike) {
  for (int i = 0; i < 20; ++i) {
    auto trial = uut.trials();
    auto what = next();
    uut.tell({trial_id{trial},
              what.config,
              1,
              1,
              {i < 10 ? std::nan("") : 1.0},
              {},
              i < 10 ? outcome::failed : outcome::completed});
  }
  EXPECT_FALSE(next().origin.empty());
}

TEST_F(screened, take_their_time_beside_the_actor) {
  train(12);
  EXPECT_TRUE(uut.uut().propose_later({100, 1, uut.seq()}));
  EXPECT_FALSE(uut.uut().propose_later({100, 1, uut.seq(), drafting::quick}));
}

} // namespace

// Both forms of ASHA with several objectives.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/asha/asha.hpp"
#include "tune/core/schedule/asha/promotion.hpp"

#include "support/scheduler_feed.hpp"
#include "support/scheduler_world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tune {
namespace {

using support::digest;
using support::scheduler_feed;
using support::text_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const double nan = std::nan("");

asha::settings with(double eta, std::uint32_t objectives = 2) {
  asha::settings result;
  result.reduction_factor = eta;
  result.objectives = objectives;
  return result;
}

template <class Rule>
struct judged_by {
  Rule uut;
  scheduler_feed tell{uut};
  explicit judged_by(asha::settings what, bool maximise = true)
      : uut{std::move(what), 1, maximise} {}

  /// Tells a new trial's first result. @returns the decision.
  std::string report(std::uint64_t trial, std::vector<double> scores, double time = 1) {
    tell.add(trial);
    tell.tell(fact::chosen{{1, {{trial}}}, {}});
    tell.tell(fact::started{{trial}});
    fact::result what;
    what.trial = {trial};
    what.scores = std::move(scores);
    what.time = time;
    auto verdict = uut.judge(tell.tell(std::move(what)), {trial});
    tell.tell(fact::decided{verdict, {}});
    return text_of(verdict);
  }
  /// Trials that the rule would start, in order.
  std::vector<std::uint64_t> named() const {
    std::vector<std::uint64_t> result;
    for (auto x : uut.choose(1, 99).start)
      result.push_back(x.number);
    return result;
  }
};
using stopping = judged_by<asha::asha_scheduler>;
using promoting = judged_by<asha::promotion>;

/// Reports a result and pauses as told.
void wait(promoting& x, std::uint64_t trial, std::vector<double> scores) {
  EXPECT_THAT(x.report(trial, std::move(scores)), StartsWith("pause"));
  x.tell.tell(fact::paused{{trial}, {trial + 1}});
}

TEST(asha_stopping_objectives, the_first_at_a_rung_goes_on) {
  stopping x{with(4)};

  EXPECT_EQ(x.report(0, {1, 1}),
            "go_on 0; annotate 0 rule=asha bracket=0 rung=1 value=1 recorded=0 front=0 rank=1 "
            "most=1");
}

TEST(asha_stopping_objectives, stops_a_trial_that_is_worse_in_all) {
  stopping x{with(4), false};
  x.report(0, {-1, -1});

  EXPECT_EQ(x.report(1, {-2, -1}),
            "stop 1 rule=asha bracket=0 rung=1 value=2 recorded=1 front=1 rank=2 most=1 why=rank 2 "
            "of rung 1, in front 1: of 2 the best 1 go on");
}

TEST(asha_stopping_objectives, lets_trials_go_on_that_are_good_at_different_things) {
  stopping x{with(2)};
  x.report(0, {4, 1});
  x.report(1, {0, 0});
  x.report(2, {0, 0});

  // The best two of four go on: this one and trial 0.
  EXPECT_THAT(x.report(3, {1, 4}), HasSubstr("go_on 3; annotate 3 rule=asha bracket=0 rung=1 "
                                             "value=1 recorded=3 front=0 rank=1 most=2"));
}

TEST(asha_stopping_objectives, divides_a_front_evenly) {
  stopping x{with(2)};
  x.report(0, {4, 0});
  x.report(1, {0, 4});
  x.report(2, {3.9, 0.1});

  // Two of four go on: the best in the first score, and the one farthest from it.
  EXPECT_THAT(x.report(3, {3.8, 0.2}), HasSubstr("front=0 rank=3 most=2 why="));
  // Three of five go on: also the one in the middle.
  EXPECT_THAT(x.report(4, {2, 2}), StartsWith("go_on 4"));
}

TEST(asha_stopping_objectives, a_nan_never_stops_and_is_not_ranked) {
  stopping x{with(2)};
  x.report(0, {1, 1});
  EXPECT_THAT(x.report(1, {nan, -1}), StartsWith("go_on 1"));

  EXPECT_THAT(x.report(2, {2, 2}), HasSubstr("recorded=1"));
}

TEST(asha_stopping_objectives, leaves_no_trace_of_results_with_too_few_scores) {
  stopping x{with(2)};
  x.tell.add(0);
  auto before = digest(x.uut);
  fact::result what;
  what.scores = {1};
  what.time = 1;
  auto cause = x.tell.tell(what);

  EXPECT_EQ(text_of(x.uut.judge(cause, {0})), "go_on 0");
  EXPECT_EQ(digest(x.uut), before);
}

TEST(asha_promotion_objectives, promotes_from_the_best_front) {
  promoting x{with(2)};
  wait(x, 0, {4, 1});
  wait(x, 1, {3, 0});
  wait(x, 2, {1, 4});
  // One of three is promoted: the better one in the first score.
  EXPECT_THAT(x.named(), ElementsAre(0));

  wait(x, 3, {0, 3});
  EXPECT_THAT(x.named(), ElementsAre(0, 2));
}

TEST(asha_promotion_objectives, divides_a_front_evenly) {
  promoting x{with(2)};
  wait(x, 0, {3.9, 0.1});
  wait(x, 1, {4, 0});
  wait(x, 2, {2, 2});
  wait(x, 3, {0, 4});
  EXPECT_THAT(x.named(), ElementsAre(1, 3));

  wait(x, 4, {-1, -1});
  wait(x, 5, {-1, -1});
  EXPECT_THAT(x.named(), ElementsAre(1, 3, 2));
}

TEST(asha_promotion_objectives, says_where_a_trial_stands) {
  promoting x{with(2)};
  wait(x, 0, {4, 4});

  EXPECT_EQ(x.report(1, {3, 3}),
            "pause 1 rule=asha bracket=0 rung=1 value=3 rank=2 recorded=2 promotable=1 front=1 "
            "why=waits at rung 1: rank 2 of 2, of which the best goes on");
}

TEST(asha_promotion_objectives, does_not_promote_twice_what_a_better_one_pushed_back) {
  promoting x{with(2)};
  wait(x, 0, {1, 1});
  wait(x, 1, {0, 0});
  x.tell.tell(fact::chosen{{1, {{0}}}, {}});
  wait(x, 2, {2, 2});
  wait(x, 3, {0, 0});

  // Two of four are promoted: trial 2 and trial 0, which has gone on already.
  EXPECT_THAT(x.named(), ElementsAre(2));
}

TEST(asha_promotion_objectives, nan_counts_but_is_never_promoted) {
  promoting x{with(2)};
  wait(x, 0, {nan, 9});
  wait(x, 1, {9, nan});
  EXPECT_THAT(x.named(), IsEmpty());
  wait(x, 2, {0, 0});
  wait(x, 3, {-1, -1});

  EXPECT_THAT(x.named(), ElementsAre(2, 3));
}

TEST(asha_objectives, as_many_as_the_experiment_has) {
  auto entry = asha::make_entry();
  for (const auto* form : {"stopping", "promotion"}) {
    auto options = options::parse(entry.known, {{"form", form}});
    scheduler_context context;
    context.objectives = 2;
    auto uut = std::move(*entry.make(*options, context));
    scheduler_feed tell{*uut};
    tell.add(0);
    auto before = digest(*uut);

    tell.result(0, 1, 5);

    EXPECT_EQ(digest(*uut), before) << form;
  }
}

class any_objectives : public testing::TestWithParam<std::tuple<bool, unsigned>> {};

TEST_P(any_objectives, comes_to_an_end_and_is_the_same_when_replayed) {
  auto [promotes, seed] = GetParam();
  SCOPED_TRACE("seed " + std::to_string(seed));
  support::world_settings settings;
  settings.seed = seed;
  settings.objectives = 3;
  settings.odd = 5;
  settings.retried = 4;
  settings.fatal = 2;
  settings.late = 6;
  auto make = [&, form = promotes, number = seed]() -> std::unique_ptr<scheduler> {
    if (form)
      return std::make_unique<asha::promotion>(with(2, 3), number);
    return std::make_unique<asha::asha_scheduler>(with(2, 3), number);
  };
  auto uut = make();
  support::scheduler_world world{*uut, settings};

  world.run();

  EXPECT_THAT(world.faults(), IsEmpty());
  EXPECT_EQ(world.left(), 0u);
  auto again = make();
  for (std::size_t i = 0; i < world.facts().size(); ++i) {
    again->apply(world.facts()[i]);
    ASSERT_EQ(digest(*again), world.digests()[i]) << "after fact " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(asha_objectives, any_objectives,
                         testing::Combine(testing::Bool(), testing::Range(1u, 16u)));

} // namespace
} // namespace tune

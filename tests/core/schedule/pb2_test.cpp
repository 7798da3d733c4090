// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/pb2/pb2.hpp"

#include "support/scheduler_feed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tune {
namespace {

using support::scheduler_feed;
using support::text_of;
using testing::AllOf;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::SizeIs;

std::shared_ptr<const search_space> space_of(const std::vector<parameter_text>& lines) {
  return std::make_shared<const search_space>(*search_space::parse(lines));
}

std::string names(const expected<std::vector<pb2::bounded_parameter>>& from) {
  if (!from)
    return from.error().detail;
  std::string result;
  for (const auto& x : *from)
    result += x.name + " ";
  return result;
}

TEST(pb2_bounds, are_all_that_can_vary_or_what_is_named) {
  auto space = space_of({{"lr", "loguniform(1e-4, 1)"}, {"x", "uniform(0, 2)"}, {"batch", "64"}});

  EXPECT_EQ(names(pb2::read_bounded("", space.get())), "lr x ");
  EXPECT_EQ(names(pb2::read_bounded("x", space.get())), "x ");
  EXPECT_EQ(names(pb2::read_bounded(" x , lr,x", space.get())), "x lr ");
}

TEST(pb2_bounds, refuse_what_is_not_continuous) {
  auto space = space_of({{"lr", "uniform(0, 1)"},
                         {"layers", "randint(1, 5)"},
                         {"kind", "choice(a, b)"},
                         {"step", "quniform(0, 1, 0.1)"},
                         {"wide", "randn(0, 1)"},
                         {"momentum", "uniform(0, 1) if kind == a"},
                         {"inner", "uniform(0, {lr})"}});
  auto refusal = [&](std::string_view of) { return names(pb2::read_bounded(of, space.get())); };

  EXPECT_EQ(refusal("layers"),
            "explore = layers: randint(1, 5) is no continuous range; pb2 explores "
            "continuous ranges alone: name those in explore, or take pbt");
  EXPECT_THAT(refusal("kind"), HasSubstr("choice("));
  EXPECT_THAT(refusal("step"), HasSubstr("is no continuous range"));
  EXPECT_THAT(refusal("wide"), HasSubstr("is no continuous range"));
  EXPECT_THAT(refusal("momentum"), HasSubstr("explore = momentum: it has a condition"));
  EXPECT_THAT(refusal("inner"),
              HasSubstr("explore = inner: its range uniform(0, {lr}) depends on other parameters"));
  EXPECT_THAT(refusal(""), HasSubstr("explore = layers"));
  EXPECT_THAT(refusal("lt"), HasSubstr("no such parameter; did you mean \"lr\"?"));
}

TEST(pb2_bounds, refuse_a_space_that_is_unknown_or_cannot_vary) {
  auto fixed = space_of({{"lr", "0.1"}});

  EXPECT_THAT(names(pb2::read_bounded("", fixed.get())), HasSubstr("no parameter that can vary"));
  EXPECT_THAT(names(pb2::read_bounded("", nullptr)), HasSubstr("must know the search space"));
}

TEST(pb2_bounds, scale_evenly_or_in_the_logarithm) {
  const float_range plain{1, 3, false, 0};
  const float_range log{1e-4, 1, true, 0};

  EXPECT_DOUBLE_EQ(pb2::scaled(plain, 1.5), 0.25);
  EXPECT_DOUBLE_EQ(pb2::unscaled(plain, 0.25), 1.5);
  EXPECT_DOUBLE_EQ(pb2::scaled(log, 1e-3), 0.25);
  EXPECT_NEAR(pb2::unscaled(log, 0.25), 1e-3, 1e-15);
  for (auto range : {plain, log}) {
    EXPECT_EQ(pb2::unscaled(range, 0), range.low);
    EXPECT_LE(pb2::unscaled(range, 1), range.high);
    EXPECT_EQ(pb2::scaled(range, -5), 0);
    EXPECT_EQ(pb2::scaled(range, 500), 1);
  }
}

/// Sixteen trials in a space where training gains most at x = 0.7, reporting in turn.
class pb2_population : public testing::Test {
protected:
  std::shared_ptr<const search_space> space = space_of({{"x", "uniform(0, 1)"}, {"kind", "a"}});
  std::unique_ptr<scheduler> uut;
  std::unique_ptr<scheduler_feed> tell;
  std::vector<double> x;
  std::vector<double> score;
  std::uint64_t checkpoints = 0;
  std::uint64_t now = 0;

  void make(std::map<std::string, std::string> written = {}) {
    written.emplace("time_attr", "training_iteration");
    written.emplace("perturbation_interval", "1");
    auto entry = pb2::make_entry();
    scheduler_context context;
    context.seed = 3;
    context.space = space;
    auto made = entry.make(*options::parse(entry.known, written), context);
    ASSERT_TRUE(made);
    uut = std::move(*made);
    tell = std::make_unique<scheduler_feed>(*uut);
    for (std::uint64_t i = 0; i < 16; ++i) {
      x.push_back(static_cast<double>(i) / 15);
      score.push_back(0);
      tell->tell(fact::added{{i}, config(x.back()), false});
      start(i);
    }
  }
  static config_ptr config(double at) {
    return std::make_shared<const object>(object{{"x", at}, {"kind", "a"}});
  }
  void start(std::uint64_t trial) {
    tell->tell(fact::chosen{{0, {{trial}}}, {}});
    tell->tell(fact::started{{trial}});
  }

  /// Every trial trains once and reports, and the verdicts are carried out. @returns the exploits.
  std::vector<action> train() {
    ++now;
    std::vector<action> result;
    for (std::uint64_t i = 0; i < x.size(); ++i) {
      score[i] += 1 - (x[i] - 0.7) * (x[i] - 0.7);
      auto verdict = tell->judged(i, static_cast<double>(now), score[i]);
      for (const auto& what : verdict.actions) {
        if (std::holds_alternative<save>(what.what)) {
          tell->tell(fact::saved{{i}, {++checkpoints}, now});
        } else if (const auto* due_exploit = std::get_if<exploit>(&what.what)) {
          result.push_back(what);
          x[i] = *due_exploit->config->find("x")->number();
          score[i] = score[due_exploit->donor.number];
          tell->tell(fact::added{{i}, due_exploit->config, true});
          start(i);
        }
      }
    }
    return result;
  }
};

TEST_F(pb2_population, takes_over_the_donors_configuration_before_anything_is_known) {
  make();
  std::vector<double> before{x};

  auto found = train();
  for (const auto& each : found) {
    const auto& due_exploit = std::get<exploit>(each.what);
    EXPECT_EQ(*due_exploit.config->find("x"), value{before[due_exploit.donor.number]});
    EXPECT_EQ(*each.reason.find("note"),
              value{"its donor has not trained for a whole interval yet"});
  }
}

TEST_F(pb2_population, goes_where_training_gains_most) {
  make();
  for (int i = 0; i < 4; ++i)
    train();

  std::vector<action> found;
  for (int i = 0; i < 6; ++i) {
    for (auto& each : train())
      found.push_back(std::move(each));
  }

  ASSERT_FALSE(found.empty());
  auto off = 0.0;
  for (const auto& each : found) {
    const auto& due_exploit = std::get<exploit>(each.what);
    off += std::abs(due_exploit.config->find("x")->number().value_or(-1) - 0.7)
           / static_cast<double>(found.size());
    EXPECT_EQ(*due_exploit.config->find("kind"), value{"a"});
    EXPECT_EQ(*each.reason.find("rule"), value{"pb2"});
    EXPECT_THAT(to_text(*each.reason.find("changes")), HasSubstr("by the model"));
    EXPECT_THAT(to_text(*each.reason.find("note")), HasSubstr("stretches of training: gain"));
  }
  // Random choices would give 0.29.
  EXPECT_LT(off, 0.2);
}

TEST_F(pb2_population, stays_within_the_space) {
  make({{"quantile_fraction", "0.5"}});
  for (int i = 0; i < 6; ++i) {
    for (const auto& each : train()) {
      const auto& config = *std::get<exploit>(each.what).config;
      EXPECT_FALSE(space->reject(config, false)) << to_text(value{config});
    }
  }
}

TEST_F(pb2_population, leaves_exploits_alone_to_be_worked_out_later) {
  make();
  for (int i = 0; i < 4; ++i)
    train();
  struct open_answer {
    std::string now;
    deferred_decision later;
  };
  std::vector<open_answer> exploits;
  for (auto end = now + 8; now < end;) {
    ++now;
    for (std::uint64_t i = 0; i < x.size(); ++i) {
      score[i] += 1 - (x[i] - 0.7) * (x[i] - 0.7);
      auto cause = tell->result(i, static_cast<double>(now), score[i]);
      auto verdict = uut->judge(cause, {i});
      auto later = uut->judge_later(cause, {i});
      const auto& first = verdict.actions.front().what;
      ASSERT_EQ(static_cast<bool>(later), std::holds_alternative<exploit>(first)) << "trial " << i;
      if (later)
        exploits.push_back({support::text_of(verdict), std::move(later)});
      else
        tell->tell(fact::decided{verdict, {}});
      if (std::holds_alternative<save>(first))
        tell->tell(fact::saved{{i}, {++checkpoints}, now});
    }
  }
  ASSERT_GE(exploits.size(), 4u);

  // Whatever came in between, the deferred exploits say what was true when they were asked for.
  for (const auto& each : exploits)
    EXPECT_EQ(support::text_of(each.later()), each.now);
}

TEST_F(pb2_population, decides_rounds_of_all_at_once) {
  make({{"synch", "true"}});
  for (std::uint64_t i = 0; i < x.size(); ++i) {
    auto cause = tell->result(i, 1, x[i]);
    EXPECT_FALSE(uut->judge_later(cause, {i}));
  }
}

TEST_F(pb2_population, does_the_same_again) {
  make();
  for (int i = 0; i < 5; ++i)
    train();
  auto first = x;
  auto digest = support::digest(*uut);
  x.clear();
  score.clear();
  checkpoints = now = 0;

  make();
  for (int i = 0; i < 5; ++i)
    train();

  EXPECT_EQ(x, first);
  EXPECT_EQ(support::digest(*uut), digest);
}

TEST_F(pb2_population, shows_what_it_learned_in_its_fingerprint) {
  pb2::bandit one{*pb2::read_bounded("", space.get()), space};
  pb2::bandit other{*pb2::read_bounded("", space.get()), space};
  one.observe({{0}, 1, 0.5, config(0.5)});
  other.observe({{0}, 1, 0.5, config(0.6)});
  fingerprint first;
  fingerprint second;
  one.describe(first);
  other.describe(second);

  EXPECT_NE(first.digest(), second.digest());
}

TEST(pb2_entry, has_nothing_to_perturb_by) {
  auto entry = pb2::make_entry();

  for (const auto& x : entry.known) {
    EXPECT_NE(x.name, "resample_probability");
    EXPECT_NE(x.name, "perturbation_factors");
    EXPECT_NE(x.name, "burn_in_period");
  }
  EXPECT_THAT(entry.known, SizeIs(6));
}

TEST(pb2_entry, says_what_it_cannot_explore) {
  auto entry = pb2::make_entry();
  scheduler_context context;
  context.space = space_of({{"kind", "choice(a, b)"}});

  auto made = entry.make(*options::parse(entry.known, {}), context);

  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().detail, HasSubstr("explore = kind: choice("));
}

} // namespace
} // namespace tune

/// Ranges that depend on other parameters, as searchers see them.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/asking.hpp"

#include "tune/core/search/encoding/encoding.hpp"
#include "tune/core/search/external/message.hpp"
#include "tune/core/search/importance/by_model.hpp"
#include "tune/core/search/importance/ped_anova.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace {

using namespace tune;
using namespace tune::support;
using testing::HasSubstr;

using lines = std::vector<parameter_text>;

/// All kinds of ranges, chains of them, and a condition on a parameter with such a range.
const lines all_kinds{{"units2", "randint(1, {units1} + 1)"},
                      {"units1", "lograndint(1, 64)"},
                      {"a", "uniform(0, 1)"},
                      {"b", "uniform({a} / 2, {a})"},
                      {"lr", "loguniform(1e-4, {b} + 0.01)"},
                      {"q", "quniform(0, {units2}, 0.5) if units2 > 3"},
                      {"kind", "choice(p, q)"},
                      {"k", "qrandint(0, 4 * {units1}, 4) if kind == p"}};

encoding laid_out(const lines& of) {
  return std::move(*encoding::make(space_of(of), "a test"));
}

double number(const object& config, const char* name) {
  return *config.find(name)->number();
}

TEST(encoding_of_ranges, has_a_configuration_at_every_point) {
  auto uut = laid_out(all_kinds);
  auto space = space_of(all_kinds);
  EXPECT_EQ(uut.dimensions(), 8u);
  EXPECT_FALSE(uut.is_relative(0));
  EXPECT_EQ(uut.at(0).cells(), 63);
  // Both bounds of b depend on a.
  EXPECT_TRUE(uut.is_relative(3));
  EXPECT_FALSE(uut.at(3).is_discrete());
  rng chance{3, "ranges", 0};
  for (int i = 0; i < 1000; ++i) {
    auto latent = uut.random(chance);
    if (i % 2 == 1)
      uut.mutate(latent, 0.2, 3, chance);
    auto config = uut.decoded(latent);
    EXPECT_TRUE(uut.allows(uut.canonical(latent)));
    EXPECT_FALSE(space->reject(config, false)) << to_text(value{config});
  }
}

TEST(encoding_of_ranges, reads_back_what_it_wrote) {
  auto uut = laid_out(all_kinds);
  rng chance{3, "ranges", 1};
  for (int i = 0; i < 1000; ++i) {
    auto at = uut.canonical(uut.random(chance));
    auto config = uut.decoded(at);
    EXPECT_EQ(uut.key(uut.canonical(at)), uut.key(at));
    auto again = uut.encoded(config);
    ASSERT_TRUE(again) << to_text(value{config});
    for (std::size_t k = 0; k < at.size(); ++k) {
      EXPECT_EQ(std::isnan(at[k]), std::isnan((*again)[k])) << to_text(value{config});
      if (!std::isnan(at[k])) {
        EXPECT_NEAR(at[k], (*again)[k], 1e-9) << k << ' ' << to_text(value{config});
      }
    }
  }
}

TEST(encoding_of_ranges, stands_where_the_value_is_in_all_that_it_may_be) {
  auto uut = laid_out({{"a", "uniform(0, 2)"},
                       {"b", "uniform(0, {a})"},
                       {"n", "randint(0, {k})"},
                       {"k", "randint(1, 11)"}});
  auto at = *uut.encoded({{"a", 0.5}, {"b", 0.125}, {"n", 1}, {"k", 2}});
  EXPECT_NEAR(at[0], 0.25, 1e-12);
  EXPECT_NEAR(at[1], 0.0625, 1e-12);
  EXPECT_NEAR(at[2], 0.15, 1e-12);
  // The ranges have one value, whatever was drawn.
  at = *uut.encoded({{"a", 0.0}, {"b", 0.0}, {"n", 0}, {"k", 1}});
  auto other = at;
  other[1] = 0.1;
  other[2] = 0.9;
  EXPECT_EQ(uut.key(uut.canonical(other)), uut.key(at));
  // Numbers outside count as the ends of the present range.
  at = *uut.encoded({{"a", 0.5}, {"b", 0.75}, {"n", 7}, {"k", 2}});
  EXPECT_NEAR(at[1], 0.25, 1e-12);
  EXPECT_NEAR(at[2], 0.15, 1e-12);
  EXPECT_FALSE(uut.encoded({{"a", 0.5}, {"b", "x"}, {"n", 1}, {"k", 2}}));
  EXPECT_FALSE(uut.encoded({{"a", 0.5}, {"n", 1}, {"k", 2}}));
}

TEST(encoding_of_ranges, stands_at_the_place_in_a_range_both_ends_of_which_move) {
  auto uut = laid_out({{"a", "uniform(0, 2)"},
                       {"b", "uniform({a}, {a} + 1)"},
                       {"n", "randint({k}, {k} + 4)"},
                       {"k", "randint(0, 9)"},
                       {"rare", "uniform(0, 1 / {z})"},
                       {"z", "loguniform(1e-4, 1)"}});
  EXPECT_TRUE(uut.is_relative(1));
  EXPECT_TRUE(uut.is_relative(2));
  // One in two of the ranges of `rare` is narrower than a hundredth of the widest.
  EXPECT_TRUE(uut.is_relative(4));
  EXPECT_TRUE(uut.at(2).is_discrete());
  EXPECT_FALSE(uut.at(2).is_finite());
  auto at = *uut.encoded({{"a", 0.5}, {"b", 0.75}, {"n", 5}, {"k", 3}, {"rare", 2}, {"z", 0.1}});
  EXPECT_NEAR(at[1], 0.25, 1e-12);
  EXPECT_NEAR(at[2], 0.625, 1e-12);
  EXPECT_NEAR(at[4], 0.2, 1e-12);
}

TEST(encoding_of_ranges, folds_what_is_outside_evenly_and_without_a_jump) {
  auto uut = laid_out({{"a", "choice(0.3, 0.1, 0.9)"},
                       {"b", "uniform({a}, 1)"},
                       {"c", "uniform(0, {a})"},
                       {"n", "randint(0, 10 * {a})"}});
  constexpr int count = 40'000;
  rng chance{3, "folds", 0};
  std::vector<double> b(4);
  std::vector<double> c(4);
  std::vector<double> n(4);
  int seen = 0;
  for (int i = 0; i < count; ++i) {
    auto x = uut.decoded(uut.random(chance));
    if (number(x, "a") != 0.3)
      continue;
    ++seen;
    ++b[std::min<std::size_t>(3, static_cast<std::size_t>(4 * (number(x, "b") - 0.3) / 0.7))];
    ++c[std::min<std::size_t>(3, static_cast<std::size_t>(4 * number(x, "c") / 0.3))];
    ++n[static_cast<std::size_t>(number(x, "n"))];
  }
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(b[k] / seen, 0.25, 0.015) << k;
    EXPECT_NEAR(c[k] / seen, 0.25, 0.015) << k;
    EXPECT_NEAR(n[k] / seen, k < 3 ? 1 / 3.0 : 0, 0.015) << k;
  }
  for (auto beyond : {-1e-6, 1e-6})
    EXPECT_NEAR(number(uut.decoded({0, 0.5, (0.3 + beyond) / 0.9, 0.5}), "c"), 0.3, 1e-5);
}

TEST(encoding_of_ranges, moves_whole_numbers_by_one_of_the_range_at_least) {
  // n has up to 1,000 values in general, and four here.
  auto uut = laid_out({{"k", "choice(4, 1000)"}, {"n", "randint({k} - 4, {k} + 1000 % {k})"}});
  rng chance{3, "moves", 0};
  int moves = 0;
  for (int i = 0; i < 400; ++i) {
    cube_point latent{0, chance.unit()};
    auto before = *uut.decoded(latent).find("n")->as_int();
    uut.mutate(latent, 1e-6, 1, chance);
    auto config = uut.decoded(latent);
    if (*config.find("k") == value{4})
      moves += std::abs(*config.find("n")->as_int() - before) == 1;
  }
  // One move in two changes k, and one in four stays at an end.
  EXPECT_GT(moves, 110);
}

TEST(encoding_of_ranges, follows_what_is_fixed) {
  auto uut = laid_out({{"a", "uniform(0, 1)"}, {"b", "uniform(0, {a})"}});
  const value fixed{0.2};
  auto values = uut.values({0.9, 0.5}, {&fixed, nullptr});
  EXPECT_EQ(values[0], fixed);
  // 0.5 lies outside of [0, 0.2], which moves b to the middle of the values above.
  EXPECT_NEAR(*values[1].number(), 0.125, 1e-12);
}

TEST(encoding_of_ranges, counts_every_configuration_once) {
  const lines space{{"a", "randint(1, 5)"},
                    {"b", "randint(0, {a})"},
                    {"c", "qlograndint(1, 2 * {b} + 1, 2) if b > 0"}};
  auto uut = laid_out(space);
  std::set<std::uint64_t> seen;
  while (auto next = uut.first_free([&](auto key) { return seen.contains(key); })) {
    EXPECT_FALSE(space_of(space)->reject(uut.decoded(*next), false));
    ASSERT_TRUE(seen.insert(uut.key(*next)).second);
  }
  // For each a: b = 0 alone, and each b > 0 with b values of c.
  std::size_t expected = 0;
  for (std::size_t a = 1; a < 5; ++a) {
    ++expected;
    for (std::size_t b = 1; b < a; ++b)
      expected += b;
  }
  EXPECT_EQ(seen.size(), expected);
  EXPECT_LE(expected, uut.size());
}

class every_searcher_in_ranges : public testing::TestWithParam<std::string> {
protected:
  static asking make(const lines& space, std::uint64_t samples = 0,
                     std::vector<object> points = {}) {
    searcher_context about;
    about.space = space_of(space);
    about.seed = 5;
    about.samples = samples;
    about.points = std::move(points);
    auto made = make_searcher(GetParam(), about);
    EXPECT_TRUE(made) << made.error().detail;
    return asking{std::move(*made)};
  }

  /// Runs trials one after the other. @returns all configurations.
  template <class Score>
  static std::vector<config_ptr> run(asking& uut, std::size_t count, const Score& score) {
    std::vector<config_ptr> all;
    while (all.size() < count) {
      auto trial = trial_id{uut.trials()};
      auto answer = uut.next(1);
      const auto* list = std::get_if<std::vector<suggestion>>(&answer);
      if (list == nullptr)
        break;
      auto config = list->front().config;
      all.push_back(config);
      uut.tell({trial, config, 1, 1, {score(*config)}, {}, outcome::completed});
    }
    return all;
  }

  static bool only_draws() { return GetParam() == "random" || GetParam() == "sobol"; }
};

TEST_P(every_searcher_in_ranges, keeps_ranges) {
  auto uut = make(all_kinds);

  auto all = run(uut, 60, [](const object& x) { return number(x, "b") - number(x, "lr"); });

  ASSERT_EQ(all.size(), 60u);
  auto space = space_of(all_kinds);
  for (const auto& x : all)
    EXPECT_FALSE(space->reject(*x, false)) << to_text(value{*x});
}

TEST_P(every_searcher_in_ranges, keeps_ranges_together_with_a_constraint) {
  auto space = all_kinds;
  space.push_back({"constraint", "a + b < 1 and units2 * 2 >= units1"});
  auto uut = make(space);

  auto all = run(uut, 40, [](const object& x) { return number(x, "b"); });

  ASSERT_EQ(all.size(), 40u);
  auto known = space_of(space);
  for (const auto& x : all)
    EXPECT_FALSE(known->reject(*x, false)) << to_text(value{*x});
}

TEST_P(every_searcher_in_ranges, ends_when_all_were_tried) {
  auto uut = make({{"a", "randint(1, 5)"}, {"b", "randint(0, {a})"}}, only_draws() ? 40 : 0);

  auto all = run(uut, 60, [](const object& x) { return number(x, "b"); });

  std::set<std::string> different;
  for (const auto& x : all)
    different.insert(to_text(value{*x}));
  EXPECT_EQ(all.size(), only_draws() ? 40u : 10u);
  EXPECT_LE(different.size(), 10u);
  if (only_draws())
    return;
  EXPECT_EQ(different.size(), 10u);
  EXPECT_TRUE(std::holds_alternative<exhausted>(uut.next(1)));
}

TEST_P(every_searcher_in_ranges, suggests_the_same_after_a_replay) {
  auto uut = make(all_kinds, 60);
  for (int i = 0; i < 30; ++i) {
    run(uut, 1, [](const object& x) { return number(x, "a"); });
    if (i % 5 != 0)
      continue;
    auto again = make(all_kinds, 60);
    for (const auto& fact : uut.facts())
      again.uut().apply(fact);
    tune::ask next{uut.asks() + 1, 1, uut.seq()};
    ASSERT_EQ(texts(std::get<0>(uut.uut().propose(next))),
              texts(std::get<0>(again.uut().propose(next))));
  }
}

TEST_P(every_searcher_in_ranges, draws_the_rest_of_a_point_in_its_range) {
  const lines space{{"a", "uniform(0, 1)"}, {"b", "uniform(0, {a})"}, {"c", "uniform({b}, 1)"}};
  auto uut = make(space, 20, {object{{"a", 1e-6}}, object{{"b", 0.98}}});

  auto all = run(uut, 2, [](const object&) { return 1.0; });

  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(number(*all[0], "a"), 1e-6);
  EXPECT_LE(number(*all[0], "b"), 1e-6);
  EXPECT_EQ(number(*all[1], "b"), 0.98);
  EXPECT_GE(number(*all[1], "a"), 0.98);
  for (const auto& x : all)
    EXPECT_FALSE(space_of(space)->reject(*x, false)) << to_text(value{*x});
}

TEST_P(every_searcher_in_ranges, refuses_a_point_outside_of_its_range) {
  searcher_context about;
  about.space = space_of({{"a", "uniform(0, 1)"}, {"b", "uniform(0, {a})"}});
  about.points = {object{{"a", 0.5}, {"b", 0.7}}};
  EXPECT_THAT(make_searcher(GetParam(), about).error().detail,
              HasSubstr("point 1: \"b\": 0.7 is not in uniform(0, {a}), which is uniform(0, 0.5) "
                        "here"));
}

INSTANTIATE_TEST_SUITE_P(all, every_searcher_in_ranges,
                         testing::Values("random", "sobol", "auto", "gp", "tpe", "cma_es", "bohb",
                                         "dehb", "nsga2", "evolution"),
                         [](const auto& x) { return x.param; });

/// The best score of `trials` trials, as the mean over seeds.
template <class Score>
double best_of(const char* searcher, const lines& space, int trials, const Score& score) {
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    searcher_context about{space_of(space), seed, 0, 1, {}};
    asking uut{std::move(*make_searcher(searcher, about))};
    double best = -1e9;
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(trials); ++i) {
      auto answer = uut.next(1);
      auto config = std::get<0>(answer).front().config;
      best = std::max(best, score(*config));
      uut.tell({trial_id{i}, config, 1, 1, {score(*config)}, {}, outcome::completed});
    }
    sum += best / 5;
  }
  return sum;
}

TEST(ranges, are_learnt) {
  const lines space{
      {"a", "uniform(0, 1)"}, {"b", "uniform(0, {a})"}, {"n", "randint(0, 50 * {b} + 1)"}};
  auto score = [](const object& x) {
    auto far = [](double d) { return d * d; };
    return -far(number(x, "a") - 0.8) - far(number(x, "b") - 0.6) - far(number(x, "n") / 50 - 0.3);
  };
  auto chance = best_of("random", space, 40, score);
  for (const auto* name : {"gp", "tpe", "auto", "cma_es"})
    EXPECT_GT(best_of(name, space, 40, score), chance) << name;
  EXPECT_GT(best_of("gp", space, 40, score), chance / 10);
}

TEST(grids_of_ranges, take_every_combination_that_lies_inside) {
  searcher_context about;
  about.space = space_of({{"a", "randint(1, 4)"},
                          {"b", "randint(0, {a})"},
                          {"c", "quniform(0, {b} / 2, 0.5) if a != 2"}});
  about.samples = 1;
  asking uut{std::move(*make_searcher("grid", about))};

  auto all = collect(uut, 100, 1);

  std::set<std::string> different;
  for (const auto& x : all) {
    EXPECT_FALSE(about.space->reject(*x.config, false)) << to_text(value{*x.config});
    different.insert(to_text(value{*x.config}));
  }
  // For a = 1 there is one; for a = 2 there are two without c; for a = 3 there are b + 1 values of
  // c for each b.
  EXPECT_EQ(all.size(), 1u + 2 + (1 + 2 + 3));
  EXPECT_EQ(different.size(), all.size());
}

TEST(grids_of_ranges, depend_on_grids) {
  searcher_context about;
  about.space = space_of({{"g", "grid(1, 3)"}, {"b", "uniform(0, {g})"}});
  about.samples = 50;
  asking uut{std::move(*make_searcher("random", about))};

  auto all = collect(uut, 200, 5);

  EXPECT_EQ(all.size(), 100u);
  double most = 0;
  for (const auto& x : all) {
    EXPECT_FALSE(about.space->reject(*x.config, false));
    most = std::max(most, number(*x.config, "b"));
  }
  EXPECT_GT(most, 2);
}

TEST(grids_of_ranges, say_that_floats_have_no_end) {
  searcher_context about;
  about.space = space_of({{"a", "randint(1, 4)"}, {"b", "uniform(0, {a})"}});
  EXPECT_THAT(make_searcher("grid", about).error().detail,
              HasSubstr("\"b\": uniform(0, {a}) has no end or more than a million values"));
}

TEST(dehb, takes_no_budget_that_depends_on_others) {
  searcher_context about;
  about.space = space_of({{"a", "randint(9, 28)"}, {"epochs", "randint(1, {a})"}});
  auto all = builtin_searchers();
  const auto* entry = all.find("dehb");
  auto with = options::parse(entry->known, {{"budget", "epochs"}});
  EXPECT_THAT(entry->make(*with, about).error().detail,
              HasSubstr("budget: \"epochs\" must not depend on other parameters: its range is "
                        "randint(1, {a})"));
}

TEST(importance_of_ranges, is_measured_by_values_and_by_a_model) {
  const lines of{{"a", "uniform(0.5, 1)"}, {"b", "uniform(0, {a})"}, {"c", "uniform(0, {a})"}};
  auto space = space_of(of);
  std::vector<scored_config> all;
  for (std::uint64_t i = 0; i < 80; ++i) {
    rng chance{11, "importance", i};
    auto config = std::make_shared<const object>(space->assemble(space->draw(chance)));
    all.push_back({config, -std::pow(number(*config, "b") - 0.3, 2)});
  }
  std::sort(all.begin(), all.end(), [](const auto& x, const auto& y) { return x.score > y.score; });
  std::vector<config_ptr> configs;
  for (const auto& x : all)
    configs.push_back(x.config);

  auto by_values = ped_anova(*space, configs, {});
  auto by_model = importance_by_model(*space, all, {});

  ASSERT_TRUE(by_values);
  ASSERT_TRUE(by_model);
  EXPECT_EQ(by_values->front().where.parameter, "b");
  EXPECT_EQ(by_model->front().where.parameter, "b");
  EXPECT_NEAR(*by_values->front().where.from.number(), 0.27, 0.06);
  EXPECT_EQ(by_values->size(), 3u);
}

TEST(external_description, tells_bounds_beside_the_widest_range) {
  auto told = external::description_of(
      *space_of({{"a", "randint(1, 5)"}, {"b", "randint(0, min(2 * {a}, 7) + 1)"}}));
  const auto& b = *told[1].as_object();
  EXPECT_EQ(*b.find("type"), value{"int"});
  EXPECT_EQ(*b.find("low"), value{0});
  EXPECT_EQ(*b.find("high"), value{7});
  EXPECT_EQ(*b.find("text"), value{"randint(0, min(2 * {a}, 7) + 1)"});
  EXPECT_EQ(to_text(*b.find("bounds")),
            "{low: 0, high: {of: +, with: [{of: min, with: [{of: *, with: [2, {name: a}]}, 7]}, "
            "1]}}");
}

} // namespace

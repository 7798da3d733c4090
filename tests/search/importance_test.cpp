// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/rng.hpp"
#include "tune/core/search/importance/by_model.hpp"
#include "tune/core/search/importance/ped_anova.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

namespace tune {
namespace {

using configs = std::vector<std::shared_ptr<const object>>;

search_space space_of(const std::vector<std::pair<std::string, std::string>>& lines) {
  std::vector<parameter_text> texts;
  for (const auto& [name, text] : lines)
    texts.push_back({name, text});
  return *search_space::parse(texts);
}

/// `count` random configurations, those of the lowest loss first.
configs sorted(std::size_t count, const std::function<object(rng&)>& draw,
               const std::function<double(const object&, rng&)>& loss) {
  std::vector<std::pair<double, std::shared_ptr<const object>>> all;
  rng chance{7, "importance test", 0};
  for (std::size_t i = 0; i < count; ++i) {
    auto config = std::make_shared<const object>(draw(chance));
    all.emplace_back(loss(*config, chance), config);
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  configs result;
  for (auto& [how, config] : all)
    result.push_back(std::move(config));
  return result;
}

object evenly(rng& chance) {
  auto x = chance.unit();
  return {{"x", x}, {"y", chance.unit()}};
}

double number(const object& of, const char* name) {
  return *of.find(name)->number();
}

const parameter_importance& of(const std::vector<parameter_importance>& all,
                               const std::string& name) {
  return *std::find_if(all.begin(), all.end(),
                       [&](const auto& x) { return x.where.parameter == name; });
}

/// The expected numbers come from a literal transcription of the formulas into numpy.
TEST(importance, has_the_values_of_the_formula) {
  auto space = space_of({{"x", "uniform(0, 1)"}, {"k", "choice(a, b, c)"}, {"n", "randint(1, 5)"}});
  const std::vector<double> x{.31, .35, .28, .40, .05, .9,  .5,  .77, .12, .66,
                              .83, .21, .95, .45, .59, .02, .71, .88, .15, .99};
  const std::string k = "aabacbcabcabcabcabca";
  const std::vector<int> n{1, 2, 1, 1, 3, 4, 2, 3, 1, 2, 3, 4, 4, 2, 1, 3, 4, 2, 3, 4};
  configs all;
  for (std::size_t i = 0; i < x.size(); ++i)
    all.push_back(
        std::make_shared<const object>(object{{"x", x[i]}, {"k", std::string{k[i]}}, {"n", n[i]}}));

  auto found = ped_anova(space, all, {0.25, 1});

  ASSERT_TRUE(found) << found.error().detail;
  ASSERT_EQ(found->size(), 3u);
  EXPECT_EQ((*found)[0].where.parameter, "x");
  EXPECT_NEAR((*found)[0].divergence, 1.673995077027531, 1e-12);
  EXPECT_NEAR((*found)[0].share, 0.8401646831991391, 1e-12);
  EXPECT_EQ((*found)[1].where.parameter, "n");
  EXPECT_NEAR((*found)[1].divergence, 0.21320242249714727, 1e-12);
  EXPECT_EQ((*found)[2].where.parameter, "k");
  EXPECT_NEAR((*found)[2].divergence, 0.10526315789473681, 1e-12);
  EXPECT_EQ((*found)[2].where.from, value{"a"});
  EXPECT_EQ((*found)[0].where.best, 5u);
  EXPECT_EQ((*found)[0].where.trials, 20u);
}

TEST(importance, finds_what_made_the_difference_and_where) {
  auto all = sorted(300, evenly, [](const object& at, rng& chance) {
    return std::pow(number(at, "x") - 0.3, 2) + 0.01 * chance.normal();
  });

  auto found = *ped_anova(space_of({{"y", "uniform(0, 1)"}, {"x", "uniform(0, 1)"}}), all);

  EXPECT_EQ(found.front().where.parameter, "x");
  EXPECT_TRUE(found.front().is_significant());
  EXPECT_GT(found.front().share, 0.8);
  EXPECT_GT(*found.front().where.from.number(), 0.1);
  EXPECT_LT(*found.front().where.to.number(), 0.5);
  for (const auto& end : {found.front().where.from, found.front().where.to})
    EXPECT_TRUE(
        std::any_of(all.begin(), all.end(), [&](const auto& x) { return *x->find("x") == end; }))
        << "not the value of a trial: " << to_text(end);
  EXPECT_FALSE(of(found, "y").is_significant());
}

TEST(importance, takes_what_was_sampled_often_for_no_merit) {
  auto crowded = [](rng& chance) {
    auto y = chance.unit() < 0.9 ? 0.6 + 0.02 * chance.unit() : chance.unit();
    return object{{"x", chance.unit()}, {"y", y}};
  };
  auto all = sorted(400, crowded, [](const object& at, rng&) { return number(at, "x"); });

  auto found = *ped_anova(space_of({{"x", "uniform(0, 1)"}, {"y", "uniform(0, 1)"}}), all);

  EXPECT_TRUE(of(found, "x").is_significant());
  EXPECT_FALSE(of(found, "y").is_significant());
}

TEST(importance, looks_at_conditional_parameters_where_they_are) {
  auto space = space_of({{"kind", "choice(a, b)"},
                         {"x", "uniform(0, 1) if kind == a"},
                         {"z", "uniform(0, 1) if kind == b"},
                         {"c", "3"}});
  auto draw = [](rng& chance) {
    auto is_a = chance.unit() < 0.5;
    return is_a ? object{{"kind", "a"}, {"x", chance.unit()}, {"c", 3}}
                : object{{"kind", "b"}, {"z", chance.unit()}, {"c", 3}};
  };
  auto all = sorted(400, draw, [](const object& at, rng& chance) {
    return at.contains("x") ? 10 + number(at, "x") : chance.unit();
  });

  auto found = *ped_anova(space, all);

  ASSERT_EQ(found.size(), 3u);
  EXPECT_TRUE(of(found, "kind").is_significant());
  EXPECT_EQ(of(found, "kind").where.from, value{"b"});
  EXPECT_TRUE(of(found, "x").is_significant());
  EXPECT_FALSE(of(found, "z").is_significant());
  EXPECT_EQ(of(found, "x").where.trials + of(found, "z").where.trials, 400u);
}

TEST(importance, takes_a_grid_for_the_choice_that_it_is) {
  auto draw = [](rng& chance) { return object{{"x", chance.below(2) == 0 ? "p" : "q"}}; };
  auto all = sorted(100, draw, [](const object& at, rng& chance) {
    return (*at.find("x") == value{"q"} ? 0 : 1) + 0.1 * chance.unit();
  });

  auto found = *ped_anova(space_of({{"x", "grid(p, q)"}}), all);

  EXPECT_EQ(found.front().share, 1);
  EXPECT_EQ(found.front().where.from, value{"q"});
  EXPECT_TRUE(found.front().is_significant());
}

TEST(importance, needs_ten_trials_and_some_of_them_as_the_best) {
  auto space = space_of({{"x", "uniform(0, 1)"}});
  auto some = [](std::size_t count) {
    return configs(count, std::make_shared<const object>(object{{"x", 0.5}}));
  };

  EXPECT_EQ(ped_anova(space, some(9)).error().detail,
            "9 configurations have a result, 10 are needed");
  EXPECT_EQ(ped_anova(space, some(10), {1.0, 0}).error().code, ec::bad_option);
  EXPECT_EQ(ped_anova(space, some(10), {std::nan(""), 0}).error().code, ec::bad_option);
  auto same = *ped_anova(space, some(10));
  EXPECT_FALSE(same.front().is_significant());
  EXPECT_LE(same.front().share, 1);
}

TEST(importance, says_the_same_each_time) {
  auto space = space_of({{"x", "uniform(0, 1)"}, {"y", "uniform(0, 1)"}});
  auto all = sorted(100, evenly, [](const object& at, rng&) { return number(at, "x"); });

  auto once = *ped_anova(space, all);
  auto again = *ped_anova(space, all);

  for (std::size_t i = 0; i < once.size(); ++i)
    EXPECT_EQ(once[i].by_chance, again[i].by_chance);
}

std::vector<scored_config> scored(const configs& best_first,
                                  const std::function<double(const object&)>& score) {
  std::vector<scored_config> result;
  for (const auto& x : best_first)
    result.push_back({x, score(*x)});
  return result;
}

const model_importance& of(const std::vector<model_importance>& all, const std::string& name) {
  return *std::find_if(all.begin(), all.end(),
                       [&](const auto& x) { return x.where.parameter == name; });
}

TEST(importance_by_model, has_the_effects_of_a_function_whose_effects_are_known) {
  // For x + y + 2 z with evenly distributed x, y, z the effects are 1/6, 1/6 and 4/6; w has none.
  auto space = space_of({{"w", "uniform(0, 1)"},
                         {"x", "uniform(0, 1)"},
                         {"y", "uniform(0, 1)"},
                         {"z", "uniform(0, 1)"}});
  auto draw = [](rng& chance) {
    object result;
    for (const auto* name : {"w", "x", "y", "z"})
      result.set(name, chance.unit());
    return result;
  };
  auto loss
      = [](const object& at) { return number(at, "x") + number(at, "y") + 2 * number(at, "z"); };
  auto all = sorted(80, draw, [&](const object& at, rng&) { return loss(at); });

  auto found
      = *importance_by_model(space, scored(all, [&](const object& at) { return -loss(at); }));

  EXPECT_EQ(found.front().where.parameter, "z");
  EXPECT_NEAR(of(found, "z").effect, 4 / 6.0, 0.08);
  EXPECT_NEAR(of(found, "x").effect, 1 / 6.0, 0.05);
  EXPECT_NEAR(of(found, "y").effect, 1 / 6.0, 0.05);
  EXPECT_LT(of(found, "w").effect, 0.01);
  EXPECT_NEAR(of(found, "z").share, 4 / 6.0, 0.08);
  for (const auto* name : {"x", "y", "z"})
    EXPECT_TRUE(of(found, name).is_significant()) << name << " " << of(found, name).evidence;
  EXPECT_FALSE(of(found, "w").is_significant()) << of(found, "w").evidence;
  EXPECT_LT(*of(found, "z").where.to.number(), 0.5);
}

TEST(importance_by_model, knows_what_acts_together) {
  // For (x - .5)(y - .5) each parameter has a total effect of 1, since neither has an effect by
  // itself.
  auto space = space_of({{"x", "uniform(0, 1)"}, {"y", "uniform(0, 1)"}});
  auto score = [](const object& at) { return (number(at, "x") - 0.5) * (number(at, "y") - 0.5); };
  auto all = sorted(80, evenly, [&](const object& at, rng&) { return -score(at); });

  auto found = *importance_by_model(space, scored(all, score));

  EXPECT_GT(of(found, "x").effect, 0.85);
  EXPECT_GT(of(found, "y").effect, 0.85);
  EXPECT_NEAR(of(found, "x").share, 0.5, 0.06);
}

TEST(importance_by_model, sees_what_a_search_that_closed_in_does_not_try_any_more) {
  // Nine of ten trials have x near its best value, so among these y decides which is best.
  auto space = space_of({{"x", "uniform(0, 1)"}, {"y", "uniform(0, 1)"}});
  auto draw = [](rng& chance) {
    auto x = chance.unit() < 0.9 ? 0.29 + 0.02 * chance.unit() : chance.unit();
    return object{{"x", x}, {"y", chance.unit()}};
  };
  auto score = [](const object& at) {
    return -std::pow(number(at, "x") - 0.3, 2) - 0.02 * std::pow(number(at, "y") - 0.6, 2);
  };
  auto all = sorted(120, draw, [&](const object& at, rng&) { return -score(at); });

  auto found = *importance_by_model(space, scored(all, score));

  EXPECT_EQ(found.front().where.parameter, "x");
  EXPECT_GT(found.front().share, 0.7);
  EXPECT_TRUE(of(found, "x").is_significant());
  EXPECT_TRUE(of(found, "y").is_significant());
}

TEST(importance_by_model, takes_noise_for_what_it_is) {
  auto space = space_of({{"x", "uniform(0, 1)"}, {"y", "uniform(0, 1)"}});
  rng chance{11, "noise", 0};
  int taken = 0;
  for (int round = 0; round < 20; ++round) {
    std::vector<scored_config> all;
    for (int i = 0; i < 40; ++i)
      all.push_back({std::make_shared<const object>(evenly(chance)), chance.normal()});
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.score > b.score; });
    auto found = *importance_by_model(space, all);
    for (const auto& x : found)
      taken += x.is_significant();
  }
  // Two of forty are expected by chance.
  EXPECT_LE(taken, 6);
}

TEST(importance_by_model, copes_with_names_conditions_and_parameters_of_one_value) {
  auto space = space_of({{"kind", "choice(a, b)"},
                         {"x", "uniform(0, 1) if kind == a"},
                         {"z", "uniform(0, 1) if kind == b"},
                         {"c", "3"}});
  auto draw = [](rng& chance) {
    auto is_a = chance.unit() < 0.5;
    return is_a ? object{{"kind", "a"}, {"x", chance.unit()}, {"c", 3}}
                : object{{"kind", "b"}, {"z", chance.unit()}, {"c", 3}};
  };
  auto loss = [](const object& at) { return at.contains("x") ? 2 + number(at, "x") : 0.0; };
  auto all = sorted(100, draw, [&](const object& at, rng&) { return loss(at); });

  auto found
      = *importance_by_model(space, scored(all, [&](const object& at) { return -loss(at); }));

  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found.front().where.parameter, "kind");
  EXPECT_EQ(found.front().where.from, value{"b"});
  EXPECT_TRUE(of(found, "x").is_significant());
  EXPECT_FALSE(of(found, "z").is_significant());
}

TEST(importance_by_model, says_why_it_cannot) {
  auto grid = space_of({{"x", "grid(1, 2)"}});
  std::vector<scored_config> ten(10, {std::make_shared<const object>(object{{"x", 1}}), 1});
  EXPECT_NE(importance_by_model(grid, ten).error().detail.find("\"x\""), std::string::npos);
  auto even = space_of({{"x", "uniform(0, 2)"}});
  EXPECT_EQ(importance_by_model(even, {ten.begin(), ten.begin() + 9}).error().detail,
            "9 configurations have a result, 10 are needed");
  auto alike = *importance_by_model(even, ten);
  for (const auto& x : alike)
    EXPECT_EQ(x.share, 0);
}

} // namespace
} // namespace tune

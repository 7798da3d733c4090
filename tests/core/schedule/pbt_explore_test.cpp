// Perturbation of configurations, and the ranking behind the quantiles.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/pbt/perturbation.hpp"
#include "tune/core/schedule/pbt/ranking.hpp"

#include "support/scripted_dice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tune {
namespace {

using pbt::change;
using pbt::explored;
using pbt::mutable_parameter;
using pbt::perturbation;
using pbt::perturbation_settings;
using support::scripted_dice;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double keeps = 0.9;
constexpr double resamples = 0.1;

change moved(const std::string& range, const value& now, scripted_dice dice) {
  return pbt::perturbed({"p", *parse_domain(range)}, now, {}, dice);
}

// Draws: whether to resample, then the step, where 0 is down or factor 1.2, and 1 is up or factor
// 0.8.
change scaled(const std::string& range, const value& now, std::uint64_t factor) {
  return moved(range, now, {{keeps}, {factor}});
}

std::shared_ptr<const search_space> space_of(std::vector<parameter_text> lines) {
  auto result = search_space::parse(lines);
  EXPECT_TRUE(result);
  return std::make_shared<const search_space>(std::move(*result));
}

/// Explores all parameters of the space, starting from `config`.
explored explore(const std::shared_ptr<const search_space>& space, object config,
                 scripted_dice dice, pbt::custom_explore custom = {}) {
  perturbation_settings settings;
  settings.mutate = *pbt::read_mutations("", space.get());
  settings.custom = std::move(custom);
  perturbation uut{settings, space};
  pbt::heritage what;
  what.donor.config = std::make_shared<const object>(std::move(config));
  return uut.explore(what, dice);
}

TEST(perturbed_value, of_a_list_is_the_one_before_or_after) {
  EXPECT_EQ(scaled("choice(8, 16, 32)", 16, 0).to, value{8});
  EXPECT_EQ(scaled("choice(8, 16, 32)", 16, 1).to, value{32});
  EXPECT_EQ(scaled("choice(8, 16, 32)", 16, 1).how, "next in list");
  EXPECT_EQ(scaled("grid(a, b)", "b", 0).to, value{"a"});
}

TEST(perturbed_value, stays_at_the_ends_of_a_list) {
  EXPECT_EQ(scaled("choice(8, 16, 32)", 8, 0).to, value{8});
  EXPECT_EQ(scaled("choice(8, 16, 32)", 8, 0).how, "first in list");
  EXPECT_EQ(scaled("choice(8, 16, 32)", 32, 1).to, value{32});
}

TEST(perturbed_value, of_a_list_is_resampled_by_chance_or_where_it_is_not_in_the_list) {
  EXPECT_EQ(moved("choice(8, 16, 32)", 16, {{resamples}, {0}}).to, value{8});
  EXPECT_EQ(moved("choice(8, 16, 32)", 16, {{resamples}, {0}}).how, "resampled");
  EXPECT_EQ(moved("choice(8, 16, 32)", 17, {{keeps}, {2}}).to, value{32});
}

TEST(perturbed_value, of_booleans_stays_one) {
  EXPECT_EQ(scaled("choice(false, true)", true, 0).to, value{false});
}

TEST(perturbed_value, of_a_range_is_a_product) {
  EXPECT_EQ(scaled("uniform(0, 10)", 5.0, 0).to, value{6.0});
  EXPECT_EQ(scaled("uniform(0, 10)", 5.0, 1).to, value{4.0});
  EXPECT_EQ(scaled("uniform(0, 10)", 5.0, 1).how, "×0.8");
  EXPECT_EQ(scaled("randn(0, 1)", -1.0, 0).to, value{-1.2});
}

TEST(perturbed_value, is_kept_within_its_bounds) {
  auto up = scaled("uniform(0, 1)", 0.9, 0);
  EXPECT_EQ(up.to, value{1.0});
  EXPECT_EQ(up.how, "×1.2, kept within the bounds");
  EXPECT_EQ(scaled("loguniform(0.1, 1)", 0.11, 1).to, value{0.1});
  EXPECT_EQ(scaled("randint(1, 10)", 9, 0).to, value{9});
  EXPECT_EQ(scaled("qrandint(4, 32, 4)", 32, 0).to, value{32});
}

TEST(perturbed_value, of_whole_numbers_is_rounded_half_to_even) {
  EXPECT_EQ(scaled("randint(0, 100)", 10, 0).to, value{12});
  // 5 · 0.5 = 2.5 and 5 · 1.5 = 7.5 are exact halves.
  perturbation_settings settings;
  settings.factors = {1.5, 0.5};
  scripted_dice down{{keeps}, {1}};
  EXPECT_EQ(pbt::perturbed({"p", *parse_domain("randint(0, 100)")}, 5, settings, down).to,
            value{2});
  scripted_dice up{{keeps}, {0}};
  EXPECT_EQ(pbt::perturbed({"p", *parse_domain("randint(0, 100)")}, 5, settings, up).to, value{8});
}

TEST(perturbed_value, keeps_to_the_steps_of_its_domain) {
  EXPECT_EQ(scaled("quniform(0, 1, 0.05)", 0.5, 0).to, value{0.6});
  EXPECT_EQ(scaled("quniform(0, 1, 0.25)", 0.5, 0).to, value{0.5});
  EXPECT_EQ(scaled("qrandint(8, 64, 8)", 24, 0).to, value{32});
}

TEST(perturbed_value, of_a_range_is_resampled_by_chance) {
  auto fresh = moved("uniform(0, 10)", 5.0, {{resamples, 0.25}, {}});

  EXPECT_EQ(fresh.to, value{2.5});
  EXPECT_EQ(fresh.how, "resampled");
}

TEST(perturbation, changes_each_parameter_and_nothing_else) {
  auto space = space_of({{"lr", "uniform(0, 1)"}, {"n.units", "choice(1, 2, 3)"}, {"k", "7"}});
  object config{{"lr", 0.5}, {"n", object{{"units", 2}}}, {"k", 7}, {"extra", "mine"}};

  auto result = explore(space, config, {{keeps, keeps}, {0, 1}});

  EXPECT_EQ(result.config,
            (object{{"lr", 0.6}, {"n", object{{"units", 3}}}, {"k", 7}, {"extra", "mine"}}));
  ASSERT_EQ(result.changes.size(), 2u);
  EXPECT_EQ(result.changes[1].parameter, "n.units");
  EXPECT_EQ(result.changes[1].from, value{2});
}

TEST(perturbation, draws_what_becomes_active_and_drops_what_no_longer_is) {
  auto space = space_of({{"opt", "choice(adam, sgd)"},
                         {"momentum", "uniform(0, 1) if opt == sgd"},
                         {"nesterov", "choice(false, true) if momentum > 0.5"}});

  auto to_sgd = explore(space, {{"opt", "adam"}}, {{keeps, 0.75, 0.9}, {1}});
  EXPECT_EQ(to_sgd.config, (object{{"opt", "sgd"}, {"momentum", 0.75}, {"nesterov", true}}));
  EXPECT_FALSE(space->reject(to_sgd.config, false));
  EXPECT_EQ(to_sgd.changes.back().how, "newly active");

  auto to_adam = explore(space, {{"opt", "sgd"}, {"momentum", 0.4}}, {{keeps, keeps}, {0, 0}});
  EXPECT_EQ(to_adam.config, (object{{"opt", "adam"}}));
  EXPECT_EQ(to_adam.changes.back().how, "no longer active");
}

TEST(perturbation, draws_what_becomes_active_from_a_domain_of_its_own) {
  auto space = space_of(
      {{"a", "choice(x, y)"}, {"b", "uniform(0, 1) if a == y"}, {"c", "choice(1, 2) if b > 0.45"}});
  perturbation_settings settings;
  settings.mutate = *pbt::read_mutations("a, b: uniform(0.4, 0.5)", space.get());
  perturbation uut{settings, space};
  pbt::heritage what;
  what.donor.config = std::make_shared<const object>(object{{"a", "x"}});
  scripted_dice dice{{keeps, 0.75, 0.9}, {1}};

  auto result = uut.explore(what, dice);

  EXPECT_EQ(result.config, (object{{"a", "y"}, {"b", 0.475}, {"c", 2}}));
}

TEST(perturbation, always_gives_configurations_of_the_space) {
  auto space = space_of({{"a", "choice(x, y, z)"},
                         {"b", "loguniform(1e-5, 1e-1) if a != x"},
                         {"c.d", "qrandint(3, 20, 3) if b > 0.001 or a == x"},
                         {"c.e", "quniform(-1, 1, 0.1)"},
                         {"f", "qlograndint(2, 100, 2) if c.d in (3, 6, 9)"},
                         {"g", "randn(0, 3)"}});
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    pbt::seeded_dice dice{seed, "test", {1, 1}, {0}};
    auto config = pbt::settle(space.get(), {}, {}, dice).config;
    ASSERT_FALSE(space->reject(config, false));
    perturbation uut{{*pbt::read_mutations("", space.get())}, space};
    for (auto i = 0; i < 10; ++i) {
      pbt::heritage what;
      what.donor.config = std::make_shared<const object>(config);
      config = uut.explore(what, dice).config;
      auto why = space->reject(config, false);
      ASSERT_FALSE(why) << why->detail;
    }
  }
}

TEST(perturbation, moves_what_is_outside_of_its_range_to_the_nearer_end) {
  auto space = space_of({{"b", "uniform(0, {a})"}, {"a", "uniform(0.1, 1)"}, {"n", "7"}});
  perturbation_settings settings;
  settings.mutate = *pbt::read_mutations("a", space.get());
  perturbation uut{settings, space};
  pbt::heritage what;
  what.donor.config = std::make_shared<const object>(object{{"b", 0.45}, {"a", 0.5}, {"n", 7}});
  scripted_dice dice{{keeps}, {1}};

  auto result = uut.explore(what, dice);

  EXPECT_EQ(result.config, (object{{"b", 0.4}, {"a", 0.4}, {"n", 7}}));
  ASSERT_EQ(result.changes.size(), 2u);
  EXPECT_EQ(result.changes[1].parameter, "b");
  EXPECT_EQ(result.changes[1].from, value{0.45});
  EXPECT_EQ(result.changes[1].how, "moved into its range");
}

TEST(perturbation, mutates_within_the_range_that_others_leave) {
  auto space = space_of({{"b", "randint(0, {a} + 1)"}, {"a", "randint(1, 21)"}});
  // First a is scaled by 0.8 to 8, then b by 1.2 to 12, but b may be no more than a.
  auto result = explore(space, {{"b", 10}, {"a", 10}}, {{keeps, keeps}, {1, 0}});

  EXPECT_EQ(result.config, (object{{"b", 8}, {"a", 8}}));
  EXPECT_EQ(result.changes[1].how, "×1.2, kept within the bounds");
  auto fresh = explore(space, {{"b", 10}, {"a", 10}}, {{keeps, resamples, 0.5}, {1}});
  EXPECT_EQ(fresh.config, (object{{"b", 4}, {"a", 8}}));
}

TEST(perturbation, keeps_the_donors_where_a_range_would_be_empty) {
  auto space
      = space_of({{"a", "randint(0, 1000000)"}, {"b", "uniform(max(0, 2 - abs({a} - 12)), 1)"}});

  auto result = explore(space, {{"a", 10}, {"b", 0.5}}, {{keeps}, {0}});

  EXPECT_EQ(result.config, (object{{"a", 10}, {"b", 0.5}}));
  EXPECT_TRUE(result.changes.empty());
  EXPECT_EQ(result.note, "nothing was changed: \"b\" would have no range");
}

TEST(perturbation, always_gives_configurations_in_their_ranges) {
  auto space = space_of({{"a", "uniform(0.1, 1)"},
                         {"b", "loguniform({a} / 10, {a})"},
                         {"k", "randint(1, 9)"},
                         {"n", "qrandint(0, {k} * 4, 4) if b > 0.05"},
                         {"c", "quniform(0, {n} / 4, 0.5) if b > 0.05"}});
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    pbt::seeded_dice dice{seed, "test", {1, 1}, {0}};
    auto config = pbt::settle(space.get(), {}, {}, dice).config;
    ASSERT_FALSE(space->reject(config, false)) << space->reject(config, false)->detail;
    perturbation uut{{*pbt::read_mutations(seed % 2 == 0 ? "" : "a, k", space.get())}, space};
    for (auto i = 0; i < 10; ++i) {
      pbt::heritage what;
      what.donor.config = std::make_shared<const object>(config);
      config = uut.explore(what, dice).config;
      auto why = space->reject(config, false);
      ASSERT_FALSE(why) << why->detail;
    }
  }
}

TEST(perturbation, takes_what_a_custom_function_makes_of_it) {
  auto space = space_of({{"lr", "uniform(0, 1)"}});

  auto result = explore(space, {{"lr", 0.5}}, {{keeps}, {0}}, [](object config, const auto&) {
    config.set("lr", 0.25);
    return config;
  });

  EXPECT_EQ(result.config, (object{{"lr", 0.25}}));
  ASSERT_EQ(result.changes.size(), 1u);
  EXPECT_EQ(result.changes[0].from, value{0.5});
  EXPECT_EQ(result.changes[0].how, "×1.2, custom");
}

TEST(perturbation, refuses_what_a_custom_function_makes_outside_of_the_space) {
  auto space = space_of({{"lr", "uniform(0, 1)"}});

  auto result = explore(space, {{"lr", 0.5}}, {{keeps}, {0}}, [](object config, const auto&) {
    config.set("lr", 2.0);
    return config;
  });

  EXPECT_EQ(result.config, (object{{"lr", 0.6}}));
  EXPECT_THAT(result.note, HasSubstr("\"lr\": 2 is not in"));
}

std::vector<std::string> names(const expected<std::vector<mutable_parameter>>& from) {
  std::vector<std::string> result;
  if (!from)
    return {from.error().detail};
  for (const auto& x : *from)
    result.push_back(x.name + " " + to_text(x.what));
  return result;
}

TEST(mutations, are_all_that_can_vary_unless_named) {
  auto space
      = space_of({{"lr", "uniform(0, 1)"}, {"k", "7"}, {"units", "choice(1, 2)"}, {"m", "3"}});

  EXPECT_THAT(names(pbt::read_mutations("", space.get())),
              ElementsAre("lr uniform(0, 1)", "units choice(1, 2)"));
  EXPECT_THAT(names(pbt::read_mutations(" units ", space.get())),
              ElementsAre("units choice(1, 2)"));
  EXPECT_TRUE(pbt::read_mutations("", nullptr)->empty());
}

TEST(mutations, may_have_domains_of_their_own) {
  auto space = space_of({{"lr", "uniform(0, 1)"}, {"units", "choice(1, 2, 4)"}});

  EXPECT_THAT(
      names(pbt::read_mutations("units: choice(1, 4), lr: loguniform(0.1, 1)", space.get())),
      ElementsAre("units choice(1, 4)", "lr loguniform(0.1, 1)"));
}

TEST(mutations, must_be_parameters_and_inside_the_space) {
  auto space = space_of({{"rate", "uniform(0, 1)"}, {"k", "7"}, {"units", "choice(1, 2)"}});
  auto complaint = [&](const char* text) { return names(pbt::read_mutations(text, space.get())); };

  EXPECT_THAT(complaint("rat"),
              ElementsAre("mutate: \"rat\": is not a parameter; did you mean \"rate\"?"));
  EXPECT_THAT(complaint("k"),
              ElementsAre("mutate: \"k\": is always 7: give it a domain in [space]"));
  EXPECT_THAT(complaint("rate: uniform(0, 2)"),
              ElementsAre("mutate: \"rate\": uniform(0, 2) is not inside uniform(0, 1)"));
  EXPECT_THAT(complaint("units: randint(1, 3)"), ElementsAre("units randint(1, 3)"));
  EXPECT_THAT(complaint("units: choice(1, 3)"),
              ElementsAre("mutate: \"units\": choice(1, 3) is not inside choice(1, 2)"));
  EXPECT_THAT(complaint("rate, rate"), ElementsAre("mutate: \"rate\": is named twice"));
  EXPECT_THAT(complaint("rate: 0.5"), ElementsAre("mutate: \"rate\": 0.5 is one value, no domain"));
}

TEST(mutations, of_dependent_ranges_lie_inside_all_that_they_may_be) {
  auto space = space_of({{"a", "uniform(0, 2)"}, {"b", "uniform(0, {a})"}});
  auto said = [&](const char* text) { return names(pbt::read_mutations(text, space.get())); };

  EXPECT_THAT(said(""), ElementsAre("a uniform(0, 2)", "b uniform(0, {a})"));
  EXPECT_THAT(said("b: uniform(0, 1)"), ElementsAre("b uniform(0, 1)"));
  EXPECT_THAT(said("b: uniform(0, 3)"),
              ElementsAre("mutate: \"b\": uniform(0, 3) is not inside uniform(0, {a})"));
  EXPECT_THAT(said("b: uniform(0, {a} / 2)"),
              ElementsAre("mutate: \"b\": uniform(0, {a} / 2) depends on other parameters, which "
                          "only a domain in [space] can"));
}

TEST(factors, are_numbers_above_zero) {
  EXPECT_EQ(*pbt::read_factors("1.2, 0.8"), (std::vector{1.2, 0.8}));
  EXPECT_FALSE(pbt::read_factors(""));
  EXPECT_FALSE(pbt::read_factors("1.2, -1"));
  EXPECT_FALSE(pbt::read_factors("1.2, nan"));
  EXPECT_FALSE(pbt::read_factors("much"));
}

TEST(ranking, agrees_with_a_sorted_list) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    pbt::ranking uut;
    std::vector<pbt::ranking::entry> sorted;
    for (auto i = 0; i < 400; ++i) {
      if (!sorted.empty() && random() % 3 == 0) {
        auto which = sorted.begin() + static_cast<std::ptrdiff_t>(random() % sorted.size());
        uut.erase(*which);
        sorted.erase(which);
      } else {
        // Few distinct values, so that there are ties.
        pbt::ranking::entry made{static_cast<double>(random() % 20), {static_cast<unsigned>(i)}};
        uut.insert(made);
        sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), made), made);
      }
      ASSERT_EQ(uut.size(), sorted.size());
      for (std::size_t k = 0; k < sorted.size(); ++k) {
        ASSERT_EQ(uut.at(k).trial, sorted[k].trial);
        ASSERT_EQ(uut.rank(sorted[k]), k);
      }
    }
  }
}

} // namespace
} // namespace tune

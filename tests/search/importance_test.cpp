// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/rng.hpp"
#include "tune/core/search/importance/by_model.hpp"
#include "tune/core/search/importance/ped_anova.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
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

/// A space with each kind of domain.
search_space every_kind() {
  return space_of({{"x", "uniform(0, 1)"},
                   {"rate", "loguniform(1e-3, 1)"},
                   {"n", "randint(1, 6)"},
                   {"kind", "choice(a, b, c)"},
                   {"size", "ordinal(s, m, l)"},
                   {"order", "permutation(p, q, r)"},
                   {"members", "subset(u, v, w, x, y)"},
                   {"depth", "uniform(0, 1) if kind != c"}});
}

/// `count` random configurations, the best first.
std::vector<scored_config> drawn(const search_space& space, std::size_t count, std::uint64_t seed,
                                 const std::function<double(const object&, rng&)>& score) {
  std::vector<scored_config> result;
  rng noise{seed, "noise", 0};
  for (std::size_t i = 0; i < count; ++i) {
    rng chance{seed, "configurations", i};
    auto config = std::make_shared<const object>(space.assemble(space.draw(chance)));
    auto how = score(*config, noise);
    result.push_back({std::move(config), how});
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  return result;
}

configs configs_of(const std::vector<scored_config>& from) {
  configs result;
  for (const auto& x : from)
    result.push_back(x.config);
  return result;
}

/// Whether a list has an item.
bool has(const object& config, const char* list, const char* item) {
  const auto& all = *config.find(list)->as_list();
  return std::find(all.begin(), all.end(), value{item}) != all.end();
}

int sum_of(const std::map<std::string, int>& counts) {
  int result = 0;
  for (const auto& [name, count] : counts)
    result += count;
  return result;
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

TEST(importance, tells_a_range_of_numbers_upwards_and_that_of_an_ordinal_in_its_order) {
  auto space = space_of({{"falls", "choice(1, 0.0, -1)"},
                         {"rises", "choice(-1, 0.0, 1)"},
                         {"size", "ordinal(3, 2, 1)"},
                         {"grade", "ordinal(low, mid, high)"}});
  configs best_first;
  for (int i = 0; i < 20; ++i) {
    auto good = i < 10;
    auto odd = i % 2 == 1;
    best_first.push_back(
        std::make_shared<const object>(object{{"falls", !good ? value{1}
                                                        : odd ? value{-1}
                                                              : value{0.0}},
                                              {"rises", !good ? value{1}
                                                        : odd ? value{-1}
                                                              : value{0.0}},
                                              {"size", good ? (odd ? 1 : 2) : 3},
                                              {"grade", good ? (odd ? "high" : "mid") : "low"}}));
  }
  auto range = [&](std::size_t number) {
    auto at = standing_of(space, number, best_first, 0.5);
    return to_text(at.from) + " to " + to_text(at.to);
  };

  EXPECT_EQ(range(0), "-1 to 0");
  EXPECT_EQ(range(1), "-1 to 0");
  EXPECT_EQ(range(2), "2 to 1");
  EXPECT_EQ(range(3), "mid to high");
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

TEST(importance, takes_noise_for_what_it_is) {
  auto space = every_kind();
  std::map<std::string, int> taken;
  for (std::uint64_t round = 0; round < 200; ++round) {
    auto all = drawn(space, 40, round, [](const object&, rng& chance) { return chance.normal(); });
    auto found = *ped_anova(space, configs_of(all), {0.1, round});
    for (const auto& x : found)
      taken[x.where.parameter] += x.is_significant();
  }
  // Ten of two hundred are expected for each of the parameters.
  EXPECT_EQ(taken.size(), space.parameters().size());
  for (const auto& [name, times] : taken)
    EXPECT_LE(times, 19) << name;
  EXPECT_LE(sum_of(taken), 105);
}

TEST(importance, adds_up_the_members_of_a_subset_and_the_ranks_of_a_permutation) {
  // A subset of one item is a choice of two, and a permutation of two is an ordered pair.
  auto space = space_of({{"one", "subset(u)"},
                         {"is", "choice(no, yes)"},
                         {"two", "permutation(p, q)"},
                         {"rank", "ordinal(0, 1)"}});
  auto draw = [](rng& chance) {
    auto is = chance.unit() < 0.5;
    auto rank = chance.unit() < 0.5 ? 0 : 1;
    return object{{"one", is ? value{value::list{"u"}} : value{value::list{}}},
                  {"is", is ? "yes" : "no"},
                  {"two", rank == 0 ? value{value::list{"p", "q"}} : value{value::list{"q", "p"}}},
                  {"rank", rank}};
  };
  auto all = sorted(100, draw, [](const object& at, rng& chance) {
    return (*at.find("is") == value{"yes"} ? 0 : 1) + number(at, "rank") + chance.unit();
  });

  auto found = *ped_anova(space, all, {0.3, 0});

  ASSERT_EQ(found.size(), 4u);
  EXPECT_GT(of(found, "is").divergence, 0.1);
  EXPECT_NEAR(of(found, "one").divergence, of(found, "is").divergence, 1e-12);
  EXPECT_GT(of(found, "rank").divergence, 0.01);
  EXPECT_NEAR(of(found, "two").divergence, of(found, "rank").divergence, 1e-12);
  EXPECT_EQ(of(found, "one").where.from, value{value::list{"u"}});
  EXPECT_EQ(of(found, "two").where.to, (value{value::list{"p", "q"}}));
  EXPECT_EQ(of(found, "two").where.trials, 100u);
}

TEST(importance, names_the_list_that_is_most_like_those_of_the_best) {
  auto space = space_of({{"members", "subset(u, v, w)"}});
  const std::vector<value::list> best{{"u"}, {"u", "v"}, {"u", "v", "w"}};
  configs all;
  for (std::size_t i = 0; i < 10; ++i)
    all.push_back(std::make_shared<const object>(
        object{{"members", i < best.size() ? best[i] : value::list{"w"}}}));

  auto found = *ped_anova(space, all, {0.3, 0});

  EXPECT_EQ(found.front().where.best, 3u);
  EXPECT_EQ(found.front().where.from, (value{value::list{"u", "v"}}));
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
  auto space = every_kind();
  std::map<std::string, int> taken;
  for (std::uint64_t round = 0; round < 30; ++round) {
    auto all = drawn(space, 40, round, [](const object&, rng& chance) { return chance.normal(); });
    auto found = *importance_by_model(space, all, {0.1, round});
    for (const auto& x : found)
      taken[x.where.parameter] += x.is_significant();
  }
  // One or two of thirty are expected for each of the parameters.
  EXPECT_EQ(taken.size(), space.parameters().size());
  for (const auto& [name, times] : taken)
    EXPECT_LE(times, 6) << name;
  EXPECT_LE(sum_of(taken), 22);
}

TEST(importance_by_model, finds_what_matters_among_forty_noisy_results) {
  auto space = every_kind();
  const std::vector<std::pair<std::string, std::function<double(const object&)>>> effects{
      {"x", [](const object& at) { return 4 * number(at, "x"); }},
      {"kind", [](const object& at) { return *at.find("kind") == value{"a"} ? 2.5 : 0.0; }},
      {"order",
       [](const object& at) {
         return at.find("order")->as_list()->front() == value{"p"} ? 3.0 : 0.0;
       }},
      {"members", [](const object& at) { return has(at, "members", "v") ? 2.5 : 0.0; }}};
  for (const auto& [name, effect] : effects) {
    int times = 0;
    for (std::uint64_t round = 0; round < 10; ++round) {
      auto all = drawn(space, 40, round,
                       [&](const object& at, rng& chance) { return effect(at) + chance.normal(); });
      auto found = *importance_by_model(space, all, {0.1, round});
      times += of(found, name).is_significant();
    }
    EXPECT_GE(times, 8) << name;
  }
}

TEST(importance_by_model, counts_the_configurations_that_have_a_list) {
  auto space = every_kind();
  auto all = drawn(space, 40, 1,
                   [](const object& at, rng&) { return has(at, "members", "v") ? 1.0 : 0.0; });

  auto found = *importance_by_model(space, all);

  for (const auto* name : {"order", "members"}) {
    EXPECT_EQ(of(found, name).where.trials, 40u);
    EXPECT_EQ(of(found, name).where.best, 4u);
  }
  EXPECT_TRUE(has({{"members", of(found, "members").where.from}}, "members", "v"));
  EXPECT_EQ(of(found, "members").where.from, of(found, "members").where.to);
}

TEST(importance_by_model, credits_a_parameter_that_decides_which_others_there_are) {
  // The places of x and z show the kind, too: without both the kind alone explains the results.
  auto space = space_of({{"kind", "choice(a, b)"},
                         {"x", "uniform(0, 1) if kind == a"},
                         {"z", "uniform(0, 1) if kind == b"}});
  auto all = drawn(space, 40, 3, [](const object& at, rng& chance) {
    return (at.contains("x") ? 1 : 0) + 0.3 * chance.normal();
  });

  auto found = *importance_by_model(space, all);

  EXPECT_TRUE(of(found, "kind").is_significant()) << of(found, "kind").evidence;
  EXPECT_FALSE(of(found, "x").is_significant());
  EXPECT_FALSE(of(found, "z").is_significant());
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

TEST(importance_by_model, says_nothing_of_a_parameter_that_few_configurations_have) {
  auto space = space_of(
      {{"kind", "choice(a, b)"}, {"x", "uniform(0, 1)"}, {"z", "uniform(0, 1) if kind == b"}});
  std::size_t made = 0;
  auto draw = [&](rng& chance) {
    object result{{"kind", made++ % 8 == 0 ? "b" : "a"}, {"x", chance.unit()}};
    if (*result.find("kind") == value{"b"})
      result.set("z", chance.unit());
    return result;
  };
  auto loss = [](const object& at) {
    return number(at, "x") - (at.contains("z") ? 3 * number(at, "z") : 0);
  };
  auto all = sorted(40, draw, [&](const object& at, rng&) { return loss(at); });

  auto found
      = *importance_by_model(space, scored(all, [&](const object& at) { return -loss(at); }));

  ASSERT_EQ(found.size(), 3u);
  const auto& rare = of(found, "z");
  EXPECT_EQ(rare.where.trials, 5u);
  EXPECT_FALSE(rare.where.is_known());
  EXPECT_EQ(rare.effect, 0);
  EXPECT_EQ(rare.share, 0);
  EXPECT_EQ(rare.evidence, 0);
  EXPECT_EQ(rare.chance, 1);
  EXPECT_TRUE(of(found, "x").where.is_known());
  EXPECT_NEAR(of(found, "x").share + of(found, "kind").share, 1, 1e-12);
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

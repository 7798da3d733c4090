/// Permutations, subsets, ordinals and constraints, as searchers see them.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/asking.hpp"

#include "tune/core/search/encoding/encoding.hpp"

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

const lines listed{{"order", "permutation(a, b, c, d)"},
                   {"features", "subset(p, q, r)"},
                   {"size", "ordinal(tiny, small, large)"},
                   {"x", "uniform(0, 1)"}};

encoding laid_out(const lines& of) {
  return std::move(*encoding::make(space_of(of), "a test"));
}

TEST(encoding_of_lists, has_an_axis_for_each_item) {
  auto uut = laid_out(listed);
  EXPECT_EQ(uut.dimensions(), 4u + 3 + 1 + 1);
  EXPECT_EQ(uut.parameter_of(3).name, "order");
  EXPECT_EQ(uut.parameter_of(4).name, "features");
  EXPECT_TRUE(uut.at(4).is_category());
  EXPECT_FALSE(uut.at(7).is_category());
  EXPECT_TRUE(std::isinf(uut.size()));
  EXPECT_EQ(laid_out({listed[0], listed[1]}).size(), 24 * 8);
}

TEST(encoding_of_lists, reads_back_what_it_wrote) {
  auto uut = laid_out(listed);
  rng chance{3, "lists", 0};
  for (int i = 0; i < 200; ++i) {
    auto latent = uut.random(chance);
    if (i % 2 == 1)
      uut.mutate(latent, 0.2, 3, chance);
    auto at = uut.canonical(latent);
    EXPECT_EQ(uut.canonical(at), at);
    auto config = uut.decoded(at);
    EXPECT_FALSE(space_of(listed)->reject(config, false)) << to_text(value{config});
    auto again = uut.encoded(config);
    ASSERT_TRUE(again);
    EXPECT_EQ(uut.key(*again), uut.key(at));
    EXPECT_EQ(uut.decoded(*again), config);
  }
}

TEST(encoding_of_lists, stands_at_ranks_and_at_memberships) {
  auto uut = laid_out(listed);
  auto at = *uut.encoded({{"order", value::list{"c", "a", "d", "b"}},
                          {"features", value::list{"r", "p"}},
                          {"size", "large"},
                          {"x", 0.5}});
  // The positions: a is second, b last, c first, d third.
  const cube_point expected{0.375, 0.875, 0.125, 0.625, 1, 0, 1, 5 / 6.0, 0.5};
  for (std::size_t i = 0; i < at.size(); ++i)
    EXPECT_NEAR(at[i], expected[i], 1e-12) << i;
  EXPECT_FALSE(uut.encoded({{"order", value::list{"c", "a", "d"}},
                            {"features", value::list{}},
                            {"size", "tiny"},
                            {"x", 0.5}}));
}

TEST(encoding_of_lists, moves_a_permutation_to_another_one) {
  auto uut = laid_out({{"order", "permutation(a, b, c, d, e)"}});
  rng chance{3, "moves", 0};
  auto latent = uut.random(chance);
  for (int i = 0; i < 50; ++i) {
    auto before = uut.key(uut.canonical(latent));
    uut.mutate(latent, 0.1, 1, chance);
    EXPECT_NE(uut.key(uut.canonical(latent)), before);
  }
}

TEST(encoding_of_lists, counts_every_configuration_once) {
  auto uut = laid_out({{"order", "permutation(a, b, c)"},
                       {"features", "subset(p, q)"},
                       {"k", "randint(0, 3) if len == 2"},
                       {"len", "choice(1, 2)"}});
  std::set<std::uint64_t> seen;
  while (auto next = uut.first_free([&](auto key) { return seen.contains(key); })) {
    ASSERT_TRUE(seen.insert(uut.key(*next)).second);
  }
  EXPECT_EQ(seen.size(), 6u * 4 * (1 + 3));
}

double number(const object& config, const char* name) {
  return *config.find(name)->number();
}

class every_searcher : public testing::TestWithParam<std::string> {
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
};

TEST_P(every_searcher, keeps_a_constraint) {
  const lines space{{"a", "uniform(0, 1)"},
                    {"b", "uniform(0, 1)"},
                    {"n", "randint(1, 9) if kind == p"},
                    {"kind", "choice(p, q)"},
                    {"constraint", "a + b < 0.5 and (n * a < 2 or b > 0.2)"}};
  auto uut = make(space);

  auto all = run(uut, 45, [](const object& x) { return number(x, "a") + number(x, "b"); });

  ASSERT_EQ(all.size(), 45u);
  for (const auto& x : all)
    EXPECT_FALSE(space_of(space)->reject(*x, false)) << to_text(value{*x});
}

TEST_P(every_searcher, searches_lists_and_ends_when_all_were_tried) {
  auto uut = make({{"order", "permutation(a, b, c)"},
                   {"features", "subset(p, q)"},
                   {"constraint", "len(features) < 2"}},
                  GetParam() == "random" || GetParam() == "sobol" ? 40 : 0);

  auto all = run(uut, 60, [](const object& x) {
    return static_cast<double>(x.find("features")->as_list()->size());
  });

  std::set<std::string> different;
  for (const auto& x : all)
    different.insert(to_text(value{*x}));
  if (GetParam() == "random" || GetParam() == "sobol") {
    EXPECT_EQ(all.size(), 40u);
    EXPECT_LE(different.size(), 18u);
    return;
  }
  EXPECT_EQ(all.size(), 18u);
  EXPECT_EQ(different.size(), 18u);
  EXPECT_TRUE(std::holds_alternative<exhausted>(uut.next(1)));
}

TEST_P(every_searcher, suggests_the_same_after_a_replay_where_there_is_a_constraint) {
  const lines space{{"a", "uniform(0, 1)"}, {"b", "uniform(0, 1)"}, {"constraint", "a * b < 0.2"}};
  auto uut = make(space, 60);
  for (int i = 0; i < 30; ++i) {
    run(uut, 1, [](const object& x) { return number(x, "a"); });
    if (i % 5 != 0)
      continue;
    auto again = make(space, 60);
    for (const auto& fact : uut.facts())
      again.uut().apply(fact);
    tune::ask next{uut.asks() + 1, 1, uut.seq()};
    ASSERT_EQ(texts(std::get<0>(uut.uut().propose(next))),
              texts(std::get<0>(again.uut().propose(next))));
  }
}

TEST_P(every_searcher, draws_the_rest_of_a_point_so_that_it_keeps_the_constraint) {
  auto uut = make({{"a", "uniform(0, 1)"}, {"b", "uniform(0, 1)"}, {"constraint", "a + b < 0.95"}},
                  20, {object{{"a", 0.9}}});

  auto first = run(uut, 1, [](const object&) { return 1.0; }).front();

  EXPECT_EQ(number(*first, "a"), 0.9);
  EXPECT_LT(number(*first, "b"), 0.05);
}

TEST_P(every_searcher, refuses_a_point_that_does_not_keep_the_constraint) {
  searcher_context about;
  about.space = space_of({{"a", "uniform(0, 1)"}, {"constraint", "a < 0.5"}});
  about.points = {object{{"a", 0.9}}};
  EXPECT_THAT(make_searcher(GetParam(), about).error().detail,
              HasSubstr("point 1: \"constraint\": a < 0.5 is not kept"));
}

INSTANTIATE_TEST_SUITE_P(all, every_searcher,
                         testing::Values("random", "sobol", "auto", "gp", "tpe", "cma_es", "bohb",
                                         "dehb", "nsga2", "evolution"),
                         [](const auto& x) { return x.param; });

TEST(permutations, are_learnt) {
  // The score is the length of the way through eight points on a line; the shortest goes in order,
  // or back.
  const lines space{{"way", "permutation(0, 1, 2, 3, 4, 5, 6, 7)"}};
  auto length = [](const object& x) {
    const auto& way = *x.find("way")->as_list();
    double result = 0;
    for (std::size_t i = 1; i < way.size(); ++i)
      result += std::abs(*way[i].number() - *way[i - 1].number());
    return result;
  };
  auto best_of = [&](const char* searcher) {
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      searcher_context about{space_of(space), seed, 0, 1, {}};
      asking uut{std::move(*make_searcher(searcher, about))};
      double best = 100;
      for (std::uint64_t i = 0; i < 120; ++i) {
        auto answer = uut.next(1);
        auto config = std::get<0>(answer).front().config;
        best = std::min(best, length(*config));
        uut.tell({trial_id{i}, config, 1, 1, {-length(*config)}, {}, outcome::completed});
      }
      sum += best;
    }
    return sum / 3;
  };
  auto chance = best_of("random");
  EXPECT_LT(best_of("auto"), chance - 2);
  EXPECT_LT(best_of("evolution"), chance);
}

TEST(grids, leave_out_combinations_that_do_not_keep_the_constraint) {
  searcher_context about;
  about.space = space_of({{"a", "grid(1, 2, 3)"},
                          {"b", "grid(1, 2, 3)"},
                          {"c", "uniform(0, 1)"},
                          {"constraint", "a <= b and c < 0.5"}});
  about.samples = 2;
  asking uut{std::move(*make_searcher("random", about))};

  auto all = collect(uut, 100, 4);

  EXPECT_EQ(all.size(), 12u);
  for (const auto& x : all)
    EXPECT_FALSE(about.space->reject(*x.config, false));
}

} // namespace

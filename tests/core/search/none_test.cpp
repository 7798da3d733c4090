// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/none/none.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tune {
namespace {

using no_search::generator;

searcher_context about(std::vector<object> points) {
  searcher_context result;
  auto space = search_space::parse({{"x", "uniform(0, 1)"}, {"k", "7"}});
  result.space = std::make_shared<const search_space>(std::move(*space));
  result.samples = 1;
  result.points = std::move(points);
  return result;
}

TEST(no_search, proposes_its_points_once_and_then_waits) {
  auto uut = generator::make(about({{{"x", 0.5}}, object{}, {{"x", 0.25}}}));
  ASSERT_TRUE(uut);
  EXPECT_TRUE(no_search::is_idle(uut->traits()));

  auto first = uut->propose({1, 2, 0});
  ASSERT_EQ(std::get<std::vector<suggestion>>(first).size(), 2u);
  EXPECT_EQ(*std::get<std::vector<suggestion>>(first)[0].config, (object{{"x", 0.5}, {"k", 7}}));
  EXPECT_EQ(std::get<std::vector<suggestion>>(first)[1].origin, "point 2");
  uut->apply({1, suggested_fact{1, first, {0}}});
  auto second = uut->propose({2, 2, 0});
  ASSERT_EQ(std::get<std::vector<suggestion>>(second).size(), 1u);
  EXPECT_EQ(std::get<std::vector<suggestion>>(second)[0].origin, "point 3");
  uut->apply({2, suggested_fact{2, second, {2}}});

  EXPECT_TRUE(std::holds_alternative<nothing_yet>(uut->propose({3, 2, 0})));
}

TEST(no_search, refuses_points_outside_of_the_space) {
  EXPECT_FALSE(generator::make(about({{{"x", 2.0}}})));
}

TEST(no_search, draws_the_rest_of_a_point_so_that_it_keeps_the_constraint) {
  auto with = about({{{"x", 0.9}}});
  with.space = std::make_shared<const search_space>(*search_space::parse(
      {{"x", "uniform(0, 1)"}, {"y", "uniform(0, 1)"}, {"constraint", "x + y < 0.95"}}));

  auto answer = generator::make(with)->propose({1, 1, 0});

  const auto& config = *std::get<std::vector<suggestion>>(answer).front().config;
  EXPECT_EQ(*config.find("x")->number(), 0.9);
  EXPECT_LT(*config.find("y")->number(), 0.05);
}

TEST(no_search, is_the_only_shipped_searcher_that_waits) {
  auto all = builtin_searchers();
  auto space = about({});
  for (const auto& x : all.entries()) {
    auto known = options::parse(x.known, {});
    ASSERT_TRUE(known);
    auto made = x.make(*known, space);
    ASSERT_TRUE(made || x.name == "grid" || x.name == "external") << x.name;
    if (!made)
      continue;
    EXPECT_EQ(no_search::is_idle((*made)->traits()), x.name == "none") << x.name;
  }
}

} // namespace
} // namespace tune

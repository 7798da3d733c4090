// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/variant/variant.hpp"

#include "support/asking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace {

using namespace tune;
using namespace tune::support;
using testing::ElementsAre;

struct setup {
  std::vector<parameter_text> space;
  std::uint64_t samples = 1;
  std::vector<object> points = {};
  std::map<std::string, std::string> options = {};
  std::string name = "random";
  std::uint64_t seed = 7;
};

expected<std::unique_ptr<searcher>> make(const setup& x) {
  return make_searcher(x.name, {space_of(x.space), x.seed, x.samples, 1, x.points}, x.options);
}

std::vector<suggestion> all(const setup& x, std::size_t most = 1000, std::uint32_t at_once = 7) {
  auto made = make(x);
  EXPECT_TRUE(made) << made.error().detail;
  if (!made)
    return {};
  asking uut{std::move(*made)};
  return collect(uut, most, at_once);
}

std::string complaint(const setup& x) {
  auto made = make(x);
  return made ? "made" : made.error().detail;
}

std::vector<std::string> values_of(const std::vector<suggestion>& xs, std::string_view name) {
  std::vector<std::string> result;
  for (const auto& x : xs) {
    const auto* found = find_parameter(*x.config, name);
    result.push_back(found ? to_text(*found) : "-");
  }
  return result;
}

std::vector<std::string> origins(const std::vector<suggestion>& xs) {
  std::vector<std::string> result;
  for (const auto& x : xs)
    result.push_back(x.origin);
  return result;
}

TEST(random_search, turns_the_first_grid_by_name_fastest_sample_by_sample) {
  setup x{{{"b", "grid(1, 2, 3)"}, {"a", "grid(x, y)"}}, 3};

  std::vector<std::string> once{"{b: 1, a: x}", "{b: 1, a: y}", "{b: 2, a: x}",
                                "{b: 2, a: y}", "{b: 3, a: x}", "{b: 3, a: y}"};
  std::vector<std::string> thrice;
  for (int i = 0; i < 3; ++i)
    thrice.insert(thrice.end(), once.begin(), once.end());
  EXPECT_EQ(texts(all(x)), thrice);
  EXPECT_THAT(origins(all(x)), testing::Each("grid"));
}

TEST(random_search, sorts_grids_by_the_parts_of_their_paths) {
  setup x{{{"a-b", "grid(1, 2)"}, {"a.z", "grid(1, 2)"}, {"aa", "grid(1, 2)"}}};

  auto uut = all(x);

  EXPECT_THAT(values_of(uut, "a.z"), ElementsAre("1", "2", "1", "2", "1", "2", "1", "2"));
  EXPECT_THAT(values_of(uut, "a-b"), ElementsAre("1", "1", "2", "2", "1", "1", "2", "2"));
  EXPECT_THAT(values_of(uut, "aa"), ElementsAre("1", "1", "1", "1", "2", "2", "2", "2"));
}

TEST(random_search, draws_anew_for_each_combination) {
  auto uut = all({{{"g", "grid(1, 2, 3)"}, {"u", "uniform(0, 1)"}}, 2});

  auto drawn = values_of(uut, "u");
  EXPECT_EQ(std::set<std::string>(drawn.begin(), drawn.end()).size(), 6u);
}

TEST(random_search, keeps_draws_within_a_sample_if_told_so) {
  auto uut = all({{{"g", "grid(1, 2, 3)"}, {"u", "uniform(0, 1)"}},
                  2,
                  {},
                  {{"constant_grid_search", "true"}}});

  auto drawn = values_of(uut, "u");
  ASSERT_EQ(drawn.size(), 6u);
  EXPECT_THAT(std::vector(drawn.begin(), drawn.begin() + 3), testing::Each(drawn[0]));
  EXPECT_THAT(std::vector(drawn.begin() + 3, drawn.end()), testing::Each(drawn[3]));
  EXPECT_NE(drawn[0], drawn[3]);
}

TEST(random_search, runs_points_first_each_in_place_of_a_sample) {
  setup x{{{"a", "grid(1, 2)"}, {"b", "grid(x, y)"}, {"u", "uniform(0, 1)"}}, 3};
  x.points = {{{"a", 2}}, {{"a", 1}, {"b", "y"}, {"u", 0.5}}};

  auto uut = all(x);

  EXPECT_THAT(origins(uut),
              ElementsAre("point 1", "point 1", "point 2", "grid", "grid", "grid", "grid"));
  EXPECT_THAT(values_of(uut, "a"), ElementsAre("2", "2", "1", "1", "2", "1", "2"));
  EXPECT_THAT(values_of(uut, "b"), ElementsAre("x", "y", "y", "x", "x", "y", "y"));
  EXPECT_EQ(values_of(uut, "u")[2], "0.5");
  EXPECT_NE(values_of(uut, "u")[0], values_of(uut, "u")[1]);
}

TEST(random_search, runs_all_points_even_if_there_are_more_than_samples) {
  setup x{{{"u", "uniform(0, 10)"}}, 1};
  x.points = {{{"u", 1}}, {{"u", 2.5}}, {{"u", 3.0}}};

  EXPECT_THAT(texts(all(x)), ElementsAre("{u: 1}", "{u: 2.5}", "{u: 3}"));
  // An integer given for a float parameter becomes a float.
  EXPECT_NE(all(x)[0].config->find("u")->as_double(), nullptr);
}

TEST(random_search, refuses_points_that_are_none) {
  setup x{{{"lr", "uniform(0, 1)"}, {"opt", "choice(sgd, adam)"}}};

  x.points = {{{"lr", 0.5}}, {{"lt", 0.5}}};
  EXPECT_EQ(complaint(x), "point 2: \"lt\": is not a parameter; did you mean \"lr\"?");
  x.points = {{{"lr", 2}}};
  EXPECT_EQ(complaint(x), "point 1: \"lr\": 2 is not in uniform(0, 1)");
}

TEST(random_search, goes_on_without_end_where_samples_are_zero) {
  EXPECT_EQ(all({{{"u", "uniform(0, 1)"}}, 0}, 5000, 256).size(), 5120u);
  EXPECT_THAT(texts(all({{{"g", "grid(1, 2)"}}, 0}, 5, 5)),
              ElementsAre("{g: 1}", "{g: 2}", "{g: 1}", "{g: 2}", "{g: 1}"));
}

TEST(random_search, says_that_it_is_exhausted_and_stays_so) {
  auto made = make({{{"g", "grid(1, 2)"}}, 2});
  ASSERT_TRUE(made);
  asking uut{std::move(*made)};

  EXPECT_EQ(collect(uut, 100, 3).size(), 4u);
  for (int i = 0; i < 2; ++i) {
    auto answer = uut.next(1);
    const auto* end = std::get_if<exhausted>(&answer);
    ASSERT_NE(end, nullptr);
    EXPECT_EQ(end->why, "all 4 configurations were suggested");
  }
}

TEST(random_search, passes_over_combinations_that_an_inactive_grid_would_double) {
  setup x{{{"opt", "grid(sgd, adam)"},
           {"momentum", "grid(0, 0.5, 0.9) if opt == sgd"},
           {"a", "grid(1, 2) if opt == adam"}}};

  EXPECT_THAT(texts(all(x)),
              ElementsAre("{opt: sgd, momentum: 0}", "{opt: sgd, momentum: 0.5}",
                          "{opt: sgd, momentum: 0.9}", "{opt: adam, a: 1}", "{opt: adam, a: 2}"));
  x.samples = 3;
  EXPECT_EQ(all(x).size(), 15u);
}

TEST(random_search, passes_over_chains_of_inactive_grids) {
  // "z" is slowest, so whole stretches of the others are passed over at once.
  setup x{{{"z", "grid(0, 1)"},
           {"b", "grid(0, 1, 2) if z == 1"},
           {"a", "grid(0, 1, 2) if b == 2"},
           {"c", "grid(x, y)"}}};

  auto found = texts(all(x));

  EXPECT_EQ(std::set<std::string>(found.begin(), found.end()).size(), found.size());
  // Combinations: c × (z = 0 | z = 1 and (b < 2, or b = 2 with any a)).
  EXPECT_EQ(found.size(), 2u * (1 + 2 + 3));
}

TEST(random_search, tries_each_value_of_a_grid_that_a_draw_makes_active) {
  auto uut = all({{{"coin", "choice(true, false)"}, {"g", "grid(1, 2, 3) if coin"}}, 400});

  std::map<std::string, int> counts;
  for (const auto& g : values_of(uut, "g"))
    ++counts[g];
  // Per sample each value comes with probability 1/2; the inactive case comes only once.
  for (auto g : {"1", "2", "3", "-"})
    EXPECT_NEAR(counts[g], 200, 60) << g;
}

TEST(random_search, D1_21_finds_its_way_in_huge_grids_at_once) {
  std::string many = "grid(0";
  for (int i = 1; i < 20000; ++i)
    many += ", 0";
  many += ")";
  setup x{{{"a", many}, {"b", many}, {"u", "uniform(0, 1)"}}};

  EXPECT_EQ(all(x, 256, 256).size(), 256u);
  // They stay inactive, so one combination of them is left.
  setup y{{{"a", many + " if z == 1"},
           {"b", many + " if z == 1"},
           {"c", many + " if b == 0"},
           {"z", "grid(0, 2)"}}};
  EXPECT_THAT(texts(all(y)), ElementsAre("{z: 0}", "{z: 2}"));
}

TEST(random_search, refuses_grids_beyond_counting) {
  std::vector<parameter_text> space;
  for (int i = 0; i < 63; ++i)
    space.push_back({"g" + std::to_string(i), "grid(1, 2)"});

  EXPECT_EQ(complaint({space}), "\"g9\": with it the grids have more than 2^62 combinations");
  space.pop_back();
  EXPECT_EQ(all({space, 1000000}, 10, 5).size(), 10u);
}

TEST(random_search, of_an_empty_space_gives_empty_configurations) {
  EXPECT_THAT(texts(all({{}, 2})), ElementsAre("{}", "{}"));
}

/// Two combinations that the grid alone rules out, and one that few draws satisfy.
setup rarely_allowed(std::uint64_t samples) {
  return {
      {{"x", "grid(1, 2, 3)"}, {"y", "uniform(0, 1)"}, {"constraint", "x > 2.5 and y < 0.0005"}},
      samples};
}

/// Takes all suggestions. @returns the reason of the end.
exhausted end_of(const setup& x) {
  asking uut{std::move(*make(x))};
  for (;;) {
    auto answer = uut.next(7);
    if (const auto* end = std::get_if<exhausted>(&answer))
      return *end;
  }
}

TEST(random_search, draws_on_where_what_is_drawn_keeps_a_combination_from_the_constraint) {
  auto made = all(rarely_allowed(20));

  EXPECT_EQ(made.size(), 20u);
  for (const auto& x : made) {
    EXPECT_EQ(*find_parameter(*x.config, "x"), value{3});
    EXPECT_LT(*find_parameter(*x.config, "y")->number(), 0.0005);
  }
}

TEST(random_search, says_nothing_of_combinations_that_grids_exclude) {
  auto end = end_of(rarely_allowed(2));

  EXPECT_EQ(end.why, "all 2 configurations were suggested");
}

TEST(random_search, knows_that_grids_exclude_what_is_not_active) {
  setup x{{{"m", "grid(a, b)"},
           {"n", "grid(1, 2) if m == b"},
           {"y", "uniform(0, 1)"},
           {"z", "uniform(0, 1) if y > 0.5"},
           {"constraint", "m == \"a\" or n > 1 and y + z > 0.1"}}};

  auto end = end_of(x);

  EXPECT_EQ(end.why, "all 2 configurations were suggested");
}

TEST(random_search, says_how_many_combinations_it_gave_up) {
  setup x{{{"x", "grid(1, 2, 3)"}, {"y", "uniform(0, 1)"}, {"constraint", "x * y > 2.5"}}};

  auto end = end_of(x);

  EXPECT_EQ(
      end.why,
      "samples are missing: 1 configurations were suggested; 2 more combinations of the grids "
      "were given up, as no draw of up to 100000 for each kept x * y > 2.5");
}

/// Suggestions of an earlier version, which soon gave combinations up, in the state of `uut`.
std::vector<suggestion> as_before(const searcher& uut, std::uint32_t count) {
  const auto& before = dynamic_cast<const has_earlier_versions&>(uut);
  auto said = before.earlier_proposals({1, count, 0});
  const auto* list = said.empty() ? nullptr : std::get_if<std::vector<suggestion>>(&said.front());
  return list == nullptr ? std::vector<suggestion>{} : *list;
}

TEST(random_search, follows_what_an_earlier_version_suggested) {
  auto x = rarely_allowed(40);
  auto made = std::move(*make(x));
  auto before = texts(as_before(*made, 40));
  ASSERT_GT(before.size(), 2u);
  ASSERT_LT(before.size(), 40u);

  std::vector<std::string> one_by_one;
  for (sequence seq = 1; seq <= 2; ++seq) {
    auto one = as_before(*made, 1);
    one_by_one.push_back(texts(one).front());
    made->apply({seq, suggested_fact{seq, one, {seq - 1}}});
  }

  EXPECT_THAT(one_by_one, ElementsAre(before[0], before[1]));
  auto whole = texts(all(x));
  auto rest = texts(std::get<std::vector<suggestion>>(made->propose({3, 40, 0})));
  auto last = std::find(whole.begin(), whole.end(), before[1]);
  ASSERT_NE(last, whole.end());
  EXPECT_EQ(rest, std::vector<std::string>(last + 1, whole.end()));
}

TEST(random_search, has_no_other_past_where_nothing_is_left_out) {
  auto made = make({{{"x", "grid(1, 2, 3)"}, {"y", "uniform(0, 1)"}}});

  const auto& before = dynamic_cast<const has_earlier_versions&>(**made);
  EXPECT_TRUE(before.earlier_proposals({1, 1, 0}).empty());
}

TEST(grid_search, enumerates_all_finite_parameters) {
  setup x{{{"b", "randint(1, 3)"}, {"a", "quniform(0, 1, 0.5)"}, {"c", "7"}}};
  x.name = "grid";

  EXPECT_THAT(texts(all(x)),
              ElementsAre("{b: 1, a: 0, c: 7}", "{b: 1, a: 0.5, c: 7}", "{b: 1, a: 1, c: 7}",
                          "{b: 2, a: 0, c: 7}", "{b: 2, a: 0.5, c: 7}", "{b: 2, a: 1, c: 7}"));
}

TEST(grid_search, refuses_parameters_without_end) {
  setup x{{{"lr", "uniform(0, 1)"}}};
  x.name = "grid";

  EXPECT_THAT(complaint(x), testing::StartsWith("\"lr\": uniform(0, 1) has no end"));
  x.space = {{"n", "randint(0, 1000001)"}};
  EXPECT_THAT(complaint(x), testing::StartsWith("\"n\": randint(0, 1000001) has no end or more"));
}

variant_search::extent extent_of(const setup& x) {
  auto found = variant_search::extent_of({space_of(x.space), x.seed, x.samples, 1, x.points},
                                         x.name == "grid");
  EXPECT_TRUE(found);
  return found.value_or(variant_search::extent{});
}

/// How many there may be at most is more than there are.
void expect_counted(const setup& x) {
  auto found = extent_of(x);
  EXPECT_FALSE(found.at_most);
  EXPECT_EQ(found.configurations, all(x).size());
}

TEST(variant_extent, multiplies_samples_by_the_grids) {
  EXPECT_EQ(extent_of({{{"a", "grid(1, 2, 3)"}, {"b", "uniform(0, 1)"}}, 4}),
            (variant_search::extent{12, false}));
  EXPECT_EQ(extent_of({{{"a", "uniform(0, 1)"}}, 4}), (variant_search::extent{4, false}));
  EXPECT_EQ(variant_search::extent_of({space_of({{"a", "grid(1, 2)"}}), 7, 0, 1, {}}, false),
            std::nullopt);
}

TEST(variant_extent, counts_points_in_the_place_of_whole_samples) {
  const std::vector<parameter_text> space{{"a", "grid(1, 2, 3)"}, {"b", "grid(1, 2)"}};
  const setup one{space, 2, {{{"a", 1}}}};
  const setup more_than_samples{space, 1, {{{"a", 1}, {"b", 1}}, {{"a", 2}, {"b", 1}}}};

  EXPECT_EQ(extent_of(one), (variant_search::extent{2 + 6, false}));
  EXPECT_EQ(extent_of(more_than_samples), (variant_search::extent{2, false}));
  expect_counted(one);
  expect_counted(more_than_samples);
}

TEST(variant_extent, counts_what_constraints_and_conditions_leave) {
  const std::vector<parameter_text> constrained{
      {"a", "grid(1, 2, 3)"}, {"b", "grid(1, 2, 3)"}, {"constraint", "a < b"}};
  const std::vector<parameter_text> conditional{{"a", "grid(1, 2)"},
                                                {"b", "grid(1, 2, 3) if a == 1"}};

  EXPECT_EQ(extent_of({constrained}), (variant_search::extent{3, false}));
  EXPECT_EQ(extent_of({constrained, 2, {{{"a", 2}}}}), (variant_search::extent{4, false}));
  EXPECT_EQ(extent_of({conditional}), (variant_search::extent{4, false}));
  expect_counted({constrained, 2, {{{"a", 2}}}});
  expect_counted({conditional, 3});
}

TEST(variant_extent, counts_all_values_and_what_ranges_leave) {
  const setup choices{{{"a", "choice(1, 2, 3)"}, {"b", "choice(x, y)"}}, 2, {}, {}, "grid"};
  const setup dependent{{{"a", "randint(1, 4)"}, {"b", "randint(0, {a})"}}, 1, {}, {}, "grid"};

  EXPECT_EQ(extent_of(choices), (variant_search::extent{12, false}));
  EXPECT_EQ(extent_of(dependent), (variant_search::extent{1 + 2 + 3, false}));
  expect_counted(choices);
  expect_counted(dependent);
}

TEST(variant_extent, knows_the_most_alone_beside_draws) {
  EXPECT_EQ(extent_of({{{"a", "grid(1, 2, 3)"}, {"b", "uniform(0, 4)"}, {"constraint", "a < b"}}}),
            (variant_search::extent{3, true}));
}

} // namespace

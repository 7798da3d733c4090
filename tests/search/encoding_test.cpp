// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/encoding/encoding.hpp"

#include "tune/core/search/encoding/design.hpp"

#include "support/asking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace {

using namespace tune;
using namespace tune::support;

axis axis_of(std::string_view text) {
  auto what = parse_domain(text);
  EXPECT_TRUE(what) << text;
  auto made = axis::make(*what);
  EXPECT_TRUE(made) << text;
  return *made;
}

encoding encoding_of(const std::vector<parameter_text>& lines) {
  auto made = encoding::make(space_of(lines), "uut");
  EXPECT_TRUE(made) << made.error().detail;
  return std::move(*made);
}

TEST(axis, lays_numbers_evenly_or_evenly_in_the_logarithm) {
  EXPECT_DOUBLE_EQ(*axis_of("uniform(-2, 6)").coordinate(value{0.0}), 0.25);
  EXPECT_NEAR(*axis_of("loguniform(1e-4, 1)").coordinate(value{0.01}), 0.5, 1e-12);
  EXPECT_NEAR(*axis_of("loguniform(1e-4, 1)").at(0.75).as_double(), 0.1, 1e-12);
}

TEST(axis, gives_each_whole_number_a_cell) {
  auto uut = axis_of("randint(0, 5)");

  EXPECT_EQ(uut.cells(), 5);
  EXPECT_DOUBLE_EQ(*uut.coordinate(value{0}), 0.1);
  EXPECT_DOUBLE_EQ(*uut.coordinate(value{4}), 0.9);
  EXPECT_EQ(uut.at(0.19), value{0});
  EXPECT_EQ(uut.at(0.21), value{1});
  EXPECT_DOUBLE_EQ(uut.snapped(0.25), 0.3);
}

TEST(axis, lays_logarithmic_whole_numbers_by_the_bounds_of_their_cells) {
  auto uut = axis_of("lograndint(1, 9)");

  // By hand: ln(1 / 0.5) / ln(8.5 / 0.5).
  EXPECT_NEAR(*uut.coordinate(value{1}), std::log(2.0) / std::log(17.0), 1e-12);
  EXPECT_NEAR(*uut.coordinate(value{8}), std::log(16.0) / std::log(17.0), 1e-12);
}

TEST(axis, orders_lists_of_rising_or_falling_numbers_only) {
  EXPECT_FALSE(axis_of("choice(16, 32, 64, 128)").is_category());
  EXPECT_FALSE(axis_of("choice(0.3, 0.2, 0.1)").is_category());
  EXPECT_TRUE(axis_of("choice(1, 3, 2)").is_category());
  EXPECT_TRUE(axis_of("choice(1, 2)").is_category());
  EXPECT_TRUE(axis_of("choice(a, b, c)").is_category());
  EXPECT_DOUBLE_EQ(*axis_of("choice(16, 32, 64, 128)").coordinate(value{32}), 0.375);
  EXPECT_EQ(axis_of("choice(16, 32, 64, 128)").at(0.99), value{128});
}

TEST(axis, has_no_coordinate_for_what_cannot_vary) {
  for (const auto* text : {"7", "choice(a)", "choice(a, a)", "randint(3, 4)"})
    EXPECT_FALSE(axis::make(*parse_domain(text))) << text;
}

TEST(axis, comes_back_to_the_same_value_and_stays_in_the_domain) {
  const char* texts[] = {"uniform(-1, 1)",
                         "loguniform(1e-9, 1e9)",
                         "quniform(0, 1, 0.05)",
                         "qloguniform(0.5, 8, 0.5)",
                         "randint(-7, 12)",
                         "lograndint(1, 100000)",
                         "qrandint(0, 100, 7)",
                         "qlograndint(4, 512, 4)",
                         "randn(3, 2)",
                         "qrandn(0, 1, 0.25)",
                         "choice(a, b, 3)",
                         "choice(1, 2, 4, 8)",
                         "randint(0, 4611686018427387904)"};
  for (const auto* text : texts) {
    auto what = *parse_domain(text);
    auto uut = axis_of(text);
    rng from{5, text, 0};
    for (int i = 0; i < 200; ++i) {
      auto u = i == 0 ? 0 : i == 1 ? 1 : from.unit();
      u = uut.is_category() ? std::floor(u * uut.cells()) : u;
      auto x = uut.at(u);
      EXPECT_TRUE(contains(what, x)) << text << " at " << u << ": " << to_text(x);
      auto back = uut.coordinate(x);
      ASSERT_TRUE(back) << text;
      EXPECT_NEAR(*back, uut.snapped(u), 1e-9) << text << " at " << u;
    }
  }
}

TEST(encoding, leaves_out_what_is_inactive_and_finds_values_for_it_again) {
  auto uut = encoding_of({{"kernel", "choice(linear, rbf)"},
                          {"gamma", "loguniform(0.01, 1) if kernel == rbf"},
                          {"fixed", "3"},
                          {"c", "uniform(0, 1)"}});

  ASSERT_EQ(uut.dimensions(), 3u);
  auto linear = uut.canonical({0, 0.5, 0.25});
  EXPECT_TRUE(std::isnan(linear[1]));
  EXPECT_EQ(uut.decoded(linear), (object{{"kernel", "linear"}, {"fixed", 3}, {"c", 0.25}}));
  EXPECT_EQ(uut.key(linear), uut.key(uut.canonical({0, 0.9, 0.25})));
  EXPECT_NE(uut.key(linear), uut.key(uut.canonical({1, 0.9, 0.25})));
  rng from{1, "fill", 0};
  EXPECT_FALSE(std::isnan(uut.filled(linear, from)[1]));
}

TEST(encoding, follows_conditions_on_constants_and_on_what_is_inactive_itself) {
  auto uut = encoding_of({{"mode", "fast"},
                          {"a", "choice(x, y) if mode == fast"},
                          {"b", "uniform(0, 1) if a == y"},
                          {"n", "randint(1, 4)"},
                          {"u2", "uniform(0, 1) if n >= 2"}});

  rng from{2, "draws", 0};
  for (int i = 0; i < 100; ++i) {
    auto point = uut.canonical(uut.random(from));
    auto config = uut.decoded(point);
    EXPECT_FALSE(uut.space().reject(config, false)) << to_text(value{config});
    auto back = uut.encoded(config);
    ASSERT_TRUE(back);
    EXPECT_EQ(uut.key(*back), uut.key(point));
  }
}

TEST(encoding, knows_nothing_of_configurations_from_elsewhere) {
  auto uut = encoding_of({{"a", "choice(x, y)"}, {"u", "uniform(0, 1)"}});

  EXPECT_FALSE(uut.encoded({{"a", "z"}, {"u", 0.5}}));
  EXPECT_FALSE(uut.encoded({{"a", "x"}}));
  EXPECT_FALSE(uut.encoded({{"a", "x"}, {"u", "wide"}}));
  // A value that a scheduler changed may lie outside.
  EXPECT_NEAR((*uut.encoded({{"a", "x"}, {"u", 7.5}}))[1], 1, 1e-9);
}

TEST(encoding, counts_active_axes_and_configurations) {
  auto tree = encoding_of(
      {{"a", "choice(x, y)"}, {"b", "randint(0, 5) if a == x"}, {"c", "randint(0, 3) if a == x"}});
  EXPECT_NEAR(tree.mean_active(), 2, 0.2);
  EXPECT_EQ(tree.size(), 30);
  EXPECT_EQ(tree.root_children(0), 2u);
  EXPECT_TRUE(std::isinf(encoding_of({{"u", "uniform(0, 1)"}}).size()));
}

TEST(encoding, finds_the_last_free_configuration) {
  auto uut = encoding_of({{"a", "choice(x, y)"}, {"b", "randint(0, 3) if a == x"}});
  std::set<std::uint64_t> taken;
  std::set<std::string> found;

  while (auto next = uut.first_free([&](auto key) { return taken.contains(key); })) {
    taken.insert(uut.key(*next));
    found.insert(to_text(value{uut.decoded(*next)}));
  }

  EXPECT_EQ(found.size(), 4u);
}

TEST(encoding, moves_discrete_coordinates_by_a_cell_at_least) {
  auto uut = encoding_of({{"n", "randint(0, 10)"}, {"c", "choice(a, b, c)"}});
  rng from{3, "moves", 0};
  int stood = 0;
  for (int i = 0; i < 200; ++i) {
    cube_point at{0.45, 1};
    uut.mutate(at, 1e-6, 1, from);
    stood += uut.key(uut.canonical(at)) == uut.key({0.45, 1});
  }
  EXPECT_EQ(stood, 0);
}

TEST(encoding, refuses_grids) {
  auto made = encoding::make(space_of({{"g", "grid(1, 2)"}}), "uut");

  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().detail, testing::HasSubstr("\"g\": uut does not run every value"));
}

TEST(initial_design, puts_one_point_into_each_stripe_but_begins_in_the_middle) {
  auto uut = encoding_of({{"u", "uniform(0, 1)"}, {"v", "loguniform(1, 10)"}});

  auto points = initial_design(uut, 10, 7);

  EXPECT_EQ(points[0], (cube_point{0.5, 0.5}));
  for (std::size_t j = 0; j < 2; ++j) {
    std::set<int> stripes;
    for (std::size_t i = 1; i < 10; ++i)
      stripes.insert(static_cast<int>(points[i][j] * 10));
    EXPECT_EQ(stripes.size(), 9u);
  }
}

TEST(initial_design, is_larger_where_there_are_families) {
  EXPECT_EQ(design_size(encoding_of({{"u", "uniform(0, 1)"}})), 8u);
  EXPECT_EQ(design_size(
                encoding_of({{"a", "choice(p, q, r, s, t, u)"}, {"b", "uniform(0, 1) if a == p"}})),
            12u);
}

} // namespace

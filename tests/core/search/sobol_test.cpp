// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/sobol/sobol.hpp"

#include "tune/core/rng.hpp"

#include "support/asking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

namespace {

using namespace tune;
using namespace tune::support;

constexpr std::uint64_t seeds[] = {0, 1, 7, 123456789};

/// Squared L2 star discrepancy, by Warnock's formula.
double discrepancy(std::size_t n, std::size_t d,
                   const std::function<double(std::size_t, std::size_t)>& x) {
  double single = 0;
  double pairs = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double product = 1;
    for (std::size_t k = 0; k < d; ++k)
      product *= 1 - x(i, k) * x(i, k);
    single += product;
    for (std::size_t j = 0; j < n; ++j) {
      double both = 1;
      for (std::size_t k = 0; k < d; ++k)
        both *= 1 - std::max(x(i, k), x(j, k));
      pairs += both;
    }
  }
  auto count = static_cast<double>(n);
  auto dimensions = static_cast<double>(d);
  return std::pow(3, -dimensions) - std::pow(2, 1 - dimensions) / count * single
         + pairs / (count * count);
}

TEST(sobol_sequence, puts_one_point_into_each_interval_of_each_dimension) {
  for (auto seed : seeds) {
    sobol::sequence uut{200, seed};
    for (std::size_t d : {0, 1, 2, 10, 57, 199}) {
      for (std::uint64_t n : {2, 16, 256}) {
        std::set<int> cells;
        for (std::uint64_t i = 0; i < n; ++i)
          cells.insert(static_cast<int>(uut.at(i, d) * static_cast<double>(n)));
        EXPECT_EQ(cells.size(), n) << "dimension " << d << ", seed " << seed;
      }
    }
  }
}

TEST(sobol_sequence, puts_one_point_into_each_box_of_the_first_two_dimensions) {
  for (auto seed : seeds) {
    sobol::sequence uut{2, seed};
    for (int columns : {1, 2, 4, 8, 16, 32, 64}) {
      std::set<std::pair<int, int>> boxes;
      for (std::uint64_t i = 0; i < 64; ++i)
        boxes.emplace(static_cast<int>(uut.at(i, 0) * columns),
                      static_cast<int>(uut.at(i, 1) * (64.0 / columns)));
      EXPECT_EQ(boxes.size(), 64u) << columns << " columns, seed " << seed;
    }
  }
}

TEST(sobol_sequence, fills_the_cube_more_evenly_than_chance) {
  for (auto seed : seeds) {
    constexpr std::size_t d = 6;
    constexpr std::size_t n = 256;
    sobol::sequence uut{d, seed};
    std::vector<double> random;
    rng from{seed, "chance", 0};
    for (std::size_t i = 0; i < n * d; ++i)
      random.push_back(from.unit());

    auto even = discrepancy(n, d, [&](auto i, auto k) { return uut.at(i, k); });
    auto uneven = discrepancy(n, d, [&](auto i, auto k) { return random[i * d + k]; });

    EXPECT_LT(even * 2, uneven) << "seed " << seed;
  }
}

TEST(sobol_sequence, differs_by_seed_and_stays_below_one) {
  sobol::sequence a{3, 1};
  sobol::sequence b{3, 2};

  std::set<double> seen;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_LT(a.at(i, d), 1);
      EXPECT_GE(a.at(i, d), 0);
      seen.insert({a.at(i, d), b.at(i, d)});
    }
  }
  EXPECT_EQ(seen.size(), 6000u);
}

TEST(sobol_sequence, can_be_read_far_out) {
  sobol::sequence uut{4, 3};

  // Aligned blocks of 2^m points are stratified wherever they lie.
  std::set<int> cells;
  for (std::uint64_t i = 0; i < 32; ++i)
    cells.insert(static_cast<int>(uut.at((std::uint64_t{1} << 40) + i, 2) * 32));
  EXPECT_EQ(cells.size(), 32u);
}

TEST(sobol_sequence, has_direction_numbers_for_thousands_of_dimensions) {
  EXPECT_GE(sobol::sequence::most_dimensions, 3000u);
  sobol::sequence uut{sobol::sequence::most_dimensions, 1};
  EXPECT_LT(uut.at(12345, sobol::sequence::most_dimensions - 1), 1);
}

std::vector<suggestion> all(const searcher_context& about, std::uint32_t at_once = 5) {
  auto made = make_searcher("sobol", about);
  EXPECT_TRUE(made) << made.error().detail;
  if (!made)
    return {};
  asking uut{std::move(*made)};
  return collect(uut, 1000, at_once);
}

TEST(sobol_search, spreads_over_lists_and_ranges_evenly) {
  auto space = space_of({{"c", "choice(a, b, c, d)"}, {"k", "64"}, {"n", "randint(0, 8)"}});

  std::map<std::string, int> letters;
  std::map<std::string, int> numbers;
  for (const auto& x : all({space, 7, 64, 1, {}})) {
    ++letters[to_text(*x.config->find("c"))];
    ++numbers[to_text(*x.config->find("n"))];
    EXPECT_EQ(x.origin, "sobol");
  }

  for (const auto& [name, n] : letters)
    EXPECT_EQ(n, 16) << name;
  for (const auto& [name, n] : numbers)
    EXPECT_EQ(n, 8) << name;
}

TEST(sobol_search, gives_an_inactive_parameter_its_own_dimension) {
  auto with = all(
      {space_of({{"a", "choice(1, 2)"}, {"b", "uniform(0, 1) if a == 1"}, {"c", "uniform(0, 1)"}}),
       7,
       32,
       1,
       {}});
  auto without
      = all({space_of({{"a", "choice(1, 2)"}, {"b", "uniform(0, 1)"}, {"c", "uniform(0, 1)"}}),
             7,
             32,
             1,
             {}});

  ASSERT_EQ(with.size(), 32u);
  int inactive = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(*with[i].config->find("c"), *without[i].config->find("c"));
    inactive += !with[i].config->contains("b");
  }
  EXPECT_EQ(inactive, 16);
}

TEST(sobol_search, runs_points_first_in_place_of_samples) {
  auto space = space_of({{"a", "uniform(0, 1)"}, {"b", "uniform(0, 1)"}});

  auto plain = all({space, 7, 3, 1, {}});
  auto pointed = all({space, 7, 3, 1, {{{"a", 0.5}}}});

  ASSERT_EQ(pointed.size(), 3u);
  EXPECT_EQ(*pointed[0].config->find("a"), value{0.5});
  EXPECT_EQ(pointed[0].origin, "point 1");
  EXPECT_EQ(*pointed[1].config, *plain[0].config);
  EXPECT_EQ(*pointed[2].config, *plain[1].config);
  EXPECT_EQ(all({space, 7, 1, 1, {{{"a", 0.5}}, {{"a", 0.6}}}}).size(), 2u);
}

TEST(sobol_search, refuses_grids_and_too_many_parameters) {
  auto made = make_searcher("sobol", {space_of({{"a", "grid(1, 2)"}}), 7, 1, 1, {}});
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().detail, testing::StartsWith("\"a\": sobol does not run every value"));

  std::vector<parameter_text> many;
  for (std::size_t i = 0; i <= sobol::sequence::most_dimensions; ++i)
    many.push_back({"p" + std::to_string(i), "uniform(0, 1)"});
  made = make_searcher("sobol", {space_of(many), 7, 1, 1, {}});
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().detail, testing::StartsWith("sobol takes at most"));
}

} // namespace

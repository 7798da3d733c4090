/// NSGA-II and regularised evolution: how children are made, and which members survive.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/asking.hpp"

#include "tune/core/search/nsga2/nsga2.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace {

using namespace tune;
using namespace tune::support;
using learning::ending;
using learning::result;
using testing::ElementsAre;
using testing::HasSubstr;

result finished(double value, double other, double missed = 0) {
  return {{value}, ending::finished, value, {missed}, {other}};
}

std::vector<double> values_of(const std::vector<nsga2::member>& of) {
  std::vector<double> result;
  for (const auto& x : of)
    result.push_back(x.what.value);
  return result;
}

TEST(survivors_of_a_generation, are_the_best_fronts_and_of_the_last_those_with_room) {
  // The first front is 0 to 4, of which 1 has the least room; 5 and 6 are dominated.
  std::vector<result> all{finished(6, 9), finished(0, 9), finished(1, 8.5), finished(2, 8),
                          finished(3, 3), finished(4, 0), finished(5, 8.9)};

  auto four = nsga2::survivors(all, 4);

  EXPECT_THAT(values_of(four), testing::UnorderedElementsAre(0, 4, 2, 3));
  EXPECT_THAT(values_of(nsga2::survivors(all, 6)), testing::UnorderedElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(four.front().front, 0u);
  EXPECT_TRUE(std::isinf(four.front().room));
}

TEST(survivors_of_a_generation, keep_constraints_first_and_are_never_failed) {
  result failed{{0}, ending::failed, NAN, {}, {}};
  std::vector<result> all{finished(0, 0, 4), failed, finished(9, 9), finished(1, 1, 2)};

  auto found = nsga2::survivors(all, 4);

  EXPECT_THAT(values_of(found), ElementsAre(9, 1, 0));
  EXPECT_TRUE(found[0].is_better_than(found[1]));
  EXPECT_TRUE(found[1].is_better_than(found[2]));
}

TEST(simulated_binary_crossover, is_distributed_as_its_authors_say) {
  // Far from the bounds: at the median the spread is 1, so that the child equals a parent; at a
  // quarter it is (2/4)^(1/(index+1)), at three quarters the inverse of that.
  EXPECT_NEAR(nsga2::crossed(0.4999, 0.5001, 0.5, 2), 0.4999, 1e-6);
  auto inner = std::pow(0.5, 1.0 / 3);
  EXPECT_NEAR(nsga2::crossed(0.4999, 0.5001, 0.25, 2), 0.5 - 0.0001 * inner, 1e-7);
  EXPECT_NEAR(nsga2::crossed(0.4999, 0.5001, 0.75, 2), 0.5 - 0.0001 / inner, 1e-7);
  EXPECT_NEAR(nsga2::crossed(0.5001, 0.4999, 0.75, 2), 0.5 + 0.0001 / inner, 1e-7);
  EXPECT_EQ(nsga2::crossed(0.3, 0.3, 0.9, 2), 0.3);
}

TEST(simulated_binary_crossover, keeps_within_bounds_and_reaches_them) {
  for (auto share : {0.0, 0.3, 0.7, 0.999999}) {
    auto low = nsga2::crossed(0.1, 0.6, share, 5);
    auto high = nsga2::crossed(0.6, 0.1, share, 5);
    EXPECT_GE(low, 0);
    EXPECT_LE(low, 0.35);
    EXPECT_GE(high, 0.35);
    EXPECT_LE(high, 1);
  }
  EXPECT_NEAR(nsga2::crossed(0.1, 0.6, 1, 5), 0, 1e-9);
}

TEST(polynomial_mutation, is_distributed_as_its_authors_say) {
  // In the middle of a wide range half of all steps go down. Far from the bounds a step is at most
  // 1 - (2 share)^(1/(index+1)) of the range.
  EXPECT_NEAR(nsga2::mutated(0.5, 0.5, 20), 0.5, 1e-12);
  auto base = 2 * 0.1 + 0.8 * std::pow(0.5, 21);
  EXPECT_NEAR(nsga2::mutated(0.5, 0.1, 20), 0.5 + std::pow(base, 1 / 21.0) - 1, 1e-12);
  EXPECT_NEAR(nsga2::mutated(0.5, 0.9, 20), 0.5 - (std::pow(base, 1 / 21.0) - 1), 1e-12);
  EXPECT_NEAR(nsga2::mutated(0.3, 0, 20), 0, 1e-9);
  EXPECT_NEAR(nsga2::mutated(0.3, 1, 20), 1, 1e-9);
}

TEST(a_child, has_the_categories_of_its_parents_or_others) {
  auto space = encoding::make(space_of({{"c", "choice(p, q, r)"}, {"u", "uniform(0, 1)"}}), "x");
  rng chance{4, "children", 0};
  nsga2::variation plain;
  plain.mutation = 1e-9;
  auto others = 0;
  auto seconds = 0;
  for (int i = 0; i < 400; ++i) {
    auto child = nsga2::child_of(*space, {0, 0.2}, {1, 0.8}, plain, chance);
    EXPECT_LT(child[0], 2);
    seconds += child[0] == 1;
    plain.mutation = 1;
    child = nsga2::child_of(*space, {0, 0.2}, {0, 0.8}, plain, chance);
    others += child[0] != 0;
    plain.mutation = 1e-9;
  }
  EXPECT_NEAR(seconds, 180, 50);
  EXPECT_EQ(others, 400);
}

TEST(a_child, that_mutates_moves_to_another_cell) {
  auto space = encoding::make(space_of({{"n", "randint(0, 4)"}}), "x");
  rng chance{4, "cells", 0};
  nsga2::variation how;
  how.mutation = 1;
  how.crossover = 0;
  for (auto n : {0, 1, 2, 3}) {
    auto at = space->at(0).coordinate_of_cell(n);
    for (int i = 0; i < 50; ++i) {
      auto child = space->canonical(nsga2::child_of(*space, {at}, {at}, how, chance));
      EXPECT_NE(child[0], at) << n;
    }
  }
}

class a_population : public testing::Test {
protected:
  std::shared_ptr<const search_space> space_ = space_of({{"x", "uniform(0, 1)"}});
  learning::archive past_{
      std::make_shared<const encoding>(std::move(*encoding::make(space_, "x")))};
  std::uint64_t count_ = 0;

  void end(double first, double second, outcome how = outcome::completed) {
    auto config
        = std::make_shared<const object>(object{{"x", static_cast<double>(count_ + 1) / 1000}});
    past_.apply(
        {count_ + 1, observation{trial_id{count_}, config, 1, 1, {first, second}, {}, how}});
    ++count_;
  }
};

TEST_F(a_population, is_renewed_when_a_generation_is_complete) {
  nsga2::population uut{2};
  end(-5, -5);
  uut.follow(past_);
  EXPECT_EQ(uut.generation(), 0u);
  end(0, 0, outcome::failed);
  uut.follow(past_);
  EXPECT_EQ(uut.generation(), 1u);
  end(-4, -4);
  end(-9, -9, outcome::stopped);
  end(-3, -3);
  uut.follow(past_);
  EXPECT_EQ(uut.generation(), 2u);

  EXPECT_THAT(values_of(uut.parents()), ElementsAre(3, 4));
}

TEST_F(a_population, takes_those_in_that_ended_before_their_generation) {
  nsga2::population uut{3};
  for (auto x : {-3.0, -2.0, -4.0, -1.0})
    end(x, x);
  uut.follow(past_);

  EXPECT_EQ(uut.generation(), 1u);
  EXPECT_THAT(values_of(uut.parents()), ElementsAre(1, 2, 3));
}

TEST_F(a_population, begins_anew_where_it_is_shown_other_results) {
  nsga2::population uut{2};
  for (auto x : {-3.0, -2.0, -4.0, -1.0})
    end(x, x);
  uut.follow(past_);
  auto other = a_population::past_;
  past_ = learning::archive{
      std::make_shared<const encoding>(std::move(*encoding::make(space_, "x")))};
  count_ = 0;
  for (auto x : {-7.0, -8.0})
    end(x, x);

  uut.follow(past_);

  EXPECT_EQ(uut.generation(), 1u);
  EXPECT_THAT(values_of(uut.parents()), ElementsAre(7, 8));
}

TEST(regularised_evolution, changes_one_parameter_of_the_best_of_its_sample) {
  const std::vector<parameter_text> lines{
      {"a", "choice(0, 5, 2, 9)"}, {"b", "choice(p, q, r)"}, {"c", "randint(0, 50)"}};
  searcher_context about{space_of(lines), 3, 0, 1, {}};
  // The sample nearly always contains the whole population, so the best of the population is the
  // parent.
  asking uut{std::move(*make_searcher("evolution", about, {{"population", "4"}, {"sample", "4"}}))};
  std::vector<config_ptr> tried;
  std::vector<double> scores;
  for (int i = 0; i < 40; ++i) {
    auto trial = trial_id{uut.trials()};
    auto answer = uut.next(1);
    auto config = std::get<0>(answer).front().config;
    if (i >= 4 && std::get<0>(answer).front().origin == "evolution") {
      // The child differs in one parameter from one of the last four.
      auto least = 3;
      for (std::size_t k = tried.size() - 4; k < tried.size(); ++k) {
        auto differences = 0;
        for (const auto& [name, x] : *config)
          differences += *tried[k]->find(name) != x;
        least = std::min(least, differences);
      }
      EXPECT_EQ(least, 1) << i;
    }
    tried.push_back(config);
    uut.tell({trial,
              config,
              1,
              1,
              {static_cast<double>(*config->find("c")->number())},
              {},
              outcome::completed});
  }
}

TEST(regularised_evolution, refuses_a_sample_that_is_larger_than_the_population) {
  searcher_context about{space_of({{"x", "uniform(0, 1)"}}), 3, 0, 1, {}};
  auto made = make_searcher("evolution", about, {{"population", "4"}, {"sample", "5"}});
  EXPECT_THAT(made.error().detail, HasSubstr("sample: must be no larger than population, 4"));
}

} // namespace

/// Results that are known before an experiment begins.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/known.hpp"

#include "support/asking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace {

using namespace tune;
using namespace tune::support;
using testing::ElementsAre;

double bowl(double x, double y) {
  return -(x - 0.3) * (x - 0.3) - 2 * (y - 0.6) * (y - 0.6);
}

TEST(known_results, count_like_trials_that_ended_and_are_not_suggested) {
  for (const std::string name : {"auto", "gp", "tpe", "bohb", "nsga2", "evolution", "cma_es"}) {
    searcher_context about;
    about.space = space_of({{"n", "randint(0, 12)"}});
    about.samples = 0;
    for (int n = 0; n < 10; ++n)
      about.known.push_back({{{"n", n}}, 1, {-std::abs(n - 4.0)}, {}});
    auto made = std::move(*make_searcher(name, about));
    tell(*made, about.known);
    asking uut{std::move(made)};

    std::set<std::string> suggested;
    for (std::uint64_t i = 0; i < 2; ++i) {
      auto answer = uut.next(1);
      const auto* list = std::get_if<std::vector<suggestion>>(&answer);
      ASSERT_NE(list, nullptr) << name;
      suggested.insert(to_text(*list->front().config->find("n")));
      uut.tell({trial_id{i}, list->front().config, 1, 1, {-9}, {}, outcome::completed});
    }

    EXPECT_THAT(suggested, ElementsAre("10", "11")) << name;
    EXPECT_TRUE(std::holds_alternative<exhausted>(uut.next(1))) << name;
  }
}

TEST(known_results, stand_for_a_part_of_the_design) {
  searcher_context about;
  about.space = space_of({{"x", "uniform(0, 1)"}, {"y", "uniform(0, 1)"}});
  about.samples = 0;
  for (int i = 0; i < 8; ++i) {
    auto x = 0.1 * i;
    about.known.push_back({{{"x", x}, {"y", x}}, 1, {bowl(x, x)}, {}});
  }
  auto made = std::move(*make_searcher("gp", about));
  tell(*made, about.known);
  asking uut{std::move(made)};

  EXPECT_EQ(std::get<0>(uut.next(1)).front().origin, "gp");
}

} // namespace

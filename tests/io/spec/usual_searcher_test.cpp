// SPDX-License-Identifier: BSD-3-Clause
#include "spec_support.hpp"

#include "tune/core/schedule/scheduler.hpp"
#include "tune/core/search/searcher.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

/// The searcher chosen for a file that names none.
std::string chosen(const std::string& space, const std::string& more = {}) {
  load_request with;
  with.schedulers = builtin_schedulers();
  with.searchers = builtin_searchers();
  auto loaded = load_spec_text(
      "[trainable]\ncommand = /bin/echo\n[space]\n" + space + "\n[experiment]\n"
          + (more.find("metric =") == more.npos ? "metric = accuracy\n" : "")
          + (more.find("num_samples") == more.npos ? "num_samples = 20\n" : "") + more,
      support::ini_name, with);
  return loaded ? loaded.loaded->what.search.type : to_text(loaded.faults);
}

TEST(usual_searcher, learns) {
  EXPECT_EQ(chosen("x = uniform(0, 1)"), "auto");
  EXPECT_EQ(chosen("x = randint(1, 21)"), "auto");
  EXPECT_EQ(chosen("x = uniform(0, 1)", "[search]\nstartup = 4\npoints = [{\"x\": 1}]"), "auto");
  EXPECT_EQ(chosen("x = uniform(0, 1)", "[scheduler]\ntype = asha"), "auto");
}

TEST(usual_searcher, draws_at_random_where_every_value_is_wanted_or_some_more_than_once) {
  EXPECT_EQ(chosen("x = uniform(0, 1)\ny = grid(1, 2)"), "random");
  EXPECT_EQ(chosen("x = randint(1, 20)"), "random");
  EXPECT_EQ(chosen("x = choice(a, b)", "num_samples = 0"), "random");
  EXPECT_EQ(chosen("x = 3"), "random");
}

TEST(usual_searcher, draws_at_random_what_it_cannot_learn) {
  EXPECT_EQ(chosen("x = uniform(0, 1)", "[scheduler]\ntype = pbt\nmutate = x"), "random");
}

TEST(usual_searcher, learns_from_several_objectives) {
  EXPECT_EQ(chosen("x = uniform(0, 1)", "metric = accuracy:max, size:min"), "auto");
}

TEST(usual_searcher, is_the_one_that_has_the_options) {
  auto random = builtin_searchers();
  ASSERT_FALSE(random.find("random")->known.empty());
  const auto option = random.find("random")->known.front();
  EXPECT_EQ(chosen("x = uniform(0, 1)", "[search]\n" + option.name + " = " + option.fallback),
            "random");
}

} // namespace
} // namespace tune

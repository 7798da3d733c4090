// Whenever the head or the executor is killed, the same requests lead to the same decisions.
//
// An executor that relies on answers alone tunes twice: once undisturbed, once with a head that is
// lost at random moments. It repeats requests that were not answered, with `running`.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/ask_tell/flaky_talk.hpp"
#include "support/judges.hpp"

#include "tune/core/search/searcher.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tune {

namespace support {

// Used by GoogleTest in messages.
static void PrintTo(const judge& x, std::ostream* out) {
  *out << x.name;
}

} // namespace support

namespace {

using samples::decisions_of;
using samples::flaky_talk;
using samples::losing;
using samples::recipe;
using samples::tuning;

constexpr std::uint64_t seeds = 4;
constexpr std::size_t four = 4;
/// More samples than the initial design of searchers that learn.
constexpr std::uint64_t samples = 24;

std::vector<support::judge> asked_to_save() {
  auto all = support::judges();
  // The toy's draws depend on events.
  std::erase_if(all, [](const auto& x) { return x.by_reports || x.type.empty(); });
  return all;
}

recipe recipe_of(const support::judge& who, std::uint64_t seed) {
  recipe result;
  result.trials = 16;
  result.space = support::space_of({{"x", "uniform(0, 100)"}});
  result.settings.seed = seed;
  result.settings.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 2;
  if (who.objectives == 2)
    result.settings.objectives.push_back({"size", false});
  result.judge = [who, seed] { return support::make_scheduler(who, seed); };
  result.source = [space = result.space, seed, count = result.trials] {
    searcher_context about{space, seed, count, 1, {}};
    return std::move(*support::make_searcher("random", about));
  };
  return result;
}

void expect_equal(const std::vector<std::string>& got, const std::vector<std::string>& expected) {
  for (std::size_t i = 0; i < std::min(expected.size(), got.size()); ++i)
    ASSERT_EQ(got[i], expected[i]) << "line " << i;
  EXPECT_EQ(got.size(), expected.size());
}

void expect_same(const recipe& how, std::uint64_t seed, std::size_t at_once,
                 losing who = losing::head_alone) {
  SCOPED_TRACE("kills by seed " + std::to_string(seed));
  tuning calm{how, at_once, flaky_talk::never, who};
  tuning stormy{how, at_once, seed, who};

  calm.run();
  stormy.run();

  ASSERT_TRUE(calm.is_over());
  ASSERT_TRUE(stormy.is_over());
  EXPECT_GT(stormy.kills(), 0u);
  expect_equal(decisions_of(stormy.world()), decisions_of(calm.world()));
  if (who == losing::head_alone)
    expect_equal(stormy.answers(), calm.answers());
}

class any_scheduler : public testing::TestWithParam<support::judge> {};

TEST_P(any_scheduler, decides_the_same_whenever_its_head_is_killed) {
  for (std::uint64_t seed = 1; seed <= seeds && !HasFatalFailure(); ++seed)
    expect_same(recipe_of(GetParam(), seed), seed, four);
}

TEST_P(any_scheduler, decides_the_same_of_one_trial_at_a_time) {
  for (std::uint64_t seed = 1; seed <= seeds && !HasFatalFailure(); ++seed)
    expect_same(recipe_of(GetParam(), seed), seed, 1);
}

TEST_P(any_scheduler, decides_the_same_where_the_executor_is_killed_as_well) {
  for (std::uint64_t seed = 1; seed <= seeds && !HasFatalFailure(); ++seed)
    expect_same(recipe_of(GetParam(), seed), seed, 1, losing::executor_too);
}

INSTANTIATE_TEST_SUITE_P(kills, any_scheduler, testing::ValuesIn(asked_to_save()),
                         [](const auto& x) { return x.param.name; });

TEST(kills, are_tried_on_every_scheduler_of_the_catalogue) {
  std::set<std::string> tried;
  for (const auto& x : asked_to_save())
    tried.insert(x.type);
  std::set<std::string> all;
  auto catalogue = builtin_schedulers();
  for (const auto& x : catalogue.entries())
    all.insert(x.name);

  EXPECT_EQ(tried, all);
}

/// A space with conditions, lists and, where the searcher accepts them, grids.
std::shared_ptr<const search_space> space_for(const std::string& name) {
  std::vector<parameter_text> lines{
      {"x", name == "grid" ? "choice(3, 10, 50)" : "loguniform(0.1, 100)"},
      {"kind", "choice(a, b, c)"},
      {"depth", "randint(1, 4) if kind != a"}};
  if (name == "random")
    lines.push_back({"width", "grid(1, 2, 4) if kind != b"});
  return support::space_of(lines);
}

class any_searcher : public testing::TestWithParam<std::string> {};

TEST_P(any_searcher, suggests_the_same_whenever_its_head_is_killed) {
  for (std::uint64_t seed = 1; seed <= seeds && !HasFatalFailure(); ++seed) {
    auto how = recipe_of(*support::find_judge("asha"), seed);
    how.space = space_for(GetParam());
    // A grid is searched with one sample.
    how.source = [name = GetParam(), space = how.space, seed] {
      searcher_context about{space, seed, name == "grid" ? 1 : samples, 1, {object{{"x", 3}}}};
      return std::move(*support::make_searcher(name, about));
    };
    // A searcher that learns would go on for ever.
    if (!how.source()->traits().exhaustible)
      how.settings.max_trials = samples;
    // Added configurations would lack parameters.
    expect_same(how, seed, 1, losing::executor_too);
  }
}

/// All searchers except `none`, which suggests nothing and never ends, and `external`, which needs
/// a process: see tests/e2e/test_external.py.
std::vector<std::string> all_searchers() {
  std::vector<std::string> result;
  auto catalogue = builtin_searchers();
  for (const auto& x : catalogue.entries()) {
    if (x.name != "none" && x.name != "external")
      result.push_back(x.name);
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(kills, any_searcher, testing::ValuesIn(all_searchers()),
                         [](const auto& x) { return x.param; });

/// Only time may tell the two apart: the head may be away for longer than a back-off.
TEST(kills, change_no_retry_that_waits_for_its_back_off) {
  auto how = recipe_of(*support::find_judge("fifo"), 1);
  how.settings.failures.backoff = std::chrono::milliseconds{50};
  how.settings.failures.most_backoff = std::chrono::milliseconds{200};

  for (std::uint64_t seed = 1; seed <= seeds && !HasFatalFailure(); ++seed)
    expect_same(how, seed, four);
}

} // namespace
} // namespace tune

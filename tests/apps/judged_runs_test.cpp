// What is called the best so far, trial after trial.
// SPDX-License-Identifier: BSD-3-Clause
#include "view/judged_runs.hpp"

#include "tune/core/experiment/event.hpp"

#include <gmock/gmock.h>

#include <string>

namespace tune::cli {
namespace {

using testing::ElementsAre;

/// Maximises `acc`; values of a parameter `a` run twice, unless told otherwise.
class judged_runs_test : public testing::Test {
protected:
  trial_table uut = table({2});

  static trial_table table(repeat_rule rule) { return trial_table{{{{"acc", true}}, {}, rule}}; }

  void add(int a, double acc, const std::string& origin = "random") {
    const auto number = uut.size();
    const auto config
        = R"({"a":)" + std::to_string(a) + R"(,"seed":)" + std::to_string(number) + "}";
    const auto metrics = R"({"acc":)" + std::to_string(acc) + "}";
    raw_trial x;
    x.trial = {number};
    x.status = trial_status::terminated;
    x.config = config;
    x.origin = origin;
    x.metrics = x.best_metrics = metrics;
    x.iterations = x.best_iteration = 1;
    uut.read(x, number + 1);
  }

  void withdraw() {
    raw_trial x;
    x.trial = {uut.size()};
    x.status = trial_status::terminated;
    x.config = "{}";
    const auto reason = std::string{withdrawn_reason} + "it is not wanted";
    x.reason = reason;
    uut.read(x, uut.size() + 1);
  }
};

TEST_F(judged_runs_test, a_lucky_run_is_not_the_best_so_far) {
  for (auto [a, acc] : {std::pair{0, 5.0}, {0, 5.0}, {1, 4.0}, {1, 4.25}, {2, 9.0}, {2, 0.0}})
    add(a, acc);

  EXPECT_THAT(best_after_each(uut), ElementsAre(5, 5, 5, 5, 5));
  const auto all = judged_configurations(uut);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_THAT(all[2].places, ElementsAre(4u, 5u));
  EXPECT_EQ(all[2].value, 4.5);
  EXPECT_EQ(all[0].rank, 0u);
}

TEST_F(judged_runs_test, a_configuration_counts_from_its_newest_run_on) {
  for (auto [a, acc] : {std::pair{0, 1.0}, {1, 3.0}, {0, 1.0}, {1, 5.0}})
    add(a, acc);

  EXPECT_THAT(best_after_each(uut), ElementsAre(1, 4));
}

TEST_F(judged_runs_test, what_confirms_comes_before_the_search) {
  uut = table({1, run_judge::mean, "seed", 1, 2});
  add(0, 9);
  add(0, 4, "confirms 00000");
  add(0, 5, "confirms 00000");

  EXPECT_THAT(best_after_each(uut), ElementsAre(9, 9, 4.5));
}

TEST_F(judged_runs_test, withdrawn_trials_do_not_count) {
  uut = table({});
  add(0, 1);
  add(1, 2);
  withdraw();
  withdraw();

  EXPECT_THAT(best_after_each(uut), ElementsAre(1, 2));
  EXPECT_TRUE(judged_configurations(uut).empty());
}

} // namespace
} // namespace tune::cli

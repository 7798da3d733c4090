// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/result_grid.hpp"

#include "io/store_fixture.hpp"

#include "tune/io/spec/record.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tune {
namespace {

trial_result trial(std::uint64_t number, object config, object metrics,
                   trial_status status = trial_status::terminated) {
  trial_result result;
  result.trial = {number};
  result.status = status;
  result.config = std::move(config);
  result.metrics = std::move(metrics);
  result.iterations = result.metrics.empty() ? 0 : 3;
  return result;
}

result_grid grid_of(std::vector<trial_result> trials) {
  result_grid::frame about;
  about.objectives = {{"loss", false}};
  return {about, std::move(trials)};
}

TEST(result_grid, takes_the_first_of_equal_trials_and_never_nan) {
  auto uut = grid_of({trial(0, {}, {{"loss", std::nan("")}}), trial(1, {}, {{"loss", 0.5}}),
                      trial(2, {}, {{"loss", 0.5}}), trial(3, {}, {{"loss", 2}})});

  EXPECT_EQ(uut.best()->trial.number, 1u);
  EXPECT_EQ(uut.best("loss", true)->trial.number, 3u);
}

TEST(result_grid, prefers_what_keeps_the_constraints) {
  result_grid::frame about;
  about.objectives = {{"loss", false}};
  about.constraints = *parse_constraints("latency <= 20");
  auto fast = trial(1, {}, {{"loss", 0.5}, {"latency", 20}});
  auto slow = trial(0, {}, {{"loss", 0.1}, {"latency", 21}});
  auto slower = trial(2, {}, {{"loss", 0.1}, {"latency", 30}});

  EXPECT_EQ((result_grid{about, {slow, fast, slower}}).best()->trial.number, 1u);
  EXPECT_EQ((result_grid{about, {slow, fast, slower}}).best("latency", true)->trial.number, 1u);
  EXPECT_EQ((result_grid{about, {slower, slow}}).best()->trial.number, 0u);
}

TEST(result_grid, goes_by_all_runs_of_a_configuration) {
  result_grid::frame about;
  about.objectives = {{"loss", false}};
  about.repeats.runs = 2;
  std::vector<trial_result> all;
  for (auto [x, loss] : {std::pair{1, 0.1}, {1, 0.9}, {2, 0.3}, {2, 0.5}})
    all.push_back(trial(all.size(), {{"x", x}, {"seed", static_cast<std::int64_t>(all.size() % 2)}},
                        {{"loss", loss}}));
  result_grid uut{about, all};

  EXPECT_EQ(uut.best()->trial.number, 2u);
  EXPECT_EQ(uut.best("loss", true)->trial.number, 1u);
  ASSERT_TRUE(uut.best_runs());
  EXPECT_DOUBLE_EQ(uut.best_runs()->mean, 0.4);
  EXPECT_EQ(uut.best_runs()->runs, 2u);
  about.repeats.runs = 1;
  EXPECT_FALSE((result_grid{about, all}).best_runs());
}

TEST(result_grid, has_no_best_where_nobody_reported) {
  auto uut = grid_of({trial(0, {}, {}, trial_status::errored)});

  ASSERT_FALSE(uut.best());
  EXPECT_EQ(uut.best().error().code, ec::unknown_name);
  EXPECT_EQ(uut.errors().size(), 1u);
}

TEST(result_grid, writes_one_row_per_trial_with_all_parameters) {
  auto first = trial(0, {{"opt", object{{"name", "a,b"}}}}, {{"loss", 0.5}});
  auto second = trial(1, {{"lr", 0.1}}, {}, trial_status::errored);
  second.reason = "user_error";
  second.failures = 1;

  EXPECT_EQ(grid_of({first, second}).to_csv(),
            "trial,status,iterations,loss,config.opt.name,config.lr,reason,failures\n"
            "00000,TERMINATED,3,0.5,\"a,b\",,,0\n"
            "00001,ERRORED,0,,,0.1,user_error,1\n");
}

TEST(result_grid, has_one_column_of_a_parameter_whose_values_are_objects) {
  result_grid::frame about;
  about.objectives = {{"loss", false}};
  about.object_parameters = {"model"};

  EXPECT_EQ(
      (result_grid{about, {trial(0, {{"model", object{{"depth", 3}}}}, {{"loss", 0.5}})}}).to_csv(),
      "trial,status,iterations,loss,config.model,reason,failures\n"
      "00000,TERMINATED,3,0.5,\"{\"\"depth\"\":3}\",,0\n");
}

class a_result_grid : public samples::store_fixture {};

TEST_F(a_result_grid, shows_the_configuration_that_the_best_report_came_with) {
  cmd::attempt_changed first, second;
  first.attempt = {1, 1};
  first.config = samples::config({{"lr", 0.5}});
  second.attempt = {1, 2};
  second.config = samples::config({{"lr", 2.0}});
  cmd::trial_changed row;
  row.status = trial_status::terminated;
  row.config = second.config;
  row.best = samples::a_report(0, 1, first.attempt, {{"loss", 0.5}});
  row.last = samples::a_report(0, 2, second.attempt, {{"loss", 9.0}});
  auto store = fresh();
  ASSERT_TRUE(store
                  .write(std::vector<store_item>{at(1, on::opened{1, "0.1.0", to_json(spec{}), 7}),
                                                 at(2, on::reported{row.best}),
                                                 at(3, on::reported{row.last}),
                                                 {3, first},
                                                 {3, second},
                                                 {3, row}})
                  .has_value());

  auto uut = read_result_grid(directory());

  ASSERT_TRUE(uut) << uut.error().detail;
  const auto& only = uut->trials().front();
  EXPECT_EQ(only.config, *first.config);
  EXPECT_EQ(*only.metrics.find("loss"), value{0.5});
  EXPECT_EQ(only.last_config, *second.config);
  EXPECT_EQ(*only.last_metrics.find("loss"), value{9.0});
}

TEST_F(a_result_grid, shows_the_configuration_that_the_last_report_came_with) {
  cmd::attempt_changed first, second;
  first.attempt = {1, 1};
  first.config = samples::config({{"lr", 0.5}});
  second.attempt = {1, 2};
  second.config = samples::config({{"lr", 2.0}});
  cmd::trial_changed row;
  row.status = trial_status::terminated;
  row.config = second.config;
  row.best = row.last = samples::a_report(0, 1, first.attempt, {{"loss", 0.5}});
  auto store = fresh();
  ASSERT_TRUE(store
                  .write(std::vector<store_item>{at(1, on::opened{1, "0.1.0", to_json(spec{}), 7}),
                                                 at(2, on::reported{row.last}),
                                                 {2, first},
                                                 {2, second},
                                                 {2, row}})
                  .has_value());

  auto uut = read_result_grid(directory());

  ASSERT_TRUE(uut) << uut.error().detail;
  EXPECT_EQ(uut->trials().front().last_config, *first.config);
}

TEST(result_grid, is_not_read_from_where_no_experiment_is) {
  EXPECT_EQ(read_result_grid("/nonexistent").error().code, ec::unreadable);
}

} // namespace
} // namespace tune

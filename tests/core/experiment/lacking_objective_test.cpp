// Attempts that go on where their trial has never reported the metric that it is judged by.
// SPDX-License-Identifier: BSD-3-Clause
#include "one_trial.hpp"

#include <cmath>

namespace tune {
namespace {

struct lacking_objective : samples::one_trial {
  void begin() {
    settings.checkpoints.frequency = 1;
    settings.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 1;
    open();
    choose();
    one_trial::place();
  }
  /// A report of this metric; `report_and_save`: and the checkpoint that is due with it.
  void report(const char* metric, value what) {
    auto made = std::make_shared<tune::report>();
    made->trial = zero;
    made->attempt = attempt;
    made->number = ++reports;
    made->iteration = ++iteration;
    made->metrics = std::make_shared<object>(object{{metric, std::move(what)}});
    post(on::reported{made});
    if (made->metrics->find("loss") != nullptr && made->metrics->find("loss")->number())
      decide(go_on{});
  }
  void report_and_save(const char* metric, value what) {
    report(metric, std::move(what));
    one_trial::save("there");
  }
  [[nodiscard]] cmd::launch begun_again() {
    one_trial::end(end_class::user_error, "its metric never appeared");
    choose();
    one_trial::place();
    return ports.last<cmd::launch>();
  }
};

TEST_F(lacking_objective, is_told_to_the_attempt_that_goes_on_from_a_checkpoint) {
  begin();
  EXPECT_FALSE(ports.last<cmd::launch>().lacks_objective) << "the first attempt has all to do";
  report_and_save("other", 1);

  auto again = begun_again();

  EXPECT_EQ(again.from_location, "there");
  EXPECT_TRUE(again.lacks_objective);
}

TEST_F(lacking_objective, is_over_with_the_first_report_of_it) {
  begin();
  report_and_save("loss", 0.5);
  report_and_save("other", 1);

  EXPECT_FALSE(begun_again().lacks_objective);
}

TEST_F(lacking_objective, is_judged_by_the_first_attempt_that_reports_it) {
  begin();
  report("other", 1);
  static_cast<void>(begun_again());
  ASSERT_EQ(iteration, 0u);
  ASSERT_EQ(ports.all<cmd::launch>().size(), 2u);

  report_and_save("loss", 0.5);

  const auto best = ports.all<cmd::trial_progressed>().back().best;
  ASSERT_TRUE(best);
  EXPECT_EQ(best->iteration, 1u);
  report("loss", 0.25);
  EXPECT_EQ(ports.all<cmd::trial_progressed>().back().best->iteration, 2u);
}

TEST_F(lacking_objective, is_judged_by_the_first_attempt_that_has_a_number) {
  begin();
  report("loss", std::nan(""));
  static_cast<void>(begun_again());

  report("loss", 0.5);

  const auto best = ports.all<cmd::trial_progressed>().back().best;
  ASSERT_TRUE(best);
  EXPECT_EQ(best->iteration, 1u);
}

TEST_F(lacking_objective, is_judged_once_where_iterations_are_run_again) {
  begin();
  report("loss", 0.5);
  static_cast<void>(begun_again());
  ASSERT_EQ(ports.all<cmd::launch>().size(), 2u);
  const auto count = ports.all<cmd::trial_progressed>().size();

  auto made = std::make_shared<tune::report>();
  made->trial = zero;
  made->attempt = attempt;
  made->number = made->iteration = 1;
  made->metrics = std::make_shared<object>(object{{"loss", 0.25}});
  post(on::reported{made});

  EXPECT_EQ(ports.all<cmd::trial_progressed>().size(), count) << "a repeat";
}

TEST_F(lacking_objective, is_not_said_where_the_trial_has_come_to_its_end) {
  settings.export_time = std::chrono::seconds{60};
  settings.exports = {"model"};
  begin();
  order(on::pause_asked{zero});
  report_and_save("other", 1);
  one_trial::end(end_class::paused);
  post(on::stop_asked{zero, "stopped by a client"});
  one_trial::place();

  EXPECT_TRUE(ports.last<cmd::launch>().ends);
  EXPECT_FALSE(ports.last<cmd::launch>().lacks_objective);
}

TEST_F(lacking_objective, is_not_said_where_it_is_no_number) {
  begin();
  report_and_save("loss", "high");

  EXPECT_FALSE(begun_again().lacks_objective);
}

} // namespace
} // namespace tune

// The checkpoint that belongs to the best metrics.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/run_by_hand.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

struct best_checkpoint : support::run_by_hand, testing::Test {
  static constexpr trial_id one{1};

  /// Posts a report and the decision on it.
  void report_and(action_body what, double loss, trial_id id = zero) {
    report(id, loss);
    auto cause = ports.all<cmd::judge>().back().cause;
    post(on::decided{{{cause, {{id, std::move(what), {}}}}}});
  }
  void save_with(double loss, trial_id id = zero) {
    report_and(tune::save{}, loss, id);
    save();
  }
  [[nodiscard]] best_trial best() const { return *uut->machine().view().best; }
  [[nodiscard]] std::vector<std::string> removed() const {
    std::vector<std::string> result;
    for (const auto& x : ports.all<cmd::discard>())
      result.push_back(x.location);
    return result;
  }
};

TEST_F(best_checkpoint, is_that_of_the_best_report) {
  open();
  run();
  save_with(0.5);
  save_with(0.1);
  save_with(0.3);

  EXPECT_EQ(best().at->iteration, 2u);
  EXPECT_EQ(best().checkpoint, "there/2");
  EXPECT_EQ(best().checkpoint_iteration, 2u);
  EXPECT_EQ(*best().checkpoint_metrics, (object{{"loss", 0.1}}));
}

TEST_F(best_checkpoint, shows_large_integers_as_they_were_reported) {
  open();
  run();
  auto what = std::make_shared<tune::report>();
  what->attempt = attempt;
  what->number = ++reports;
  what->iteration = ++iteration;
  what->metrics = std::make_shared<object>(object{{"loss", std::int64_t{9007199254740993}}});
  post(on::reported{what});
  decide(tune::save{});
  save();

  ASSERT_NE(best().checkpoint_metrics, nullptr);
  EXPECT_EQ(*best().checkpoint_metrics->find("loss"), value{std::int64_t{9007199254740993}});
}

TEST_F(best_checkpoint, shows_a_number_that_is_none) {
  open();
  run();
  save_with(std::numeric_limits<double>::quiet_NaN());
  report_and(go_on{}, 0.5);

  ASSERT_NE(best().checkpoint_metrics, nullptr);
  EXPECT_TRUE(std::isnan(*best().checkpoint_metrics->find("loss")->number()));
}

TEST_F(best_checkpoint, is_that_of_the_best_report_that_has_one) {
  open();
  run();
  save_with(0.5);
  report_and(go_on{}, 0.1);
  save_with(0.2);
  save_with(0.3);

  EXPECT_EQ(best().at->iteration, 2u);
  EXPECT_EQ(best().checkpoint, "there/2");
  EXPECT_EQ(best().checkpoint_iteration, 3u);
  EXPECT_EQ(*best().checkpoint_metrics, (object{{"loss", 0.2}}));
}

TEST_F(best_checkpoint, may_have_come_before_its_trial_was_the_best) {
  open(2);
  choose({zero, one});
  place(one);
  report_and(go_on{}, 0.2, one);
  place(zero);
  save_with(0.4);
  save_with(0.5);
  report_and(go_on{}, 0.1);

  EXPECT_EQ(best().trial, zero);
  EXPECT_EQ(best().checkpoint, "there/1");
}

TEST_F(best_checkpoint, is_kept_beside_the_newest) {
  settings.checkpoints.retention.keep = 1;
  open();
  run();
  save_with(0.5);
  save_with(0.1);
  save_with(0.3);
  save_with(0.4);
  end(end_class::finished);

  EXPECT_EQ(best().checkpoint, "there/2");
  EXPECT_THAT(removed(), UnorderedElementsAre("there/1", "there/3"));
}

TEST_F(best_checkpoint, goes_once_another_trial_is_the_best) {
  settings.checkpoints.retention.keep = 1;
  open(2);
  choose({zero, one});
  place(zero);
  save_with(0.2);
  save_with(0.3);
  end(end_class::finished);
  ASSERT_THAT(removed(), IsEmpty());
  place(one);
  report_and(go_on{}, 0.1, one);

  EXPECT_THAT(removed(), ElementsAre("there/1"));
}

TEST_F(best_checkpoint, is_the_next_best_where_it_turns_out_to_be_bad) {
  open();
  run();
  save_with(0.5);
  save_with(0.1);
  save_with(0.3);
  post(on::checkpoint_bad{zero, attempt, {2}, "torn"});

  EXPECT_EQ(best().checkpoint, "there/3");
}

TEST_F(best_checkpoint, was_the_newest_under_a_head_of_before) {
  settings.checkpoints.retention.keep = 1;
  make();
  post(on::opened{1, "test", "{}", 1, opening::at_once, on::judged_afresh - 1});
  suggest(1);
  run();
  save_with(0.1);
  save_with(0.3);
  save_with(0.4);

  // Checkpoints that the earlier head removed stay removed.
  EXPECT_THAT(removed(), ElementsAre("there/1", "there/2"));
  EXPECT_EQ(best().checkpoint, "there/3");
}

TEST_F(best_checkpoint, belongs_to_a_trial_that_says_that_it_failed) {
  open();
  run();
  save_with(0.1);
  EXPECT_EQ(best().status, trial_status::running);
  end(end_class::user_error, zero, "boom");

  EXPECT_EQ(best().status, trial_status::errored);
  EXPECT_EQ(best().checkpoint, "there/1");
}

} // namespace
} // namespace tune

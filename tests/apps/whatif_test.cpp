// SPDX-License-Identifier: BSD-3-Clause
#include "whatif/alternatives.hpp"
#include "whatif/recorded_order.hpp"
#include "whatif/whatif_output.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <variant>

namespace tune::cli {
namespace {

using std::chrono::seconds;

recorded_trial trial(std::uint64_t number, const std::vector<double>& losses, bool is_whole) {
  recorded_trial result{trial_id{number},
                        std::make_shared<const object>(object{{"x", static_cast<double>(number)}}),
                        "grid",
                        {},
                        is_whole};
  for (const auto loss : losses) {
    const auto iteration = result.steps.size() + 1;
    result.steps.push_back(
        {iteration,
         object{{"loss", loss}, {"training_iteration", static_cast<std::int64_t>(iteration)}},
         seconds{2}});
  }
  return result;
}

/// A trial that ran to its end, and one that was stopped after its first report.
std::shared_ptr<const recorded_run> two_trials() {
  recorded_run result;
  result.trials = {trial(0, {3, 2, 1}, true), trial(4, {5}, false)};
  result.horizon = 3;
  result.reports = 4;
  result.trained = seconds{8};
  return std::make_shared<const recorded_run>(std::move(result));
}

TEST(recorded_model, replays_what_was_recorded) {
  recorded_model uut{two_trials(), beyond_record::ends};

  const auto step = uut.next(trial_id{0}, nullptr, 1);

  ASSERT_TRUE(step.metrics);
  EXPECT_EQ(*step.metrics->find("loss")->as_double(), 2);
  EXPECT_EQ(step.takes, seconds{2});
  EXPECT_FALSE(uut.next(trial_id{0}, nullptr, 3).metrics);
  EXPECT_TRUE(uut.unknown().empty());
  EXPECT_EQ(uut.reports(), 1u);
}

TEST(recorded_model, notes_where_a_trial_would_go_on_that_was_stopped) {
  recorded_model uut{two_trials(), beyond_record::ends};

  EXPECT_FALSE(uut.next(trial_id{1}, nullptr, 1).metrics);

  EXPECT_EQ(uut.unknown(), (std::map<trial_id, std::uint64_t>{{trial_id{1}, 0}}));
}

TEST(recorded_model, can_train_on_without_making_values_up) {
  recorded_model uut{two_trials(), beyond_record::trains_on};

  const auto step = uut.next(trial_id{1}, nullptr, 1);

  ASSERT_TRUE(step.metrics);
  EXPECT_EQ(step.metrics->find("loss"), nullptr);
  EXPECT_EQ(step.takes, seconds{2});
  EXPECT_TRUE(uut.next(trial_id{1}, nullptr, 2).metrics);
  // No trial of the record went further.
  EXPECT_FALSE(uut.next(trial_id{1}, nullptr, 3).metrics);
  EXPECT_EQ(uut.unknown().at(trial_id{1}), 2u);
}

TEST(recorded_order, proposes_each_trial_once_and_in_order) {
  recorded_order uut{two_trials()};
  const auto first = uut.propose({1, 1});
  ASSERT_TRUE(std::holds_alternative<std::vector<suggestion>>(first));
  uut.apply({1, suggested_fact{1, first, trial_id{0}}});

  const auto second = uut.propose({2, 8});
  ASSERT_TRUE(std::holds_alternative<std::vector<suggestion>>(second));
  const auto& rest = std::get<std::vector<suggestion>>(second);
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(*rest.front().config, (object{{"x", 4.0}}));
  uut.apply({2, suggested_fact{2, second, trial_id{1}}});

  EXPECT_TRUE(std::holds_alternative<exhausted>(uut.propose({3, 1})));
}

TEST(best_report, is_that_of_the_smaller_violation_then_of_the_better_value) {
  const auto by = objective{"loss", false};
  const auto constraints = *parse_constraints("size <= 10");
  std::optional<recorded_best> best;

  take_better(best, trial_id{1}, 1, object{{"loss", 1.0}, {"size", 20}}, by, constraints);
  take_better(best, trial_id{2}, 1, object{{"loss", 3.0}, {"size", 5}}, by, constraints);
  take_better(best, trial_id{3}, 1, object{{"accuracy", 3.0}, {"size", 5}}, by, constraints);
  take_better(best, trial_id{4}, 2, object{{"loss", 2.0}, {"size", 5}}, by, constraints);

  ASSERT_TRUE(best);
  EXPECT_EQ(best->trial, trial_id{4});
  EXPECT_EQ(best->iteration, 2u);
}

TEST(regret, is_how_much_worse_the_best_is) {
  const auto by = objective{"loss", false};
  std::optional<recorded_best> known, worse;
  take_better(known, trial_id{1}, 1, object{{"loss", 1.0}}, by, {});
  take_better(worse, trial_id{2}, 1, object{{"loss", 1.5}}, by, {});

  EXPECT_EQ(regret_of(worse, known), 0.5);
  EXPECT_EQ(regret_of(known, known), 0);
  EXPECT_EQ(regret_of(std::nullopt, known), std::nullopt);
}

TEST(scheduler_words, are_a_name_and_its_options) {
  const auto read = read_scheduler(" asha  max_t=3 grace_period=2 ");

  ASSERT_TRUE(read);
  EXPECT_EQ(read->type, "asha");
  EXPECT_EQ(read->options, (std::vector<named_text>{{"max_t", "3"}, {"grace_period", "2"}}));
  EXPECT_FALSE(read_scheduler(""));
  EXPECT_FALSE(read_scheduler("max_t=3"));
  EXPECT_FALSE(read_scheduler("asha max_t"));
}

TEST(comparison, says_in_its_row_that_rules_failed_and_goes_on_with_the_others) {
  whatif_comparison x;
  x.experiment = "e";
  x.by = {"loss", false};
  x.ran = two_trials();
  x.all.resize(2);
  x.all[0].name = "mine";
  x.all[0].trains_on.status = experiment_status::interrupted;
  x.all[0].trains_on.why = "the scheduler failed: my judge threw";
  x.all[1].name = "asha";
  std::ostringstream out;

  write_comparison(x, output_format::table, {}, out);

  const auto text = out.str();
  EXPECT_NE(text.find("the rest: interrupted"), std::string::npos) << text;
  EXPECT_NE(text.find("mine: interrupted: the scheduler failed: my judge threw"), std::string::npos)
      << text;
  EXPECT_NE(text.find("asha"), std::string::npos) << text;
}

TEST(comparison, calls_no_trial_ended_that_runs_or_that_a_client_stopped) {
  whatif_comparison x;
  x.experiment = "e";
  x.by = {"loss", false};
  x.ran = two_trials();
  x.all.resize(1);
  x.all[0].unknown_trials = 1;
  for (const auto& [many, words] :
       {std::pair{1u, "unknown: 1 trial of 2 has not ended by itself, and"},
        std::pair{2u, "unknown: 2 trials of 2 have not ended by themselves, and"}}) {
    x.cut_short = many;
    std::ostringstream out;

    write_comparison(x, output_format::table, {}, out);

    EXPECT_NE(out.str().find(words), std::string::npos) << out.str();
  }
}

} // namespace
} // namespace tune::cli

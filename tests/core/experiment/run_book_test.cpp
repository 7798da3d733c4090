// Several runs of one configuration, judged together.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/experiment/run_book.hpp"

#include "support/run_by_hand.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tune {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto infinite = std::numeric_limits<double>::infinity();

repeat_rule three(run_judge judge = run_judge::mean) {
  repeat_rule result;
  result.runs = 3;
  result.judge = judge;
  return result;
}

/// Fills a book: each call is one run of the configuration `x`.
struct filled {
  run_book book;
  std::uint64_t next = 0;

  explicit filled(repeat_rule rule) : book{std::move(rule)} {}
  trial_id begin(int x, bool confirms = false) {
    trial_id id{next++};
    book.add(id, object{{"x", x}, {"seed", static_cast<std::int64_t>(id.number)}},
             confirms ? "confirms 00000" : "random");
    return id;
  }
  void run(int x, double score, double violation = 0, bool confirms = false) {
    auto id = begin(x, confirms);
    book.note(id, {violation, score});
    book.end(id);
  }
  void fail(int x) { book.end(begin(x)); }
};

TEST(run_groups, want_no_more_runs_than_a_client_asked_for) {
  run_book book{three()};
  const object fixed{{"x", 1}, {"seed", 7}};
  book.add({0}, fixed, client_origin);
  book.note({0}, {0, 5});
  book.end({0});

  EXPECT_EQ(book.best()->wanted, 1u);
  EXPECT_TRUE(book.best()->is_full);

  // The searcher proposes the same configuration.
  book.add({1}, object{{"x", 1}, {"seed", 8}}, "random");
  EXPECT_EQ(book.best()->wanted, 3u);
  EXPECT_FALSE(book.best()->is_full);
}

TEST(run_groups, of_a_client_rank_with_those_of_the_search) {
  filled uut{three()};
  for (int i = 0; i < 3; ++i)
    uut.run(1, 2);
  uut.book.add({9}, object{{"x", 2}, {"seed", 7}}, client_origin);
  uut.book.note({9}, {0, 5});
  uut.book.end({9});

  EXPECT_EQ(uut.book.best()->best, trial_id{9});
}

TEST(run_judges, make_one_number_of_several) {
  EXPECT_EQ(judged_by(run_judge::mean, {1, 2, 6}), 3);
  EXPECT_EQ(judged_by(run_judge::median, {6, 1, 2}), 2);
  EXPECT_EQ(judged_by(run_judge::median, {6, 1, 2, 4}), 3);
  // Standard deviation 2.645751, standard error 1.527525, t(0.95, 2) = 2.919986.
  EXPECT_THAT(judged_by(run_judge::lower_bound, {1, 2, 6}), DoubleNear(3 - 4.460352, 1e-5));
  EXPECT_EQ(judged_by(run_judge::lower_bound, {5}), 5);
  std::vector<double> many(101, 0.0);
  many.front() = 1;
  EXPECT_THAT(judged_by(run_judge::lower_bound, many), DoubleNear(1 / 101.0 - 1.66023 / 101, 1e-5));
}

TEST(run_judges, know_the_standard_error_of_the_mean) {
  auto [mean, error] = mean_and_error({1, 2, 6});
  EXPECT_EQ(mean, 3);
  EXPECT_THAT(error, DoubleNear(1.527525, 1e-6));
  EXPECT_TRUE(std::isnan(mean_and_error({1}).second));
}

TEST(run_book, prefers_what_is_good_on_the_whole_to_one_lucky_run) {
  filled uut{three()};
  for (auto score : {0.1, 0.99, 0.1})
    uut.run(1, score);
  for (auto score : {0.6, 0.7, 0.65})
    uut.run(2, score);

  auto best = uut.book.best();

  ASSERT_TRUE(best);
  EXPECT_THAT(best->trials, ElementsAre(trial_id{3}, trial_id{4}, trial_id{5}));
  EXPECT_EQ(best->best, trial_id{4});
  EXPECT_THAT(best->mean, DoubleNear(0.65, 1e-12));
  EXPECT_EQ(best->runs, 3u);
  EXPECT_TRUE(best->is_full);
}

TEST(run_book, puts_configurations_whose_runs_have_not_all_ended_behind_those_whose_have) {
  filled uut{three()};
  uut.run(1, 0.9);
  EXPECT_EQ(uut.book.best()->mean, 0.9);
  EXPECT_FALSE(uut.book.best()->is_full);
  for (auto score : {0.5, 0.5, 0.5})
    uut.run(2, score);

  EXPECT_EQ(uut.book.best()->mean, 0.5);

  uut.run(1, 0.9);
  auto last = uut.begin(1);
  uut.book.note(last, {0, 0.9});
  EXPECT_EQ(uut.book.best()->mean, 0.5);
  uut.book.end(last);
  EXPECT_EQ(uut.book.best()->mean, 0.9);
}

TEST(run_book, leaves_failed_runs_out_and_puts_back_whose_runs_mostly_failed) {
  filled uut{three()};
  uut.run(1, 0.9);
  uut.fail(1);
  uut.fail(1);
  for (auto score : {0.4, 0.6})
    uut.run(2, score);
  uut.fail(2);

  auto ranked = uut.book.ranked(9);

  ASSERT_EQ(ranked.size(), 2u);
  EXPECT_EQ(ranked[0].mean, 0.5);
  EXPECT_EQ(ranked[0].runs, 2u);
  EXPECT_TRUE(ranked[0].is_full);
  EXPECT_EQ(ranked[1].mean, 0.9);
  EXPECT_FALSE(ranked[1].is_full);
}

TEST(run_book, heeds_constraints_before_scores) {
  filled uut{three()};
  for (auto violation : {0.0, 0.0, 3.0})
    uut.run(1, 0.9, violation);
  for (int i = 0; i < 3; ++i)
    uut.run(2, 0.1);

  EXPECT_EQ(uut.book.best()->mean, 0.1);
  EXPECT_EQ(uut.book.ranked(9)[1].how.violation, 1);
}

TEST(run_book, heeds_what_one_run_misses_at_the_limit_of_a_strict_constraint) {
  constexpr auto least = std::numeric_limits<double>::denorm_min();
  filled uut{three()};
  for (auto violation : {0.0, 0.0, least})
    uut.run(1, 0.9, violation);
  for (int i = 0; i < 3; ++i)
    uut.run(2, 0.1);

  EXPECT_EQ(uut.book.best()->mean, 0.1);
  EXPECT_EQ(uut.book.ranked(9)[1].how.violation, least);
}

TEST(run_book, names_the_winner_by_what_was_confirmed) {
  auto rule = three();
  rule.confirm = 2;
  rule.confirm_runs = 2;
  filled uut{rule};
  for (int i = 0; i < 3; ++i)
    uut.run(1, 0.9);
  for (int i = 0; i < 3; ++i)
    uut.run(2, 0.8);
  for (auto score : {0.5, 0.7})
    uut.run(1, score, 0, true);
  EXPECT_THAT(uut.book.best()->mean, DoubleNear(0.6, 1e-12));
  for (auto score : {0.75, 0.77})
    uut.run(2, score, 0, true);

  auto told = statistics_of(uut.book, *uut.book.best(), true);

  EXPECT_TRUE(told.confirms);
  EXPECT_THAT(told.mean, DoubleNear(0.76, 1e-12));
  EXPECT_THAT(told.mean_in_search, DoubleNear(0.8, 1e-12));
  EXPECT_EQ(told.runs, 2u);
  EXPECT_EQ(uut.book.ranked(9, false).size(), 2u);
}

TEST(run_book, puts_a_single_run_behind_those_that_have_a_bound) {
  filled uut{three(run_judge::lower_bound)};
  for (auto score : {0.1, 0.2, 0.3})
    uut.run(1, score);
  trial_id lucky{uut.next++};
  uut.book.add(lucky, object{{"x", 2}, {"seed", 77}}, client_origin);
  uut.book.note(lucky, {0, 0.99});
  uut.book.end(lucky);

  auto ranked = uut.book.ranked(9);

  ASSERT_EQ(ranked.size(), 2u);
  EXPECT_EQ(ranked[0].best, trial_id{2});
  EXPECT_EQ(ranked[1].best, lucky);
  EXPECT_TRUE(ranked[1].is_full);
  EXPECT_TRUE(std::isnan(statistics_of(uut.book, ranked[1], true).judged));
  EXPECT_FALSE(std::isnan(statistics_of(uut.book, ranked[0], true).judged));
}

TEST(run_book, keeps_texts_and_numbers_and_the_parts_of_configurations_apart) {
  EXPECT_NE(run_key({{"x", "1"}}, "seed"), run_key({{"x", 1}}, "seed"));
  EXPECT_NE(run_key({{"a", "b:c"}}, "seed"), run_key({{"a", "b"}, {"c", ""}}, "seed"));
  EXPECT_EQ(run_key({{"x", 1}, {"seed", 3}}, "seed"), run_key({{"x", 1}}, "seed"));
  EXPECT_NE(run_key({{"x", 1}, {"seed", 3}}, "run"), run_key({{"x", 1}}, "run"));
}

TEST(run_book, does_without_runs_that_say_nothing) {
  filled uut{three()};
  EXPECT_FALSE(uut.book.best());
  uut.fail(1);
  uut.run(1, std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(uut.book.best());
  // Opposite infinities have no mean.
  uut.run(2, infinite);
  uut.run(2, -infinite);
  EXPECT_FALSE(uut.book.best());
  EXPECT_THAT(uut.book.ranked(9), IsEmpty());
  EXPECT_FALSE(uut.book.has_open());
}

TEST(run_book, judges_anew_once_a_run_goes_on) {
  filled uut{three()};
  for (int i = 0; i < 3; ++i)
    uut.run(1, 0.9);
  for (int i = 0; i < 3; ++i)
    uut.run(2, 0.5);
  uut.book.revive({0});
  EXPECT_TRUE(uut.book.has_open());
  EXPECT_EQ(uut.book.best()->mean, 0.5);
  uut.book.end({0});
  EXPECT_EQ(uut.book.best()->mean, 0.9);
}

TEST(run_statistics, come_back_as_they_were_told) {
  run_statistics x;
  x.runs = 2;
  x.wanted = 3;
  x.is_full = x.confirms = true;
  x.judge = run_judge::lower_bound;
  x.mean = -0.25;
  x.judged = -infinite;
  auto told = to_object(x);

  EXPECT_TRUE(told.find("error")->is_null());
  EXPECT_EQ(to_object(statistics_from(told)), told);
}

/// An experiment with a run book: smaller losses are better, and each configuration runs twice.
struct experiment_of_runs : support::run_by_hand, testing::Test {
  experiment_of_runs() { settings.repeats.runs = 2; }

  void begin() {
    make();
    post(on::opened{1, "test", "{}", 1, opening::at_once, on::present_draws});
  }
  void suggest_runs(std::vector<std::pair<int, int>> which, const std::string& origin = "test") {
    std::vector<suggestion> made;
    for (auto [x, seed] : which)
      made.push_back({std::make_shared<object>(object{{"x", x}, {"seed", seed}}), origin});
    post(on::suggested{ports.all<cmd::ask_searcher>().back().what.number, made});
  }
  void run_to_end(std::uint64_t number, double loss) {
    run({number});
    report({number}, loss);
    end(end_class::finished, {number});
  }
  [[nodiscard]] best_trial best() const { return *uut->machine().view().best; }
};

TEST_F(experiment_of_runs, the_best_is_that_whose_runs_are_best_together) {
  begin();
  suggest_runs({{1, 0}, {1, 1}, {2, 0}, {2, 1}});
  run_to_end(0, 0.1);
  run_to_end(1, 0.9);
  EXPECT_EQ(best().trial, trial_id{0});
  EXPECT_EQ(best().runs->mean, 0.5);
  run_to_end(2, 0.3);
  EXPECT_EQ(best().trial, trial_id{0});
  run_to_end(3, 0.4);

  EXPECT_EQ(best().trial, trial_id{2});
  EXPECT_EQ(*best().config, (object{{"x", 2}, {"seed", 0}}));
  EXPECT_EQ(metric_number(*best().at, "loss"), 0.3);
  EXPECT_THAT(best().runs->mean, DoubleNear(0.35, 1e-12));
  EXPECT_EQ(best().status, trial_status::terminated);
}

TEST_F(experiment_of_runs, what_confirms_is_not_shown_to_the_scheduler_and_names_the_winner) {
  settings.repeats.confirm = 1;
  settings.repeats.confirm_runs = 2;
  begin();
  suggest_runs({{1, 0}, {1, 1}});
  run_to_end(0, 0.1);
  run_to_end(1, 0.2);
  auto judged = ports.all<cmd::judge>().size();
  suggest_runs({{1, 2}, {1, 3}}, "confirms 00000");
  run_to_end(2, 0.5);
  EXPECT_FALSE(best().runs->confirms);
  run_to_end(3, 0.6);

  EXPECT_EQ(ports.all<cmd::judge>().size(), judged);
  EXPECT_EQ(ports.heard<fact::result>({2}), 0u);
  EXPECT_EQ(best().trial, trial_id{2});
  EXPECT_TRUE(best().runs->confirms);
  EXPECT_THAT(best().runs->mean_in_search, DoubleNear(0.15, 1e-12));
}

TEST_F(experiment_of_runs, each_run_keeps_its_best_checkpoint_until_it_shows_which_stands_for_all) {
  settings.checkpoints.retention.keep = 1;
  begin();
  suggest_runs({{1, 0}, {1, 1}, {2, 0}, {2, 1}});
  run_to_end(0, 0.2);
  run_to_end(1, 0.2);
  run({2});
  for (auto loss : {0.5, 0.1, 0.3}) {
    report({2}, loss);
    auto cause = ports.all<cmd::judge>().back().cause;
    post(on::decided{{{cause, {{{2}, tune::save{}, {}}}}}});
    save();
  }
  end(end_class::finished, {2});
  EXPECT_EQ(best().trial, trial_id{0});
  run_to_end(3, 0.1);

  EXPECT_EQ(best().trial, trial_id{2});
  EXPECT_EQ(best().checkpoint_iteration, 2u);
  EXPECT_EQ(ports.all<cmd::discard>().size(), 1u);
}

TEST_F(experiment_of_runs, what_a_client_adds_runs_as_often_as_any_other) {
  begin();
  suggest_runs({{1, 0}, {1, 1}});

  auto told = order(on::add_asked{"mine", std::make_shared<object>(object{{"x", 1}})});
  auto again = order(on::add_asked{"mine", std::make_shared<object>(object{{"x", 1}})});
  auto one = order(on::add_asked{"", std::make_shared<object>(object{{"x", 5}, {"seed", 7}})});

  EXPECT_EQ(told.trial, trial_id{2});
  EXPECT_EQ(again.trial, trial_id{2});
  EXPECT_EQ(one.trial, trial_id{4});
  EXPECT_EQ(*row({2}).config, (object{{"x", 1}, {"seed", 2}}));
  EXPECT_EQ(*row({3}).config, (object{{"x", 1}, {"seed", 3}}));
  EXPECT_FALSE(uut->machine().status_of({5}));
}

TEST_F(experiment_of_runs, what_a_client_adds_counts_on_from_the_highest_number_given) {
  begin();
  suggest_runs({{1, 0}, {1, 1}});

  order(on::add_asked{"", std::make_shared<object>(object{{"x", 5}, {"seed", 1}})});
  order(on::add_asked{"", std::make_shared<object>(object{{"x", 5}})});

  EXPECT_EQ(*row({3}).config, (object{{"x", 5}, {"seed", 2}}));
  EXPECT_EQ(*row({4}).config, (object{{"x", 5}, {"seed", 3}}));
}

TEST_F(experiment_of_runs, the_searcher_hears_of_what_a_client_adds_before_it_reports) {
  settings.repeats.confirm = 1;
  begin();
  suggest_runs({{1, 0}, {1, 1}});
  run({0});
  run({1});
  post(on::suggested{ports.all<cmd::ask_searcher>().back().what.number, exhausted{"no more"}});
  auto asks = ports.all<cmd::ask_searcher>().size();

  order(on::add_asked{"", std::make_shared<object>(object{{"x", 5}, {"seed", 7}})});

  auto told = std::get<observation>(ports.all<cmd::tell_searcher>().back().what.what);
  EXPECT_EQ(told.trial, trial_id{2});
  EXPECT_EQ(told.how, outcome::running);
  EXPECT_EQ(*told.config, (object{{"x", 5}, {"seed", 7}}));
  run({2});
  // The searcher was exhausted, but now there may be something to confirm.
  EXPECT_GT(ports.all<cmd::ask_searcher>().size(), asks);
}

} // namespace
} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "support/toy_scheduler.hpp"
#include "support/world.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace tune {
namespace {

using namespace std::chrono_literals;
using support::world;
using support::world_options;

experiment_settings settings() {
  experiment_settings result;
  result.objectives = {{"loss", false}};
  result.saves = save_ability::on_request;
  return result;
}

std::unique_ptr<scheduler> oblige() {
  return std::make_unique<support::obliging_scheduler>();
}

template <class Event>
std::vector<Event> all_of(const world& from) {
  std::vector<Event> result;
  for (const auto& x : from.log()) {
    if (const auto* found = std::get_if<Event>(&x.what))
      result.push_back(*found);
  }
  return result;
}

std::uint64_t count_of(const world& x, trial_status status) {
  return x.machine().view().counts[static_cast<std::size_t>(status)];
}

TEST(experiment, runs_every_trial_to_its_end) {
  world uut{{}, settings(), oblige};

  uut.run();

  EXPECT_EQ(uut.violation(), "");
  ASSERT_TRUE(uut.finished());
  EXPECT_EQ(uut.finished()->status, experiment_status::done);
  EXPECT_EQ(count_of(uut, trial_status::terminated), 10u);
  EXPECT_EQ(all_of<on::reported>(uut).size(), 80u);
  EXPECT_EQ(uut.machine().view().succeeded, 10u);
}

TEST(experiment, never_runs_more_trials_than_it_may) {
  auto how = settings();
  how.max_concurrent = 2;
  world_options options;
  options.slots = 8;
  world uut{options, how, oblige};

  uut.run();

  EXPECT_EQ(uut.violation(), "");
  EXPECT_EQ(uut.most_running(), 2u);
}

TEST(experiment, knows_the_best_report_of_all_trials) {
  world uut{{}, settings(), oblige};

  uut.run();

  // The loss is 1 / (iteration + trial), so the best is the last report of trial 9.
  auto best = uut.machine().view().best;
  ASSERT_TRUE(best);
  EXPECT_EQ(best->trial, trial_id{9});
  EXPECT_EQ(best->at->iteration, 8u);
  EXPECT_EQ(*best->config->find("x"), value{9});
}

TEST(experiment, counts_no_trial_as_succeeded_whose_objective_never_was_a_number) {
  auto how = settings();
  how.objectives = {{"accuracy", true}};
  world uut{{}, how, oblige};

  uut.run();

  EXPECT_EQ(uut.violation(), "");
  EXPECT_EQ(count_of(uut, trial_status::terminated), 10u);
  EXPECT_EQ(uut.machine().view().succeeded, 0u);
  std::vector<std::string> warnings;
  std::set<std::string> reasons;
  for (const auto& x : uut.carried()) {
    if (const auto* said = std::get_if<cmd::warn>(&x.what); said && said->text.starts_with("trial"))
      warnings.push_back(said->text);
    if (const auto* row = std::get_if<cmd::trial_changed>(&x.what);
        row != nullptr && row->status == trial_status::terminated)
      reasons.insert(row->reason);
  }
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("no report had a number for accuracy"), std::string::npos);
  EXPECT_EQ(reasons, std::set<std::string>{"no report had a number for accuracy"});
}

TEST(experiment, places_a_new_trial_only_when_its_row_is_durable) {
  world_options options;
  options.most_delay = 50;
  world uut{options, settings(), oblige};

  uut.run();

  for (const auto& x : uut.carried()) {
    if (const auto* place = std::get_if<cmd::place>(&x.what)) {
      EXPECT_GT(x.gate, 0u) << to_text(place->trial);
    }
  }
}

TEST(experiment, retries_within_the_budget_and_gives_up_beyond_it) {
  auto how = settings();
  how.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 2;
  how.failures.max_consecutive_failures = 0;
  world_options options;
  options.failure = 1;
  world uut{options, how, oblige};

  uut.run();

  EXPECT_EQ(uut.violation(), "");
  EXPECT_EQ(count_of(uut, trial_status::errored), 10u);
  EXPECT_EQ(all_of<on::ended>(uut).size(), 30u);
  EXPECT_EQ(uut.finished()->status, experiment_status::done);
}

TEST(experiment, waits_twice_as_long_before_each_further_retry) {
  auto how = settings();
  how.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 3;
  how.failures.max_consecutive_failures = 0;
  how.failures.backoff = 1s;
  how.failures.most_backoff = 60s;
  world_options options;
  options.failure = 1;
  options.trials = 1;
  options.most_delay = 0;
  world uut{options, how, oblige};

  uut.run();

  EXPECT_EQ(uut.violation(), "");
  EXPECT_EQ(uut.now(), 7s);
}

TEST(experiment, ends_early_when_the_first_trials_fail_alike) {
  auto how = settings();
  how.failures.max_consecutive_failures = 3;
  world_options options;
  options.failure = 1;
  options.slots = 1;
  world uut{options, how, oblige};

  uut.run();

  ASSERT_TRUE(uut.finished());
  EXPECT_EQ(uut.finished()->status, experiment_status::failed);
  EXPECT_GE(count_of(uut, trial_status::errored), 3u);
  EXPECT_NE(uut.finished()->why.find("boom"), std::string::npos);
}

TEST(experiment, leaves_off_at_the_time_limit_and_stays_resumable) {
  auto how = settings();
  how.time_limit = 100ms;
  world uut{{}, how, oblige};

  uut.run();

  EXPECT_EQ(uut.violation(), "");
  EXPECT_EQ(uut.finished()->status, experiment_status::time_limit);
  EXPECT_EQ(count_of(uut, trial_status::running), 0u);
  EXPECT_GT(count_of(uut, trial_status::pending), 0u);
  EXPECT_EQ(count_of(uut, trial_status::errored), 0u);
}

TEST(experiment, ends_everything_when_a_client_says_so) {
  world uut{{}, settings(), oblige};
  uut.run(40);

  uut.post(on::stop_asked{std::nullopt, "enough"});
  uut.run();

  EXPECT_EQ(uut.violation(), "");
  EXPECT_EQ(uut.finished()->status, experiment_status::stopped);
  EXPECT_EQ(count_of(uut, trial_status::pending) + count_of(uut, trial_status::running), 0u);
}

TEST(experiment, keeps_the_final_result_of_a_trial_that_is_told_to_stop) {
  world uut{{}, settings(), oblige};
  uut.run(40);
  auto running = uut.machine().open_attempts();
  ASSERT_FALSE(running.empty());

  uut.post(on::stop_asked{running.front().first, "this one"});
  uut.run();

  EXPECT_EQ(uut.violation(), "");
  EXPECT_EQ(uut.machine().status_of(running.front().first), trial_status::terminated);
  EXPECT_EQ(uut.finished()->status, experiment_status::done);
}

/// A report of the only open attempt.
std::shared_ptr<report> news(const world& from, std::uint64_t number, double loss) {
  auto [trial, attempt] = from.machine().open_attempts().front();
  auto result = std::make_shared<report>();
  result->trial = trial;
  result->attempt = attempt;
  result->number = number;
  result->iteration = number;
  result->metrics = std::make_shared<object>(object{{"loss", loss}});
  return result;
}

TEST(experiment, takes_no_result_after_the_one_that_was_the_last) {
  world_options options;
  options.trials = 1;
  options.most_delay = 0;
  world uut{options, settings(), oblige};
  while (all_of<on::reported>(uut).size() < 2)
    uut.run(uut.log().size() + 1);
  auto last = news(uut, 3, -1);
  last->done = true;

  uut.post(on::reported{last});
  uut.post(on::reported{news(uut, 4, -2)});
  uut.run();

  EXPECT_EQ(uut.violation(), "");
  EXPECT_EQ(all_of<on::reported>(uut).size(), 3u);
  // Both reports are answered.
  EXPECT_EQ(std::count_if(uut.carried().begin(), uut.carried().end(),
                          [](const auto& x) { return std::holds_alternative<cmd::halt>(x.what); }),
            2);
  EXPECT_EQ(*uut.machine().view().best->at->metrics, (object{{"loss", -1.0}}));
}

TEST(experiment, takes_one_result_of_a_trial_that_was_told_to_stop_while_it_computed) {
  world_options options;
  options.trials = 1;
  options.most_delay = 0;
  world uut{options, settings(), oblige};
  // Waits until the trial is told to go on after its second report.
  while (all_of<on::decided>(uut).size() < 2)
    uut.run(uut.log().size() + 1);
  auto known = all_of<on::reported>(uut).size();

  uut.post(on::stop_asked{trial_id{0}, "enough"});
  uut.post(on::reported{news(uut, known + 1, -1)});
  uut.post(on::reported{news(uut, known + 2, -2)});
  uut.run();

  EXPECT_EQ(uut.violation(), "");
  EXPECT_EQ(all_of<on::reported>(uut).size(), known + 1);
  EXPECT_EQ(*uut.machine().view().best->at->metrics, (object{{"loss", -1.0}}));
}

TEST(experiment, asks_for_a_checkpoint_at_every_nth_iteration) {
  auto how = settings();
  how.checkpoints.frequency = 3;
  world uut{{}, how, oblige};

  uut.run();

  EXPECT_EQ(uut.violation(), "");
  auto saves = all_of<on::saved>(uut);
  EXPECT_EQ(saves.size(), 20u);
  for (const auto& x : saves)
    EXPECT_EQ(x.iteration % 3, 0u);
}

TEST(experiment, resumes_a_failed_trial_from_its_newest_checkpoint_without_judging_repeats) {
  auto how = settings();
  how.checkpoints.frequency = 2;
  how.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 1000;
  world_options options;
  options.failure = 0.2;
  world uut{options, how, oblige};

  uut.run();

  EXPECT_EQ(uut.violation(), "");
  EXPECT_EQ(count_of(uut, trial_status::terminated), 10u);
  std::map<std::pair<trial_id, std::uint64_t>, int> judged;
  for (const auto& x : uut.carried()) {
    const auto* told = std::get_if<cmd::tell_scheduler>(&x.what);
    const auto* result = told != nullptr ? std::get_if<fact::result>(&told->what.what) : nullptr;
    if (result != nullptr)
      ++judged[{result->trial, result->iteration}];
  }
  EXPECT_EQ(judged.size(), 80u);
  EXPECT_TRUE(
      std::all_of(judged.begin(), judged.end(), [](const auto& x) { return x.second == 1; }));
}

TEST(experiment, falls_back_to_the_checkpoint_before_where_the_newest_is_bad) {
  auto how = settings();
  how.checkpoints.frequency = 2;
  how.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 1000;
  world_options options;
  options.failure = 0.1;
  options.torn = 0.3;
  world uut{options, how, oblige};

  uut.run();

  EXPECT_EQ(uut.violation(), "");
  auto bad = all_of<on::checkpoint_bad>(uut);
  ASSERT_FALSE(bad.empty());
  std::map<trial_id, std::set<checkpoint_id>> known_bad;
  std::size_t from_scratch = 0;
  for (const auto& x : uut.carried()) {
    if (const auto* launched = std::get_if<cmd::launch>(&x.what)) {
      EXPECT_FALSE(known_bad[launched->trial].contains(launched->from));
      from_scratch += !launched->from && !known_bad[launched->trial].empty() ? 1 : 0;
    }
    const auto* over = std::get_if<cmd::attempt_changed>(&x.what);
    if (over != nullptr && over->how == end_class::bad_checkpoint)
      known_bad[over->trial].insert(over->from);
  }
  EXPECT_EQ(from_scratch, 0u);
}

TEST(experiment, gives_a_trial_up_when_all_its_checkpoints_are_bad_unless_it_may_start_again) {
  auto how = settings();
  how.checkpoints.frequency = 4;
  how.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 1000;
  world_options options;
  options.failure = 0.1;
  options.torn = 1;
  world strict{options, how, oblige};
  how.failures.restart_from_scratch = true;
  world lenient{options, how, oblige};

  strict.run();
  lenient.run();

  EXPECT_EQ(strict.violation(), "");
  EXPECT_GT(count_of(strict, trial_status::errored), 0u);
  EXPECT_EQ(lenient.violation(), "");
  EXPECT_FALSE(all_of<on::checkpoint_bad>(lenient).empty());
  EXPECT_EQ(count_of(lenient, trial_status::terminated), 10u);
}

TEST(experiment, never_begins_from_scratch_in_silence_whatever_may_be_retried) {
  auto how = settings();
  how.checkpoints.frequency = 4;
  how.failures.budget.fill(1000);
  world_options options;
  options.failure = 0.1;
  options.torn = 1;
  world uut{options, how, oblige};

  uut.run();

  EXPECT_TRUE(uut.check().empty());
  EXPECT_FALSE(all_of<on::checkpoint_bad>(uut).empty());
  EXPECT_GT(count_of(uut, trial_status::errored), 0u);
}

/// Feeds events to an experiment one by one.
struct by_hand {
  experiment uut{settings(), {}, {}, {}};

  std::vector<command> post(event_body what) {
    return uut.apply({uut.last_seq() + 1, instant{0}, std::move(what)});
  }
  /// Opens the experiment and suggests `trials` trials.
  void begin(std::size_t trials) {
    std::vector<suggestion> list(trials, suggestion{std::make_shared<object>(), "hand"});
    (void)post(on::opened{1, "test", "{}", 0});
    (void)post(on::suggest_asked{1, 1});
    (void)post(on::suggested{1, std::move(list)});
  }
};

template <class Command>
bool has(const std::vector<command>& among) {
  return std::any_of(among.begin(), among.end(),
                     [](const auto& x) { return std::holds_alternative<Command>(x.what); });
}

TEST(experiment, asks_for_other_resources_from_another_head_on) {
  by_hand x;
  x.begin(1);
  (void)x.post(on::chosen{{x.uut.last_seq(), {trial_id{0}}}});
  rule_change now{settings(), {}};
  resources more;
  more.cpu = amount::of(3);
  now.settings.request.bundles = {more};

  x.uut.go_by(std::move(now));
  (void)x.post(on::opened{2, "test", "{}", 0});

  auto open = x.uut.outstanding();
  auto placed = std::find_if(open.begin(), open.end(), [](const auto& y) {
    return std::holds_alternative<cmd::place>(y.what);
  });
  ASSERT_NE(placed, open.end());
  EXPECT_EQ(std::get<cmd::place>(placed->what).request.bundles.front(), more);
}

TEST(experiment, leaves_what_was_decided_by_the_rules_of_its_time) {
  by_hand x;
  x.begin(1);
  (void)x.post(on::chosen{{x.uut.last_seq(), {trial_id{0}}}});
  auto attempt = x.uut.next_attempt();
  (void)x.post(on::placed{trial_id{0}, attempt, {}});
  (void)x.post(on::ended{trial_id{0}, attempt, end_class::user_error, "boom", {}});
  ASSERT_EQ(x.uut.status_of(trial_id{0}), trial_status::errored);
  rule_change now{settings(), {}};
  now.settings.failures.budget.fill(9);

  x.uut.go_by(std::move(now));
  (void)x.post(on::opened{2, "test", "{}", 0});

  EXPECT_EQ(x.uut.status_of(trial_id{0}), trial_status::errored);
}

TEST(experiment, asks_again_whom_to_start_where_the_answer_is_older_than_the_news) {
  by_hand x;
  x.begin(2);
  auto asked_at = x.uut.last_seq();
  (void)x.post(on::stop_asked{trial_id{0}, "a client wants it"});

  auto gave = x.post(on::chosen{{asked_at, {trial_id{0}}}});

  EXPECT_TRUE(has<cmd::choose>(gave));
}

TEST(experiment, asks_the_searcher_again_whose_nothing_is_older_than_the_news) {
  by_hand x;
  x.begin(1);
  (void)x.post(on::chosen{{x.uut.last_seq(), {trial_id{0}}}});
  (void)x.post(on::placed{trial_id{0}, {1, 1}, {lease_id{1}, {{"here", {}, {}}}}});
  (void)x.post(on::suggest_asked{2, 1});
  auto news = std::make_shared<report>();
  news->attempt = {1, 1};
  news->number = news->iteration = 1;
  news->metrics = std::make_shared<object>(object{{"loss", 0.5}});
  (void)x.post(on::reported{news});

  auto gave = x.post(on::suggested{2, nothing_yet{}});

  EXPECT_TRUE(has<cmd::log>(gave));
}

TEST(experiment, takes_each_answer_of_the_scheduler_once) {
  world_options options;
  options.doubled = 1;
  world uut{options, settings(), oblige};

  uut.run();

  std::map<sequence, std::size_t> answers;
  for (const auto& x : all_of<on::decided>(uut)) {
    for (const auto& y : x.answers)
      ++answers[y.cause];
  }
  EXPECT_EQ(answers.size(), 80u);
  for (const auto& [cause, count] : answers)
    EXPECT_EQ(count, 1u) << "about event " << cause;
}

/// Options for a world whose messages arrive in the order in which they were sent.
world_options in_order() {
  world_options result;
  result.most_delay = 0;
  return result;
}

/// Number of checkpoints that each trial has on disk.
std::map<trial_id, std::size_t> kept_of(const world& x) {
  std::map<trial_id, std::size_t> result;
  for (const auto& [id, kept] : x.disk())
    ++result[kept.trial];
  return result;
}

TEST(experiment, keeps_as_many_checkpoints_of_a_trial_as_it_is_told) {
  auto how = settings();
  how.checkpoints.frequency = 1;
  how.checkpoints.retention.keep = 2;
  world uut{in_order(), how, oblige};

  uut.run();

  EXPECT_EQ(uut.violation(), "");
  auto kept = kept_of(uut);
  EXPECT_EQ(kept.size(), 10u);
  for (const auto& [trial, count] : kept)
    EXPECT_EQ(count, 2u) << to_text(trial);
  EXPECT_EQ(all_of<on::saved>(uut).size(), 80u);
}

TEST(experiment, keeps_the_best_checkpoints_and_the_newest) {
  auto how = settings();
  how.checkpoints.frequency = 1;
  // The loss falls, but greater scores count as better here: the first checkpoint is the "best".
  how.checkpoints.retention = {1, "loss", true, 0, 0};
  world uut{in_order(), how, oblige};

  uut.run();

  EXPECT_EQ(uut.violation(), "");
  std::map<trial_id, std::set<std::uint64_t>> iterations;
  for (const auto& x : all_of<on::saved>(uut)) {
    if (uut.disk().contains(x.checkpoint))
      iterations[x.trial].insert(x.iteration);
  }
  // The newest checkpoint of the best trial is its result; other trials keep only their best one.
  for (const auto& [trial, which] : iterations)
    EXPECT_TRUE(which.contains(1)) << to_text(trial);
  EXPECT_EQ(iterations[trial_id{9}], (std::set<std::uint64_t>{1, 8}));
  EXPECT_EQ(iterations[trial_id{0}], (std::set<std::uint64_t>{1}));
}

TEST(experiment, keeps_all_checkpoints_together_within_their_room) {
  auto how = settings();
  how.checkpoints.frequency = 1;
  how.checkpoints.retention.experiment_bytes = 6;
  world uut{in_order(), how, oblige};

  uut.run();

  EXPECT_EQ(uut.violation(), "");
  EXPECT_LE(uut.disk().size(), 6u);
  EXPECT_GE(uut.disk().size(), 3u);
}

TEST(experiment, removes_no_checkpoint_before_that_is_on_disk) {
  auto how = settings();
  how.checkpoints.frequency = 1;
  how.checkpoints.retention.keep = 1;
  world_options options;
  options.most_delay = 50;
  world uut{options, how, oblige};

  uut.run();

  EXPECT_EQ(uut.violation(), "");
  std::size_t discarded = 0;
  for (const auto& x : uut.carried()) {
    if (std::holds_alternative<cmd::discard>(x.what)) {
      ++discarded;
      EXPECT_EQ(x.gate, x.cause);
    }
  }
  EXPECT_GE(discarded, 60u);
}

TEST(experiment, answers_a_doubled_report_again_without_recording_it) {
  world_options options;
  options.doubled = 0.5;
  world uut{options, settings(), oblige};

  uut.run();

  EXPECT_EQ(uut.violation(), "");
  EXPECT_EQ(all_of<on::reported>(uut).size(), 80u);
}

TEST(experiment, stops_a_report_of_an_attempt_that_is_over) {
  world uut{{}, settings(), oblige};
  uut.run(40);
  auto stranger = std::make_shared<report>();
  stranger->attempt = {1, 999};
  stranger->number = 1;
  stranger->iteration = 1;
  auto before = uut.log().size();

  uut.post(on::reported{stranger});

  EXPECT_EQ(uut.log().size(), before);
  const auto* halt = std::get_if<cmd::halt>(&uut.carried().back().what);
  ASSERT_NE(halt, nullptr);
  EXPECT_EQ(halt->why, "superseded");
}

std::vector<std::string> warnings_of(const world& from) {
  std::vector<std::string> result;
  for (const auto& x : from.carried()) {
    if (const auto* found = std::get_if<cmd::warn>(&x.what))
      result.push_back(found->text);
  }
  return result;
}

std::uint64_t attempts_lost(const world& from, const std::string& detail) {
  std::uint64_t result = 0;
  for (const auto& x : from.carried()) {
    const auto* row = std::get_if<cmd::attempt_changed>(&x.what);
    if (row != nullptr && row->finished && row->how == end_class::node_lost) {
      EXPECT_EQ(row->detail, detail);
      ++result;
    }
  }
  return result;
}

TEST(experiment, warns_once_of_metrics_that_the_first_report_lacks) {
  auto how = settings();
  how.objectives = {{"loss", false}, {"speed", true}};
  world uut{{}, how, oblige};

  uut.run();

  EXPECT_EQ(uut.violation(), "");
  EXPECT_EQ(warnings_of(uut),
            (std::vector<std::string>{
                "[experiment] metric: the first report has no metric \"speed\"; it has: loss. As "
                "long as that is so, no trial comes into the Pareto front."}));
}

TEST(experiment, warns_of_what_follows_where_the_time_of_the_scheduler_is_missing) {
  struct by_tokens : support::obliging_scheduler {
    [[nodiscard]] scheduler_traits traits() const override {
      auto result = obliging_scheduler::traits();
      result.time_attr = "tokens";
      return result;
    }
  };
  world uut{{}, settings(), [] { return std::make_unique<by_tokens>(); }};

  uut.run();

  EXPECT_EQ(
      warnings_of(uut),
      (std::vector<std::string>{
          "[scheduler] time_attr: the first report has no metric \"tokens\"; it has: loss. As "
          "long as that is so, no trial is judged; pbt and pb2 stop every trial that reports, "
          "unless require_attrs = false."}));
}

TEST(experiment, warns_of_nothing_where_the_first_report_has_all) {
  world uut{{}, settings(), oblige};

  uut.run();

  EXPECT_TRUE(warnings_of(uut).empty());
}

TEST(experiment, notes_once_that_what_a_trial_hands_over_is_not_kept) {
  world uut{{}, settings(), oblige};
  uut.run(40);
  std::vector<on::placed> placed;
  for (const auto& x : all_of<on::placed>(uut)) {
    if (uut.machine().status_of(x.trial) == trial_status::running)
      placed.push_back(x);
  }
  ASSERT_GE(placed.size(), 2u);

  for (const auto* why : {"no room", "no room", "no right"})
    uut.post(on::save_failed{placed[0].trial, placed[0].attempt, {}, why});
  uut.post(on::save_failed{placed[1].trial, placed[1].attempt, {}, "no room"});

  EXPECT_EQ(warnings_of(uut),
            std::vector<std::string>{"trial " + to_text(placed[0].trial)
                                     + ": a checkpoint that it handed over is not kept: no room"});
  std::vector<std::string> noted;
  for (const auto& x : uut.carried()) {
    const auto* found = std::get_if<cmd::decision_taken>(&x.what);
    if (found != nullptr && found->action == "save_failed")
      noted.push_back(*found->reason.find("why")->as_string());
  }
  EXPECT_EQ(noted, (std::vector<std::string>{"no room", "no right", "no room"}));
  uut.run();
  EXPECT_EQ(uut.violation(), "");
}

TEST(experiment, runs_the_trials_of_a_lost_node_again) {
  world uut{{}, settings(), oblige};
  uut.run(40);
  auto running = count_of(uut, trial_status::running);
  ASSERT_GT(running, 0u);

  uut.post(on::node_down{"elsewhere", "it left"});
  EXPECT_EQ(count_of(uut, trial_status::running), running);
  uut.lose_node("here", 1s);
  uut.run();

  EXPECT_EQ(uut.violation(), "");
  EXPECT_EQ(attempts_lost(uut, "node here was lost: silent for too long"), running);
  EXPECT_EQ(count_of(uut, trial_status::terminated), 10u);
  EXPECT_EQ(uut.machine().view().succeeded, 10u);
}

TEST(experiment, ends_a_trainable_that_lost_the_node_of_its_helpers) {
  world_options options;
  options.helpers = true;
  world uut{options, settings(), oblige};
  uut.run(40);
  auto running = count_of(uut, trial_status::running);
  auto carried = uut.carried().size();

  uut.post(on::node_down{"there", ""});
  uut.run();

  std::uint64_t killed = 0;
  for (auto i = carried; i < uut.carried().size(); ++i) {
    const auto* x = std::get_if<cmd::halt>(&uut.carried()[i].what);
    killed += x != nullptr && x->how == halt_mode::kill ? 1 : 0;
  }
  EXPECT_EQ(killed, running);
  EXPECT_EQ(attempts_lost(uut, "node there was lost"), running);
  EXPECT_EQ(uut.violation(), "");
}

TEST(experiment, tells_each_end_exactly_once) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    world_options options;
    options.seed = seed;
    options.doubled = 0.3;
    options.failure = 0.05;
    auto how = settings();
    how.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 3;
    world uut{options, how, [seed] { return std::make_unique<support::toy_scheduler>(seed); }};

    uut.run();

    ASSERT_EQ(uut.violation(), "") << "seed " << seed;
    std::map<trial_id, int> ends;
    for (const auto& x : uut.carried()) {
      const auto* told = std::get_if<cmd::tell_scheduler>(&x.what);
      const auto* ended = told != nullptr ? std::get_if<fact::ended>(&told->what.what) : nullptr;
      if (ended != nullptr)
        ++ends[ended->trial];
    }
    EXPECT_EQ(ends.size(), 10u) << "seed " << seed;
    for (const auto& [trial, times] : ends)
      EXPECT_EQ(times, 1) << "seed " << seed << " trial " << to_text(trial);
  }
}

} // namespace
} // namespace tune

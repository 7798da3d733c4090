// SPDX-License-Identifier: BSD-3-Clause
#include "support/deterministic_system.hpp"

#include "tune/actors/janitor.hpp"
#include "tune/actors/runner.hpp"
#include "tune/core/experiment/searcher_wait.hpp"

#include <atomic>
#include <functional>
#include <future>
#include <tuple>

namespace tune {
namespace {

using namespace std::chrono_literals;

/// Records how the run ended.
struct witness : run_observer {
  std::vector<run_summary> ends;
  std::vector<std::pair<trial_id, bool>> failures;
  std::vector<std::string> warnings;

  void finished(const run_summary& how) override { ends.push_back(how); }
  void attempt_failed(const cmd::attempt_changed& what, bool again, instant) override {
    failures.emplace_back(what.trial, again);
  }
  void warned(const std::string& text) override { warnings.push_back(text); }
};

/// The test plays all neighbours of the runner.
struct runner_test : support::deterministic_system {
  experiment_settings settings;
  sequence most_undurable = 200'000;
  scheduler_traits judge_traits;
  searcher_traits source_traits;
  std::shared_ptr<witness> seen = std::make_shared<witness>();
  support::mock<scheduler_actor> scheduler = mock_scheduler();
  support::mock<searcher_actor> searcher = mock_searcher();
  support::mock<cluster_actor> cluster = mock_cluster();
  support::mock<recorder_actor> recorder = mock_recorder();
  support::mock<node_actor> node = mock_node();
  support::mock<trainable_actor> trainable = mock_trainable();
  janitor_actor janitor;
  /// See `runner_parts::is_queued`.
  std::function<bool()> is_queued;
  runner_actor uut;

  /// Everything that the recorder received so far.
  std::vector<store_item> written;
  std::uint64_t leases = 0;
  /// The latest launch order and its trial actor.
  launch_order order;
  trial_actor trial;

  runner_test() {
    settings.objectives = {{"loss", false}};
    settings.max_trials = 1;
  }

  // Facts arrive all the time and are discarded here; tests check the questions where they matter.
  void TearDown() override {
    run_now();
    scheduler.heard->forget();
    searcher.heard->forget();
    absorb();
    deterministic_system::TearDown();
  }

  void spawn() {
    runner_parts parts{experiment{settings, judge_traits, source_traits, {}},
                       on::opened{1, "test", "{}", 1},
                       scheduler.actor,
                       searcher.actor,
                       cluster.actor,
                       recorder.actor,
                       false,
                       seen};
    parts.most_undurable = most_undurable;
    parts.janitor = janitor;
    parts.prompt_scheduler = judge_traits.prompt;
    parts.prompt_searcher = source_traits.prompt;
    parts.source = source_traits;
    parts.is_queued = is_queued;
    uut = keep(spawn_runner(*system, std::move(parts)));
    tell(uut, run_atom_v);
    EXPECT_EQ(recorder.take<runner_actor>(), uut);
  }

  std::size_t absorb() {
    auto before = written.size();
    while (recorder.heard->size() > 0) {
      for (auto& x : recorder.take<record_turn>().items)
        written.push_back(std::move(x));
    }
    return written.size() - before;
  }
  /// Makes everything durable that was handed to the recorder.
  void make_durable() {
    while (absorb() > 0)
      tell(uut, durable_up_to{last_event()});
  }
  [[nodiscard]] sequence last_event() const {
    sequence result = 0;
    for (const auto& x : written)
      result = std::max(result, x.seq);
    return result;
  }
  [[nodiscard]] std::size_t events(std::string_view kind) const {
    std::size_t result = 0;
    for (const auto& x : written) {
      const auto* what = std::get_if<event>(&x.what);
      result += what != nullptr && name_of(what->what) == kind ? 1 : 0;
    }
    return result;
  }

  /// Has the searcher answer the last ask.
  void suggest(std::size_t count) {
    auto turn = searcher.take<searcher_turn>();
    while (turn.asks.empty() && searcher.heard->size() > 0)
      turn = searcher.take<searcher_turn>();
    ASSERT_EQ(turn.asks.size(), 1u);
    std::vector<suggestion> made;
    for (std::size_t i = 0; i < count; ++i)
      made.push_back({std::make_shared<object>(object{{"x", 1.5}}), "test"});
    tell(uut, news{on::suggested{turn.asks[0].number, made}});
  }
  /// Has the scheduler choose a trial.
  void choose(std::uint64_t id) {
    while (scheduler.heard->size() > 0) {
      auto turn = scheduler.take<scheduler_turn>();
      if (!turn.choose.empty()) {
        tell(uut, news{on::chosen{{turn.choose[0].at, {trial_id{id}}}}});
        return;
      }
    }
    ADD_FAILURE() << "the scheduler was not asked to choose";
  }
  /// Has the cluster grant the trial's lease, and the trainable attach.
  void launch(std::uint64_t id) {
    EXPECT_EQ(cluster.take<lease_request>().trial.number, id);
    lease granted{lease_id{++leases}, {{"here", {}, {}}}};
    tell(uut, lease_granted{trial_id{id}, granted, node.actor});
    make_durable();
    std::tie(order, trial) = cluster.take<support::launch_words>();
    EXPECT_EQ(order.trial, id);
    tell(trial, order.attempt, trainable.actor);
  }
  void begin() {
    spawn();
    suggest(1);
    choose(0);
    make_durable();
    launch(0);
    make_durable();
  }
  void report(std::uint64_t number) {
    attempt_report said;
    said.attempt = order.attempt;
    said.number = number;
    said.iteration = number;
    said.metrics = {std::make_shared<object>(object{{"loss", 0.5}})};
    tell(trial, said);
  }
  void end(end_class how, std::string why = {}) {
    attempt_ended over;
    over.attempt = order.attempt;
    over.how = static_cast<std::uint8_t>(how);
    over.detail = std::move(why);
    tell(trial, over);
  }
  /// The latest question that the scheduler was asked.
  cmd::judge question() {
    cmd::judge result;
    while (scheduler.heard->size() > 0) {
      auto turn = scheduler.take<scheduler_turn>();
      for (const auto& x : turn.judge)
        result = x;
    }
    EXPECT_NE(result.cause, 0u) << "the scheduler was not asked to judge";
    return result;
  }
  void judge(action_body verdict) {
    auto asked = question();
    tell(uut, news{on::decided{{{asked.cause, {{asked.trial, verdict, {}}}}}}});
  }
};

/// Records the answers that a client received.
struct client_ear {
  std::vector<expected<std::vector<order_verdict>>> told;
  client_orders wish(std::vector<event_body> what) {
    return {std::move(what), [this](auto answer) { told.push_back(std::move(answer)); }};
  }
};

TEST_F(runner_test, answers_a_client_when_its_wish_is_on_disk) {
  client_ear ear;
  begin();

  tell(uut, ear.wish({on::pause_asked{trial_id{7}}, on::stop_asked{trial_id{0}, "client"}}));
  EXPECT_TRUE(ear.told.empty());
  make_durable();

  ASSERT_EQ(ear.told.size(), 1u);
  ASSERT_TRUE(ear.told[0]);
  EXPECT_EQ(ear.told[0]->at(0).what, order_verdict::kind::unknown);
  EXPECT_EQ(ear.told[0]->at(1).what, order_verdict::kind::taken);
  EXPECT_EQ(events("stop_asked"), 1u);
  EXPECT_EQ(events("pause_asked"), 0u);
  trainable.take<attempt_halt>();
}

TEST_F(runner_test, answers_at_once_what_changes_nothing_and_is_on_disk) {
  client_ear ear;
  begin();

  tell(uut, ear.wish({on::unpause_asked{trial_id{0}}}));

  ASSERT_EQ(ear.told.size(), 1u);
  EXPECT_EQ(ear.told[0]->at(0).what, order_verdict::kind::needless);
}

TEST_F(runner_test, tells_clients_where_nothing_can_be_recorded_any_more) {
  client_ear ear;
  begin();
  tell(uut, ear.wish({on::stop_asked{trial_id{0}, "client"}}));

  tell(uut, storage_failed{{ec::storage, "disk full"}});
  tell(uut, ear.wish({on::pause_asked{}}));

  ASSERT_EQ(ear.told.size(), 2u);
  for (const auto& x : ear.told) {
    ASSERT_FALSE(x);
    EXPECT_EQ(x.error().code, ec::storage);
  }
  absorb();
}

/// A run whose next report requires a verdict, a choice and suggestions, all at once.
struct answer_order_test : runner_test {
  struct answers {
    on::decided verdict;
    on::chosen choice;
    on::suggested proposal;
  };

  answer_order_test() {
    settings.max_trials = 0;
    source_traits.ahead = 4;
    judge_traits.prompt = source_traits.prompt = true;
  }

  answers questions_of_a_report() {
    spawn();
    suggest(2);
    choose(0);
    answer_nothing_yet();
    choose_nobody();
    make_durable();
    launch(0);
    make_durable();
    choose_nobody();
    report(1);
    answers result;
    auto turn = scheduler.take<scheduler_turn>();
    auto asked = searcher.take<searcher_turn>().asks;
    EXPECT_EQ(turn.judge.size() + turn.choose.size() + asked.size(), 3u);
    if (turn.judge.size() + turn.choose.size() + asked.size() < 3)
      return result;
    result.verdict.answers = {{turn.judge[0].cause, {{trial_id{0}, go_on{9}, {}}}}};
    result.choice = {{turn.choose[0].at, {}}};
    result.proposal = {asked[0].number, nothing_yet{}};
    return result;
  }
  void answer_nothing_yet() {
    while (searcher.heard->size() > 0) {
      for (const auto& x : searcher.take<searcher_turn>().asks)
        tell(uut, news{on::suggested{x.number, nothing_yet{}}});
    }
  }
  void choose_nobody() {
    while (scheduler.heard->size() > 0) {
      for (const auto& x : scheduler.take<scheduler_turn>().choose)
        tell(uut, news{on::chosen{{x.at, {}}}});
    }
  }
  /// The kinds of all recorded events, in order.
  std::vector<std::string> log() {
    absorb();
    std::vector<std::string> result;
    for (const auto& x : written) {
      if (const auto* what = std::get_if<event>(&x.what))
        result.emplace_back(name_of(what->what));
    }
    return result;
  }
  /// Sends message number `word`; 0 and 1 come from the same actor.
  void say(const answers& all, std::size_t word) {
    if (word == 0)
      tell(uut, news{all.verdict});
    else if (word == 1)
      tell(uut, news{all.choice});
    else if (word == 2)
      tell(uut, news{all.proposal});
    else
      tell(uut, news{on::node_down{"other", "it went"}});
  }
};

struct any_answer_order : answer_order_test,
                          testing::WithParamInterface<std::vector<std::size_t>> {};

TEST_P(any_answer_order, gives_the_same_log_while_nothing_else_happens) {
  auto all = questions_of_a_report();
  auto before = log().size();

  for (auto word : GetParam())
    say(all, word);

  auto after = log();
  after.erase(after.begin(), after.begin() + static_cast<std::ptrdiff_t>(before));
  EXPECT_EQ(after, (std::vector<std::string>{"decided", "chosen", "suggested", "node_down"}));
  trainable.heard->forget();
}

INSTANTIATE_TEST_SUITE_P(
    all, any_answer_order,
    testing::Values(std::vector<std::size_t>{0, 1, 2, 3}, std::vector<std::size_t>{0, 1, 3, 2},
                    std::vector<std::size_t>{0, 2, 1, 3}, std::vector<std::size_t>{0, 2, 3, 1},
                    std::vector<std::size_t>{0, 3, 1, 2}, std::vector<std::size_t>{0, 3, 2, 1},
                    std::vector<std::size_t>{2, 0, 1, 3}, std::vector<std::size_t>{2, 0, 3, 1},
                    std::vector<std::size_t>{2, 3, 0, 1}, std::vector<std::size_t>{3, 0, 1, 2},
                    std::vector<std::size_t>{3, 0, 2, 1}, std::vector<std::size_t>{3, 2, 0, 1}));

TEST_F(answer_order_test, does_not_wait_for_a_searcher_that_takes_its_time) {
  source_traits.prompt = false;
  auto all = questions_of_a_report();
  auto before = log().size();

  say(all, 0);
  say(all, 1);
  say(all, 3);

  EXPECT_EQ(log().size(), before + 3);
  EXPECT_EQ(trainable.take<attempt_answer>().until, 9u);
  say(all, 2);
  EXPECT_EQ(log().back(), "suggested");
}

TEST_F(answer_order_test, does_not_wait_where_somebody_wants_an_end) {
  auto all = questions_of_a_report();

  say(all, 2);
  say(all, 3);
  ASSERT_EQ(log().back(), "suggest_asked");
  // What the runner hears when the scheduler has ended.
  tell(uut, news{on::stop_asked{{}, "the scheduler is gone"}});

  auto after = log();
  EXPECT_EQ(after.back(), "stop_asked");
  EXPECT_EQ(*(after.end() - 2), "node_down");
  EXPECT_EQ(*(after.end() - 3), "suggested");
  trainable.heard->forget();
}

TEST_F(answer_order_test, does_not_wait_for_a_scheduler_that_takes_its_time) {
  judge_traits.prompt = false;
  auto all = questions_of_a_report();

  say(all, 2);
  say(all, 3);

  EXPECT_EQ(log().back(), "node_down");
  say(all, 0);
  say(all, 1);
  EXPECT_EQ(log().back(), "chosen");
  trainable.heard->forget();
}

TEST_F(answer_order_test, does_not_wait_for_an_answer_that_is_deferred) {
  auto all = questions_of_a_report();

  tell(uut, news{on::decided{}});
  say(all, 1);
  say(all, 2);
  say(all, 3);
  EXPECT_EQ(log().back(), "node_down");
  tell(uut, news{all.verdict, true});

  EXPECT_EQ(log().back(), "decided");
  EXPECT_EQ(trainable.take<attempt_answer>().until, 9u);
}

TEST_F(answer_order_test, takes_no_deferred_answer_for_that_of_a_turn) {
  auto all = questions_of_a_report();
  auto before = log().size();

  tell(uut, news{on::decided{{{999, {}}}}, true});
  say(all, 2);
  say(all, 0);
  EXPECT_EQ(log().size(), before);
  say(all, 1);

  auto after = log();
  after.erase(after.begin(), after.begin() + static_cast<std::ptrdiff_t>(before));
  EXPECT_EQ(after, (std::vector<std::string>{"decided", "chosen", "suggested"}));
  trainable.heard->forget();
}

struct given_up_attempt : runner_test, testing::WithParamInterface<end_class> {};

TEST_P(given_up_attempt, is_tidied_up_behind_once_its_end_is_on_disk) {
  std::atomic<bool> on_disk = false;
  std::promise<std::tuple<trial_id, attempt_id, bool>> tidied;
  janitor = keep(spawn_janitor(
      *system, [](const std::string&) { return expected<void>{}; },
      [&](trial_id whose, attempt_id which) -> expected<void> {
        tidied.set_value({whose, which, on_disk});
        return {};
      }));
  begin();

  end(GetParam(), "its node began anew");
  run_now();
  on_disk = true;
  make_durable();

  auto told = tidied.get_future();
  ASSERT_EQ(told.wait_for(60s), std::future_status::ready);
  EXPECT_EQ(told.get(), (std::tuple{trial_id{0}, order.attempt.id(), true}));
}

INSTANTIATE_TEST_SUITE_P(by_its_head, given_up_attempt,
                         testing::Values(end_class::node_lost, end_class::preempted,
                                         end_class::user_error, end_class::timeout,
                                         end_class::out_of_memory, end_class::killed));

struct whole_attempt : runner_test, testing::WithParamInterface<end_class> {};

TEST_P(whole_attempt, has_nothing_removed_behind_it) {
  janitor = keep(spawn_janitor(
      *system, [](const std::string&) { return expected<void>{}; },
      [&](trial_id, attempt_id) -> expected<void> {
        ADD_FAILURE() << "its checkpoints are looked through";
        return {};
      }));
  begin();

  end(GetParam(), "");
  run_now();
  make_durable();
}

INSTANTIATE_TEST_SUITE_P(by_its_program_or_with_its_head, whole_attempt,
                         testing::Values(end_class::finished, end_class::stopped,
                                         end_class::interrupted));

TEST_F(runner_test, tells_its_observer_what_the_first_report_lacks) {
  settings.objectives = {{"loss", false}, {"speed", true}};
  begin();

  report(1);
  run_now();

  ASSERT_EQ(seen->warnings.size(), 1u);
  EXPECT_NE(seen->warnings[0].find("\"speed\""), std::string::npos) << seen->warnings[0];
}

TEST_F(runner_test, places_a_trial_for_the_first_time_when_its_row_is_on_disk) {
  spawn();
  suggest(1);
  choose(0);
  ASSERT_EQ(cluster.heard->size(), 0u);

  make_durable();

  EXPECT_EQ(cluster.take<lease_request>().trial.number, 0u);
}

TEST_F(runner_test, launches_no_attempt_that_is_not_on_disk) {
  spawn();
  suggest(1);
  choose(0);
  make_durable();
  cluster.take<lease_request>();

  tell(uut, lease_granted{trial_id{0}, {lease_id{1}, {{"here", {}, {}}}}, node.actor});
  run_now();
  EXPECT_EQ(cluster.heard->size(), 0u);
  make_durable();

  EXPECT_EQ(std::get<0>(cluster.take<support::launch_words>()).attempt.id(), (attempt_id{1, 1}));
}

TEST_F(runner_test, tells_a_node_all_that_an_attempt_needs) {
  begin();

  EXPECT_EQ(order.attempt.id(), (attempt_id{1, 1}));
  EXPECT_EQ(order.lease, 1u);
  EXPECT_EQ(*order.config.content, (object{{"x", 1.5}}));
  EXPECT_EQ(order.restore_from, "");
}

TEST_F(runner_test, lets_a_trial_go_on_without_waiting_for_the_disk) {
  begin();
  report(1);

  judge(go_on{7});

  auto answer = trainable.take<attempt_answer>();
  EXPECT_EQ(answer.kind, answer_kind::go_on);
  EXPECT_EQ(answer.number, 1u);
  EXPECT_EQ(answer.until, 7u);
}

TEST_F(runner_test, stops_a_trial_only_when_the_reason_is_on_disk) {
  begin();
  report(1);

  judge(stop{});
  ASSERT_EQ(trainable.heard->size(), 0u);
  make_durable();

  EXPECT_EQ(trainable.take<attempt_halt>().how, static_cast<std::uint8_t>(halt_mode::stop));
}

TEST_F(runner_test, hands_a_turn_over_in_one_message_to_each) {
  begin();
  scheduler.heard->forget();
  attempt_report said;
  said.attempt = order.attempt;
  said.metrics = {std::make_shared<object>(object{{"loss", 0.5}})};

  for (std::uint64_t number = 1; number <= 3; ++number) {
    said.number = said.iteration = number;
    send_from_outside(trial, said);
  }
  run_now();

  EXPECT_EQ(recorder.heard->size(), 1u);
  EXPECT_EQ(scheduler.heard->size(), 1u);
  auto turn = recorder.take<record_turn>();
  // Each report, and the trial's row that it changes.
  EXPECT_EQ(turn.items.size(), 6u);
  question();
}

TEST_F(runner_test, answers_a_report_once_in_the_log_however_often_it_comes) {
  begin();
  report(1);
  judge(go_on{});
  trainable.take<attempt_answer>();

  report(1);

  EXPECT_EQ(trainable.take<attempt_answer>().number, 1u);
  absorb();
  EXPECT_EQ(events("reported"), 1u);
}

TEST_F(runner_test, notices_a_silent_trial_after_exactly_its_timeout) {
  settings.failures.progress_timeout = 30s;
  begin();

  pass(29'900ms);
  absorb();
  EXPECT_EQ(events("ticked"), 0u);
  pass(100ms);
  absorb();
  EXPECT_EQ(events("ticked"), 1u);

  tell(uut, durable_up_to{last_event()});
  EXPECT_EQ(trainable.take<attempt_halt>().how, static_cast<std::uint8_t>(halt_mode::kill));
}

TEST_F(runner_test, counts_the_timeout_from_the_last_report) {
  settings.failures.progress_timeout = 30s;
  begin();
  pass(20s);
  report(1);
  judge(go_on{});
  trainable.take<attempt_answer>();

  pass(29'900ms);
  absorb();
  EXPECT_EQ(events("ticked"), 0u);
  pass(100ms);
  absorb();
  EXPECT_EQ(events("ticked"), 1u);
  trainable.heard->forget();
}

TEST_F(runner_test, kills_a_trial_that_does_not_stop_in_time) {
  settings.stop_grace = 10s;
  begin();
  report(1);
  judge(stop{});
  make_durable();
  EXPECT_EQ(trainable.take<attempt_halt>().how, static_cast<std::uint8_t>(halt_mode::stop));

  pass(9'900ms);
  make_durable();
  EXPECT_EQ(trainable.heard->size(), 0u);
  pass(100ms);
  make_durable();

  EXPECT_EQ(trainable.take<attempt_halt>().how, static_cast<std::uint8_t>(halt_mode::kill));
}

TEST_F(runner_test, gathers_no_timers_while_trials_come_and_go) {
  constexpr std::uint64_t trials = 20;
  settings.max_trials = trials;
  settings.time_limit = 1h;
  settings.failures.progress_timeout = 10s;
  spawn();
  for (std::uint64_t id = 0; id < trials; ++id) {
    if (id < trials - 1 || searcher.heard->size() > 0)
      suggest(1);
    choose(id);
    make_durable();
    launch(id);
    make_durable();
    end(end_class::finished);
    make_durable();
    // Its progress timer fires without effect.
    pass(10s);
    if (!seen->ends.empty())
      break;
  }

  // A single timer is left, that of the time limit.
  EXPECT_EQ(pass(1h), 1u);
}

TEST_F(runner_test, records_that_it_was_queued_all_the_time_until_its_time_limit) {
  settings.time_limit = 1h;
  is_queued = [] { return true; };
  spawn();
  make_durable();

  pass(1h);
  make_durable();

  auto is_noted = false;
  for (const auto& x : written) {
    const auto* what = std::get_if<event>(&x.what);
    const auto* tick = what == nullptr ? nullptr : std::get_if<on::ticked>(&what->what);
    is_noted = is_noted || (tick != nullptr && tick->is_queued);
  }
  EXPECT_TRUE(is_noted);
}

TEST_F(runner_test, ends_when_the_disk_fails) {
  begin();
  report(1);
  absorb();

  tell(uut, storage_failed{{ec::storage, "the disk is full"}});

  ASSERT_EQ(seen->ends.size(), 1u);
  EXPECT_EQ(seen->ends[0].status, experiment_status::failed);
  EXPECT_EQ(seen->ends[0].storage_error, "the disk is full");
}

TEST_F(runner_test, lets_nothing_happen_once_the_disk_failed) {
  begin();
  report(1);
  auto asked = question();
  absorb();
  tell(uut, storage_failed{{ec::storage, "the disk is full"}});

  tell(uut, news{on::decided{{{asked.cause, {{asked.trial, go_on{}, {}}}}}}});
  tell(uut, durable_up_to{1'000});
  tell(uut, storage_failed{{ec::storage, "again"}});
  pass(1h);

  EXPECT_EQ(trainable.heard->size(), 0u);
  EXPECT_EQ(absorb(), 0u);
  EXPECT_EQ(seen->ends.size(), 1u);
}

TEST_F(runner_test, holds_trials_back_while_the_disk_lags) {
  most_undurable = 2;
  begin();
  report(1);
  judge(go_on{});
  ASSERT_EQ(trainable.take<attempt_answer>().number, 1u);
  report(2);

  judge(go_on{});
  ASSERT_EQ(trainable.heard->size(), 0u);
  make_durable();

  EXPECT_EQ(trainable.take<attempt_answer>().number, 2u);
}

TEST_F(runner_test, tells_the_end_once_it_is_on_disk) {
  begin();
  report(1);
  judge(go_on{});
  trainable.take<attempt_answer>();

  end(end_class::finished);
  EXPECT_TRUE(seen->ends.empty());
  make_durable();

  ASSERT_EQ(seen->ends.size(), 1u);
  EXPECT_EQ(seen->ends[0].status, experiment_status::done);
  EXPECT_EQ(seen->ends[0].storage_error, "");
  EXPECT_EQ(seen->ends[0].view.succeeded, 1u);
}

TEST_F(runner_test, gives_back_what_is_granted_after_the_end) {
  begin();
  end(end_class::finished);
  make_durable();
  ASSERT_EQ(seen->ends.size(), 1u);

  tell(uut, lease_granted{trial_id{0}, {lease_id{9}, {{"here", {}, {}}}}, node.actor});

  EXPECT_EQ(cluster.take<lease_over>().lease, 9u);
}

TEST_F(runner_test, gives_back_what_is_granted_to_a_trial_that_was_stopped) {
  spawn();
  suggest(1);
  choose(0);
  make_durable();
  cluster.take<lease_request>();
  tell(uut, news{on::stop_asked{trial_id{0}, "enough"}});
  EXPECT_EQ(cluster.take<lease_cancel>().trial.number, 0u);

  tell(uut, lease_granted{trial_id{0}, {lease_id{9}, {{"here", {}, {}}}}, node.actor});

  EXPECT_EQ(cluster.take<lease_over>().lease, 9u);
}

TEST_F(runner_test, ends_a_trial_that_the_cluster_refuses_with_its_text) {
  spawn();
  suggest(1);
  choose(0);
  make_durable();
  cluster.take<lease_request>();

  tell(uut, lease_refused{trial_id{0}, "there is no such machine"});
  make_durable();

  ASSERT_EQ(seen->ends.size(), 1u);
  EXPECT_EQ(seen->ends[0].status, experiment_status::failed);
  EXPECT_NE(seen->ends[0].why.find("no such machine"), std::string::npos);
}

TEST_F(runner_test, tries_a_failed_trial_again_and_says_so) {
  settings.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 1;
  begin();

  end(end_class::user_error, "boom");
  choose(0);
  launch(0);

  EXPECT_EQ(order.attempt.id(), (attempt_id{1, 2}));
  ASSERT_EQ(seen->failures.size(), 1u);
  EXPECT_TRUE(seen->failures[0].second);

  end(end_class::user_error, "boom");
  ASSERT_EQ(seen->failures.size(), 2u);
  EXPECT_FALSE(seen->failures[1].second);
}

TEST_F(runner_test, sends_a_trial_home_when_it_has_ended) {
  begin();
  ASSERT_FALSE(is_gone(trial));

  end(end_class::finished);

  EXPECT_TRUE(is_gone(trial));
}

TEST_F(runner_test, sends_its_trials_home_when_it_goes) {
  begin();

  dismiss(uut);

  EXPECT_TRUE(is_gone(uut));
  EXPECT_TRUE(is_gone(trial));
  trainable.heard->forget();
}

TEST_F(runner_test, tells_its_state_to_whoever_asks) {
  begin();
  report(1);
  pass(3s);

  auto state = ask_now<runner_status>(uut, status_atom_v, std::uint32_t{10});

  EXPECT_EQ(state.trials, 1u);
  EXPECT_EQ(state.results, 1u);
  EXPECT_EQ(state.at, instant{3s});
  ASSERT_EQ(state.running.size(), 1u);
  EXPECT_EQ(state.running[0].trial.number, 0u);
  EXPECT_EQ(ask_now<runner_status>(uut, status_atom_v, std::uint32_t{0}).running.size(), 0u);
}

TEST_F(runner_test, knows_a_trial_that_begins_as_soon_as_it_shows_it) {
  spawn();
  suggest(1);
  choose(0);
  make_durable();
  EXPECT_EQ(cluster.take<lease_request>().trial.number, 0u);
  pass(3s);
  tell(uut, lease_granted{trial_id{0}, {lease_id{1}, {{"here", {}, {}}}}, node.actor});
  // The launch waits until the lease is durable, which it is not yet.
  absorb();
  pass(1s);

  auto state = ask_now<runner_status>(uut, status_atom_v, std::uint32_t{10});

  ASSERT_EQ(state.running.size(), 1u);
  ASSERT_NE(state.running[0].config, nullptr);
  EXPECT_EQ(*state.running[0].config, (object{{"x", 1.5}}));
  EXPECT_EQ(state.running[0].since, instant{3s});
}

TEST_F(runner_test, tells_people_what_its_trials_wait_for) {
  begin();
  auto waits_for
      = [&] { return ask_now<runner_status>(uut, status_atom_v, std::uint32_t{0}).waits_for; };

  tell(uut, requests_unmet{"no node has 2 GPU"});
  EXPECT_EQ(waits_for(), "no node has 2 GPU");
  tell(uut, requests_unmet{});

  EXPECT_EQ(waits_for(), "");
  EXPECT_EQ(seen->warnings, std::vector<std::string>{"no node has 2 GPU"});
}

TEST_F(runner_test, answers_a_ping_under_load) {
  begin();

  EXPECT_EQ(ask_now<std::uint64_t>(uut, ping_atom_v, std::uint64_t{42}), 42u);
}

TEST_F(runner_test, says_within_five_seconds_that_no_answer_of_the_searcher_comes) {
  source_traits.recomputes = false;
  spawn();
  pass(2s);
  EXPECT_EQ(seen->warnings, std::vector<std::string>{});

  pass(3s);
  EXPECT_EQ(seen->warnings, std::vector<std::string>{answer_wait_text(source_traits)});
  pass(60s);
  EXPECT_EQ(seen->warnings.size(), 1u);
}

TEST_F(runner_test, says_within_five_seconds_that_no_answer_of_the_scheduler_comes) {
  begin();
  auto waits_for
      = [&] { return ask_now<runner_status>(uut, status_atom_v, std::uint32_t{0}).waits_for; };
  report(1);
  make_durable();
  const auto asked = question();
  pass(3s);
  EXPECT_EQ(waits_for(), "");
  EXPECT_EQ(seen->warnings, std::vector<std::string>{});

  pass(2s);

  const auto text = waits_for();
  EXPECT_TRUE(text.starts_with("trial 00000 waits: the scheduler has not answered yet what becomes"
                               " of it after its report (event "
                               + std::to_string(asked.cause) + ");"))
      << text;
  EXPECT_EQ(seen->warnings, std::vector<std::string>{text});
  pass(60s);
  EXPECT_EQ(seen->warnings.size(), 1u);
  tell(uut, news{on::decided{{{asked.cause, {{asked.trial, go_on{9}, {}}}}}}});
  EXPECT_EQ(waits_for(), "");
  pass(60s);
  EXPECT_EQ(seen->warnings.size(), 1u);
  trainable.heard->forget();
}

TEST_F(runner_test, says_that_no_trial_begins_before_the_scheduler_has_chosen) {
  spawn();
  suggest(1);
  pass(5s);
  ASSERT_EQ(seen->warnings.size(), 1u);
  EXPECT_TRUE(seen->warnings[0].starts_with("no trial begins: the scheduler has not answered yet"))
      << seen->warnings[0];

  choose(0);
  make_durable();

  launch(0);
  make_durable();
  pass(60s);
  EXPECT_EQ(seen->warnings.size(), 1u);
}

} // namespace
} // namespace tune

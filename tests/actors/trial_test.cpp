// SPDX-License-Identifier: BSD-3-Clause
#include "support/deterministic_system.hpp"

#include "tune/actors/runner.hpp"
#include "tune/actors/trial.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace tune {
namespace {

constexpr trial_id its_id{7};
const attempt_id first{1, 1};
const attempt_id second{1, 2};

launch_order order(attempt_id attempt) {
  launch_order result;
  result.trial = its_id.number;
  result.attempt = attempt;
  return result;
}

attempt_ended ended(attempt_id attempt, end_class how, std::string why = {}) {
  attempt_ended result;
  result.attempt = attempt;
  result.how = static_cast<std::uint8_t>(how);
  result.detail = std::move(why);
  return result;
}

attempt_answer answer(attempt_id attempt, std::uint64_t number) {
  attempt_answer result;
  result.attempt = attempt;
  result.number = number;
  return result;
}

struct trial_test : support::deterministic_system {
  support::mock<runner_actor> runner = mock_runner();
  support::mock<trainable_actor> trainable = mock_trainable();
  trial_actor uut = keep(spawn_trial(*system, its_id, runner.actor));

  void begin(attempt_id attempt, const support::mock<trainable_actor>& whom) {
    tell(uut, order(attempt));
    tell(uut, attempt_key{attempt}, whom.actor);
  }
};

TEST_F(trial_test, turns_what_its_trainable_says_into_news) {
  begin(first, trainable);
  attempt_report said;
  said.attempt = first;
  said.number = 3;
  said.iteration = 5;
  said.time_this_iter_ns = 11;
  said.time_total_ns = 22;
  said.timestamp_ms = 33;
  said.pid = 44;
  said.done = true;
  said.metrics = {std::make_shared<object>(object{{"loss", 0.5}})};

  tell(uut, attempt_started{first, 44});
  tell(uut, said);
  tell(uut, attempt_saved{first, 9, 5, 22, "trials/x", 12});
  tell(uut, attempt_save_failed{first, 10, "no room"});

  auto started = runner.heard->take_news<on::started>();
  EXPECT_EQ(started.trial, its_id);
  EXPECT_EQ(started.pid, 44);
  auto got = runner.heard->take_news<on::reported>().what;
  EXPECT_EQ(got->trial, its_id);
  EXPECT_EQ(got->attempt, first);
  EXPECT_EQ(got->number, 3u);
  EXPECT_EQ(got->iteration, 5u);
  EXPECT_EQ(got->time_this_iter.count(), 11);
  EXPECT_EQ(got->time_total.count(), 22);
  EXPECT_EQ(got->timestamp_ms, 33);
  EXPECT_EQ(got->pid, 44);
  EXPECT_TRUE(got->done);
  EXPECT_EQ(got->metrics, said.metrics.content);
  auto saved = runner.heard->take_news<on::saved>();
  EXPECT_EQ(saved.checkpoint.number, 9u);
  EXPECT_EQ(saved.location, "trials/x");
  EXPECT_EQ(saved.bytes, 12u);
  EXPECT_EQ(runner.heard->take_news<on::save_failed>().why, "no room");
}

TEST_F(trial_test, drops_what_an_old_attempt_says_about_itself) {
  begin(first, trainable);
  tell(uut, ended(first, end_class::killed));
  runner.heard->take_news<on::ended>();
  begin(second, mock_trainable());

  tell(uut, attempt_started{first, 1});
  tell(uut, ended(first, end_class::user_error, "late"));

  EXPECT_EQ(runner.heard->size(), 0u);
}

TEST_F(trial_test, answers_only_to_the_current_attempt) {
  auto next = mock_trainable();
  begin(first, trainable);
  tell(uut, ended(first, end_class::killed));
  begin(second, next);
  runner.heard->forget();

  tell(uut, answer(first, 1));
  tell(uut, attempt_halt{first, 0});
  tell(uut, answer(second, 1));

  EXPECT_EQ(trainable.heard->size(), 0u);
  EXPECT_EQ(next.take<attempt_answer>().attempt.id(), second);
  EXPECT_EQ(next.heard->size(), 0u);
}

TEST_F(trial_test, halts_a_trainable_that_attaches_later) {
  tell(uut, order(first));
  tell(uut, attempt_halt{first, static_cast<std::uint8_t>(halt_mode::kill)});
  ASSERT_EQ(trainable.heard->size(), 0u);

  tell(uut, attempt_key{first}, trainable.actor);

  EXPECT_EQ(trainable.take<attempt_halt>().how, static_cast<std::uint8_t>(halt_mode::kill));
}

TEST_F(trial_test, does_not_halt_the_next_attempt_for_the_last) {
  tell(uut, order(first));
  tell(uut, attempt_halt{first, 0});
  tell(uut, ended(first, end_class::user_error));
  runner.heard->forget();

  begin(second, trainable);

  EXPECT_EQ(trainable.heard->size(), 0u);
}

TEST_F(trial_test, kills_the_trainable_of_an_attempt_that_is_over) {
  tell(uut, order(first));
  tell(uut, ended(first, end_class::node_lost));
  runner.heard->forget();

  tell(uut, attempt_key{first}, trainable.actor);

  EXPECT_EQ(trainable.take<attempt_halt>().how, static_cast<std::uint8_t>(halt_mode::kill));
}

TEST_F(trial_test, notices_a_trainable_that_goes_away_without_a_word) {
  begin(first, trainable);

  dismiss(trainable.actor);

  auto over = runner.heard->take_news<on::ended>();
  EXPECT_EQ(over.trial, its_id);
  EXPECT_EQ(over.attempt, first);
  EXPECT_EQ(over.how, end_class::killed);
  EXPECT_NE(over.detail.find("went away"), std::string::npos);
}

TEST_F(trial_test, waits_for_a_trainable_that_is_out_of_reach) {
  begin(first, trainable);

  cut_off(trainable.actor);

  EXPECT_EQ(runner.heard->size(), 0u);
}

TEST_F(trial_test, tells_a_trainable_that_comes_back_what_it_may_have_missed) {
  auto again = mock_trainable();
  begin(first, trainable);
  cut_off(trainable.actor);
  tell(uut, answer(first, 4));
  tell(uut, attempt_halt{first, static_cast<std::uint8_t>(halt_mode::stop)});

  tell(uut, attempt_key{first}, again.actor);

  EXPECT_EQ(again.take<attempt_answer>().number, 4u);
  EXPECT_EQ(again.take<attempt_halt>().how, static_cast<std::uint8_t>(halt_mode::stop));
}

TEST_F(trial_test, hears_each_numbered_word_once_and_in_order) {
  tell(uut, order(first));
  const attempt_started start{first, 44};

  tell(uut, std::uint64_t{1}, start);
  tell(uut, std::uint64_t{1}, start);
  tell(uut, std::uint64_t{3}, ended(first, end_class::user_error));
  EXPECT_EQ(runner.heard->take_news<on::started>().pid, 44);
  EXPECT_EQ(runner.heard->size(), 0u);
  tell(uut, std::uint64_t{2}, ended(first, end_class::finished));

  EXPECT_EQ(runner.heard->take_news<on::ended>().how, end_class::finished);
}

/// Reports the end of its attempt. When that is acknowledged, notes how many messages the runner
/// has received by then.
attempt_proxy_actor::behavior_type
last_attempt_proxy(attempt_proxy_actor::pointer self, const trial_actor& whom,
                   std::shared_ptr<support::ear> runner,
                   std::shared_ptr<std::vector<std::size_t>> seen) {
  send(self, whom, std::uint64_t{1}, ended(first, end_class::finished));
  return {
      [](const attempt_answer&) {},
      [](const attempt_halt&) {},
      [](ping_atom, std::uint64_t x) { return x; },
      [runner, seen](const words_heard&) { seen->push_back(runner->size()); },
  };
}

TEST_F(trial_test, tells_the_runner_of_an_end_before_the_place_is_given_back) {
  tell(uut, order(first));
  auto seen = std::make_shared<std::vector<std::size_t>>();

  keep(system->spawn(last_attempt_proxy, uut, runner.heard, seen));
  run_now();

  EXPECT_EQ(*seen, std::vector<std::size_t>{1});
  EXPECT_EQ(runner.heard->take_news<on::ended>().how, end_class::finished);
}

TEST_F(trial_test, counts_the_words_of_each_attempt_anew) {
  tell(uut, order(first));
  tell(uut, std::uint64_t{1}, attempt_started{first, 1});
  tell(uut, std::uint64_t{2}, ended(first, end_class::killed));
  tell(uut, order(second));
  runner.heard->forget();

  tell(uut, std::uint64_t{3}, attempt_started{first, 1});
  tell(uut, std::uint64_t{1}, attempt_started{second, 2});

  EXPECT_EQ(runner.heard->take_news<on::started>().pid, 2);
}

/// A trial of two ranks, the second of them on another node.
struct ranks_test : trial_test {
  support::mock<cluster_actor> cluster = mock_cluster();
  support::mock<trainable_actor> helper = mock_trainable();
  trial_actor of_two = keep(spawn_trial(*system, its_id, runner.actor, cluster.actor));
  support::launch_words second_rank;

  /// Launches both ranks and lets them start.
  void begin_both() {
    auto what = order(first);
    what.lease = 5;
    what.ranks = 2;
    what.bundles = {{"w1", "10.0.0.5", 1, 0, 0, {}, {}}, {"w2", "10.0.0.6", 3, 0, 0, {}, {}}};
    tell(of_two, what);
    tell(of_two, attempt_key{first}, trainable.actor);
    attempt_started runs{first, 44};
    runs.port = 2345;
    tell(of_two, runs);
    runner.heard->take_news<on::started>();
    second_rank = cluster.take<support::launch_words>();
    tell(second_rank.second, attempt_key{first}, helper.actor);
    tell(second_rank.second, attempt_started{first, 55});
  }
};

TEST_F(ranks_test, launches_the_second_once_the_first_runs_and_tells_it_where) {
  begin_both();

  const auto& asked = second_rank.first;
  EXPECT_EQ(asked.rank, 1u);
  EXPECT_EQ(asked.ranks, 2u);
  EXPECT_EQ(asked.port, 2345);
  EXPECT_EQ(asked.lease, 5u);
  EXPECT_EQ(asked.cpus, 3.0);
  EXPECT_EQ(runner.heard->size(), 0u);
}

TEST_F(ranks_test, ends_the_first_where_the_second_fails_and_tells_the_end_when_both_are_gone) {
  begin_both();

  tell(second_rank.second, ended(first, end_class::user_error, "boom"));
  EXPECT_EQ(trainable.take<attempt_halt>().how, static_cast<std::uint8_t>(halt_mode::kill));
  EXPECT_EQ(runner.heard->size(), 0u);
  tell(of_two, ended(first, end_class::killed));

  auto over = runner.heard->take_news<on::ended>();
  EXPECT_EQ(over.how, end_class::user_error);
  EXPECT_EQ(over.detail, "rank 1 on node w2: boom");
}

TEST_F(ranks_test, tells_the_second_to_end_when_the_first_has_and_waits_for_it) {
  begin_both();

  tell(of_two, ended(first, end_class::finished));
  EXPECT_EQ(helper.take<attempt_halt>().how, static_cast<std::uint8_t>(halt_mode::stop));
  EXPECT_EQ(runner.heard->size(), 0u);
  tell(second_rank.second, ended(first, end_class::stopped));

  EXPECT_EQ(runner.heard->take_news<on::ended>().how, end_class::finished);
}

TEST_F(ranks_test, tells_what_is_remarked_upon_with_the_second) {
  begin_both();
  tell(of_two, ended(first, end_class::finished));
  helper.take<attempt_halt>();
  auto over = ended(first, end_class::stopped);
  over.remarks = {"artifacts", "what it wrote is not all here"};

  tell(second_rank.second, over);

  EXPECT_EQ(runner.heard->take<remark>().text,
            "trial " + to_text(its_id) + ": rank 1: what it wrote is not all here");
  EXPECT_EQ(runner.heard->take_news<on::ended>().detail, "rank 1: what it wrote is not all here");
}

TEST_F(ranks_test, ends_both_at_once_where_the_attempt_is_to_end_so) {
  begin_both();

  tell(of_two, attempt_halt{first, static_cast<std::uint8_t>(halt_mode::kill)});

  trainable.take<attempt_halt>();
  helper.take<attempt_halt>();
}

TEST_F(ranks_test, hears_no_reports_of_the_second) {
  begin_both();
  attempt_report said;
  said.attempt = first;

  tell(second_rank.second, said);

  EXPECT_EQ(runner.heard->size(), 0u);
}

TEST_F(trial_test, tells_the_end_of_an_attempt_once) {
  begin(first, trainable);
  auto last_word = ended(first, end_class::user_error, "boom");
  last_word.has_status = true;
  last_word.exit_status = 3;

  tell(uut, last_word);
  tell(uut, last_word);
  dismiss(trainable.actor);

  auto over = runner.heard->take_news<on::ended>();
  EXPECT_EQ(over.how, end_class::user_error);
  EXPECT_EQ(over.detail, "boom");
  EXPECT_EQ(over.exit_status, 3);
  EXPECT_EQ(runner.heard->size(), 0u);
}

// -- Words that are confirmed once they are on disk.

struct heard_by_runner {
  std::size_t news = 0;
  std::vector<words_heard> taken = {};
  std::vector<std::string> remarks = {};
};

/// A runner whose disk never catches up.
runner_local_actor::behavior_type runner_without_disk(runner_local_actor::pointer,
                                                      std::shared_ptr<heard_by_runner> heard) {
  return {
      [heard](news&) { ++heard->news; },
      [](client_orders&) {},
      [](const lease_granted&) {},
      [](const lease_refused&) {},
      [](const requests_unmet&) {},
      [](durable_up_to) {},
      [](const storage_failed&) {},
      [heard](const remark& x) { heard->remarks.push_back(x.text); },
      [](run_atom) {},
      [](status_atom, std::uint32_t) { return runner_status{}; },
      [](ping_atom, std::uint64_t x) { return x; },
      [heard](const word_taken& x) { heard->taken.push_back(x.what); },
      [](const room_wanted&) {},
  };
}

/// Reports the end of its attempt under these numbers, and notes what is confirmed.
attempt_proxy_actor::behavior_type
insisting_attempt_proxy(attempt_proxy_actor::pointer self, const trial_actor& whom,
                        const std::vector<std::uint64_t>& numbers,
                        std::shared_ptr<std::vector<std::uint64_t>> confirmed) {
  for (auto number : numbers)
    send(self, whom, number, ended(first, end_class::finished));
  return {
      [](const attempt_answer&) {},
      [](const attempt_halt&) {},
      [](ping_atom, std::uint64_t x) { return x; },
      [confirmed](const words_heard& x) { confirmed->push_back(x.upto); },
  };
}

/// Reports like a trial that trained on while its head was away, and tells its end.
attempt_proxy_actor::behavior_type
attempt_proxy_after_absence(attempt_proxy_actor::pointer self, const trial_actor& whom,
                            std::uint64_t reports,
                            std::shared_ptr<std::vector<std::uint64_t>> confirmed) {
  for (std::uint64_t i = 1; i <= reports; ++i) {
    attempt_report said;
    said.attempt = first;
    said.number = said.iteration = i;
    said.trained_on = i < reports;
    send(self, whom, i, said);
  }
  send(self, whom, reports + 1, ended(first, end_class::finished));
  return insisting_attempt_proxy(self, whom, {}, std::move(confirmed));
}

struct outliving_trial_test : support::deterministic_system {
  std::shared_ptr<heard_by_runner> heard = std::make_shared<heard_by_runner>();
  std::shared_ptr<std::vector<std::uint64_t>> confirmed
      = std::make_shared<std::vector<std::uint64_t>>();
  runner_actor runner = runner_actor{keep(system->spawn(runner_without_disk, heard))};
  trial_actor uut = keep(spawn_trial(*system, its_id, runner, {}, true));

  void end_as(const std::vector<std::uint64_t>& numbers) {
    keep(system->spawn(insisting_attempt_proxy, uut, numbers, confirmed));
    run_now();
  }
  [[nodiscard]] std::vector<std::uint64_t> taken() const {
    std::vector<std::uint64_t> result;
    for (const auto& x : heard->taken)
      result.push_back(x.upto);
    return result;
  }
};

TEST_F(outliving_trial_test, leaves_it_to_the_runner_to_confirm_what_was_heard) {
  tell(uut, order(first));

  // The second is the repetition after a broken connection.
  end_as({1, 1});

  EXPECT_EQ(heard->news, 1u);
  EXPECT_EQ(taken(), (std::vector<std::uint64_t>{1, 1}));
  EXPECT_TRUE(confirmed->empty());
}

TEST_F(outliving_trial_test, passes_on_one_report_for_each_answer_where_the_trial_trained_on) {
  tell(uut, order(first));
  keep(system->spawn(attempt_proxy_after_absence, uut, 3, confirmed));
  run_now();
  EXPECT_EQ(heard->news, 1u);
  EXPECT_EQ(taken(), std::vector<std::uint64_t>{1});

  tell(uut, answer(first, 1));
  EXPECT_EQ(heard->news, 2u);

  // The last report, and the end behind it, which waits for no answer.
  tell(uut, answer(first, 2));
  EXPECT_EQ(heard->news, 4u);
  EXPECT_EQ(taken(), (std::vector<std::uint64_t>{1, 2, 4}));
}

TEST_F(outliving_trial_test, drops_reports_beyond_the_one_at_which_the_trial_is_stopped) {
  tell(uut, order(first));
  keep(system->spawn(attempt_proxy_after_absence, uut, 3, confirmed));
  run_now();

  tell(uut, attempt_halt{first, static_cast<std::uint8_t>(halt_mode::stop)});

  // The first report, and the end.
  EXPECT_EQ(heard->news, 2u);
  ASSERT_EQ(heard->remarks.size(), 1u);
  EXPECT_NE(heard->remarks.front().find("2 reports count for nothing"), std::string::npos);
  EXPECT_EQ(taken().back(), 4u);
}

TEST_F(outliving_trial_test, hears_an_attempt_of_another_head_from_where_that_had_it_on_disk) {
  auto awaited = order(first);
  awaited.is_awaited = true;
  tell(uut, awaited);

  end_as({7});

  EXPECT_EQ(heard->news, 1u);
  EXPECT_EQ(taken(), std::vector<std::uint64_t>{7});
}

} // namespace
} // namespace tune

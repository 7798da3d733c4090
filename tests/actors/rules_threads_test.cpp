// SPDX-License-Identifier: BSD-3-Clause
#include "support/real_system.hpp"

#include "tune/actors/rules.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <memory>

namespace tune {
namespace {

/// Counts finished jobs and lets them end.
struct job_book {
  std::atomic<int> done{0};
  support::latch may_end{true};
};

/// Leaves its verdicts on trial 9 to a job.
struct slow_scheduler : scheduler {
  std::shared_ptr<job_book> jobs;

  explicit slow_scheduler(std::shared_ptr<job_book> book) : jobs{std::move(book)} {}

  [[nodiscard]] scheduler_traits traits() const override { return {}; }
  void apply(const scheduler_fact&) override {}
  [[nodiscard]] decision judge(sequence cause, trial_id trial) const override {
    return {cause, {{trial, go_on{}, {}}}};
  }
  [[nodiscard]] deferred_decision judge_later(sequence cause, trial_id trial) const override {
    if (trial.number != 9)
      return {};
    return [book = jobs, answer = judge(cause, trial)] {
      book->may_end.wait();
      ++book->done;
      return answer;
    };
  }
  [[nodiscard]] choice choose(sequence at, std::uint32_t) const override { return {at, {}}; }
  [[nodiscard]] decision on_stall(sequence at) const override { return {at, {}}; }
  void describe(fingerprint&) const override {}
};

/// Leaves all questions but the first to jobs.
struct slow_searcher : searcher {
  std::shared_ptr<job_book> jobs;
  std::shared_ptr<std::atomic<int>> facts = std::make_shared<std::atomic<int>>(0);

  explicit slow_searcher(std::shared_ptr<job_book> book) : jobs{std::move(book)} {}

  [[nodiscard]] searcher_traits traits() const override { return {}; }
  void apply(const searcher_fact&) override { ++*facts; }
  [[nodiscard]] proposal propose(const ask& question) const override {
    return exhausted{std::to_string(question.number)};
  }
  [[nodiscard]] deferred_proposal propose_later(const ask& question) const override {
    if (question.number == 1)
      return {};
    return [book = jobs, answer = propose(question)] {
      book->may_end.wait();
      ++book->done;
      return answer;
    };
  }
  void describe(fingerprint&) const override {}
};

struct rules_threads_test : support::real_system {
  std::shared_ptr<job_book> jobs = std::make_shared<job_book>();
  std::shared_ptr<support::told<news>> heard = std::make_shared<support::told<news>>();

  runner_actor runner() {
    auto made = keep(system->spawn([to = heard](caf::event_based_actor*) -> caf::behavior {
      return {[to](const news& what) { to->add(what); }};
    }));
    return caf::actor_cast<runner_actor>(made);
  }
};

TEST_F(rules_threads_test, have_a_scheduler_do_each_job_once) {
  auto listener = runner();
  auto uut = keep(spawn_scheduler(*system, std::make_unique<slow_scheduler>(jobs)));
  scheduler_turn slow;
  slow.judge = {{11, trial_id{9}}};
  scheduler_turn quick;
  quick.judge = {{12, trial_id{4}}};

  jobs->may_end.close();
  send_from_outside(uut, slow, listener);
  send_from_outside(uut, quick, listener);
  // The first answer is empty, the second is about the quick question: neither waits for the job.
  ASSERT_TRUE(heard->wait_for(2));
  EXPECT_EQ(jobs->done, 0);
  jobs->may_end.open();
  ASSERT_TRUE(heard->wait_for(3));
  send_from_outside(uut, quick, listener);
  ASSERT_TRUE(heard->wait_for(4));
  end_system();

  EXPECT_EQ(jobs->done, 1);
  std::vector<std::vector<sequence>> causes;
  for (const auto& x : heard->all()) {
    causes.emplace_back();
    for (const auto& y : std::get<on::decided>(x.what).answers)
      causes.back().push_back(y.cause);
  }
  EXPECT_EQ(causes, (std::vector<std::vector<sequence>>{{}, {12}, {11}, {12}}));
}

TEST_F(rules_threads_test, let_a_searcher_hear_facts_while_it_thinks_and_do_each_job_once) {
  auto listener = runner();
  auto rule = std::make_unique<slow_searcher>(jobs);
  auto facts = rule->facts;
  auto uut = keep(spawn_searcher(*system, std::move(rule)));
  searcher_turn asks;
  asks.asks = {{2, 1, 5}, {3, 1, 5}};
  searcher_turn tells;
  tells.facts.resize(4);

  jobs->may_end.close();
  send_from_outside(uut, asks, listener);
  send_from_outside(uut, tells, listener);
  ASSERT_TRUE(support::eventually([&] { return *facts == 4; }));
  EXPECT_EQ(jobs->done, 0);
  jobs->may_end.open();
  ASSERT_TRUE(heard->wait_for(2));
  asks.asks = {{1, 1, 5}};
  send_from_outside(uut, asks, listener);
  ASSERT_TRUE(heard->wait_for(3));
  end_system();

  EXPECT_EQ(jobs->done, 2);
  std::vector<std::uint64_t> numbers;
  for (const auto& x : heard->all())
    numbers.push_back(std::get<on::suggested>(x.what).ask);
  EXPECT_EQ(numbers, (std::vector<std::uint64_t>{2, 3, 1}));
}

} // namespace
} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/resource_changing/resource_changing.hpp"

#include "support/scheduler_feed.hpp"

#include "tune/core/schedule/fifo/fifo.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tune {
namespace {

using resource_changing::allocation;
using resource_changing::dealing;
using resource_changing::distribute;
using resource_changing::distribute_to_top_job;
using resource_changing::situation;
using support::digest;
using support::scheduler_feed;
using support::text_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

resources cpus(double count) {
  resources result;
  result.cpu = amount::of(count);
  return result;
}

resources with_gpus(double cpu, double gpu) {
  auto result = cpus(cpu);
  result.gpu = amount::of(gpu);
  return result;
}

resource_request asking(std::vector<resources> bundles) {
  resource_request result;
  result.bundles = std::move(bundles);
  return result;
}

/// Lets all trials go on, or stops them, with deferred verdicts.
struct thinking_base final : scheduler {
  bool stops = false;

  [[nodiscard]] scheduler_traits traits() const override { return {}; }
  void apply(const scheduler_fact&) override {}
  [[nodiscard]] choice choose(sequence at, std::uint32_t) const override { return {at, {}}; }
  [[nodiscard]] decision on_stall(sequence at) const override { return {at, {}}; }
  void describe(fingerprint&) const override {}
  [[nodiscard]] decision judge(sequence cause, trial_id trial) const override {
    if (stops)
      return {cause, {{trial, stop{}, {{"why", "enough"}}}}};
    return {cause, {{trial, go_on{}, {}}}};
  }
  [[nodiscard]] deferred_decision judge_later(sequence cause, trial_id trial) const override {
    return [answer = judge(cause, trial)] { return answer; };
  }
};

/// Trials of a changing rule over FIFO; they start as soon as they are added, and do as told.
struct changing {
  explicit changing(allocation how = distribute({}), resource_request base = asking({cpus(1)}))
      : uut{std::make_unique<fifo::fifo_scheduler>(), std::move(how), std::move(base)} {}

  resource_changing::resource_changing_scheduler uut;
  scheduler_feed tell{uut};
  double time = 0;
  std::uint64_t checkpoints = 0;

  void node(resources capacity, const std::string& name = "a") {
    tell.tell(fact::node_up{name, std::move(capacity)});
  }
  void start(std::uint64_t count) {
    for (std::uint64_t trial = 0; trial < count; ++trial) {
      tell.add(trial);
      tell.choose(1);
      tell.tell(fact::started{{trial}});
    }
  }
  /// Resources that the trial gets at its next result; empty if it keeps what it has.
  std::string report(std::uint64_t trial, double score = 0) {
    auto verdict = tell.judged(trial, ++time, score);
    for (const auto& x : verdict.actions) {
      if (const auto* given = std::get_if<set_resources>(&x.what)) {
        pauses(trial);
        tell.choose(1);
        tell.tell(fact::unpaused{{trial}});
        tell.tell(fact::started{{trial}});
        return to_text(given->request);
      }
    }
    return {};
  }
  void pauses(std::uint64_t trial) { tell.tell(fact::paused{{trial}, {++checkpoints}}); }
};

// ray-tune.md §2.8: 8 CPUs and four 1-CPU trials.
TEST(distribute, gives_all_alike_and_more_as_trials_end) {
  changing run;
  run.node(cpus(8));
  run.start(4);

  EXPECT_EQ(run.report(0), "2 CPU");
  EXPECT_EQ(run.report(1), "2 CPU");
  EXPECT_EQ(run.report(0), "");
  run.tell.complete(3, 9, 0, true);
  EXPECT_EQ(run.report(0), "3 CPU");
  run.tell.complete(2, 9, 0, true);
  EXPECT_EQ(run.report(0), "4 CPU");
  run.tell.complete(1, 9, 0, true);
  EXPECT_EQ(run.report(0), "8 CPU");
}

TEST(distribute, counts_the_sum_of_all_nodes) {
  changing run;
  run.node(cpus(4), "a");
  run.node(cpus(4), "b");
  run.start(4);

  EXPECT_EQ(run.report(0), "2 CPU");
}

TEST(distribute, counts_trials_that_wait) {
  changing run;
  run.node(cpus(8));
  run.start(2);
  for (std::uint64_t trial = 2; trial < 8; ++trial)
    run.tell.add(trial);

  EXPECT_EQ(run.report(0), "");
}

TEST(distribute, takes_back_what_others_need) {
  changing run;
  run.node(cpus(8));
  run.start(1);
  EXPECT_EQ(run.report(0), "8 CPU");

  for (std::uint64_t trial = 1; trial < 4; ++trial)
    run.tell.add(trial);

  // Trial 0 holds all 8 CPUs and the new trials need 3.
  EXPECT_EQ(run.report(0), "5 CPU");
  EXPECT_EQ(run.report(0), "");
}

TEST(distribute, never_takes_what_trials_began_with) {
  changing run;
  run.node(cpus(2));
  run.start(4);

  EXPECT_EQ(run.report(0), "");
}

TEST(distribute, gives_so_much_at_a_time_as_it_is_told) {
  dealing how;
  how.increase_by = cpus(2);
  changing run{distribute(how)};
  run.node(cpus(8));
  run.start(2);

  // 6 CPUs are free, three increments of 2; the first of the two trials gets two of them.
  EXPECT_EQ(run.report(0), "5 CPU");
  // One increment is left.
  EXPECT_EQ(run.report(1), "3 CPU");
}

TEST(distribute, ends_at_the_most_times) {
  dealing how;
  how.increase_by_times = 2;
  changing run{distribute(how)};
  run.node(cpus(8));
  run.start(1);

  EXPECT_EQ(run.report(0), "3 CPU");
}

TEST(distribute, leaves_the_reserve_free) {
  dealing how;
  how.reserve = cpus(3);
  changing run{distribute(how)};
  run.node(cpus(8));
  run.start(1);

  EXPECT_EQ(run.report(0), "5 CPU");
}

TEST(distribute, gives_gpus_where_trials_began_with_some) {
  changing run{distribute({}), asking({with_gpus(2, 1)})};
  run.node(with_gpus(8, 4));
  run.start(2);

  EXPECT_EQ(run.report(0), "2 CPU, 2 GPU");
}

TEST(distribute, gives_a_unit_of_several_kinds_as_often_as_all_of_them_last) {
  dealing how;
  how.increase_by = with_gpus(3, 1);
  changing run{distribute(how), asking({with_gpus(1, 1)})};
  run.node(with_gpus(8, 8));
  run.start(1);

  // 7 CPUs and 7 GPUs are free: two increments of 3 CPUs and 1 GPU.
  EXPECT_EQ(run.report(0), "7 CPU, 3 GPU");
}

TEST(distribute, gives_memory_and_resources_of_ones_own) {
  dealing how;
  how.increase_by.emplace().memory = 1024;
  how.increase_by->custom["licence"] = amount::of(1);
  changing run{distribute(how)};
  auto all = cpus(1);
  all.memory = 4096;
  all.custom["licence"] = amount::of(2);
  run.node(all);
  run.start(1);

  EXPECT_EQ(run.report(0), "1 CPU, 2 KiB memory, 2 licence");
}

TEST(distribute, adds_bundles_like_the_last) {
  dealing how;
  how.add_bundles = true;
  changing run{distribute(how), asking({cpus(1), cpus(2)})};
  run.node(cpus(8));
  run.start(1);

  // 5 CPUs are free: two more bundles of 2.
  EXPECT_EQ(run.report(0), "1 x (1 CPU) + 3 x (2 CPU)");
  run.tell.add(1);
  // Trial 0 holds 7 of the 8 CPUs and the new trial needs 3.
  EXPECT_EQ(run.report(0), "1 x (1 CPU) + 2 x (2 CPU)");
}

TEST(distribute, does_not_give_what_no_node_could_grant) {
  changing run;
  run.node(cpus(3), "a");
  run.node(cpus(5), "b");
  run.start(1);

  EXPECT_EQ(run.report(0), "5 CPU");
  EXPECT_EQ(run.report(0), "");
}

TEST(distribute_to_top_job, gives_all_to_the_best_by_its_last_score) {
  changing run{distribute_to_top_job({})};
  run.node(cpus(8));
  run.start(4);

  EXPECT_EQ(run.report(2, 0.5), "5 CPU");
  EXPECT_EQ(run.report(1, 0.4), "");
  // Trial 1 is the best now, but nothing is free.
  EXPECT_EQ(run.report(1, 0.9), "");
  run.tell.complete(0, 9, 0, true);
  EXPECT_EQ(run.report(2, 0.5), "");
  EXPECT_EQ(run.report(1, 0.9), "2 CPU");
}

TEST(distribute_to_top_job, goes_on_to_the_next_at_the_most_times) {
  dealing how;
  how.increase_by_times = 2;
  changing run{distribute_to_top_job(how)};
  run.node(cpus(8));
  run.start(3);

  EXPECT_EQ(run.report(0, 0.9), "3 CPU");
  EXPECT_EQ(run.report(1, 0.5), "3 CPU");
  EXPECT_EQ(run.report(2, 0.1), "2 CPU");
}

TEST(distribute_to_top_job, takes_back_from_whomever) {
  changing run{distribute_to_top_job({})};
  run.node(cpus(8));
  run.start(2);
  EXPECT_EQ(run.report(0, 0.9), "7 CPU");
  EXPECT_EQ(run.report(1, 1.0), "");

  run.tell.add(2);

  EXPECT_EQ(run.report(0, 0.9), "6 CPU");
}

TEST(distribute_to_top_job, ranks_trials_without_a_score_last) {
  changing run{distribute_to_top_job({})};
  run.node(cpus(8));
  run.start(2);

  EXPECT_EQ(run.report(0, std::nan("")), "7 CPU");
  EXPECT_EQ(run.report(1, -5), "");
  run.tell.complete(0, 9, 0, true);
  EXPECT_EQ(run.report(1, -5), "8 CPU");
}

TEST(resource_changing, says_why) {
  changing run;
  run.node(cpus(8));
  run.start(4);

  auto facts = std::string{" 0 rule=resource_changing had=1 CPU gets=2 CPU live=4 "
                           "why=goes on with 2 CPU instead of 1 CPU"};
  EXPECT_EQ(text_of(run.tell.judged(0, 1, 0)), "pause" + facts + "; set_resources" + facts);
}

TEST(resource_changing, changes_nothing_before_a_node_is_known) {
  changing run;
  run.start(1);

  EXPECT_EQ(text_of(run.tell.judged(0, 1, 0)), "go_on 0");
}

TEST(resource_changing, runs_a_trial_again_before_all_others) {
  changing run;
  run.node(cpus(4));
  run.start(1);
  run.tell.add(1);
  run.tell.judged(0, 1, 0);

  EXPECT_THAT(run.tell.choose(1), ElementsAre(1u));
  run.tell.add(2);
  run.pauses(0);

  EXPECT_THAT(run.uut.choose(99, 5).start, ElementsAre(trial_id{0}, trial_id{2}));
}

TEST(resource_changing, counts_what_was_given_before_the_trial_runs_again) {
  changing run;
  run.node(cpus(8));
  run.start(4);
  run.tell.judged(0, 1, 0);
  run.tell.judged(1, 1, 0);
  run.tell.judged(2, 1, 0);
  run.tell.judged(3, 1, 0);

  EXPECT_EQ(text_of(run.uut.judge(run.tell.result(0, 2, 0), {0})), "go_on 0");
}

TEST(resource_changing, does_not_pause_twice_for_what_failed) {
  changing run;
  run.node(cpus(8));
  run.start(4);
  run.tell.judged(0, 1, 0);

  // The trial trains on, since its checkpoint could not be written.
  EXPECT_EQ(text_of(run.tell.judged(0, 2, 0)), "go_on 0");
  run.tell.complete(3, 9, 0, true);
  EXPECT_THAT(text_of(run.tell.judged(0, 3, 0)), HasSubstr("gets=3 CPU"));
}

TEST(resource_changing, tells_the_base_that_its_verdict_was_taken) {
  /// Records what it hears.
  struct noting final : scheduler {
    explicit noting(std::vector<std::string>& to) : heard{&to} {}
    std::vector<std::string>* heard;
    scheduler_traits traits() const override { return {}; }
    void apply(const scheduler_fact& what) override {
      if (const auto* x = std::get_if<fact::decided>(&what.what)) {
        heard->push_back(text_of(x->what));
        for (auto i : x->refused)
          heard->back() += " !" + std::to_string(i);
      }
    }
    decision judge(sequence cause, trial_id trial) const override {
      return {cause, {{trial, annotate{{{"rung", 1}}}, {}}, {trial, go_on{}, {}}}};
    }
    choice choose(sequence at, std::uint32_t) const override { return {at, {}}; }
    decision on_stall(sequence at) const override { return {at, {}}; }
    void describe(fingerprint&) const override {}
  };
  std::vector<std::string> heard;
  resource_changing::resource_changing_scheduler uut{std::make_unique<noting>(heard),
                                                     distribute({}), asking({cpus(1)})};
  scheduler_feed tell{uut};
  tell.tell(fact::node_up{"a", cpus(2)});
  tell.add(0);
  tell.tell(fact::started{{0}});

  auto verdict = uut.judge(tell.result(0, 1, 0), {0});
  EXPECT_THAT(text_of(verdict), HasSubstr("annotate 0 rung=1; pause 0"));
  tell.tell(fact::decided{verdict, {1, 2}});

  EXPECT_THAT(heard, ElementsAre("annotate 0 rung=1; go_on 0 !1"));
}

TEST(resource_changing, leaves_alone_what_the_base_ends) {
  auto entry = resource_changing::make_entry(builtin_schedulers());
  auto written = options::parse(entry.known, {{"base", "asha"}, {"base.max_t", "3"}});
  scheduler_context context;
  context.request = asking({cpus(1)});
  auto uut = std::move(*entry.make(*written, context));
  scheduler_feed tell{*uut};
  tell.tell(fact::node_up{"a", cpus(2)});
  tell.add(0);
  tell.tell(fact::started{{0}});

  EXPECT_EQ(text_of(tell.judged(0, 3, 1)), "stop 0 rule=asha max_t=3 time=3 why=reached max_t");
}

TEST(resource_changing, gives_less_to_one_that_waits_for_what_a_lost_node_had) {
  changing run;
  run.node(cpus(2), "a");
  run.node(cpus(8), "b");
  run.start(2);
  run.tell.judged(0, 1, 0);
  run.pauses(0);

  run.tell.tell(fact::node_down{"b"});

  EXPECT_THAT(run.uut.choose(99, 5).start, IsEmpty());
  auto verdict = run.tell.judged(1, 1, 0);
  EXPECT_EQ(text_of(verdict), "go_on 1; set_resources 0 rule=resource_changing had=5 CPU gets=1 "
                              "CPU live=2 why=no node could grant 5 CPU any more");
  EXPECT_THAT(run.uut.choose(99, 5).start, ElementsAre(trial_id{0}));
}

TEST(resource_changing, gives_less_where_nothing_runs_that_could_be_judged) {
  changing run;
  run.node(cpus(2), "a");
  run.node(cpus(8), "b");
  run.start(1);
  EXPECT_EQ(run.report(0), "8 CPU");
  run.tell.tell(fact::node_down{"b"});
  run.tell.add(0, true);

  EXPECT_THAT(run.uut.choose(99, 5).start, IsEmpty());
  auto answer = run.uut.on_stall(99);
  EXPECT_EQ(text_of(answer), "set_resources 0 rule=resource_changing had=8 CPU gets=2 CPU live=1 "
                             "why=no node could grant 8 CPU any more");
  run.tell.tell(fact::decided{answer, {}});
  EXPECT_THAT(run.uut.choose(99, 5).start, ElementsAre(trial_id{0}));
}

TEST(resource_changing, names_one_that_nobody_could_run_even_at_first) {
  changing run;
  run.node(cpus(8), "b");
  run.start(1);
  EXPECT_EQ(run.report(0), "8 CPU");
  run.tell.tell(fact::node_down{"b"});
  run.tell.add(0, true);

  EXPECT_THAT(run.uut.choose(99, 5).start, ElementsAre(trial_id{0}));
}

TEST(resource_changing, wakes_one_that_could_not_be_started_when_all_stands_still) {
  changing run;
  run.node(cpus(8));
  run.start(1);
  run.tell.judged(0, 1, 0);
  run.pauses(0);
  run.tell.tell(fact::chosen{run.uut.choose(99, 1), {{0}}});

  EXPECT_THAT(run.uut.choose(99, 5).start, IsEmpty());
  EXPECT_EQ(text_of(run.uut.on_stall(99)),
            "allow 0 rule=resource_changing why=it was paused for other resources");
}

TEST(resource_changing, leaves_those_paused_for_others_to_the_base) {
  changing run;
  run.node(cpus(1));
  run.start(1);
  run.pauses(0);
  run.tell.tell(fact::chosen{run.uut.choose(99, 1), {{0}}});

  EXPECT_EQ(text_of(run.uut.on_stall(99)), "stop 0 rule=fifo why=not promoted");
}

TEST(resource_changing, deals_by_any_function) {
  auto twice = [](const situation& now) {
    auto result = now.base;
    result.bundles.front().cpu += result.bundles.front().cpu;
    return result;
  };
  changing run{twice};
  run.node(cpus(8));
  run.start(1);

  EXPECT_EQ(run.report(0), "2 CPU");
  EXPECT_EQ(run.report(0), "");
}

TEST(resource_changing, does_not_take_what_a_function_gives_that_no_node_could) {
  auto too_much = [](const situation&) { return asking({cpus(100)}); };
  changing run{too_much};
  run.node(cpus(8));
  run.start(1);

  EXPECT_EQ(run.report(0), "");
}

TEST(resource_changing, forgets_trials_that_ended) {
  changing run;
  run.node(cpus(8));
  auto before = digest(run.uut);
  run.start(1);
  run.report(0, 3);
  run.tell.complete(0, 9, 3, true);
  changing other;
  other.node(cpus(8));
  other.start(1);
  other.tell.complete(0, 9, 3, true);

  EXPECT_NE(before, digest(run.uut));
  EXPECT_EQ(digest(run.uut), digest(other.uut));
}

/// The entry's complaint about options; empty if it accepts them.
std::string complaint(std::map<std::string, std::string> written,
                      resource_request request = asking({cpus(1)})) {
  auto entry = resource_changing::make_entry(
      scheduler_catalogue{{fifo::make_entry(), *builtin_schedulers().find("asha")}});
  auto parsed = options::parse(entry.known, written);
  if (!parsed)
    return parsed.error().detail;
  scheduler_context context;
  context.request = std::move(request);
  auto made = entry.make(*parsed, context);
  return made ? "" : made.error().detail;
}

TEST(resource_changing, reads_its_options_and_those_of_its_base) {
  EXPECT_EQ(complaint({{"base", "asha"},
                       {"base.max_t", "9"},
                       {"allocation", "top_job"},
                       {"increase_by", "cpu 2, memory 1GiB,licence 0.5"},
                       {"increase_by_times", "3"},
                       {"reserve", "cpu 1"}}),
            "");
  EXPECT_EQ(complaint({{"add_bundles", "true"}}, asking({cpus(1), cpus(2)})), "");
}

TEST(resource_changing, refuses_options_that_make_no_sense) {
  EXPECT_EQ(complaint({{"base", "fifo"}, {"base.max_t", "9"}}),
            "base.max_t = 9: fifo has no such option");
  EXPECT_EQ(complaint({{"base", "asha"}, {"base.max_t", "-1"}}), "base.max_t = -1: must be > 0");
  EXPECT_EQ(complaint({{"base", "asha"}, {"base.max_t", "4"}, {"base.grace_period", "5"}}),
            "base.max_t = 4: must be at least grace_period = 5");
  EXPECT_THAT(complaint({{"base", "resource_changing"}}), HasSubstr("one of: fifo, asha"));
  EXPECT_THAT(complaint({{"increase_by", "2"}}), HasSubstr("increase_by = 2: must be a list such"));
  EXPECT_THAT(complaint({{"increase_by", "cpu"}}), HasSubstr("must be a list such as"));
  EXPECT_THAT(complaint({{"increase_by", "cpu 1,"}}), HasSubstr("must be a list such as"));
  EXPECT_THAT(complaint({{"increase_by", "memory much"}}), HasSubstr("is not an amount of memory"));
  EXPECT_EQ(complaint({{"increase_by", "cpu 0"}}),
            "increase_by = cpu 0: must have an amount above 0");
  EXPECT_THAT(complaint({}, asking({cpus(1), cpus(2)})), HasSubstr("asks for 2 bundles"));
  EXPECT_THAT(complaint({{"add_bundles", "true"}}, asking({resources{}})),
              HasSubstr("asks for nothing"));
}

TEST(resource_changing_later, says_what_it_would_say_at_once) {
  for (auto stops : {false, true}) {
    auto base = std::make_unique<thinking_base>();
    base->stops = stops;
    resource_changing::resource_changing_scheduler uut{std::move(base), distribute({}),
                                                       asking({cpus(1)})};
    scheduler_feed tell{uut};
    tell.tell(fact::node_up{"a", cpus(4)});
    tell.add(0);
    tell.tell(fact::started{{0}});
    auto cause = tell.result(0, 1, 0.5);
    auto now = text_of(uut.judge(cause, {0}));

    auto later = uut.judge_later(cause, {0});

    ASSERT_TRUE(later);
    EXPECT_EQ(text_of(later()), now);
    EXPECT_EQ(now.find("set_resources") == std::string::npos, stops) << now;
  }
}

TEST(resource_changing_later, is_quick_where_its_base_is) {
  changing x;
  x.node(cpus(4));
  x.start(1);

  EXPECT_FALSE(x.uut.judge_later(x.tell.result(0, 1, 0.5), {0}));
}

} // namespace
} // namespace tune

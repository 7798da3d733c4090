// SPDX-License-Identifier: BSD-3-Clause
#include "io/ask_tell/puppet.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <stdexcept>

namespace tune {
namespace {

using samples::finished;
using samples::go_on_zero;
using samples::ok;
using samples::puppet;
using samples::recipe;
using samples::scripted;
using samples::talk;
using samples::waits;
using testing::HasSubstr;
using testing::StartsWith;

TEST(ask_tell, leads_through_trials_to_the_end) {
  recipe how;
  how.trials = 2;
  talk uut{how};

  EXPECT_EQ(uut.ask(),
            R"({"op":"trial","trial":"00000","attempt":1,"config":{"x":0},"resume":false})");
  EXPECT_EQ(uut.report(0, 1, 0.5), go_on_zero);
  EXPECT_EQ(uut.report(0, 2, 0.25), go_on_zero);
  EXPECT_EQ(uut.say(R"({"op":"complete","trial":"00000"})"), ok);
  EXPECT_EQ(uut.ask(),
            R"({"op":"trial","trial":"00001","attempt":1,"config":{"x":1},"resume":false})");
  EXPECT_EQ(uut.ask(), waits);
  EXPECT_EQ(uut.say(R"({"op":"complete","trial":"00001","metrics":{"loss":0.125}})"), ok);
  EXPECT_EQ(uut.ask(), finished);
  EXPECT_EQ(
      uut.say(R"({"op":"best"})"),
      R"({"op":"best","trial":"00001","config":{"x":1},"metrics":{"loss":0.125},"iteration":1,"status":"TERMINATED","checkpoint":null,"checkpoint_iteration":null,"checkpoint_metrics":null})");
  EXPECT_EQ(
      uut.say(R"({"op":"status"})"),
      R"({"op":"status","counts":{"PENDING":0,"RUNNING":0,"PAUSED":0,"TERMINATED":2,"ERRORED":0},"succeeded":2,"finished":true})");
  EXPECT_EQ(uut.world.rows<cmd::finish>().size(), 1u);
}

TEST(ask_tell, gives_no_more_trials_than_may_run_at_once) {
  recipe how;
  how.settings.max_concurrent = 2;
  talk uut{how};

  EXPECT_THAT(uut.ask(), HasSubstr("00000"));
  EXPECT_THAT(uut.ask(), HasSubstr("00001"));
  EXPECT_EQ(uut.ask(), waits);
  EXPECT_EQ(uut.say(R"({"op":"complete","trial":"00000"})"), ok);
  EXPECT_THAT(uut.ask(), HasSubstr("00002"));
}

TEST(ask_tell, says_by_how_much_the_best_misses_the_constraints) {
  recipe how;
  how.settings.constraints = *parse_constraints("loss <= 0.5");
  talk uut{how};
  uut.ask();

  for (auto [loss, violation] : {std::pair{0.75, 0.25}, std::pair{0.5, 0.0}}) {
    uut.report(0, loss == 0.75 ? 1 : 2, loss);
    EXPECT_EQ(*uut.tell({{"op", "best"}}).find("violation"), value{violation});
  }
}

TEST(ask_tell, has_no_best_trial_at_first) {
  talk uut{{}};

  EXPECT_EQ(uut.say(R"({"op":"best"})"),
            R"({"op":"best","trial":null,"config":null,"metrics":null})");
}

TEST(ask_tell, counts_iterations_that_a_report_leaves_out) {
  talk uut{{}};
  uut.ask();

  EXPECT_EQ(uut.say(R"({"op":"report","trial":"00000","metrics":{"loss":1}})"), go_on_zero);
  EXPECT_EQ(uut.say(R"({"op":"report","trial":0,"metrics":{"loss":2}})"), go_on_zero);

  auto reports = uut.world.events<on::reported>();
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[1].what->iteration, 2u);
  EXPECT_EQ(reports[1].what->number, 2u);
}

TEST(ask_tell, takes_numbers_that_json_has_not_as_texts) {
  talk uut{{}};
  uut.ask();

  EXPECT_EQ(
      uut.say(
          R"({"op":"report","trial":"00000","metrics":{"loss":"nan","a":{"b":["inf","-inf","info"]}}})"),
      go_on_zero);

  auto news = uut.world.events<on::reported>().front().what;
  EXPECT_TRUE(std::isnan(*metric_number(*news, "loss")));
  EXPECT_EQ(to_text(*news->metrics->find("a")), to_text(value{object{
                                                    {"b", value::list{HUGE_VAL, -HUGE_VAL, "info"}},
                                                }}));
}

TEST(ask_tell, stops_where_a_condition_says_so) {
  recipe how;
  how.stops = {{"training_iteration", "2"}};
  talk uut{how};
  uut.ask();

  EXPECT_EQ(uut.report(0, 1, 1), go_on_zero);
  EXPECT_THAT(
      uut.report(0, 2, 1),
      StartsWith(
          R"({"op":"decision","trial":"00000","decision":"stop","reason":"training_iteration)"));
  EXPECT_EQ(uut.uut->machine().status_of({0}), trial_status::terminated);
}

TEST(ask_tell, tells_the_schedulers_reason) {
  talk uut{scripted({{{0, 1}, {{{0}, stop{}, {{"rule", "asha"}, {"why", "too slow"}}}}}})};
  uut.ask();

  EXPECT_EQ(uut.report(0, 1, 1),
            R"({"op":"decision","trial":"00000","decision":"stop","reason":"too slow"})");
}

TEST(ask_tell, gives_a_paused_trial_again_with_its_checkpoint) {
  talk uut{scripted({{{0, 2}, {{{0}, pause_trial{}, {{"rule", "test"}, {"rung", 2}}}}}})};
  uut.ask();

  uut.report(0, 1, 1);
  EXPECT_EQ(
      uut.report(0, 2, 1, R"(,"checkpoint":"s3://mine/2")"),
      R"({"op":"decision","trial":"00000","decision":"pause","reason":"rule = test, rung = 2"})");

  EXPECT_EQ(uut.uut->machine().status_of({0}), trial_status::paused);
  for (int i = 1; i < 3; ++i) {
    uut.ask();
    uut.say(R"({"op":"complete","trial":)" + std::to_string(i) + "}");
  }
  EXPECT_EQ(uut.ask(),
            R"({"op":"trial","trial":"00000","attempt":2,"config":{"x":0},"resume":true,)"
            R"("from":{"trial":"00000","iteration":2,"checkpoint":"s3://mine/2"}})");
  EXPECT_EQ(uut.say(R"({"op":"report","trial":"00000","attempt":2,"metrics":{"loss":3}})"),
            go_on_zero);
  EXPECT_EQ(uut.world.events<on::reported>().back().what->iteration, 3u);
}

TEST(ask_tell, completes_no_trial_that_is_to_go_on_after_a_pause) {
  talk uut{scripted({{{0, 1}, {{{0}, pause_trial{}, {}}}}, {{1, 1}, {{{0}, allow{}, {}}}}})};
  uut.ask();
  uut.report(0, 1, 1);

  EXPECT_THAT(uut.say(R"({"op":"complete","trial":"00000"})"), HasSubstr("is paused"));
  uut.ask();
  uut.report(1, 1, 1);
  ASSERT_EQ(uut.uut->machine().status_of({0}), trial_status::pending);
  for (const auto* op : {"complete", "error"})
    EXPECT_THAT(uut.say(R"({"op":")" + std::string{op} + R"(","trial":"00000"})"),
                HasSubstr("was paused, and waits to go on"));
  uut.ask();
  for (const auto* trial : {"00001", "00002"})
    uut.say(R"({"op":"complete","trial":")" + std::string{trial} + "\"}");
  EXPECT_THAT(uut.ask(), AllOf(HasSubstr("00000"), HasSubstr("\"attempt\":2")));
  EXPECT_EQ(uut.say(R"({"op":"complete","trial":"00000"})"), ok);
}

TEST(ask_tell, trusts_the_executor_to_keep_what_it_paused) {
  talk uut{scripted({{{0, 1}, {{{0}, pause_trial{}, {}}}}})};
  uut.ask();

  EXPECT_EQ(uut.report(0, 1, 1),
            R"({"op":"decision","trial":"00000","decision":"pause","reason":"paused"})");

  for (int i = 1; i < 3; ++i) {
    uut.ask();
    uut.say(R"({"op":"complete","trial":)" + std::to_string(i) + "}");
  }
  EXPECT_THAT(uut.ask(), HasSubstr(R"("resume":true,"from":{"trial":"00000","iteration":1}})"));
}

TEST(ask_tell, has_a_trial_go_on_from_another) {
  auto config = std::make_shared<const object>(object{{"x", 7}});
  talk uut{scripted(
      {{{1, 1}, {{{1}, exploit{{0}, {1}, config}, {{"rule", "pbt"}, {"quantile", 0.25}}}}}})};
  uut.ask();
  uut.ask();

  EXPECT_EQ(uut.report(0, 1, 1, R"(,"checkpoint":"a")"), go_on_zero);
  EXPECT_EQ(uut.report(1, 1, 9),
            R"({"op":"decision","trial":"00001","decision":"pause",)"
            R"("reason":"goes on from trial 00000: rule = pbt, quantile = 0.25"})");
  EXPECT_THAT(uut.ask(), HasSubstr("00002"));
  EXPECT_EQ(uut.ask(),
            R"({"op":"trial","trial":"00001","attempt":2,"config":{"x":7},"resume":true,)"
            R"("from":{"trial":"00000","iteration":1,"checkpoint":"a"}})");
}

TEST(ask_tell, never_clones_a_trial_without_a_checkpoint) {
  auto config = std::make_shared<const object>(object{{"x", 7}});
  talk uut{scripted({{{1, 1}, {{{1}, exploit{{0}, {1}, config}, {}}}}})};
  uut.ask();
  uut.ask();
  uut.report(0, 1, 1);

  EXPECT_THAT(uut.report(1, 1, 9), HasSubstr(R"("decision":"continue")"));
}

TEST(ask_tell, tells_of_decisions_on_others) {
  talk uut{scripted({{{1, 1}, {{{0}, stop{}, {{"why", "01 is better"}}}, {{1}, go_on{}, {}}}}})};
  uut.ask();
  uut.ask();
  uut.report(0, 1, 2);

  EXPECT_EQ(uut.report(1, 1, 1),
            R"({"op":"decision","trial":"00001","decision":"continue","reason":"",)"
            R"("others":[{"trial":"00000","decision":"stop","reason":"01 is better"}]})");
  // A report that the executor had on its way gets the same answer.
  EXPECT_EQ(uut.report(0, 2, 2),
            R"({"op":"decision","trial":"00000","decision":"stop","reason":"01 is better"})");
  EXPECT_EQ(uut.say(R"({"op":"complete","trial":"00000"})"), ok);
  EXPECT_EQ(uut.say(R"({"op":"error","trial":"00000","message":"killed"})"),
            R"({"op":"ok","retry":false})");
}

TEST(ask_tell, answers_a_doubled_report_as_before) {
  talk uut{scripted({{{0, 2}, {{{0}, pause_trial{}, {{"why", "rung"}}}}},
                     {{1, 1}, {{{1}, stop{}, {{"why", "bad"}}}}}})};
  uut.ask();
  uut.ask();

  uut.report(0, 1, 1);
  auto events = uut.world.log().size();
  EXPECT_EQ(uut.report(0, 1, 1), go_on_zero);
  EXPECT_EQ(uut.world.log().size(), events);
  auto paused = uut.report(0, 2, 1);
  EXPECT_EQ(uut.report(0, 2, 1), paused);
  auto stopped = uut.report(1, 1, 1);
  EXPECT_EQ(uut.report(1, 1, 1), stopped);
  EXPECT_THAT(stopped, HasSubstr("bad"));
  EXPECT_EQ(uut.world.events<on::reported>().size(), 3u);
}

TEST(ask_tell, retries_within_the_budget) {
  recipe how;
  how.trials = 1;
  how.settings.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 1;
  how.settings.failures.backoff = std::chrono::seconds{1};
  talk uut{how};
  uut.ask();
  uut.report(0, 1, 1, R"(,"checkpoint":"one")");

  EXPECT_EQ(uut.say(R"({"op":"error","trial":"00000","message":"boom"})"),
            R"({"op":"ok","retry":true})");
  // The same failure told twice counts once.
  EXPECT_EQ(uut.say(R"({"op":"error","trial":"00000","message":"boom"})"),
            R"({"op":"ok","retry":true})");
  EXPECT_EQ(uut.ask(), waits);
  uut.world.time += std::chrono::seconds{1};
  EXPECT_THAT(uut.ask(), HasSubstr(R"("attempt":2)"));
  EXPECT_EQ(uut.say(R"({"op":"error","trial":"00000","attempt":1,"message":"late"})"),
            R"({"op":"ok","retry":true})");
  EXPECT_EQ(uut.say(R"({"op":"error","trial":"00000","attempt":2,"message":"boom again"})"),
            R"({"op":"ok","retry":false})");
  EXPECT_EQ(uut.uut->machine().status_of({0}), trial_status::errored);
  EXPECT_EQ(uut.world.rows<cmd::trial_changed>().back().error, "boom again");
  EXPECT_EQ(uut.ask(), finished);
}

TEST(ask_tell, falls_back_where_a_checkpoint_cannot_be_restored) {
  recipe how;
  how.trials = 1;
  how.settings.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 1;
  talk uut{how};
  uut.ask();
  uut.report(0, 1, 1, R"(,"checkpoint":"one")");
  uut.report(0, 2, 1, R"(,"checkpoint":"two")");
  uut.say(R"({"op":"error","trial":"00000","message":"boom"})");
  ASSERT_THAT(uut.ask(), HasSubstr(R"("checkpoint":"two")"));

  EXPECT_EQ(uut.say(R"({"op":"error","trial":"00000","message":"torn","restore":true})"),
            R"({"op":"ok","retry":true})");
  EXPECT_THAT(uut.ask(), HasSubstr(R"("iteration":1,"checkpoint":"one")"));
  EXPECT_EQ(uut.say(R"({"op":"error","trial":"00000","message":"torn","restore":true})"),
            R"({"op":"ok","retry":false})");
  EXPECT_EQ(uut.uut->machine().status_of({0}), trial_status::errored);
}

TEST(ask_tell, shows_repeats_of_a_retried_trial_to_nobody) {
  recipe how = scripted({{{0, 2}, {{{0}, stop{}, {}}}}});
  how.trials = 1;
  how.settings.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 1;
  talk uut{how};
  uut.ask();
  uut.report(0, 1, 1);
  uut.say(R"({"op":"error","trial":"00000","message":"boom"})");
  uut.ask();

  EXPECT_EQ(uut.report(0, 1, 1), go_on_zero);
  EXPECT_THAT(uut.report(0, 2, 1), HasSubstr("stop"));
  EXPECT_EQ(uut.world.events<on::decided>().size(), 2u);
}

TEST(ask_tell, supersedes_what_an_older_attempt_says) {
  recipe how;
  how.settings.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 1;
  how.trials = 1;
  talk uut{how};
  uut.ask();
  uut.say(R"({"op":"error","trial":"00000"})");

  EXPECT_THAT(uut.report(0, 1, 1), HasSubstr(R"("decision":"stop","reason":"superseded)"));
  uut.ask();
  EXPECT_THAT(uut.report(0, 1, 1, R"(,"attempt":1)"),
              HasSubstr(R"("decision":"stop","reason":"superseded)"));
  EXPECT_EQ(uut.report(0, 1, 1, R"(,"attempt":2)"), go_on_zero);
  EXPECT_THAT(uut.report(0, 2, 1, R"(,"attempt":3)"), HasSubstr("there is no 3"));
}

TEST(ask_tell, stops_a_trial_in_any_state) {
  talk uut{{}};
  uut.ask();

  EXPECT_EQ(uut.say(R"({"op":"stop","trial":"00000"})"), ok);
  EXPECT_EQ(uut.say(R"({"op":"stop","trial":"00000"})"), ok);
  EXPECT_EQ(uut.say(R"({"op":"stop","trial":"00001"})"), ok);
  EXPECT_THAT(uut.report(0, 1, 1), HasSubstr(R"("decision":"stop","reason":"stopped by the exec)"));
  EXPECT_EQ(uut.say(R"({"op":"complete","trial":"00000"})"), ok);
  EXPECT_THAT(uut.ask(), HasSubstr("00002"));
  EXPECT_EQ(uut.say(R"({"op":"stop","trial":"00002"})"), ok);
  EXPECT_EQ(uut.ask(), finished);
  EXPECT_EQ(uut.say(R"({"op":"stop","trial":"00002"})"), ok);
}

TEST(ask_tell, tries_a_configuration_of_the_executors_own) {
  recipe how;
  how.trials = 1;
  talk uut{how};

  EXPECT_EQ(
      uut.say(R"({"op":"add","config":{"x":7,"kind":"b"}})"),
      R"({"op":"trial","trial":"00001","attempt":0,"config":{"x":7,"kind":"b"},"resume":false})");
  EXPECT_THAT(uut.report(1, 1, 0.5), HasSubstr("was not given to you"));
  EXPECT_THAT(uut.ask(), HasSubstr("\"trial\":\"00000\""));
  EXPECT_EQ(
      uut.ask(),
      R"({"op":"trial","trial":"00001","attempt":1,"config":{"x":7,"kind":"b"},"resume":false})");
  uut.say(R"({"op":"complete","trial":1,"metrics":{"loss":0.25}})");
  uut.say(R"({"op":"complete","trial":0,"metrics":{"loss":0.5}})");
  EXPECT_EQ(uut.ask(), finished);
  EXPECT_THAT(uut.say(R"({"op":"best"})"), HasSubstr("\"trial\":\"00001\""));
}

TEST(ask_tell, adds_once_what_has_a_key) {
  talk uut{recipe{}};
  const std::string wish = R"({"op":"add","key":"mine","config":{"x":7,"kind":"b"}})";

  auto first = uut.say(wish);
  EXPECT_THAT(first, HasSubstr("\"attempt\":0"));
  EXPECT_EQ(uut.say(wish), first);
  uut.restart();
  EXPECT_EQ(uut.say(R"({"op":"add","key":"mine","config":{"x":8,"kind":"a"}})"), first)
      << "what was added first counts";
  EXPECT_THAT(uut.say(R"({"op":"add","key":"mine","config":{"x":7,"kind":"b"},"outcome":true})"),
              HasSubstr(R"("outcome":"needless")"));
  EXPECT_EQ(uut.world.events<on::add_asked>().size(), 1u);
}

TEST(ask_tell, adds_nothing_that_is_not_in_the_space) {
  talk uut{recipe{}};

  EXPECT_EQ(uut.say(R"({"op":"add"})"), R"({"op":"fault","error":"\"config\" is missing"})");
  EXPECT_THAT(uut.say(R"({"op":"add","config":[1]})"), HasSubstr("must be an object"));
  EXPECT_THAT(uut.say(R"({"op":"add","config":{"x":7}})"), HasSubstr("kind"));
  EXPECT_THAT(uut.say(R"({"op":"add","config":{"x":100,"kind":"a"}})"), HasSubstr("100"));
  EXPECT_THAT(uut.say(R"({"op":"add","config":{"x":7,"kind":"a","y":1}})"), HasSubstr("y"));
  EXPECT_THAT(uut.say(R"({"op":"add","config":{"x":7,"kind":"a"},"key":3})"), HasSubstr("key"));
  EXPECT_TRUE(uut.world.events<on::add_asked>().empty());
}

TEST(ask_tell, lets_go_of_everything_at_the_time_limit) {
  recipe how;
  how.settings.time_limit = std::chrono::seconds{10};
  talk uut{how};
  uut.ask();
  uut.report(0, 1, 1);
  uut.world.time = std::chrono::seconds{11};

  EXPECT_EQ(uut.ask(), waits);
  EXPECT_EQ(
      uut.report(0, 2, 1),
      R"({"op":"decision","trial":"00000","decision":"pause","reason":"the experiment leaves off"})");
  EXPECT_EQ(uut.ask(), finished);
  EXPECT_EQ(uut.world.rows<cmd::finish>().back().status, experiment_status::time_limit);
}

TEST(ask_tell, gives_a_silent_trial_up) {
  recipe how;
  how.settings.failures.progress_timeout = std::chrono::seconds{10};
  talk uut{how};
  uut.ask();
  uut.report(0, 1, 1);
  uut.world.time = std::chrono::seconds{11};

  EXPECT_THAT(uut.ask(),
              HasSubstr(R"("others":[{"trial":"00000","decision":"stop","reason":"no report)"));
  EXPECT_EQ(uut.uut->machine().status_of({0}), trial_status::errored);
}

/// A scheduler that throws when it is asked for a verdict.
class broken : public puppet {
public:
  broken() : puppet{{}} {}
  [[nodiscard]] decision judge(sequence, trial_id) const override {
    throw std::runtime_error{"out of luck"};
  }
};

TEST(ask_tell, leaves_off_when_a_rule_throws_and_can_be_gone_on_with) {
  recipe how;
  how.judge = [] { return std::make_unique<broken>(); };
  talk uut{how};
  uut.ask();

  EXPECT_THAT(uut.report(0, 1, 1), HasSubstr(R"("decision":"pause")"));
  uut.ask();

  EXPECT_TRUE(uut.uut->machine().is_finished());
  EXPECT_EQ(uut.uut->machine().status_of({0}), trial_status::pending);
  std::string why;
  for (const auto& x : uut.world.log()) {
    if (const auto* found = std::get_if<on::interrupted>(&x.what))
      why = found->why;
  }
  EXPECT_EQ(why, "the scheduler failed: out of luck");
  EXPECT_THAT(uut.ask(),
              HasSubstr(R"("reason":"finished","why":"the scheduler failed: out of luck")"));
  EXPECT_THAT(uut.say(R"({"op":"status"})"),
              HasSubstr(R"("finished":true,"why":"the scheduler failed: out of luck")"));
  EXPECT_THAT(uut.world.warnings,
              testing::ElementsAre("the experiment leaves off: the scheduler failed: out of luck"));
}

/// A scheduler that throws when it is asked for the second time whom to start.
class chooses_once : public puppet {
public:
  chooses_once() : puppet{{}} {}
  [[nodiscard]] scheduler_traits traits() const override {
    auto result = puppet::traits();
    result.choose_ahead = 1;
    return result;
  }
  [[nodiscard]] choice choose(sequence at, std::uint32_t count) const override {
    if (++asked_ > 1)
      throw std::runtime_error{"out of luck"};
    return puppet::choose(at, count);
  }

private:
  mutable int asked_ = 0;
};

TEST(ask_tell, gives_nobody_a_trial_that_is_paused_before_anybody_hears_of_it) {
  recipe how;
  how.judge = [] { return std::make_unique<chooses_once>(); };
  talk uut{how};

  const auto answer = uut.ask();

  EXPECT_THAT(answer, HasSubstr(R"("op":"none","reason":"finished","why":"the scheduler failed)"));
  EXPECT_THAT(answer, testing::Not(HasSubstr("others")));
}

/// A searcher that proposes one trial, and then fails.
class proposes_once : public samples::list_searcher {
public:
  enum class fault : std::uint8_t { throws, too_many, no_config };

  explicit proposes_once(fault how) : list_searcher{10}, how_{how} {}
  [[nodiscard]] proposal propose(const ask& question) const override {
    auto asked = question;
    asked.count = 1;
    if (++asked_ == 1)
      return list_searcher::propose(asked);
    if (how_ == fault::throws)
      throw std::runtime_error{"out of ideas"};
    if (how_ == fault::no_config)
      return std::vector<suggestion>{{nullptr, "test"}};
    asked.count = question.count + 1;
    return list_searcher::propose(asked);
  }

private:
  fault how_;
  mutable int asked_ = 0;
};

TEST(ask_tell, gives_nobody_a_trial_that_a_failed_searcher_pauses) {
  for (auto how : {proposes_once::fault::throws, proposes_once::fault::too_many,
                   proposes_once::fault::no_config}) {
    recipe what;
    what.source = [how] { return std::make_unique<proposes_once>(how); };
    talk uut{what};

    const auto answer = uut.ask();

    EXPECT_THAT(answer, HasSubstr(R"("op":"none","reason":"finished","why":"the searcher failed)"));
    EXPECT_THAT(answer, testing::Not(HasSubstr("others")));
    ASSERT_EQ(uut.world.warnings.size(), 1u);
    EXPECT_THAT(uut.world.warnings[0], HasSubstr("the experiment leaves off: the searcher failed"));
  }
}

} // namespace
} // namespace tune

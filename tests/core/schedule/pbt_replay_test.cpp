// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/pbt_replay/pbt_replay.hpp"

#include "support/scheduler_feed.hpp"

#include "tune/core/space/space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace tune {
namespace {

using pbt_replay::read_policy;
using support::digest;
using support::scheduler_feed;
using support::text_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string complaint(const std::string& text) {
  auto result = read_policy(text);
  return result ? std::string{} : to_text(result.error());
}

TEST(pbt_policy, is_a_chain_of_exploits) {
  auto uut = read_policy("[\"a\", \"b\", 5, 4, {\"lr\": 0.1}, {\"lr\": 0.12}]\n"
                         "[\"c\", \"a\", 9, 8, {\"lr\": 0.12}, {\"lr\": 0.1}]\n");

  ASSERT_TRUE(uut);
  EXPECT_EQ(uut->first, (object{{"lr", 0.1}}));
  ASSERT_EQ(uut->steps.size(), 2u);
  EXPECT_EQ(uut->steps[0].iteration, 4u);
  EXPECT_EQ(uut->steps[0].config, (object{{"lr", 0.12}}));
  EXPECT_EQ(uut->steps[1].iteration, 8u);
}

TEST(pbt_policy, begins_where_the_chain_breaks) {
  // No later row takes over "x", so its row is no part of the chain.
  auto uut = read_policy("[\"x\", \"b\", 3, 3, {\"lr\": 5}, {\"lr\": 6}]"
                         "[\"a\", \"b\", 5, 4, {\"lr\": 1}, {\"lr\": 2}]"
                         "[\"c\", \"a\", 9, 8, {\"lr\": 2}, {\"lr\": 3}]");

  ASSERT_TRUE(uut);
  EXPECT_EQ(uut->first, (object{{"lr", 1}}));
  EXPECT_EQ(uut->steps.size(), 2u);
}

TEST(pbt_policy, may_hold_brackets_and_quotes_in_its_texts) {
  auto uut = read_policy(R"(["[a\"]", 1, 5, 4, {"t": "]}"}, {"t": ["x", {}]}] )");

  ASSERT_TRUE(uut);
  EXPECT_EQ(*uut->first.find("t"), value{"]}"});
}

TEST(pbt_policy, names_the_row_that_is_wrong) {
  EXPECT_EQ(complaint(""), "policy: there is nothing to replay");
  EXPECT_THAT(complaint("[1, 2"), HasSubstr("policy: row 1: "));
  EXPECT_EQ(complaint("[1, 2, 3]"), "policy: row 1: must be a list of six");
  EXPECT_EQ(complaint("[1, 2, 3, 4, {}, {}] [1, 2, 3, x, {}, {}]"),
            "policy: row 2: its third and fourth must be iterations");
  EXPECT_EQ(complaint("[1, 2, 3, 4, {}, 5]"),
            "policy: row 1: its fifth and sixth must be configurations");
  EXPECT_EQ(complaint("[1, 2, 3, 4, {}, {}] [3, 1, 9, 2, {}, {}]"),
            "policy: row 2: its iteration is before that of the row above");
}

/// The policy: x = 1, then 2 from iteration 3 on, then 3 from iteration 5 on.
class pbt_replaying : public testing::Test {
protected:
  pbt_replay::pbt_replay_scheduler uut{
      *read_policy("[1, 0, 3, 3, {\"x\": 1}, {\"x\": 2}] [1, 1, 5, 5, {\"x\": 2}, {\"x\": 3}]")};
  scheduler_feed tell{uut};

  decision stall() {
    auto what = uut.on_stall(100);
    tell.tell(fact::decided{what, {}});
    return what;
  }
  void begin() {
    tell.add(0);
    stall();
    start();
  }
  void start() {
    ASSERT_THAT(tell.choose(5), ElementsAre(0));
    tell.tell(fact::started{{0}});
  }
};

TEST_F(pbt_replaying, sets_the_first_configuration_before_anything_runs) {
  tell.add(0);
  EXPECT_THAT(tell.choose(5), IsEmpty());

  auto verdict = stall();

  EXPECT_EQ(text_of(verdict), "reconfigure 0 rule=pbt_replay step=0 of=2 "
                              "why=begins with the policy's first configuration");
  EXPECT_EQ(*std::get<reconfigure>(verdict.actions.front().what).config, (object{{"x", 1}}));
  EXPECT_THAT(tell.choose(5), ElementsAre(0));
}

TEST_F(pbt_replaying, pauses_at_each_step_and_goes_on_with_its_configuration) {
  begin();
  EXPECT_EQ(text_of(tell.judged(0, 2, 1)), "go_on 0");

  auto verdict = tell.judged(0, 3, 1);
  EXPECT_EQ(text_of(verdict), "reconfigure 0 rule=pbt_replay step=1 of=2 at=3 "
                              "why=step 1 of the policy begins at iteration 3; pause 0 "
                              "rule=pbt_replay why=goes on with another configuration");
  EXPECT_EQ(*std::get<reconfigure>(verdict.actions.front().what).config, (object{{"x", 2}}));
  tell.tell(fact::paused{{0}, {1}});
  start();

  EXPECT_EQ(text_of(tell.judged(0, 4, 1)), "go_on 0");
  EXPECT_THAT(text_of(tell.judged(0, 5, 1)), HasSubstr("step=2"));
  tell.tell(fact::paused{{0}, {2}});
  start();
  EXPECT_EQ(text_of(tell.judged(0, 6, 1)), "go_on 0");
}

TEST_F(pbt_replaying, takes_the_last_of_several_steps_that_were_reached_at_once) {
  begin();

  EXPECT_THAT(text_of(tell.judged(0, 7, 1)), HasSubstr("step=2"));
}

TEST_F(pbt_replaying, pauses_again_where_a_pause_failed) {
  begin();
  tell.judged(0, 3, 1);

  EXPECT_EQ(text_of(tell.judged(0, 4, 1)),
            "pause 0 rule=pbt_replay why=goes on with another configuration");
}

TEST_F(pbt_replaying, goes_on_where_the_trial_came_back_with_the_new_configuration) {
  begin();
  tell.judged(0, 3, 1);
  tell.add(0, true);
  start();

  EXPECT_EQ(text_of(tell.judged(0, 4, 1)), "go_on 0");
}

TEST_F(pbt_replaying, trains_one_trial_and_stops_the_others) {
  begin();
  tell.add(1);
  EXPECT_THAT(tell.choose(5), IsEmpty());
  tell.complete(0, 9, 1);

  EXPECT_EQ(text_of(stall()), "stop 1 rule=pbt_replay why=a replay trains one trial");
}

TEST_F(pbt_replaying, is_the_same_after_a_restart) {
  begin();
  tell.judged(0, 3, 1);
  tell.tell(fact::paused{{0}, {1}});
  pbt_replay::pbt_replay_scheduler again{
      *read_policy("[1, 0, 3, 3, {\"x\": 1}, {\"x\": 2}] [1, 1, 5, 5, {\"x\": 2}, {\"x\": 3}]")};

  for (const auto& x : tell.log())
    again.apply(x);

  EXPECT_EQ(digest(again), digest(uut));
}

TEST(pbt_replay_options, must_hold_configurations_of_the_space) {
  auto entry = pbt_replay::make_entry();
  scheduler_context context;
  context.space
      = std::make_shared<const search_space>(*search_space::parse({{"x", "uniform(0, 1)"}}));
  auto why = [&](const std::string& policy) {
    auto result = entry.make(*options::parse(entry.known, {{"policy", policy}}), context);
    return result ? std::string{} : result.error().detail;
  };

  EXPECT_EQ(why("[1, 0, 3, 3, {\"x\": 0.5}, {\"x\": 1}]"), "");
  EXPECT_EQ(why("[1, 0, 3, 3, {\"x\": 0.5}, {\"x\": 2}]"),
            "policy: step 1: \"x\": 2 is not in uniform(0, 1)");
  EXPECT_EQ(why("[1, 0, 3, 3, {}, {\"x\": 1}]"),
            "policy: its first configuration: \"x\": is missing");
}

} // namespace
} // namespace tune

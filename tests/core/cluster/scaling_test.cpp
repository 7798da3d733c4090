// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/scaling.hpp"

#include <gmock/gmock.h>

namespace tune {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

using answer = expected<std::optional<std::uint64_t>>;

const answer done = std::optional<std::uint64_t>{};

resources four_cpus() {
  resources result;
  result.cpu = amount::of(4);
  return result;
}

struct scaling_test : testing::Test {
  scaling_rules rules;
  cluster_need need;
  instant now = 1h;
  std::optional<scaling> made;

  scaling& uut() {
    if (!made)
      made.emplace(rules);
    return *made;
  }

  void wait(std::uint64_t trials, double cpu = 1) {
    resources one;
    one.cpu = amount::of(cpu);
    need.pending = {{{{one}, {}}, trials}};
    if (trials == 0)
      need.pending.clear();
  }
  void come(const std::string& name, bool is_busy = true) {
    need.workers.push_back({name, four_cpus(), is_busy});
    need.newest = four_cpus();
  }
  void all_are(bool busy) {
    for (auto& x : need.workers)
      x.is_busy = busy;
  }
  void go(const std::string& name) {
    std::erase_if(need.workers, [&](const auto& x) { return x.name == name; });
  }

  std::optional<scaling_call> call() {
    const auto what = uut().look(need, now);
    if (const auto* x = std::get_if<scaling::call>(&what))
      return x->what;
    return std::nullopt;
  }
  std::optional<scaling_call> call_after(instant time) {
    now += time;
    return call();
  }
  std::vector<std::string> hold_after(instant time) {
    now += time;
    const auto what = uut().look(need, now);
    const auto* x = std::get_if<scaling::hold>(&what);
    return x == nullptr ? std::vector<std::string>{} : x->workers;
  }
  std::optional<scaling_call> held(const std::vector<std::string>& names) {
    const auto what = uut().held(names, now);
    const auto* x = std::get_if<scaling::call>(&what);
    return x == nullptr ? std::nullopt : std::optional{x->what};
  }
  scaling::action ended(const answer& how = done) { return uut().called(how, now); }
};

TEST_F(scaling_test, asks_for_one_that_tells_what_they_offer_and_then_for_the_others) {
  wait(20);
  auto first = call();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->more, 1u);
  EXPECT_EQ(first->wanted, 1u);
  ended();

  come("a");
  wait(16);
  EXPECT_FALSE(call_after(29s));
  auto second = call_after(1s);

  ASSERT_TRUE(second);
  EXPECT_EQ(second->more, 4u);
  EXPECT_EQ(second->wanted, 5u);
  EXPECT_EQ(second->now, 1u);
}

TEST_F(scaling_test, knows_what_they_offer_where_it_is_told) {
  rules.worker = four_cpus();
  wait(20);

  EXPECT_EQ(call()->more, 5u);
}

TEST_F(scaling_test, asks_for_the_kind_of_worker_that_is_lacking) {
  rules.worker = four_cpus();
  rules.patience = 1h;
  const node_labels large{"require model == A100", "tolerate "};
  const node_labels plain{"tolerate "};
  come("old", false);
  need.workers.back().labels = plain;
  wait(8);
  need.pending.front().demands = large;

  const auto first = call();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->kinds, (std::vector<scaling_call::kind>{{large, 2, 0}}));
  ended();
  need.pending.push_back({{{four_cpus()}, {}}, 3, plain});
  const auto second = call_after(1min);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->kinds, (std::vector<scaling_call::kind>{{plain, 2, 0}}));
  ended();
  come("new", true);
  need.workers.back().labels = large;
  need.pending.front().count = 12;
  const auto third = call_after(1min);
  ASSERT_TRUE(third);
  EXPECT_EQ(third->kinds, (std::vector<scaling_call::kind>{{large, 2, 1}}));
}

TEST_F(scaling_test, is_not_led_on_by_workers_of_the_wrong_kind) {
  rules.worker = four_cpus();
  rules.idle = 0s;
  wait(4);
  need.pending.front().demands = {"require model == A100"};
  std::uint64_t asked = 0;
  for (int i = 0; i < 100; ++i) {
    if (auto x = call_after(1min)) {
      asked += x->more;
      for (std::uint64_t k = 0; k < x->more; ++k)
        come("w" + std::to_string(asked + k), false);
      ended();
    }
  }

  EXPECT_EQ(asked, 1u);
}

TEST_F(scaling_test, never_asks_beyond_the_bound) {
  rules.worker = four_cpus();
  rules.most = 3;
  wait(1000);

  EXPECT_EQ(call()->wanted, 3u);
  ended();
  EXPECT_FALSE(call_after(4min));
  come("a");
  come("b");
  come("by hand");
  EXPECT_FALSE(call_after(10min));
}

TEST_F(scaling_test, keeps_to_the_lower_bound_without_need) {
  rules.least = 2;

  EXPECT_EQ(call()->more, 2u);
  ended();
  come("a", false);
  come("b", false);
  EXPECT_TRUE(hold_after(1h).empty());
}

TEST_F(scaling_test, does_not_ask_twice_until_patience_is_over) {
  rules.worker = four_cpus();
  wait(8);
  EXPECT_EQ(call()->more, 2u);
  ended();

  EXPECT_FALSE(call_after(1min));
  come("a");
  wait(4);
  EXPECT_FALSE(call_after(1min));
  EXPECT_EQ(uut().state().asked, 1u);
  wait(8);
  EXPECT_EQ(call_after(1min)->more, 1u);
  ended();
  // The first request is given up, the second is not.
  auto again = call_after(2min);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->asked, 1u);
  EXPECT_EQ(again->more, 1u);
  EXPECT_EQ(uut().state().missed, 1u);
}

TEST_F(scaling_test, workers_that_come_while_the_command_runs_count) {
  rules.worker = four_cpus();
  wait(8);
  EXPECT_TRUE(call());
  come("a");
  wait(4);
  EXPECT_FALSE(call_after(1s));
  ended();

  EXPECT_EQ(uut().state().asked, 1u);
}

TEST_F(scaling_test, believes_a_command_that_asked_for_fewer) {
  rules.worker = four_cpus();
  wait(20);
  EXPECT_EQ(call()->more, 5u);
  ended(std::optional<std::uint64_t>{2});

  EXPECT_EQ(uut().state().asked, 2u);
  EXPECT_EQ(call_after(30s)->more, 3u);
  ended(std::optional<std::uint64_t>{999});
  EXPECT_EQ(uut().state().asked, 5u);
}

TEST_F(scaling_test, tries_again_later_and_later_after_failures) {
  rules.worker = four_cpus();
  rules.cooldown = 1s;
  wait(1);
  EXPECT_TRUE(call());
  ended(error{ec::process, "it exited with 3"});
  EXPECT_EQ(uut().state().asked, 0u);
  EXPECT_EQ(uut().state().last_failure, "it exited with 3");

  EXPECT_FALSE(call_after(9s));
  EXPECT_TRUE(call_after(1s));
  ended(error{ec::process, "it exited with 3"});
  EXPECT_FALSE(call_after(19s));
  EXPECT_TRUE(call_after(1s));
  ended();
  EXPECT_EQ(uut().state().failures, 0u);
  EXPECT_EQ(scaling::back_off(0), 0s);
  EXPECT_EQ(scaling::back_off(100), 10min);
}

TEST_F(scaling_test, one_call_at_a_time) {
  rules.worker = four_cpus();
  wait(4);
  EXPECT_TRUE(call());
  wait(400);
  EXPECT_FALSE(call_after(1h));
  ended();
  EXPECT_FALSE(call_after(29s));
  EXPECT_TRUE(call_after(1s));
}

TEST_F(scaling_test, shows_the_number_that_the_last_call_was_given) {
  rules.worker = four_cpus();
  come("a", false);
  come("b", false);
  EXPECT_TRUE(hold_after(0s).empty());
  EXPECT_THAT(hold_after(300s), ElementsAre("a", "b"));
  const auto named = held({"a", "b"});
  ASSERT_TRUE(named);
  ended();

  EXPECT_EQ(named->wanted, 0u);
  EXPECT_EQ(uut().state().wanted, 0u);
  EXPECT_EQ(uut().state().given_back, 2u);

  wait(4);
  EXPECT_FALSE(call_after(1s)) << "it cools down";
  EXPECT_EQ(uut().state().wanted, 1u) << "the need is another since";
}

TEST_F(scaling_test, gives_back_what_was_idle_for_long_once_nothing_may_be_placed_there) {
  come("a");
  come("b", false);
  come("c", false);
  EXPECT_TRUE(hold_after(0s).empty());
  EXPECT_TRUE(hold_after(299s).empty());
  EXPECT_THAT(hold_after(1s), ElementsAre("b", "c"));
  EXPECT_FALSE(call_after(10s)) << "it waits for the answer";

  // Something was placed on c meanwhile.
  auto named = held({"b"});

  ASSERT_TRUE(named);
  EXPECT_THAT(named->idle, ElementsAre("b"));
  EXPECT_EQ(named->now, 3u);
  EXPECT_EQ(named->wanted, 2u);
  EXPECT_EQ(named->more, 0u);
  ended();
  EXPECT_EQ(uut().state().given_back, 1u);
  go("b");
  EXPECT_THAT(hold_after(1min), ElementsAre("c"));
}

TEST_F(scaling_test, nobody_held_is_no_call) {
  come("a", false);
  hold_after(0s);
  EXPECT_THAT(hold_after(5min), ElementsAre("a"));

  EXPECT_FALSE(held({}));

  EXPECT_THAT(hold_after(1s), ElementsAre("a"));
}

TEST_F(scaling_test, lets_workers_work_that_did_not_go) {
  come("a", false);
  hold_after(0s);
  hold_after(5min);
  held({"a"});
  ended();
  now += 5min;

  auto what = uut().look(need, now);

  ASSERT_TRUE(std::holds_alternative<scaling::release>(what));
  EXPECT_THAT(std::get<scaling::release>(what).workers, ElementsAre("a"));
  // Idle from the beginning.
  EXPECT_TRUE(hold_after(4min).empty());
  EXPECT_THAT(hold_after(1min), ElementsAre("a"));
}

TEST_F(scaling_test, lets_workers_work_that_a_failed_command_was_to_give_back) {
  come("a", false);
  hold_after(0s);
  hold_after(5min);
  held({"a"});

  auto what = ended(error{ec::process, "no"});

  ASSERT_TRUE(std::holds_alternative<scaling::release>(what));
  EXPECT_THAT(std::get<scaling::release>(what).why, HasSubstr("failed"));
  EXPECT_EQ(uut().state().given_back, 0u);
}

TEST_F(scaling_test, gives_nothing_back_where_workers_leave_by_themselves) {
  rules.idle = 0s;
  come("a", false);
  EXPECT_TRUE(hold_after(0s).empty());
  EXPECT_TRUE(hold_after(24h).empty());
}

TEST_F(scaling_test, tells_of_what_is_too_large) {
  come("a");
  wait(2, 8);

  EXPECT_FALSE(call());

  EXPECT_EQ(uut().state().too_large, "2 x (8 CPU)");
}

TEST(scaling_rules, have_ranges) {
  EXPECT_TRUE(validate(scaling_rules{}));
  auto fault = [](auto change) {
    scaling_rules x;
    change(x);
    auto fits = validate(x);
    return fits ? std::string{} : fits.error().detail;
  };
  EXPECT_THAT(fault([](auto& x) { x.most = 0; }), HasSubstr("scale_max"));
  EXPECT_THAT(fault([](auto& x) { x.least = 11; }), HasSubstr("scale_min"));
  EXPECT_THAT(fault([](auto& x) { x.cooldown = 0s; }), HasSubstr("scale_cooldown"));
  EXPECT_THAT(fault([](auto& x) { x.down_cooldown = 25h; }), HasSubstr("scale_down_cooldown"));
  EXPECT_THAT(fault([](auto& x) { x.idle = 10ms; }), HasSubstr("scale_idle"));
  EXPECT_THAT(fault([](auto& x) { x.patience = 0s; }), HasSubstr("scale_patience"));
}

} // namespace
} // namespace tune

// PBT as made from the catalogue, and its behaviour in a small world.
// SPDX-License-Identifier: BSD-3-Clause
#include "pbt_support.hpp"

#include "support/scheduler_world.hpp"

#include <gmock/gmock.h>

namespace tune {
namespace {

using samples::config_of;
using samples::reason;
using samples::verbs;
using support::digest;
using support::scheduler_feed;
using support::scheduler_world;
using testing::HasSubstr;
using testing::IsEmpty;

/// PBT with options that cause many decisions.
class pbt_in_a_world : public testing::TestWithParam<bool> {
protected:
  static std::unique_ptr<scheduler> make() {
    auto entry = pbt::make_entry();
    auto options = options::parse(entry.known, {{"time_attr", "training_iteration"},
                                                {"perturbation_interval", "2"},
                                                {"quantile_fraction", "0.4"},
                                                {"require_attrs", "false"},
                                                {"synch", GetParam() ? "true" : "false"}});
    scheduler_context context;
    context.seed = 7;
    context.space
        = std::make_shared<const search_space>(*search_space::parse({{"x", "uniform(0, 1)"}}));
    return std::move(*entry.make(*options, context));
  }
};

TEST_P(pbt_in_a_world, ends_all_trials_and_replays_to_the_same_state) {
  std::size_t exploits = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    support::world_settings how;
    how.seed = seed;
    how.retried = seed % 2 == 0 ? 4 : 0;
    how.fatal = seed % 3 == 0 ? 2 : 0;
    how.odd = seed % 5 == 0 ? 20 : 0;
    how.late = seed % 7 == 0 ? 10 : 0;
    auto uut = make();
    scheduler_world world{*uut, how};
    world.run();
    EXPECT_THAT(world.faults(), IsEmpty());
    EXPECT_EQ(world.left(), 0u);
    auto again = make();
    auto next = world.exchanges().begin();
    for (std::size_t i = 0; i < world.facts().size(); ++i) {
      for (; next != world.exchanges().end() && next->after == i; ++next) {
        ASSERT_EQ(support::ask_again(*again, *next), next->answer);
        exploits += next->answer.find("exploit") != std::string::npos ? 1 : 0;
      }
      again->apply(world.facts()[i]);
      ASSERT_EQ(digest(*again), world.digests()[i]) << "after fact " << i;
    }
  }
  EXPECT_GT(exploits, 100u);
}

INSTANTIATE_TEST_SUITE_P(pbt, pbt_in_a_world, testing::Bool(),
                         [](const auto& x) { return x.param ? "synchronous" : "asynchronous"; });

expected<std::unique_ptr<scheduler>> made(std::map<std::string, std::string> written,
                                          const std::shared_ptr<const search_space>& space) {
  auto entry = pbt::make_entry();
  auto options = options::parse(entry.known, written);
  if (!options)
    return options.error();
  scheduler_context context;
  context.space = space;
  return entry.make(*options, context);
}

TEST(pbt_options, are_checked) {
  auto space
      = std::make_shared<const search_space>(*search_space::parse({{"lr", "uniform(0, 1)"}}));
  auto complaint = [&](std::map<std::string, std::string> written) {
    auto result = made(std::move(written), space);
    return result ? std::string{} : result.error().detail;
  };

  EXPECT_EQ(complaint({}), "");
  EXPECT_EQ(complaint({{"mutate", "lr: uniform(0.1, 0.5)"}}), "");
  EXPECT_THAT(complaint({{"perturbation_interval", "0"}}), HasSubstr("perturbation_interval"));
  EXPECT_THAT(complaint({{"quantile_fraction", "0.6"}}), HasSubstr("0 to 0.5"));
  EXPECT_THAT(complaint({{"resample_probability", "2"}}), HasSubstr("0 to 1"));
  EXPECT_THAT(complaint({{"burn_in_period", "-1"}}), HasSubstr("burn_in_period"));
  EXPECT_THAT(complaint({{"perturbation_factors", "0"}}), HasSubstr("perturbation_factors"));
  EXPECT_THAT(complaint({{"mutate", "rate"}}), HasSubstr("\"rate\": is not a parameter"));
}

TEST(pbt_options, refuse_a_space_in_which_nothing_can_vary) {
  auto space = std::make_shared<const search_space>(*search_space::parse({{"lr", "0.1"}}));
  auto own = pbt::make_entry("mine", [](object x, const pbt::heritage&) { return x; });
  scheduler_context context;
  context.space = space;

  auto result = made({}, space);

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(),
            (error{ec::bad_option, "mutate: the space has no parameter that can vary"}));
  EXPECT_TRUE(own.make(*options::parse(own.known, {}), context));
}

TEST(pbt_entry, may_have_an_exploration_of_the_users_own) {
  auto entry = pbt::make_entry("mine", [](object config, const pbt::heritage& by) {
    EXPECT_EQ(by.target.trial, trial_id{0});
    EXPECT_EQ(by.donor.trial, trial_id{1});
    config.set("x", 0.125);
    return config;
  });
  scheduler_context context;
  context.space
      = std::make_shared<const search_space>(*search_space::parse({{"x", "uniform(0, 1)"}}));
  auto options = options::parse(entry.known, {{"perturbation_interval", "1"}});
  auto uut = std::move(*entry.make(*options, context));
  scheduler_feed tell{*uut};
  for (std::uint64_t i : {0, 1}) {
    tell.tell(fact::added{{i}, config_of(0.5), false});
    tell.tell(fact::chosen{{0, {{i}}}, {}});
    tell.tell(fact::started{{i}});
  }
  tell.judged(0, 1, 1);
  tell.judged(1, 1, 2);
  tell.tell(fact::saved{{1}, {1}, 1});

  auto verdict = tell.judged(0, 2, 1);

  EXPECT_EQ(entry.name, "mine");
  EXPECT_EQ(reason(verdict, "rule"), value{"mine"});
  ASSERT_EQ(verbs(verdict), "exploit");
  EXPECT_EQ(*std::get<exploit>(verdict.actions.front().what).config, (object{{"x", 0.125}}));
}

TEST(pbt_options, ask_for_trials_that_can_save_and_for_their_own_time) {
  auto uut = made({{"time_attr", "epoch"}}, nullptr);

  EXPECT_TRUE((*uut)->traits().needs_checkpoints);
  EXPECT_EQ((*uut)->traits().time_attr, "epoch");
  EXPECT_EQ((*uut)->traits().choose_ahead, 1u);
}

} // namespace
} // namespace tune

// Attempts that a lost head left open: they may report again, or be replaced by new attempts.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/run_by_hand.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace tune {
namespace {

constexpr trial_id zero{0};

/// One running trial while heads come and go.
class left_open : public testing::Test {
protected:
  support::noting_ports ports;
  std::unique_ptr<engine> uut;
  attempt_id attempt;
  std::uint64_t number = 0;
  std::uint32_t epoch = 0;

  void SetUp() override {
    make();
    open();
    post(on::suggested{
        ports.all<cmd::ask_searcher>().back().what.number,
        std::vector<suggestion>{{std::make_shared<object>(object{{"x", 1}}), "test"}}});
    post(on::chosen{{ports.all<cmd::choose>().back().at, {zero}}});
    place();
  }

  void make() {
    experiment_settings settings;
    settings.objectives = {{"loss", false}};
    settings.saves = save_ability::on_request;
    searcher_traits source;
    source.exhaustible = true;
    uut = std::make_unique<engine>(experiment{settings, {}, source, {}}, ports);
  }
  void open() { post(on::opened{++epoch, "test", "{}", 1}); }
  /// Loses the head; the next one replays the log and leaves running attempts open.
  void lose_head() {
    make();
    for (const auto& x : ports.log)
      uut->replay(x);
    ports.done.clear();
    open();
    uut->resume(instant{0});
  }
  void post(event_body what) {
    uut->post(std::move(what), instant{0});
    uut->durable(uut->machine().last_seq());
  }
  void place() {
    attempt = uut->machine().next_attempt();
    number = 0;
    post(on::placed{zero, attempt, lease{{7}, {{"here", {}, {}}}}});
  }
  void report(std::uint64_t iteration) {
    auto what = std::make_shared<tune::report>();
    what->trial = zero;
    what->attempt = attempt;
    what->number = ++number;
    what->iteration = iteration;
    what->metrics = std::make_shared<object>(object{{"loss", 0.5}});
    post(on::reported{what});
  }
  void go_on() {
    post(on::decided{{{ports.all<cmd::judge>().back().cause, {{zero, tune::go_on{}, {}}}}}});
  }
  void save() { post(on::saved{zero, attempt, {}, number, {}, "executor:mine", 0}); }
};

TEST_F(left_open, goes_on_as_if_nothing_had_happened) {
  report(1);
  go_on();

  lose_head();
  report(2);

  EXPECT_EQ(uut->machine().status_of(zero), trial_status::running);
  EXPECT_EQ(ports.all<cmd::judge>().size(), 1u);
}

TEST_F(left_open, is_given_anew_from_its_newest_checkpoint) {
  report(1);
  save();
  go_on();
  report(2);
  go_on();

  lose_head();
  auto before = attempt;
  ports.done.clear();
  place();

  ASSERT_EQ(ports.all<cmd::launch>().size(), 1u);
  auto launched = ports.all<cmd::launch>().front();
  EXPECT_EQ(launched.attempt, attempt);
  EXPECT_NE(launched.attempt, before);
  EXPECT_EQ(launched.from_trial, zero);
  EXPECT_EQ(launched.from_location, "executor:mine");
  EXPECT_EQ(launched.iteration, 1u);
  EXPECT_EQ(uut->machine().status_of(zero), trial_status::running);
  auto rows = ports.all<cmd::attempt_changed>();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].attempt, before);
  EXPECT_TRUE(rows[0].finished);
  EXPECT_EQ(rows[0].how, end_class::interrupted);
  EXPECT_EQ(rows[1].attempt, attempt);
  EXPECT_FALSE(rows[1].finished);
}

TEST_F(left_open, tells_the_scheduler_nothing) {
  lose_head();
  ports.done.clear();

  place();

  EXPECT_TRUE(ports.all<cmd::tell_scheduler>().empty());
}

TEST_F(left_open, supersedes_what_the_old_attempt_says) {
  auto before = attempt;
  lose_head();
  place();
  std::swap(before, attempt);
  ports.done.clear();
  auto events = ports.log.size();

  report(1);

  ASSERT_EQ(ports.all<cmd::halt>().size(), 1u);
  EXPECT_EQ(ports.all<cmd::halt>().front().why, "superseded");
  EXPECT_EQ(ports.log.size(), events);
}

TEST_F(left_open, is_not_given_anew_under_the_same_head) {
  auto before = attempt;
  ports.done.clear();

  place();

  ASSERT_EQ(ports.all<cmd::release>().size(), 1u);
  EXPECT_TRUE(ports.all<cmd::launch>().empty());
  EXPECT_EQ(uut->machine().launch_of(zero)->attempt, before);
}

TEST_F(left_open, has_the_same_state_after_another_replay) {
  report(1);
  save();
  go_on();
  lose_head();
  place();
  report(2);
  fingerprint lived;
  uut->machine().describe(lived);

  make();
  for (const auto& x : ports.log)
    uut->replay(x);

  fingerprint replayed;
  uut->machine().describe(replayed);
  EXPECT_EQ(replayed.digest(), lived.digest());
}

} // namespace
} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/steering.hpp"

#include "bowl.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <optional>
#include <thread>

namespace tune {
namespace {

using samples::bowls;
using samples::meeting;
using samples::number;
using samples::tuner_test;
using testing::HasSubstr;
using kind = order_verdict::kind;

/// Trials that report until they are stopped, run by a tuner on a thread of its own.
class steering_test : public tuner_test {
protected:
  meeting trials_;
  std::optional<tuner> uut_;
  std::optional<expected<result_grid>> grid_;
  std::thread runner_;

  /// @param slots Number of trials that can run at once.
  steering begin(int slots = 4) {
    trials_.gate.open();
    uut_.emplace(trials_.trainables());
    auto what = options().set("cluster.cpus", slots);
    runner_ = std::thread{[this, what] { grid_ = uut_->run(what); }};
    EXPECT_TRUE(trials_.began.wait_for(static_cast<std::size_t>(std::min(slots, 3))));
    return uut_->steer();
  }

  void end() {
    if (runner_.joinable())
      runner_.join();
  }

  ~steering_test() override {
    if (uut_)
      uut_->stop();
    end();
  }

  static bool is(const steering& with, std::uint64_t number, trial_status status) {
    auto all = with.trials();
    return all && number < all->size() && (*all)[number].status == status;
  }
  static bool comes_to_be(const steering& with, std::uint64_t number, trial_status status) {
    return support::eventually([&] { return is(with, number, status); });
  }
};

trial_id at(std::uint64_t number) {
  return trial_id{number};
}

TEST_F(steering_test, says_that_nothing_is_under_way_before_the_start_and_after_the_end) {
  tuner idle{bowls()};
  auto uut = idle.steer();

  auto early = uut.pause();
  auto early_list = uut.trials();
  auto early_room = uut.has_resources();
  ASSERT_TRUE(idle.run(options()));
  auto late = uut.add(object{{"x", 1}});

  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, ec::unreachable);
  EXPECT_THAT(early.error().detail, HasSubstr("no experiment is under way"));
  ASSERT_FALSE(early_list);
  EXPECT_EQ(early_list.error().code, ec::unreachable);
  ASSERT_FALSE(early_room);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ec::unreachable);
  // The results can be read all the same.
  auto list = uut.trials();
  ASSERT_TRUE(list) << to_text(list.error());
  EXPECT_EQ(list->size(), 3u);
}

TEST_F(steering_test, outlives_its_tuner) {
  std::optional<tuner> gone{std::in_place, bowls()};
  auto uut = gone->steer();
  gone.reset();

  auto told = uut.stop();

  ASSERT_FALSE(told);
  EXPECT_EQ(told.error().code, ec::unreachable);
}

TEST_F(steering_test, adds_a_trial_to_a_running_experiment_once_per_key) {
  auto uut = begin();

  auto first = uut.add(object{{"x", 1}}, "mine");
  auto again = uut.add(object{{"x", 1}}, "mine");
  auto began = trials_.began.wait_for(4);

  ASSERT_TRUE(first) << to_text(first.error());
  EXPECT_EQ(first->what, kind::taken);
  EXPECT_EQ(first->trial, at(3));
  ASSERT_TRUE(again) << to_text(again.error());
  EXPECT_EQ(again->what, kind::needless);
  EXPECT_TRUE(began);
  auto list = uut.trials();
  ASSERT_TRUE(list) << to_text(list.error());
  ASSERT_EQ(list->size(), 4u);
  EXPECT_EQ(number((*list)[3].config, "x"), 1);
}

TEST_F(steering_test, refuses_a_configuration_outside_of_the_space_by_its_parameter) {
  auto uut = begin();

  auto told = uut.add(object{{"x", 77}});

  ASSERT_FALSE(told);
  EXPECT_EQ(told.error().code, ec::bad_option);
  EXPECT_THAT(told.error().detail, HasSubstr("x"));
}

TEST_F(steering_test, stops_a_trial_and_runs_it_again) {
  auto uut = begin();

  auto stopped = uut.stop(at(1));
  auto ended = comes_to_be(uut, 1, trial_status::terminated);
  auto others = is(uut, 0, trial_status::running);
  auto again = uut.retry(at(1), true);
  auto runs = comes_to_be(uut, 1, trial_status::running);

  ASSERT_TRUE(stopped) << to_text(stopped.error());
  EXPECT_EQ(stopped->what, kind::taken);
  EXPECT_TRUE(ended);
  EXPECT_TRUE(others);
  ASSERT_TRUE(again) << to_text(again.error());
  EXPECT_EQ(again->what, kind::taken);
  EXPECT_TRUE(runs);
}

TEST_F(steering_test, pauses_the_experiment_and_lets_it_go_on) {
  auto uut = begin(1);

  auto held = uut.pause();
  auto twice = uut.pause();
  ASSERT_TRUE(uut.stop(at(0)));
  ASSERT_TRUE(comes_to_be(uut, 0, trial_status::terminated));
  control_request ask;
  auto status = uut.order(ask);
  auto begun_meanwhile = trials_.began.size();
  auto free = support::eventually([&] {
    auto room = uut.has_resources();
    return room && *room;
  });
  auto freed = uut.unpause();
  auto next = trials_.began.wait_for(2);

  ASSERT_TRUE(held) << to_text(held.error());
  EXPECT_EQ(held->what, kind::taken);
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->what, kind::needless);
  ASSERT_TRUE(status) << to_text(status.error());
  ASSERT_TRUE(status->status);
  EXPECT_TRUE(status->status->suspended);
  EXPECT_EQ(begun_meanwhile, 1u);
  EXPECT_TRUE(free);
  ASSERT_TRUE(freed) << to_text(freed.error());
  EXPECT_TRUE(next);
}

TEST_F(steering_test, keeps_a_waiting_trial_from_starting) {
  auto uut = begin(1);

  auto held = uut.pause(at(2));
  ASSERT_TRUE(uut.stop(at(0)));
  ASSERT_TRUE(trials_.began.wait_for(2));
  auto freed = uut.unpause(at(2));

  ASSERT_TRUE(held) << to_text(held.error());
  EXPECT_EQ(held->what, kind::taken);
  ASSERT_TRUE(freed) << to_text(freed.error());
  EXPECT_EQ(freed->what, kind::taken);
}

TEST_F(steering_test, tells_whether_another_trial_would_find_room) {
  auto uut = begin(4);
  resources two;
  two.cpu = amount::of(2);

  // Three of four processors are taken.
  auto one_more = uut.has_resources();
  auto larger = uut.has_resources(resource_request{{two}, {}});

  ASSERT_TRUE(one_more) << to_text(one_more.error());
  EXPECT_TRUE(*one_more);
  ASSERT_TRUE(larger) << to_text(larger.error());
  EXPECT_FALSE(*larger);
}

TEST_F(steering_test, says_what_cannot_be_done_as_a_verdict) {
  auto uut = begin();

  auto unknown = uut.stop(at(99));
  auto running = uut.retry(at(0));

  ASSERT_TRUE(unknown) << to_text(unknown.error());
  EXPECT_EQ(unknown->what, kind::unknown);
  ASSERT_TRUE(running) << to_text(running.error());
  EXPECT_EQ(running->what, kind::refused);
  EXPECT_THAT(running->text, HasSubstr("not ended"));
}

TEST_F(steering_test, keeps_the_limits_of_the_control_socket) {
  auto uut = begin();
  control_request none;
  none.what = control_request::op::retry;

  auto told = uut.order(none);
  auto long_key = uut.add(object{{"x", 1}}, std::string(longest_control_key + 1, 'k'));

  EXPECT_FALSE(told);
  EXPECT_FALSE(long_key);
}

TEST_F(steering_test, ends_the_experiment) {
  auto uut = begin();

  auto told = uut.stop();
  end();

  ASSERT_TRUE(told) << to_text(told.error());
  ASSERT_TRUE(grid_ && *grid_);
  EXPECT_EQ((*grid_)->status(), experiment_status::stopped);
}

TEST_F(steering_test, answers_every_call_of_many_threads_while_the_experiment_ends) {
  auto uut = begin();
  std::atomic<int> odd{0};
  std::atomic<bool> is_over{false};
  auto check = [&](const auto& told) {
    if (!told && told.error().code != ec::unreachable)
      ++odd;
  };
  std::vector<std::thread> all;
  for (auto i = 0; i < 4; ++i) {
    all.emplace_back([&, with = uut]() mutable {
      while (!is_over) {
        check(with.add(object{{"x", 1}}, "the same"));
        check(with.pause());
        check(with.unpause());
        check(with.has_resources());
      }
    });
  }

  ASSERT_TRUE(support::eventually([&] { return is(uut, 3, trial_status::running); }));
  EXPECT_TRUE(uut.stop());
  end();
  is_over = true;
  for (auto& x : all)
    x.join();

  EXPECT_EQ(odd, 0);
}

} // namespace
} // namespace tune

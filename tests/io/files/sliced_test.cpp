// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/sliced.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace tune {
namespace {

/// Spends the time of one slice.
void spend_a_slice() {
  const auto until = std::chrono::steady_clock::now() + slice_time;
  while (std::chrono::steady_clock::now() < until) {}
}

sliced<int> counting(int to) {
  auto result = 0;
  while (result < to) {
    ++result;
    spend_a_slice();
    co_await next_slice{};
  }
  co_return result;
}

TEST(sliced, does_nothing_before_its_first_step) {
  auto begun = std::make_shared<bool>(false);
  auto work = [](std::shared_ptr<bool> told) -> sliced<int> {
    *told = true;
    co_return 1;
  };
  auto uut = work(begun);

  EXPECT_FALSE(*begun);
  EXPECT_TRUE(uut.step());
  EXPECT_TRUE(*begun);
  EXPECT_EQ(uut.take(), 1);
}

TEST(sliced, comes_back_after_each_slice) {
  auto uut = counting(2);

  EXPECT_FALSE(uut.step());
  EXPECT_FALSE(uut.step());
  EXPECT_TRUE(uut.step());
  EXPECT_EQ(uut.take(), 2);
}

TEST(sliced, needs_one_step_for_what_is_small) {
  auto work = []() -> sliced<int> {
    for (auto i = 0; i < 100; ++i)
      co_await next_slice{};
    co_return 100;
  };
  auto uut = work();

  EXPECT_TRUE(uut.step());
}

sliced<std::string> outer(int depth) {
  if (depth == 0) {
    const auto counted = co_await counting(2);
    co_return std::to_string(counted);
  }
  auto inner = co_await outer(depth - 1);
  co_return inner + "!";
}

TEST(sliced, awaits_other_work_as_if_it_called_it) {
  auto uut = outer(3);
  auto steps = 1;
  while (!uut.step())
    ++steps;

  EXPECT_EQ(uut.take(), "2!!!");
  EXPECT_EQ(steps, 3);
}

TEST(sliced, has_room_for_many_calls) {
  auto work = []() -> sliced<int> {
    auto sum = 0;
    auto one = []() -> sliced<int> { co_return 1; };
    for (auto i = 0; i < 200'000; ++i)
      sum += co_await one();
    co_return sum;
  };

  EXPECT_EQ(finish(work()), 200'000);
}

TEST(sliced, destroys_what_it_holds_when_it_is_given_up) {
  auto held = std::make_shared<int>(0);
  auto inner = [](std::shared_ptr<int> mine) -> sliced<int> {
    auto more = mine;
    for (;;) {
      spend_a_slice();
      co_await next_slice{};
    }
    co_return *more;
  };
  auto work = [inner](std::shared_ptr<int> mine) -> sliced<int> {
    co_return co_await inner(std::move(mine));
  };
  {
    auto uut = work(held);
    EXPECT_FALSE(uut.step());
    EXPECT_GT(held.use_count(), 1);
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(sliced, passes_exceptions_on) {
  auto inner = []() -> sliced<int> {
    throw std::runtime_error{"out of luck"};
    co_return 1;
  };
  auto work = [inner]() -> sliced<int> { co_return co_await inner(); };
  auto uut = work();

  EXPECT_TRUE(uut.step());
  EXPECT_THROW(static_cast<void>(uut.take()), std::runtime_error);
}

TEST(sliced, is_given_up_by_whoever_does_not_want_it_any_more) {
  auto looks = 0;

  EXPECT_FALSE(finish(counting(1'000'000), [&] { return ++looks < 3; }));

  EXPECT_EQ(looks, 3);
}

} // namespace
} // namespace tune

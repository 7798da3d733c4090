// SPDX-License-Identifier: BSD-3-Clause
#include "certificate_samples.hpp"

#include "tune/io/certificates/join_token.hpp"
#include "tune/io/enrolment/enrolment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace tune {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

class join_token_test : public samples::certificate_test {
protected:
  const std::string authority = std::string(64, 'a');
  token_book uut{root};

  join_token made(const token_order& what) {
    auto result = uut.make(authority, what, now);
    EXPECT_TRUE(result) << (result ? "" : to_text(result.error()));
    return result ? *result : join_token{};
  }
};

TEST_F(join_token_test, comes_back_from_its_text) {
  const auto token = made({});

  const auto back = join_token_from(to_text(token));

  ASSERT_TRUE(back);
  EXPECT_EQ(*back, token);
}

TEST_F(join_token_test, is_refused_where_a_digit_is_wrong_without_being_repeated) {
  const auto text = to_text(made({}));
  for (std::size_t i = 0; i <= text.size(); ++i) {
    auto wrong = text.substr(0, i) + "x" + text.substr(std::min(i + 1, text.size()));
    const auto back = join_token_from(wrong);
    ASSERT_FALSE(back) << wrong;
    EXPECT_THAT(back.error().detail, testing::Not(HasSubstr(text.substr(21, 16))));
    EXPECT_FALSE(join_token_from(text.substr(0, i)) && i < text.size());
  }
}

TEST_F(join_token_test, counts_as_often_as_it_says_and_not_after_its_time) {
  const auto twice = made({2, seconds{60}, "w"});

  EXPECT_EQ(uut.spend(twice, now).has_value(), true);
  EXPECT_THAT(uut.spend(twice, now + seconds{61}).error().detail, HasSubstr("expired"));
  const auto second = uut.spend(twice, now + seconds{60});
  ASSERT_TRUE(second);
  EXPECT_EQ(*second, "w");
  EXPECT_THAT(uut.spend(twice, now).error().detail, HasSubstr("used up"));
}

TEST_F(join_token_test, tells_nothing_to_whoever_does_not_know_its_secret) {
  const auto used = made({});
  ASSERT_TRUE(uut.spend(used, now));
  auto wrong = used;
  wrong.secret = std::string(32, '0');
  auto unknown = used;
  unknown.id = std::string(16, '0');
  auto outside = used;
  outside.id = "../../etc/passwd";

  for (const auto& x : {wrong, unknown, outside})
    EXPECT_EQ(uut.spend(x, now).error().detail, "the token is not known here");
}

TEST_F(join_token_test, counts_once_however_many_use_it_at_once) {
  const auto token = made({});
  std::atomic<int> taken = 0;
  std::vector<std::thread> all;
  for (int i = 0; i < 16; ++i)
    all.emplace_back([&] { taken += uut.spend(token, now) ? 1 : 0; });
  for (auto& x : all)
    x.join();

  EXPECT_EQ(taken, 1);
}

TEST_F(join_token_test, has_bounds) {
  EXPECT_FALSE(uut.make(authority, {0}, now));
  EXPECT_FALSE(uut.make(authority, {most_token_uses + 1}, now));
  EXPECT_FALSE(uut.make(authority, {1, seconds{0}}, now));
  EXPECT_FALSE(uut.make(authority, {1, longest_token_lifetime + seconds{1}}, now));
  EXPECT_FALSE(uut.make(authority, {1, seconds{1}, "a b"}, now));
}

TEST(wrong_token_limit, is_reached_by_one_address_and_passes) {
  using instant = wrong_token_limit::instant;
  wrong_token_limit uut;
  instant now{seconds{100}};
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(uut.is_reached("a", now));
    uut.note("a", now);
    now += seconds{1};
  }

  EXPECT_TRUE(uut.is_reached("a", now));
  EXPECT_FALSE(uut.is_reached("b", now));
  EXPECT_FALSE(uut.is_reached("a", now + std::chrono::minutes{1}));
}

TEST(wrong_token_limit, remembers_no_more_addresses_than_fit) {
  wrong_token_limit uut;
  const wrong_token_limit::instant now{seconds{100}};
  for (int i = 0; i < 10'500; ++i)
    uut.note(std::to_string(i), now + std::chrono::milliseconds{i});
  EXPECT_FALSE(uut.is_reached("10499", now));
}

} // namespace
} // namespace tune

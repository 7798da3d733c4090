// SPDX-License-Identifier: BSD-3-Clause
#include "../../../src/core/experiment/sample_book.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

constexpr trial_id zero{0};
constexpr trial_id one{1};

suggestion drawn(std::string origin) {
  return {std::make_shared<const object>(), std::move(origin), false};
}

TEST(sample_book, does_not_count_what_was_taken_back) {
  sample_book uut{1};
  uut.add(zero);
  uut.add(one);
  uut.withdraw(one, drawn("x"));

  EXPECT_EQ(uut.suggested(), 2u);
  EXPECT_EQ(uut.withdrawn(), 1u);
  EXPECT_EQ(uut.standing(), 1u);
  EXPECT_EQ(uut.pending().names(), to_text(zero));
}

TEST(sample_book, revives_the_first_that_was_taken_back) {
  sample_book uut{1};
  uut.add(zero);
  uut.add(one);
  uut.withdraw(one, drawn("x"));
  uut.withdraw(zero, drawn("y"));
  EXPECT_TRUE(uut.pending().empty());
  const auto [trial, what] = uut.revive_first();

  EXPECT_EQ(trial, zero);
  EXPECT_EQ(what.origin, "y");
  EXPECT_EQ(uut.standing(), 1u);
  EXPECT_EQ(uut.pending().names(), to_text(zero));
}

TEST(sample_book, no_longer_wants_what_a_client_has_run_again) {
  sample_book uut{1};
  uut.add(zero);
  uut.withdraw(zero, drawn("x"));
  uut.forget(zero);

  EXPECT_EQ(uut.withdrawn(), 0u);
  EXPECT_EQ(uut.standing(), 1u);
  EXPECT_TRUE(uut.pending().empty());
}

} // namespace
} // namespace tune

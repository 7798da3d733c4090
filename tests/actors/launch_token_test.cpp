// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/launch_token.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

attempt_claim claim() {
  attempt_claim result;
  result.job = "job";
  result.trial = 7;
  result.attempt = attempt_id{1, 2};
  result.restore_from = "trials/00007/attempt_1_1/checkpoint_000001";
  return result;
}

attempt_claim sealed(attempt_claim what, const std::string& secret = "secret") {
  what.launch_token = launch_token_of(secret, what);
  return what;
}

TEST(launch_token, is_known_again_by_who_made_it) {
  EXPECT_TRUE(has_launch_token("secret", sealed(claim())));
  EXPECT_FALSE(has_launch_token("other", sealed(claim())));
  EXPECT_FALSE(has_launch_token("secret", claim()));
}

TEST(launch_token, holds_for_one_claim_only) {
  std::vector<attempt_claim> others(6, sealed(claim()));
  others[0].job = "other";
  others[1].trial = 8;
  others[2].attempt.epoch = 2;
  others[3].attempt.counter = 3;
  others[4].restore_from = "";
  others[5].launch_token += "0";

  for (const auto& x : others)
    EXPECT_FALSE(has_launch_token("secret", x));
}

TEST(launch_token, tells_claims_apart_whose_words_run_together_alike) {
  auto one = claim();
  auto other = claim();
  one.job = "job 7";
  one.trial = 1;
  other.job = "job";
  other.trial = 71;

  EXPECT_NE(launch_token_of("secret", one), launch_token_of("secret", other));
}

TEST(launch_token, needs_a_secret) {
  EXPECT_EQ(launch_token_of("", claim()), "");
  EXPECT_FALSE(has_launch_token("", claim()));
  EXPECT_EQ(fresh_secret().size(), 64u);
  EXPECT_NE(fresh_secret(), fresh_secret());
}

} // namespace
} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "../../src/net/departure_book.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tune {
namespace {

attempt_claim claim(std::string job, std::uint64_t attempt) {
  attempt_claim result;
  result.job = std::move(job);
  result.trial = 7;
  result.attempt = attempt_id{1, attempt};
  return result;
}

departure leaving(std::uint64_t number, const attempt_claim& who, std::uint64_t sequence) {
  return {{number, who, sequence, {}}, [](const std::string&) {}};
}

TEST(departure_book, knows_the_job_of_each) {
  departure_book uut;
  uut.add(leaving(1, claim("a", 1), 1));

  EXPECT_EQ(uut.job_of(1), "a");
  EXPECT_EQ(uut.job_of(2), "");
}

TEST(departure_book, is_taken_from_once) {
  departure_book uut;
  uut.add(leaving(1, claim("a", 1), 1));

  EXPECT_TRUE(uut.take(1));
  EXPECT_FALSE(uut.take(1));
  EXPECT_TRUE(uut.all().empty());
}

TEST(departure_book, drops_all_of_one_attempt_and_nothing_else) {
  departure_book uut;
  uut.add(leaving(1, claim("a", 1), 1));
  uut.add(leaving(2, claim("a", 2), 1));
  uut.add(leaving(3, claim("b", 1), 1));
  uut.add(leaving(4, claim("a", 1), 0));

  EXPECT_EQ(uut.drop(claim("a", 1)), (std::vector<std::uint64_t>{1, 4}));

  EXPECT_EQ(uut.all().at(1).dropped, saves_dropped::why);
  EXPECT_EQ(uut.all().at(2).dropped, "");
  EXPECT_EQ(uut.all().at(3).dropped, "");
  EXPECT_EQ(uut.all().at(4).dropped, artifacts_dropped);
}

} // namespace
} // namespace tune

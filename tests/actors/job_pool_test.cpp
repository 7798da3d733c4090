// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/job_pool.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

int of(job_pool<int>& from, const std::string& job) {
  const auto* found = from.take(job);
  return found != nullptr ? *found : 0;
}

TEST(job_pool, has_one_for_each_job) {
  job_pool<int> uut;
  EXPECT_EQ(of(uut, "a"), 0);
  uut.add(1, "a");
  EXPECT_EQ(of(uut, "b"), 0);
  uut.add(2, "b");

  EXPECT_EQ(of(uut, "a"), 1);
  EXPECT_EQ(of(uut, "b"), 2);
  EXPECT_EQ(uut.of("c"), nullptr);
}

TEST(job_pool, gives_another_job_none_but_one_that_is_free) {
  job_pool<int> uut;
  uut.add(1, "a");
  uut.add(2, "b");

  uut.free(1);

  EXPECT_EQ(uut.of("a"), nullptr);
  EXPECT_EQ(of(uut, "b"), 2);
  EXPECT_EQ(of(uut, "c"), 1);
  EXPECT_EQ(of(uut, "d"), 0);
}

TEST(job_pool, names_all) {
  job_pool<int> uut;
  uut.add(1, "a");
  uut.add(2, "b");
  uut.free(2);

  auto sum = 0;
  uut.for_each([&](int x) { sum += x; });

  EXPECT_EQ(sum, 3);
}

} // namespace
} // namespace tune

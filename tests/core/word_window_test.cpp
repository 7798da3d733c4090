// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/word_window.hpp"

#include "tune/core/rng.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::uint64_t> numbers(const outgoing_words<int>& x) {
  std::vector<std::uint64_t> result;
  x.for_each([&](std::uint64_t number, int) { result.push_back(number); });
  return result;
}

TEST(outgoing_words, are_kept_until_they_were_heard) {
  outgoing_words<int> uut;
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(uut.add(i), static_cast<std::uint64_t>(i + 1));

  uut.heard(2);
  EXPECT_THAT(numbers(uut), ElementsAre(3u, 4u));
  uut.heard(1);
  EXPECT_THAT(numbers(uut), ElementsAre(3u, 4u));
  uut.heard(99);

  EXPECT_THAT(numbers(uut), IsEmpty());
  EXPECT_EQ(uut.add(7), 5u);
}

TEST(incoming_words, are_taken_once_and_in_order) {
  incoming_words uut;

  EXPECT_FALSE(uut.take(2));
  EXPECT_TRUE(uut.take(1));
  EXPECT_FALSE(uut.take(1));
  EXPECT_TRUE(uut.take(2));
  EXPECT_EQ(uut.heard(), 2u);
}

TEST(incoming_words, are_told_of_now_and_then_or_where_somebody_waits) {
  incoming_words uut;
  std::uint64_t told = 0;
  for (std::uint64_t i = 1; i <= 100; ++i) {
    uut.take(i);
    told += uut.is_to_be_told(false) ? 1 : 0;
  }

  EXPECT_EQ(told, 100 / incoming_words::most_untold);
  EXPECT_TRUE(uut.is_to_be_told(true));
}

TEST(words, arrive_once_and_in_order_over_a_line_that_breaks) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    rng draw{seed, "words", 0};
    outgoing_words<int> out;
    incoming_words in;
    std::vector<int> heard;
    int said = 0;
    auto deliver = [&](std::uint64_t number, int x) {
      if (in.take(number))
        heard.push_back(x);
      if (in.is_to_be_told(false) && draw.below(3) > 0)
        out.heard(in.heard());
    };
    for (int step = 0; step < 200; ++step) {
      auto number = out.add(++said);
      // Words said while the line is down are lost; later all of them are said again.
      if (draw.below(4) > 0 && number == in.heard() + 1)
        deliver(number, said);
      if (draw.below(10) == 0) {
        auto again = out;
        again.for_each(deliver);
      }
    }
    auto rest = out;
    rest.for_each(deliver);

    ASSERT_EQ(heard.size(), 200u) << "seed " << seed;
    for (int i = 0; i < 200; ++i)
      ASSERT_EQ(heard[static_cast<std::size_t>(i)], i + 1) << "seed " << seed;
  }
}

TEST(incoming_words, begin_anywhere_in_place_of_another) {
  auto uut = incoming_words::in_place_of_another();

  EXPECT_TRUE(uut.take(7));
  EXPECT_FALSE(uut.take(7));
  EXPECT_FALSE(uut.take(9));
  EXPECT_TRUE(uut.take(8));
  EXPECT_EQ(uut.heard(), 8u);
}

} // namespace
} // namespace tune

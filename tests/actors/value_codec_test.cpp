// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/value_codec.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace tune {
namespace {

using limits = std::numeric_limits<double>;

object sample() {
  object result;
  result.set("nothing", nullptr);
  result.set("no", false);
  result.set("yes", true);
  result.set("least", std::numeric_limits<std::int64_t>::min());
  result.set("most", std::numeric_limits<std::int64_t>::max());
  for (auto x : {0.1, -0.0, 1e-310, limits::infinity(), -limits::infinity(), limits::quiet_NaN(),
                 limits::max(), limits::denorm_min()})
    result.set("real " + std::to_string(result.size()), x);
  result.set("", "");
  result.set(std::string{"zero\0inside", 11}, std::string{"\0", 1});
  result.set("planes", "aé€𝄞\xF4\x8F\xBF\xBF");
  result.set("list", value::list{1, 2.5, "x", value::list{}, value::list{nullptr, true}});
  result.set("object", object{{"deep", object{{"deeper", object{}}}}});
  return result;
}

object nested(std::size_t depth) {
  object result;
  for (std::size_t i = 0; i < depth; ++i) {
    object outer;
    outer.set("x", std::move(result));
    result = std::move(outer);
  }
  return result;
}

TEST(value_codec, brings_every_value_back_as_it_was) {
  auto bytes = encode(sample());

  auto back = decode_object(bytes);

  ASSERT_TRUE(back);
  EXPECT_EQ(*back, sample());
  EXPECT_EQ(encode(*back), bytes);
  EXPECT_TRUE(std::signbit(*back->find("real 6")->as_double()));
}

TEST(value_codec, tells_an_empty_object_from_no_bytes) {
  auto back = decode_object(encode({}));

  ASSERT_TRUE(back);
  EXPECT_TRUE(back->empty());
  EXPECT_FALSE(decode_object(""));
}

TEST(value_codec, refuses_every_text_that_was_cut_short_or_continued) {
  auto bytes = encode(sample());

  for (std::size_t n = 0; n < bytes.size(); ++n)
    EXPECT_FALSE(decode_object(std::string_view{bytes}.substr(0, n))) << n;
  EXPECT_FALSE(decode_object(bytes + '\0'));
}

TEST(value_codec, refuses_lengths_that_the_bytes_cannot_hold) {
  // A count of 2^32 - 1 entries, with no bytes behind it.
  EXPECT_FALSE(decode_object("\xff\xff\xff\xff"));
  EXPECT_FALSE(decode_object(std::string{"\x01\0\0\0\xff\xff\xff\xff", 8}));
}

TEST(value_codec, refuses_nesting_beyond_its_limit) {
  EXPECT_TRUE(decode_object(encode(nested(64))));
  EXPECT_FALSE(decode_object(encode(nested(66))));
  EXPECT_FALSE(decode_object(encode(nested(1'000))));

  value::list deep;
  for (int i = 0; i < 1'000; ++i) {
    value::list outer;
    outer.push_back(std::move(deep));
    deep = std::move(outer);
  }
  object whole;
  whole.set("x", std::move(deep));
  EXPECT_FALSE(decode_object(encode(whole)));
}

TEST(value_codec, reads_many_names_in_reasonable_time) {
  std::vector<object::entry> many;
  for (std::int64_t i = 0; i < 200'000; ++i)
    many.emplace_back(std::to_string(i), i);
  auto bytes = encode(object::of(std::move(many)));

  auto back = decode_object(bytes);

  ASSERT_TRUE(back);
  EXPECT_EQ(back->size(), 200'000u);
  EXPECT_EQ(encode(*back), bytes);
}

TEST(value_codec, survives_damaged_bytes) {
  constexpr unsigned seed = 20240607;
  std::mt19937 chance{seed};
  const auto good = encode(sample());
  std::size_t accepted = 0;

  for (int round = 0; round < 20'000; ++round) {
    auto bytes = good;
    for (auto flips = 1 + chance() % 8; flips > 0; --flips)
      bytes[chance() % bytes.size()] = static_cast<char>(chance());
    auto read = decode_object(bytes);
    accepted += read ? 1 : 0;
    // The decoded value cannot be larger than its bytes.
    if (read) {
      ASSERT_LE(encode(*read).size(), bytes.size()) << "seed " << seed << ", round " << round;
    }
  }

  EXPECT_LT(accepted, 20'000u);
}

} // namespace
} // namespace tune

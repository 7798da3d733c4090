// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/resource/resources.hpp"

#include "tune/core/resource/exact_bytes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tune {
namespace {

TEST(amount, adds_tenths_exactly) {
  amount sum;

  for (int i = 0; i < 10; ++i)
    sum += amount::of(0.1);

  EXPECT_EQ(sum, amount::of(1));
}

TEST(amount, survives_what_is_no_quantity) {
  EXPECT_EQ(amount::of(std::nan("")), amount{});
  EXPECT_GT(amount::of(std::numeric_limits<double>::infinity()), amount::of(1e9));
}

TEST(amount, is_shown_with_as_few_digits_as_it_needs) {
  EXPECT_EQ(to_text(amount::of(2)), "2");
  EXPECT_EQ(to_text(amount::of(0.5)), "0.5");
  EXPECT_EQ(to_text(amount::of(1.0625)), "1.0625");
  EXPECT_EQ(to_text(amount::of(0.001)), "0.001");
  EXPECT_EQ(to_text(amount::of(-1.5)), "-1.5");
}

TEST(resources, are_named_in_one_order_and_zeros_left_out) {
  resources uut{amount::of(1), amount::of(0.5), 2ull << 30, {{"licence", amount::of(1)}}};

  EXPECT_EQ(to_text(uut), "1 CPU, 0.5 GPU, 2 GiB memory, 1 licence");
  EXPECT_EQ(to_text(resources{}), "nothing");
}

TEST(resources, come_back_to_where_they_were_after_adding_and_taking_away) {
  resources start{amount::of(1), {}, 100, {}};
  auto uut = start;
  resources more{amount::of(2), amount::of(1), 50, {{"licence", amount::of(1)}}};

  uut += more;
  uut -= more;

  EXPECT_EQ(uut, start);
}

TEST(resource_request, groups_equal_bundles) {
  resource_request uut;
  uut.bundles.assign(2, resources{amount::of(1), {}, 0, {}});
  uut.bundles.push_back({amount::of(4), amount::of(1), 0, {}});
  uut.placement = resource_request::strategy::strict_pack;

  EXPECT_EQ(to_text(uut), "2 x (1 CPU) + 1 x (4 CPU, 1 GPU), strict_pack");
}

TEST(parse_bytes, knows_decimal_and_binary_units) {
  EXPECT_EQ(*parse_bytes("2GiB"), 2ull << 30);
  EXPECT_EQ(*parse_bytes("512MB"), 512000000u);
  EXPECT_EQ(*parse_bytes("1e9"), 1000000000u);
  EXPECT_EQ(*parse_bytes("100k"), 100000u);
  EXPECT_EQ(*parse_bytes(" 1.5 KiB "), 1536u);
  EXPECT_EQ(*parse_bytes("17 B"), 17u);
  EXPECT_EQ(*parse_bytes("3gib"), 3ull << 30);
  EXPECT_EQ(*parse_bytes("1TB"), 1000000000000u);
  EXPECT_EQ(*parse_bytes("0"), 0u);
}

TEST(parse_bytes, refuses_everything_else_and_quotes_it) {
  for (const auto* text : {"", "GiB", "2 Gib x", "-1", "2X", "nan", "inf", "1e30", "2 iB"}) {
    auto result = parse_bytes(text);

    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().code, ec::bad_syntax);
    EXPECT_NE(result.error().detail.find("\"" + std::string{text} + "\""), std::string::npos);
  }
}

TEST(bytes_text, shows_one_decimal_at_most) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(2ull << 30), "2 GiB");
  EXPECT_EQ(bytes_text((1ull << 20) - 1), "1 MiB");
  EXPECT_EQ(bytes_text(std::numeric_limits<std::uint64_t>::max()), "16 EiB");
}

TEST(bytes_text, tells_round_decimal_amounts_as_they_were_written) {
  EXPECT_EQ(bytes_text(10'000'000'000'000), "10 TB");
  EXPECT_EQ(bytes_text(10'500'000'000'000), "10.5 TB");
  EXPECT_EQ(bytes_text(500'000'000), "500 MB");
  EXPECT_EQ(bytes_text(1'234'567'890), "1.1 GiB");
  EXPECT_EQ(bytes_text(16ull << 30), "16 GiB");
}

TEST(exact_bytes_text, takes_the_largest_unit_that_fits) {
  EXPECT_EQ(exact_bytes_text(10'000'000'000'000), "10TB");
  EXPECT_EQ(exact_bytes_text(10'500'000'000'000), "10500GB");
  EXPECT_EQ(exact_bytes_text(2ull << 30), "2GiB");
  EXPECT_EQ(exact_bytes_text(100ull << 40), "100TiB");
  EXPECT_EQ(exact_bytes_text(1'000), "1kB");
  EXPECT_EQ(exact_bytes_text(1'023), "1023");
  EXPECT_EQ(exact_bytes_text(0), "0");
}

TEST(exact_bytes_text, is_read_back_as_it_was) {
  for (std::uint64_t x : {1ull, 1'000ull, 1'024ull, 1'024'000ull, 7'777'777ull,
                          10'000'000'000'000ull, 3ull << 41, (1ull << 50) + 1})
    EXPECT_EQ(*parse_bytes(exact_bytes_text(x)), x);
}

} // namespace
} // namespace tune

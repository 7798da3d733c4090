// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/space/domain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

namespace {

using namespace tune;

domain read(std::string_view text) {
  auto result = parse_domain(text);
  EXPECT_TRUE(result) << text << ": " << result.error().detail;
  return result ? *result : domain{constant{}};
}

std::string complaint(std::string_view text) {
  auto result = parse_domain(text);
  return result ? "read as " + to_text(*result) : result.error().detail;
}

double real_at(std::string_view text, double u) {
  return at_quantile(read(text), u).as_double() ? *at_quantile(read(text), u).as_double() : NAN;
}

std::int64_t whole_at(std::string_view text, double u) {
  return at_quantile(read(text), u).as_int() ? *at_quantile(read(text), u).as_int() : -999;
}

constexpr double last_u = 1 - 0x1p-53;

/// Counts each value among `n` evenly spaced quantiles.
std::map<double, int> weights(std::string_view text, int n) {
  auto what = read(text);
  std::map<double, int> result;
  for (int i = 0; i < n; ++i)
    ++result[*at_quantile(what, (i + 0.5) / n).number()];
  return result;
}

TEST(domain, of_every_kind_reads_back_from_its_own_text) {
  for (std::string text :
       {"uniform(0, 1)", "uniform(-2.5, 1e+30)", "loguniform(1e-05, 0.1)", "quniform(0, 0.5, 0.05)",
        "qloguniform(10, 1000, 10)", "randn(0, 1)", "randn(-1.5, 0.1)", "qrandn(0, 1, 0.25)",
        "randint(-3, 4)", "lograndint(1, 1000)", "qrandint(0, 64, 8)", "qlograndint(8, 64, 8)",
        "choice(sgd, \"a,b\", 1, 1.0, \"1\", true, null)",
        "grid([1, 2], {\"a\": {\"b\": [x, 2.5]}}, [])", "choice(\"\", \"if\", \"x=1\")", "64",
        "adam", "\"true\"", "[1, 2]"})
    EXPECT_EQ(to_text(read(text)), text);

  EXPECT_EQ(to_text(read("randn()")), "randn(0, 1)");
  EXPECT_EQ(to_text(read("qrandint(1, 5)")), "randint(1, 5)");
  EXPECT_EQ(to_text(read("  uniform ( 0 ,1 ) ")), "uniform(0, 1)");
  EXPECT_EQ(to_text(read("randint(1, 1e6)")), "randint(1, 1000000)");
}

TEST(domain, keeps_the_kinds_of_options) {
  auto what = read(R"(choice("1", 1, true, "a,b"))");

  const auto* uut = std::get_if<choice_of>(&what);
  ASSERT_NE(uut, nullptr);
  EXPECT_EQ(uut->options, (std::vector<value>{"1", 1, true, "a,b"}));
}

TEST(uniform, covers_its_range_and_leaves_the_upper_bound_out) {
  EXPECT_EQ(real_at("uniform(2, 4)", 0), 2);
  EXPECT_EQ(real_at("uniform(2, 4)", 0.25), 2.5);
  EXPECT_LT(real_at("uniform(2, 4)", last_u), 4);
  EXPECT_LT(real_at("uniform(1e15, 1.0000000000000001e15)", last_u), 1.0000000000000001e15);
}

TEST(loguniform, is_even_in_the_logarithm) {
  EXPECT_DOUBLE_EQ(real_at("loguniform(1e-4, 1)", 0), 1e-4);
  EXPECT_DOUBLE_EQ(real_at("loguniform(1e-4, 1)", 0.5), 1e-2);
  EXPECT_LT(real_at("loguniform(1e-4, 1)", last_u), 1);
  EXPECT_GE(real_at("loguniform(1e-4, 1)", 0), 1e-4);
}

TEST(quniform, gives_every_multiple_the_same_weight_ends_included) {
  auto seen = weights("quniform(0, 0.5, 0.05)", 1100);

  EXPECT_EQ(seen.size(), 11u);
  for (auto [x, n] : seen)
    EXPECT_EQ(n, 100) << x;
  EXPECT_EQ(real_at("quniform(0, 0.5, 0.05)", last_u), 0.5);
}

TEST(quniform, gives_clean_decimals) {
  EXPECT_EQ(real_at("quniform(0, 0.5, 0.05)", 3.5 / 11), 0.15);
  EXPECT_EQ(real_at("quniform(0, 3, 0.3)", 3.5 / 11), 0.9);
  EXPECT_EQ(real_at("quniform(-0.3, 0.3, 0.1)", 0), -0.3);
}

TEST(qloguniform, weighs_each_multiple_by_its_whole_cell) {
  auto seen = weights("qloguniform(1, 3, 1)", 10000);

  auto all = std::log(3.5 / 0.5);
  EXPECT_EQ(seen.size(), 3u);
  EXPECT_NEAR(seen[1], 10000 * std::log(1.5 / 0.5) / all, 2);
  EXPECT_NEAR(seen[2], 10000 * std::log(2.5 / 1.5) / all, 2);
  EXPECT_NEAR(seen[3], 10000 * std::log(3.5 / 2.5) / all, 2);
}

TEST(randint, leaves_the_upper_bound_out) {
  EXPECT_EQ(weights("randint(1, 4)", 300), (std::map<double, int>{{1, 100}, {2, 100}, {3, 100}}));
  EXPECT_EQ(whole_at("randint(0, 1)", last_u), 0);
}

TEST(randint, spans_all_of_64_bits) {
  auto all = "randint(-9223372036854775808, 9223372036854775807)";

  EXPECT_EQ(whole_at(all, 0), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(whole_at(all, 0.5), 0);
  EXPECT_GT(whole_at(all, last_u), std::int64_t{1} << 62);
}

TEST(qrandint, draws_the_multiples_inside_its_bounds_evenly) {
  EXPECT_EQ(weights("qrandint(-7, 9, 4)", 400),
            (std::map<double, int>{{-4, 100}, {0, 100}, {4, 100}, {8, 100}}));
  EXPECT_EQ(weights("qrandint(8, 16, 8)", 200), (std::map<double, int>{{8, 100}, {16, 100}}));
}

TEST(lograndint, takes_the_floor_of_a_loguniform) {
  auto seen = weights("lograndint(1, 4)", 10000);

  EXPECT_EQ(seen.size(), 3u);
  for (int k : {1, 2, 3})
    EXPECT_NEAR(seen[k], 10000 * std::log((k + 1.0) / k) / std::log(4), 2);
  EXPECT_EQ(whole_at("lograndint(1, 9223372036854775807)", last_u) > 0, true);
}

TEST(qlograndint, reaches_both_ends) {
  EXPECT_EQ(whole_at("qlograndint(8, 64, 8)", 0), 8);
  EXPECT_EQ(whole_at("qlograndint(8, 64, 8)", last_u), 64);
}

TEST(randn, has_its_mean_in_the_middle_and_no_infinities) {
  EXPECT_EQ(real_at("randn(3, 2)", 0.5), 3);
  EXPECT_NEAR(real_at("randn(3, 2)", 0.8413447460685429), 5, 1e-12);
  EXPECT_TRUE(std::isfinite(real_at("randn()", 0)));
  EXPECT_TRUE(std::isfinite(real_at("randn()", last_u)));
  EXPECT_EQ(real_at("qrandn(0, 1, 0.25)", 0.8413), 1);
}

TEST(choice, draws_each_option_equally_often) {
  EXPECT_EQ(weights("choice(5, 6, 7)", 300), (std::map<double, int>{{5, 100}, {6, 100}, {7, 100}}));
  EXPECT_EQ(at_quantile(read("choice(a, b)"), last_u), value{"b"});
  EXPECT_EQ(at_quantile(read("grid(a, b)"), 0.49), value{"a"});
  EXPECT_EQ(at_quantile(read("64"), 0.7), value{64});
}

TEST(domain, contains_whatever_is_drawn_of_it) {
  rng from{5, "domain", 0};
  for (auto text : {"uniform(0, 1)", "loguniform(1e-9, 1e9)", "quniform(0, 0.7, 0.07)",
                    "qloguniform(0.1, 10, 0.1)", "randn(5, 3)", "qrandn(0, 10, 0.3)",
                    "randint(-5, 5)", "lograndint(1, 100000)", "qrandint(-100, 100, 7)",
                    "qlograndint(1, 1000, 3)", "choice(1, a, 2.5)", "grid(1, [2])", "7"}) {
    auto what = read(text);
    for (int i = 0; i < 2000; ++i) {
      auto x = sample(what, from);
      ASSERT_TRUE(contains(what, x)) << text << " gave " << to_text(x);
    }
    for (auto u : {0.0, 0x1p-53, last_u})
      ASSERT_TRUE(contains(what, at_quantile(what, u))) << text << " at " << u;
  }
}

TEST(domain, does_not_contain_wrong_kinds_bounds_and_multiples) {
  EXPECT_TRUE(contains(read("uniform(0, 1)"), 1));
  EXPECT_FALSE(contains(read("uniform(0, 1)"), 1.1));
  EXPECT_FALSE(contains(read("uniform(0, 1)"), "0.5"));
  EXPECT_FALSE(contains(read("uniform(0, 1)"), true));
  EXPECT_FALSE(contains(read("uniform(0, 1)"), NAN));
  EXPECT_FALSE(contains(read("quniform(0, 1, 0.25)"), 0.3));
  EXPECT_FALSE(contains(read("quniform(0, 1, 0.25)"), 1.25));
  EXPECT_FALSE(contains(read("randint(1, 4)"), 4));
  EXPECT_FALSE(contains(read("randint(1, 4)"), 2.0));
  EXPECT_TRUE(contains(read("qrandint(0, 16, 8)"), 16));
  EXPECT_FALSE(contains(read("qrandint(0, 16, 8)"), 12));
  EXPECT_FALSE(contains(read("randn()"), std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(contains(read("qrandn(0, 1, 0.5)"), 0.3));
  EXPECT_FALSE(contains(read("choice(1, 2)"), 1.0));
  EXPECT_FALSE(contains(read("adam"), "sgd"));
}

TEST(domain, sampling_takes_exactly_one_draw) {
  for (auto text : {"uniform(0, 1)", "randn()", "choice(a, b, c)", "7", "qrandint(0, 9, 3)"}) {
    rng a{1, "x", 0};
    rng b{1, "x", 0};
    (void)sample(read(text), a);
    (void)b.bits();
    EXPECT_EQ(a.bits(), b.bits()) << text;
  }
}

TEST(parse_domain, tells_column_rule_and_neighbours) {
  EXPECT_EQ(complaint(""), "column 1: expected a value or a distribution, found the end");
  EXPECT_EQ(complaint("choice()"), "column 1: choice(a, b, …) needs at least one value");
  EXPECT_EQ(complaint("grid( )"), "column 1: grid(a, b, …) needs at least one value");
  EXPECT_EQ(complaint("uniform(1)"), "column 1: expected uniform(low, high), found 1 argument");
  EXPECT_EQ(complaint("uniform(2, 1)"),
            "column 12: uniform(low, high): high = 1 must be above low = 2");
  EXPECT_EQ(complaint("uniform(1, 1)"),
            "column 12: uniform(low, high): high = 1 must be above low = 1");
  EXPECT_EQ(complaint("uniform(a, 1)"), "column 9: uniform(low, high): low = a must be a number");
  EXPECT_EQ(complaint("loguniform(0, 1)"),
            "column 12: loguniform(low, high): low = 0 must be > 0, because of the logarithm");
  EXPECT_EQ(complaint("lograndint(0, 9)"),
            "column 12: lograndint(low, high): low = 0 must be >= 1, because of the logarithm");
  EXPECT_EQ(complaint("quniform(0, 1, 0.3)"),
            "column 13: quniform(low, high, q): high = 1 must be a multiple of q = 0.3; near are "
            "0.9 and 1.2");
  EXPECT_EQ(complaint("qloguniform(1, 1000, 5)"),
            "column 13: qloguniform(low, high, q): low = 1 must be a multiple of q = 5; near is "
            "5.0");
  EXPECT_EQ(complaint("quniform(0, 1, 0)"), "column 16: quniform(low, high, q): q = 0 must be > 0");
  EXPECT_EQ(complaint("randint(1.5, 4)"),
            "column 9: randint(low, high): low = 1.5 must be a whole number");
  EXPECT_EQ(complaint("qrandint(1, 5, 9)"),
            "column 16: qrandint(low, high, q): q = 9 must be smaller: no multiple lies between "
            "low = 1 and high = 5");
  EXPECT_EQ(complaint("randn(0, 0)"), "column 10: randn(mean, sd): sd = 0 must be > 0");
  EXPECT_EQ(complaint("uniform(-1e308, 1e308)"),
            "column 17: uniform(low, high): high = 1e+308 must be nearer to low = -1e+308: the "
            "range overflows a float");
}

TEST(parse_domain, tells_of_broken_text) {
  EXPECT_EQ(complaint("uniform(0, 1"), "column 8: '(' is never closed");
  EXPECT_EQ(complaint("choice(a b)"), "column 10: expected ',' or ')', found 'b'");
  EXPECT_EQ(complaint("choice(a, )"), "column 11: expected a value, found ')'");
  EXPECT_EQ(complaint("choice(a, [1)"), "column 13: expected ',' or ']', found ')'");
  EXPECT_EQ(complaint("choice(\"a, b)"), "column 8: '\"' is never closed");
  EXPECT_EQ(complaint("0.1, 0.2"), "column 4: expected nothing after the value, found ','; several "
                                   "values are choice(…) or grid(…)");
  EXPECT_EQ(complaint("uniform(0, 1) x"), "column 15: expected nothing after the value, found 'x'");
  EXPECT_EQ(complaint("(1)"), "column 1: expected a value, found '('");
  EXPECT_EQ(complaint("logunifrom(1, 2)"),
            "column 1: \"logunifrom\" is not a distribution; did you mean \"loguniform\"?");
  EXPECT_EQ(parse_domain("xyz(1)").error().code, ec::unknown_name);
  EXPECT_THAT(complaint("xyz(1)"), testing::HasSubstr("known: uniform loguniform"));
}

} // namespace

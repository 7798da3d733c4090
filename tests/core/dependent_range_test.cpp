/// Ranges whose bounds depend on other parameters: `uniform(0, {a})`.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/space/space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tune {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

using lines = std::vector<parameter_text>;

search_space space_of(const lines& from) {
  auto made = search_space::parse(from);
  EXPECT_TRUE(made) << made.error().detail;
  return made ? std::move(*made) : *search_space::make({});
}

std::string why_not(const lines& from) {
  auto made = search_space::parse(from);
  return made ? "it is a space" : made.error().detail;
}

std::string why_no_domain(std::string_view text) {
  auto made = parse_domain(text);
  return made ? "it is a domain" : made.error().detail;
}

/// The range of the last parameter when the first is `a`.
std::string range_text(std::string_view text, const value& a) {
  auto uut = space_of({{"a", to_text(a)}, {"b", std::string{text}}});
  auto range = uut.range_here(1, {a, {}});
  return range ? to_text(*range) : "none";
}

double number(const object& config, const char* name) {
  return *find_parameter(config, name)->number();
}

/// Draws `count` configurations from a space.
std::vector<object> drawn(const search_space& from, std::uint64_t count) {
  std::vector<object> result;
  for (std::uint64_t i = 0; i < count; ++i) {
    rng chance{7, "drawn", i};
    result.push_back(from.assemble(from.draw(chance)));
  }
  return result;
}

TEST(dependent_range, is_written_as_it_was_read) {
  for (const auto* text :
       {"uniform(0, {a})", "loguniform({a} / 10, 1)", "quniform(0, {a}, 0.25)",
        "qloguniform(1, 2 * {a}, 1)", "randint({a} - 1, {a} + 1)", "lograndint(1, {a})",
        "qrandint(0, max({a}, {b}), 4)", "qlograndint(1, len({x.y}), 2)"}) {
    auto made = parse_domain(text);
    ASSERT_TRUE(made) << text << ": " << made.error().detail;
    EXPECT_TRUE(std::holds_alternative<dependent_range>(*made)) << text;
    EXPECT_EQ(to_text(*made), text);
  }
  EXPECT_TRUE(std::holds_alternative<choice_of>(*parse_domain("choice({\"a\": 1}, 2)")));
}

TEST(dependent_range, says_what_is_wrong_with_its_words) {
  EXPECT_THAT(why_no_domain("uniform(0, {a)"), HasSubstr("column 12: '{' is never closed"));
  EXPECT_THAT(why_no_domain("uniform({a})"), HasSubstr("column 12: expected an operator or ','"));
  EXPECT_THAT(why_no_domain("uniform(0, {a}, 3)"), HasSubstr("expected an operator or ')'"));
  EXPECT_THAT(why_no_domain("uniform(0, {a}"), HasSubstr("'(' is never closed"));
  EXPECT_THAT(why_no_domain("uniform(0, {a}) 3"), HasSubstr("expected nothing after the value"));
  EXPECT_THAT(why_no_domain("quniform(0, {a})"), HasSubstr("and q: quniform(low, high, q)"));
  EXPECT_THAT(why_no_domain("quniform(0, {a}, {b})"),
              HasSubstr("q must be a number: only bounds can depend on other parameters"));
  EXPECT_THAT(why_no_domain("qrandint(0, {a}, 0.5)"), HasSubstr("q must be a whole number >= 1"));
  EXPECT_THAT(why_no_domain("quniform(0, {a}, -1)"), HasSubstr("q must be a number > 0"));
  EXPECT_THAT(why_no_domain("randn({a}, 1)"), HasSubstr("randn(mean, sd) takes numbers"));
  EXPECT_THAT(why_no_domain("uniform(0, a)"), HasSubstr("high = a must be a number"));
}

TEST(dependent_range, is_what_its_bounds_make_of_it) {
  EXPECT_EQ(range_text("uniform(0, {a})", 0.7), "uniform(0, 0.7)");
  EXPECT_EQ(range_text("loguniform({a}, 1)", 0.5), "loguniform(0.5, 1)");
  EXPECT_EQ(range_text("randint(1, {a})", 4), "randint(1, 4)");
  EXPECT_EQ(range_text("randint({a}, {a} * 2 + 1)", 3), "randint(3, 7)");
  // Integers k with 1 <= k < 2.5, and those with 1.5 <= k < 4.
  EXPECT_EQ(range_text("randint(1, {a})", 2.5), "randint(1, 3)");
  EXPECT_EQ(range_text("randint({a}, 4)", 1.5), "randint(2, 4)");
  // 3 * 0.1 * 10 counts as 3 in spite of rounding errors.
  EXPECT_EQ(range_text("randint(1, {a} * 0.1 * 10)", 3), "randint(1, 3)");
  EXPECT_EQ(range_text("quniform({a}, 1, 0.25)", 0.3), "quniform(0.5, 1, 0.25)");
  EXPECT_EQ(range_text("qrandint(1, {a}, 4)", 10), "qrandint(4, 8, 4)");
  EXPECT_EQ(range_text("qlograndint(1, {a}, 4)", 10), "qlograndint(4, 8, 4)");
}

TEST(dependent_range, has_one_value_where_its_bounds_meet) {
  EXPECT_EQ(range_text("uniform(0, {a})", 0), "uniform(0, 0)");
  EXPECT_EQ(range_text("randint(1, {a})", 1), "randint(1, 2)");
  auto uut = space_of({{"a", "uniform(0, 1)"}, {"b", "uniform(0, {a})"}});
  EXPECT_FALSE(uut.reject({{"a", 0.0}, {"b", 0.0}}, false));
  EXPECT_TRUE(uut.reject({{"a", 0.0}, {"b", 0.1}}, false));
  EXPECT_EQ(at_quantile(*uut.range_here(1, {0.0, {}}), 0.9), value{0.0});
}

TEST(dependent_range, is_drawn_evenly_in_what_it_is_here) {
  auto uut = space_of({{"b", "uniform({a} / 2, {a})"},
                       {"a", "uniform(1, 3)"},
                       {"n", "randint(0, {k})"},
                       {"k", "randint(1, 5)"},
                       {"l", "loguniform(0.01, {a})"}});
  constexpr std::uint64_t count = 20'000;
  std::vector<double> fifths(5);
  std::vector<double> of_four(4);
  double logarithm = 0;
  for (const auto& x : drawn(uut, count)) {
    EXPECT_FALSE(uut.reject(x, false)) << to_text(value{x});
    auto a = number(x, "a");
    auto share = (number(x, "b") - a / 2) / (a / 2);
    ++fifths[std::min<std::size_t>(4, static_cast<std::size_t>(5 * share))];
    if (number(x, "k") == 4)
      ++of_four[static_cast<std::size_t>(number(x, "n"))];
    logarithm += std::log(number(x, "l") / 0.01) / std::log(a / 0.01) / count;
  }
  for (auto x : fifths)
    EXPECT_NEAR(x / count, 0.2, 0.015);
  // A quarter of the draws has k = 4, and each n has a quarter of these.
  for (auto x : of_four)
    EXPECT_NEAR(x / count, 1 / 16.0, 0.008);
  EXPECT_NEAR(logarithm, 0.5, 0.01);
}

TEST(dependent_range, follows_a_chain_in_any_order_of_declaration) {
  auto uut = space_of({{"c", "randint({b}, {a} + 1)"},
                       {"b", "randint(0, {a} + 1)"},
                       {"net.a", "randint(0, 9)"},
                       {"a", "randint({net.a}, 9)"}});
  EXPECT_THAT(uut.order(), ElementsAre(2, 3, 1, 0));
  for (const auto& x : drawn(uut, 500)) {
    EXPECT_FALSE(uut.reject(x, false)) << to_text(value{x});
    EXPECT_LE(number(x, "net.a"), number(x, "a"));
    EXPECT_LE(number(x, "b"), number(x, "c"));
    EXPECT_LE(number(x, "c"), number(x, "a"));
  }
}

TEST(dependent_range, reads_lists_truths_and_grids) {
  auto uut = space_of({{"on", "choice(true, false)"},
                       {"features", "subset(p, q, r)"},
                       {"g", "grid(2, 4)"},
                       {"x", "uniform(-1, {on})"},
                       {"n", "randint(0, len({features}) + 1)"},
                       {"m", "randint(0, {g})"}});
  EXPECT_TRUE(uut.range_here(3, {true, value::list{}, 2, {}, {}, {}}));
  EXPECT_EQ(to_text(*uut.range_here(4, {true, value::list{"p", "r"}, 2, {}, {}, {}})),
            "randint(0, 3)");
  EXPECT_EQ(to_text(*uut.range_here(5, {true, value::list{}, 4, {}, {}, {}})), "randint(0, 4)");
}

TEST(dependent_range, knows_all_that_it_may_be) {
  auto uut = space_of({{"a", "uniform(1, 3)"},
                       {"b", "uniform({a} / 2, {a})"},
                       {"c", "randint(1, {b} * 2)"},
                       {"d", "quniform(0, {b}, 0.5)"}});
  EXPECT_EQ(to_text(uut.widest(0)), "uniform(1, 3)");
  EXPECT_EQ(to_text(uut.widest(1)), "uniform(0.5, 3)");
  EXPECT_EQ(to_text(uut.widest(2)), "randint(1, 6)");
  EXPECT_EQ(to_text(uut.widest(3)), "quniform(0, 3, 0.5)");
  EXPECT_TRUE(uut.has_dependent());
  EXPECT_FALSE(uut.is_dependent(0));
  EXPECT_TRUE(uut.is_dependent(3));
}

TEST(dependent_range, refuses_what_it_cannot_read) {
  EXPECT_THAT(why_not({{"alpha", "uniform(0, 1)"}, {"b", "uniform(0, {alhpa})"}}),
              HasSubstr("\"b\": its range reads \"alhpa\", which is not a parameter; did you mean "
                        "\"alpha\"?"));
  EXPECT_THAT(why_not({{"b", "uniform(0, {b})"}}), HasSubstr("\"b\": its range reads itself"));
  EXPECT_THAT(why_not({{"a", "uniform(0, {b})"}, {"b", "uniform(0, {a})"}}),
              HasSubstr("ranges go round in a circle: a reads b reads a"));
  EXPECT_THAT(why_not({{"a", "uniform(0, 1) if b > 0.5"}, {"b", "uniform(0, {a})"}}),
              HasSubstr("ranges go round in a circle"));
  EXPECT_THAT(
      why_not({{"kernel", "choice(rbf, poly)"}, {"b", "uniform(0, {kernel})"}}),
      HasSubstr("\"b\": its range reads \"kernel\", which is no number: choice(rbf, poly)"));
  EXPECT_THAT(why_not({{"f", "subset(p, q)"}, {"b", "uniform(0, {f})"}}),
              HasSubstr("\"f\", which is no number: subset(p, q)"));
  EXPECT_THAT(why_not({{"a", "randint(1, 4)"}, {"b", "randint(0, len({a}))"}}),
              HasSubstr("\"a\", which is no list: randint(1, 4)"));
  EXPECT_THAT(why_not({{"a", "uniform(-1, 1)"}, {"b", "uniform(0, 1 / {a})"}}),
              HasSubstr("\"b\": its bound 1 / {a} may have no end"));
  auto seed = search_space::parse({{"seed", "randint(0, 9)", true}, {"b", "randint(0, {seed})"}});
  EXPECT_THAT(seed.error().detail,
              HasSubstr("its range reads \"seed\", which tells runs of one configuration apart"));
}

TEST(dependent_range, refuses_ranges_that_may_be_empty) {
  EXPECT_THAT(why_not({{"a", "uniform(0, 1)"}, {"b", "uniform({a}, 0.5)"}}),
              AllOf(HasSubstr("\"b\": its range uniform({a}, 0.5) is empty where a = "),
                    HasSubstr(" is above high = 0.5")));
  EXPECT_THAT(why_not({{"a", "uniform(0, 1)"}, {"b", "loguniform({a}, 1)"}}),
              HasSubstr("is empty where a = 0: low = 0 must be > 0, because of the logarithm"));
  EXPECT_THAT(why_not({{"a", "randint(0, 5)"}, {"b", "lograndint({a}, 9)"}}),
              HasSubstr("where a = 0: low = 0 must be >= 1, because of the logarithm"));
  EXPECT_THAT(why_not({{"a", "randint(1, 9)"}, {"b", "qrandint(1, {a}, 4)"}}),
              HasSubstr("no multiple of 4 lies between low = 1 and high = 1"));
  EXPECT_THAT(why_not({{"a", "uniform(1.2, 1.4)"}, {"b", "randint({a}, 1.5)"}}),
              HasSubstr("no whole number lies between"));
  EXPECT_THAT(why_not({{"a", "uniform(2, 3)"}, {"b", "uniform({a}, 1)"}}),
              HasSubstr("\"b\": its range uniform({a}, 1) is empty"));
  // One value in a hundred is rare, but it is found.
  EXPECT_THAT(why_not({{"a", "randint(0, 100)"}, {"b", "uniform({a} % 99, 97.5)"}}),
              HasSubstr("is empty where a = 98"));
}

TEST(dependent_range, takes_ranges_that_never_are) {
  EXPECT_EQ(why_not({{"a", "uniform(0, 1)"}, {"b", "uniform({a}, {a} + 1)"}}), "it is a space");
  EXPECT_EQ(why_not({{"a", "uniform(0, 1)"}, {"b", "uniform(min({a}, 0.4), 0.5)"}}),
            "it is a space");
  EXPECT_EQ(why_not({{"a", "loguniform(1e-4, 1)"}, {"b", "loguniform(1e-4, {a})"}}),
            "it is a space");
  EXPECT_EQ(
      why_not({{"a", "uniform(0, 1)"}, {"b", "uniform({a}, 0.5)"}, {"constraint", "a < 0.4"}}),
      "it is a space");
}

TEST(dependent_range, reads_only_what_is_there) {
  const lines absent{{"kernel", "choice(rbf, poly)"},
                     {"degree", "randint(2, 6) if kernel == poly"},
                     {"b", "randint(1, {degree})"}};
  EXPECT_THAT(why_not(absent),
              HasSubstr("\"b\": its range randint(1, {degree}) reads \"degree\", which is absent "
                        "where kernel = rbf; give it a condition that implies: kernel == poly"));
  auto there = absent;
  there[2].text += " if kernel == poly";
  EXPECT_EQ(why_not(there), "it is a space");
  there[2].text = "randint(1, {degree}) if degree > 3";
  EXPECT_EQ(why_not(there), "it is a space");
  auto uut = space_of(there);
  for (const auto& x : drawn(uut, 200))
    EXPECT_FALSE(uut.reject(x, false)) << to_text(value{x});
  EXPECT_FALSE(uut.reject({{"kernel", "rbf"}}, false));
}

TEST(dependent_range, does_not_allow_an_empty_range_that_was_overlooked) {
  auto uut
      = space_of({{"a", "randint(0, 1000000)"}, {"b", "uniform(max(0, 2 - abs({a} - 31234)), 1)"}});
  EXPECT_FALSE(uut.allows_all());
  EXPECT_TRUE(uut.allows({4, 0.5}));
  EXPECT_FALSE(uut.allows({4, 1.5}));
  EXPECT_FALSE(uut.allows({31234, 0.5}));
  std::vector<value> values{31234, {}};
  uut.place(values, std::vector<double>{std::nan(""), 0.5});
  EXPECT_TRUE(values[1].is_null());
  EXPECT_THAT(uut.reject({{"a", 31234}, {"b", 0.5}}, false)->detail,
              HasSubstr("which is empty here: low = 2 is above high = 1"));
}

TEST(dependent_range, tells_where_bounds_of_whole_numbers_meet) {
  auto uut = space_of({{"layers", "randint(1, 5)"},
                       {"n", "randint(1, {layers})"},
                       {"m", "randint(1, {layers} + 1)"},
                       {"x", "uniform(1, {layers})"}});
  EXPECT_EQ(uut.where_bounds_meet(1), "layers = 1");
  EXPECT_EQ(uut.where_bounds_meet(2), "");
  EXPECT_EQ(uut.where_bounds_meet(3), "");
}

TEST(dependent_range, rejects_what_is_outside_here) {
  auto uut = space_of({{"a", "uniform(0, 1)"}, {"b", "uniform(0, {a})"}, {"c", "randint(0, 3)"}});
  auto why = [&](const object& config, bool partial) {
    auto wrong = uut.reject(config, partial);
    return wrong ? wrong->detail : "fine";
  };
  EXPECT_EQ(why({{"a", 0.5}, {"b", 0.4}, {"c", 1}}, false), "fine");
  EXPECT_EQ(why({{"a", 0.5}, {"b", 0.5}, {"c", 1}}, false), "fine");
  EXPECT_EQ(why({{"a", 0.5}, {"b", 0.7}, {"c", 1}}, false),
            "\"b\": 0.7 is not in uniform(0, {a}), which is uniform(0, 0.5) here");
  EXPECT_EQ(why({{"b", 0.7}}, true), "fine");
  EXPECT_EQ(why({{"b", 1.7}}, true), "\"b\": 1.7 is not in uniform(0, {a})");
  EXPECT_EQ(why({{"b", "x"}, {"a", 0.5}}, true),
            "\"b\": x is not in uniform(0, {a}), which is uniform(0, 0.5) here");
  EXPECT_EQ(why({{"a", 0.5}, {"c", 1}}, false), "\"b\": is missing");
  auto fixed = space_of({{"a", "0.5"}, {"b", "uniform(0, {a})"}});
  EXPECT_THAT(fixed.reject({{"b", 0.7}}, true)->detail, HasSubstr("uniform(0, 0.5) here"));
}

TEST(dependent_range, asks_for_a_constraint_that_can_be_kept) {
  EXPECT_THAT(why_not({{"a", "uniform(0, 1)"}, {"b", "uniform(0, {a})"}, {"constraint", "b > a"}}),
              HasSubstr("none of 10,000 random configurations keeps b > a"));
  auto uut
      = space_of({{"a", "uniform(0, 1)"}, {"b", "uniform(0, {a})"}, {"constraint", "b > 0.1"}});
  EXPECT_FALSE(uut.allows({0.5, 0.05}));
  EXPECT_FALSE(uut.allows({0.5, 0.6}));
  EXPECT_TRUE(uut.allows({0.5, 0.3}));
}

TEST(dependent_range, costs_nothing_where_there_is_none) {
  auto uut = space_of({{"a", "uniform(0, 1)"}, {"b", "uniform(0, 1)"}});
  EXPECT_FALSE(uut.has_dependent());
  EXPECT_TRUE(uut.allows_all());
  std::vector<value> values{0.5, 0.7};
  uut.place(values, {});
  EXPECT_THAT(values, ElementsAre(value{0.5}, value{0.7}));
}

} // namespace
} // namespace tune

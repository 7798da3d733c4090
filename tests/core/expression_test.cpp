// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/space/expression.hpp"

#include "tune/core/rng.hpp"
#include "tune/core/space/space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tune {
namespace {

using testing::HasSubstr;

double computed(std::string_view text, const object& config) {
  auto uut = expression::parse(text);
  EXPECT_TRUE(uut) << text << ": " << uut.error().detail;
  std::vector<const value*> values;
  for (const auto& name : uut->names())
    values.push_back(find_parameter(config, name));
  return uut->number(values).value_or(std::nan(""));
}

TEST(expression, computes_as_constraints_do) {
  const object x{{"a", 2},
                 {"b", 3.5},
                 {"net", object{{"depth", 4}}},
                 {"on", true},
                 {"weight-decay", 0.25},
                 {"list", value::list{1, 2, 3}}};
  EXPECT_EQ(computed("{a} * {b} + 1", x), 8);
  EXPECT_EQ(computed("-{a} ** 2", x), -4);
  EXPECT_EQ(computed("max({a}, { net.depth }, 1) / 8", x), 0.5);
  EXPECT_EQ(computed("{on} + {weight-decay}", x), 1.25);
  EXPECT_EQ(computed("len({list}) % 2", x), 1);
  EXPECT_TRUE(std::isnan(computed("{missing} + 1", x)));
  EXPECT_TRUE(std::isnan(computed("1 / ({a} - 2)", x)));
  EXPECT_TRUE(std::isnan(computed("exp(1000 * {a})", x)));
  EXPECT_TRUE(std::isnan(computed("{list} + 1", x)));
}

TEST(expression, says_where_it_cannot_be_read) {
  auto why = [](std::string_view text) { return expression::parse(text).error().detail; };
  EXPECT_THAT(why("2 * a"), HasSubstr("column 5: a parameter stands in braces here: {a}"));
  EXPECT_THAT(why("{a"), HasSubstr("column 1: '{' is never closed"));
  EXPECT_THAT(why("{ }"), HasSubstr("a parameter's name belongs between the braces"));
  EXPECT_THAT(why("{a} {b}"), HasSubstr("column 5: expected an operator or the end"));
  EXPECT_THAT(why("sin({a})"), HasSubstr("\"sin\" is no function; known: len abs"));
  EXPECT_THAT(why("len(a)"), HasSubstr("len({NAME})"));
  EXPECT_THAT(why("\"x\""), HasSubstr("expected a number, a parameter in braces"));
}

TEST(expression, stays_within_its_span) {
  const char* texts[]
      = {"{a} + {b}",      "{a} - 2 * {b}", "{a} * {b}",        "{a} / {c}",
         "{a} % {c}",      "{a} ** 2",      "{c} ** {a}",       "{b} ** 3",
         "abs({a})",       "-{b}",          "min({a}, {b}, 1)", "max({b}, {c})",
         "sqrt({a})",      "exp({a} / 3)",  "round({b})",       "floor({a}) * ceil({b})",
         "log({c}) - {a}", "{b} % {a}",     "{b} ** {c}"};
  const interval spans[] = {{-2, 3}, {-5, 4}, {0.5, 2}};
  for (const auto* text : texts) {
    auto uut = *expression::parse(text);
    auto of = [&](std::size_t n) { return spans[uut.names()[n][0] - 'a']; };
    auto span = uut.span([&](std::size_t n, bool) { return of(n); });
    ASSERT_TRUE(span) << text;
    for (std::uint64_t i = 0; i < 2000; ++i) {
      rng chance{3, "span", i};
      std::vector<value> values;
      std::vector<const value*> read;
      for (std::size_t n = 0; n < uut.names().size(); ++n) {
        auto whole = chance.below(2) == 0;
        auto x = of(n).low + chance.unit() * (of(n).high - of(n).low);
        values.emplace_back(whole ? std::clamp(std::round(x), of(n).low, of(n).high) : x);
      }
      for (const auto& x : values)
        read.push_back(&x);
      if (auto made = uut.number(read)) {
        EXPECT_GE(*made, span->low - 1e-9) << text << " at " << to_text(values.front());
        EXPECT_LE(*made, span->high + 1e-9) << text << " at " << to_text(values.front());
      }
    }
  }
}

TEST(expression, has_no_span_where_it_may_have_no_end) {
  for (const auto* text : {"1 / {a}", "log({a})", "{a} ** -1", "exp(1000 * {a})"}) {
    EXPECT_FALSE(expression::parse(text)->span([](std::size_t, bool) {
      return interval{0, 1};
    })) << text;
  }
}

} // namespace
} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/space/space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Decides over a configuration by name.
bool allows(std::string_view text, const object& config) {
  auto uut = space_constraint::parse(text);
  EXPECT_TRUE(uut) << text << ": " << uut.error().detail;
  if (!uut)
    return false;
  std::vector<const value*> values;
  for (const auto& name : uut->names())
    values.push_back(find_parameter(config, name));
  return uut->allows(values);
}

std::string why_not(std::string_view text) {
  auto uut = space_constraint::parse(text);
  return uut ? "it reads" : uut.error().detail;
}

TEST(space_constraint, computes_as_arithmetic_does) {
  const object x{{"a", 2}, {"b", 3.5}, {"net", object{{"depth", 4}}}};
  EXPECT_TRUE(allows("a * b < 7.5", x));
  EXPECT_FALSE(allows("a * b < 7", x));
  EXPECT_TRUE(allows("1 + 2 * 3 == 7", x));
  EXPECT_TRUE(allows("(1 + 2) * 3 == 9", x));
  EXPECT_TRUE(allows("10 - 4 - 3 == 3", x));
  EXPECT_TRUE(allows("2 ** 3 ** 2 == 512", x));
  EXPECT_TRUE(allows("-a ** 2 == -4", x));
  EXPECT_TRUE(allows("2 ** -1 == 0.5", x));
  EXPECT_TRUE(allows("7 % 4 == 3 and -1 % 4 == 3", x));
  EXPECT_TRUE(allows("12 / 4 / 3 == 1", x));
  EXPECT_TRUE(allows("net.depth - a >= 2", x));
  EXPECT_TRUE(allows("a<b and b<=3.5 and b>=3.5 and a!=b", x));
  EXPECT_TRUE(allows("max(a, b, 1) == 3.5 and min(a, b) == 2 and abs(-a) == 2", x));
  EXPECT_TRUE(allows("log10(1e3) == 3 and log2(8) == 3 and sqrt(16) == net.depth", x));
  EXPECT_TRUE(allows("floor(b) == 3 and ceil(b) == 4 and round(2.4) == 2", x));
  EXPECT_TRUE(allows("exp(log(a)) > 1.999", x));
}

TEST(space_constraint, knows_texts_truths_and_lists) {
  const object x{{"kernel", "rbf"}, {"on", true}, {"off", false}, {"features", value::list{1, 2}}};
  EXPECT_TRUE(allows("kernel == \"rbf\"", x));
  EXPECT_FALSE(allows("kernel != \"rbf\"", x));
  EXPECT_TRUE(allows("on and not off", x));
  EXPECT_TRUE(allows("on + on == 2", x));
  EXPECT_TRUE(allows("len(features) <= 2 and len(features) > 1", x));
  EXPECT_TRUE(allows("not (on and off) or off", x));
  EXPECT_FALSE(allows("(on or off) and (off or off)", x));
  EXPECT_TRUE(allows("kernel == \"rbf\" and (on or off)", x));
}

TEST(space_constraint, leaves_undecided_what_has_no_value) {
  const object x{{"a", 0}};
  EXPECT_TRUE(allows("missing < 3", x));
  EXPECT_TRUE(allows("not missing < 3", x));
  EXPECT_FALSE(allows("missing < 3 and a > 0", x));
  EXPECT_TRUE(allows("missing < 3 or a > 0", x));
  EXPECT_TRUE(allows("1 / a < 0", x));
  EXPECT_TRUE(allows("log(-1) > 5", x));
  EXPECT_TRUE(allows("5 % a == 9", x));
  EXPECT_TRUE(allows("len(a) == 9", x));
}

TEST(space_constraint, says_where_it_cannot_be_read) {
  EXPECT_THAT(why_not("a <"), HasSubstr("column 4: expected a number, a parameter or a bracket"));
  EXPECT_THAT(why_not("a + 1"), HasSubstr("expected a comparison such as < 10"));
  EXPECT_THAT(why_not("a < b < c"), HasSubstr("comparisons cannot be chained"));
  EXPECT_THAT(why_not("a < 3 b"), HasSubstr("expected an operator, 'and', 'or' or the end"));
  EXPECT_THAT(why_not("sin(a) < 3"), HasSubstr("\"sin\" is no function; known: len abs"));
  EXPECT_THAT(why_not("(a < 3"), HasSubstr("column"));
  EXPECT_THAT(why_not("abs(a, b) < 3"), HasSubstr("abs takes one number"));
  EXPECT_THAT(why_not(""), HasSubstr("expected"));
  EXPECT_THAT(why_not(std::string(500, '(') + "a"), HasSubstr("fewer brackets"));
  EXPECT_THAT(why_not(std::string(500, '-') + "a < 1"), HasSubstr("fewer brackets"));
}

TEST(space_constraint, names_what_it_reads_once) {
  auto uut = *space_constraint::parse("  b * a < b + net.x ");
  EXPECT_THAT(uut.names(), ElementsAre("b", "a", "net.x"));
  EXPECT_EQ(uut.text(), "b * a < b + net.x");
}

expected<search_space> spaced(const std::vector<parameter_text>& lines) {
  return search_space::parse(lines);
}

TEST(constraint_of_a_space, is_no_parameter_and_rejects_what_does_not_keep_it) {
  auto uut = spaced(
      {{"a", "randint(0, 10)"}, {"constraint", "a + b <= 12"}, {"b", "randint(0, 10) if a > 2"}});

  ASSERT_TRUE(uut) << uut.error().detail;
  EXPECT_EQ(uut->parameters().size(), 2u);
  EXPECT_FALSE(uut->reject({{"a", 5}, {"b", 7}}, false));
  auto why = uut->reject({{"a", 6}, {"b", 7}}, false);
  ASSERT_TRUE(why);
  EXPECT_EQ(why->detail, "\"constraint\": a + b <= 12 is not kept");
  EXPECT_FALSE(uut->reject({{"a", 1}}, false));
  EXPECT_FALSE(uut->reject({{"a", 9}}, true));
  EXPECT_TRUE(uut->allows({value{2}, value{9}})) << "b is inactive";
  EXPECT_FALSE(uut->allows({value{4}, value{9}}));
}

TEST(constraint_of_a_space, is_refused_where_it_reads_no_parameter_or_nothing_keeps_it) {
  EXPECT_THAT(spaced({{"alpha", "uniform(0, 1)"}, {"constraint", "alpa < 1"}}).error().detail,
              HasSubstr("\"constraint\": it reads \"alpa\", which is not a parameter; did you mean "
                        "\"alpha\"?"));
  EXPECT_THAT(spaced({{"a", "uniform(0, 1)"}, {"constraint", "a > 2"}}).error().detail,
              HasSubstr("none of 10,000 random configurations keeps a > 2"));
  EXPECT_THAT(spaced({{"a", "uniform(0, 1)"}, {"constraint", "a >"}}).error().detail,
              HasSubstr("\"constraint\": column"));
}

TEST(ordinal, is_a_choice_in_an_order) {
  auto uut = *parse_domain("ordinal(tiny, small, large)");
  EXPECT_TRUE(std::get<choice_of>(uut).ordered);
  EXPECT_EQ(to_text(uut), "ordinal(tiny, small, large)");
  EXPECT_TRUE(contains(uut, value{"small"}));
  EXPECT_EQ(at_quantile(uut, 0.9), value{"large"});
  EXPECT_THAT(parse_domain("ordinal(a, b, a)").error().detail, HasSubstr("a comes twice"));
}

TEST(permutation, is_a_list_of_all_items_in_any_order) {
  auto uut = *parse_domain("permutation(a, b, 3)");
  EXPECT_EQ(to_text(uut), "permutation(a, b, 3)");
  auto all = *all_values(uut, 100);
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all.front(), (value{value::list{"a", "b", 3}}));
  EXPECT_EQ(all.back(), (value{value::list{3, "b", "a"}}));
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_TRUE(contains(uut, all[i]));
    EXPECT_EQ(at_quantile(uut, (static_cast<double>(i) + 0.5) / 6), all[i]);
  }
  EXPECT_FALSE(contains(uut, value{value::list{"a", "b"}}));
  EXPECT_FALSE(contains(uut, value{value::list{"a", "b", "b"}}));
  EXPECT_FALSE(contains(uut, value{value::list{"a", "b", 4}}));
  EXPECT_FALSE(contains(uut, value{"a"}));
  EXPECT_FALSE(all_values(uut, 5));
  EXPECT_THAT(parse_domain("permutation(a)").error().detail, HasSubstr("at least two values"));
  EXPECT_THAT(parse_domain("permutation(1,2,3,4,5,6,7,8,9,10,11,12,13)").error().detail,
              HasSubstr("takes at most 12 items, not 13"));
}

TEST(subset, is_a_list_of_some_items_in_their_order) {
  auto uut = *parse_domain("subset(a, b, c)");
  EXPECT_EQ(to_text(uut), "subset(a, b, c)");
  auto all = *all_values(uut, 100);
  ASSERT_EQ(all.size(), 8u);
  EXPECT_EQ(all.front(), value{value::list{}});
  EXPECT_EQ(all[5], (value{value::list{"a", "c"}}));
  EXPECT_TRUE(contains(uut, value{value::list{"c", "a"}})) << "people write them in any order";
  EXPECT_FALSE(contains(uut, value{value::list{"c", "c"}}));
  EXPECT_FALSE(contains(uut, value{value::list{"d"}}));
  EXPECT_THAT(parse_domain("subset(a, a)").error().detail, HasSubstr("a comes twice"));
}

TEST(space_constraint, takes_names_in_braces_too) {
  EXPECT_TRUE(allows("{weight-decay} * lr < 0.1", {{"weight-decay", 0.3}, {"lr", 0.3}}));
  EXPECT_FALSE(allows("{weight-decay} * { lr } < 0.1", {{"weight-decay", 0.4}, {"lr", 0.3}}));
  EXPECT_FALSE(allows("len({f}) > 2", {{"f", value::list{1, 2}}}));
  EXPECT_THAT(why_not("{a < 3"), HasSubstr("column 1: '{' is never closed"));
}

} // namespace
} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/space/condition.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace tune;

bool holds(std::string_view text, const object& where) {
  auto uut = condition::parse(text);
  EXPECT_TRUE(uut) << text << ": " << uut.error().detail;
  return uut && uut->holds(where);
}

std::string complaint(std::string_view text) {
  auto uut = condition::parse(text);
  return uut ? "read" : uut.error().detail;
}

TEST(condition, compares_numbers_texts_and_booleans) {
  object where{{"opt", "sgd"}, {"lr", 0.5}, {"n", 3}, {"on", true}};

  EXPECT_TRUE(holds("opt == sgd", where));
  EXPECT_TRUE(holds("opt == \"sgd\"", where));
  EXPECT_FALSE(holds("opt != sgd", where));
  EXPECT_TRUE(holds("lr > 0.4", where));
  EXPECT_TRUE(holds("lr<=0.5", where));
  EXPECT_FALSE(holds("lr < 0.5", where));
  EXPECT_TRUE(holds("lr >= 0.5", where));
  EXPECT_TRUE(holds("n == 3.0", where));
  EXPECT_TRUE(holds("n>-1e-3", where));
  EXPECT_TRUE(holds("opt < sgx", where));
  EXPECT_TRUE(holds("on == true", where));
  EXPECT_TRUE(holds("on", where));
  EXPECT_FALSE(holds("n", where));
}

TEST(condition, finds_values_of_different_kinds_unequal_and_unordered) {
  object where{{"text", "1"}, {"number", 1}, {"flag", true}, {"nan", NAN}};

  EXPECT_FALSE(holds("text == 1", where));
  EXPECT_TRUE(holds("text == \"1\"", where));
  EXPECT_TRUE(holds("number != \"1\"", where));
  EXPECT_FALSE(holds("number == true", where));
  EXPECT_FALSE(holds("flag == 1", where));
  EXPECT_FALSE(holds("text < 2", where));
  EXPECT_FALSE(holds("text >= 0", where));
  EXPECT_FALSE(holds("nan < 1 or nan >= 1", where));
}

TEST(condition, compares_large_integers_exactly) {
  object where{{"n", std::int64_t{9007199254740993}}};

  EXPECT_TRUE(holds("n > 9007199254740992", where));
  EXPECT_FALSE(holds("n == 9007199254740992", where));
}

TEST(condition, tests_membership) {
  object where{{"a", "x"}, {"n", 2}, {"l", value::list{1, 2}}};

  EXPECT_TRUE(holds("a in (x, y)", where));
  EXPECT_FALSE(holds("a in (y)", where));
  EXPECT_TRUE(holds("n in [1, 2.0]", where));
  EXPECT_TRUE(holds("a not in (y, z)", where));
  EXPECT_TRUE(holds("l in ([1, 2], [3])", where));
}

TEST(condition, binds_not_before_and_before_or) {
  for (int bits = 0; bits < 8; ++bits) {
    bool a = (bits & 1) != 0;
    bool b = (bits & 2) != 0;
    bool c = (bits & 4) != 0;
    object where{{"a", a}, {"b", b}, {"c", c}};
    EXPECT_EQ(holds("a or b and not c", where), a || (b && !c)) << bits;
    EXPECT_EQ(holds("(a or b) and not c", where), (a || b) && !c) << bits;
    EXPECT_EQ(holds("not (a and b) or not not c", where), !(a && b) || c) << bits;
    EXPECT_EQ(holds("not a and not b and not c", where), bits == 0) << bits;
  }
}

TEST(condition, is_undecided_by_absent_names_until_the_others_decide) {
  object where{{"a", "sgd"}};

  EXPECT_FALSE(holds("b == 1", where));
  EXPECT_FALSE(holds("b != 1", where));
  EXPECT_FALSE(holds("not b == 1", where));
  EXPECT_FALSE(holds("b not in (1, 2)", where));
  EXPECT_TRUE(holds("b == 1 or a == sgd", where));
  EXPECT_FALSE(holds("b == 1 and a == sgd", where));
  EXPECT_TRUE(holds("not (b == 1 and a == adam)", where));

  auto uut = condition::parse("a == sgd and b == 1");
  value sgd{"sgd"};
  value adam{"adam"};
  value one{1};
  EXPECT_EQ(uut->decide(std::vector<const value*>{&sgd, &one}), true);
  EXPECT_EQ(uut->decide(std::vector<const value*>{&sgd, nullptr}), std::nullopt);
  EXPECT_EQ(uut->decide(std::vector<const value*>{&adam, nullptr}), false);
}

TEST(condition, enters_nested_objects) {
  object where{{"optimizer", object{{"kind", "sgd"}}}, {"a.b", 1}};

  EXPECT_TRUE(holds("optimizer.kind == sgd", where));
  EXPECT_TRUE(holds("a.b == 1", where));
}

TEST(condition, tells_the_names_it_reads_once_in_order) {
  auto uut = condition::parse("  b == 1 and (a in (x) or b > 2) and not \"in\" ");

  ASSERT_TRUE(uut);
  EXPECT_EQ(uut->names(), (std::vector<std::string>{"b", "a", "in"}));
  EXPECT_EQ(uut->text(), "b == 1 and (a in (x) or b > 2) and not \"in\"");
}

TEST(condition, says_where_and_what_was_expected) {
  EXPECT_EQ(complaint(""), "column 1: expected a parameter's name, found the end");
  EXPECT_EQ(complaint("a = 1"),
            "column 3: expected '==', '!=', '<', '<=', '>', '>=' or 'in', found '='");
  EXPECT_EQ(complaint("a == "), "column 6: expected a value, found the end");
  EXPECT_EQ(complaint("a == 1 b"), "column 8: expected 'and', 'or' or the end, found 'b'");
  EXPECT_EQ(complaint("a == 1 and"), "column 11: expected a parameter's name, found the end");
  EXPECT_EQ(complaint("0.5 < a"), "column 1: expected a parameter's name, found '0.5'");
  EXPECT_EQ(complaint("and a"), "column 1: expected a parameter's name, found 'and'");
  EXPECT_EQ(complaint("(a == 1"), "column 1: '(' is never closed");
  EXPECT_EQ(complaint("(a == 1]"), "column 8: expected 'and', 'or' or ')', found ']'");
  EXPECT_EQ(complaint("a == 1)"), "column 7: expected 'and', 'or' or the end, found ')'");
  EXPECT_EQ(complaint("a in x"), "column 6: expected '(', found 'x'");
  EXPECT_EQ(complaint("a in (x, y"), "column 6: the list of 'in' is never closed");
  EXPECT_EQ(complaint("a in (x y)"), "column 9: expected ',' or ')', found 'y'");
  EXPECT_EQ(complaint("a in ()"), "column 7: expected a value, found ')'");
  EXPECT_EQ(complaint("a not b"), "column 7: expected 'in', found 'b'");
  EXPECT_EQ(complaint("a && b"), "column 3: expected 'and' or 'or', found '&&'");
  EXPECT_EQ(complaint("a == \"x"), "column 6: '\"' is never closed");
}

TEST(condition, refuses_deep_nesting_and_reads_long_ones_quickly) {
  auto nested = [](std::size_t n) { return std::string(n, '(') + "a" + std::string(n, ')'); };
  EXPECT_EQ(complaint(nested(64)), "read");
  EXPECT_EQ(complaint(nested(65)), "column 65: brackets are nested deeper than 64");
  EXPECT_EQ(complaint(std::string(1 << 20, '(')), "column 65: brackets are nested deeper than 64");

  std::string negated;
  std::string chain = "a0 == 1";
  for (int i = 1; i < 20000; ++i) {
    negated += "not ";
    chain += " or a" + std::to_string(i) + " == 1 and b == 2";
  }
  EXPECT_TRUE(holds(negated + "not a == 1", {{"a", 1}}));
  EXPECT_EQ(condition::parse(chain)->names().size(), 20001u);
}

} // namespace

// SPDX-License-Identifier: BSD-3-Clause
#include "support/asking.hpp"

#include "tune/core/search/external/answer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tune::external {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const search_space& tree() {
  static const auto result = support::space_of({{"opt.kind", "choice(sgd, adam)"},
                                                {"opt.lr", "loguniform(1e-4, 1)"},
                                                {"momentum", "uniform(0, 1) if opt.kind == sgd"},
                                                {"n", "randint(1, 9)"},
                                                {"q", "quniform(0, 1, 0.05)"},
                                                {"k", "7"}});
  return *result;
}

object config() {
  return {{"opt.kind", "sgd"}, {"opt.lr", 0.5}, {"momentum", 0.25}, {"n", 3}, {"q", 0.5}};
}

object with(object to, std::string_view name, value what) {
  to.set(name, std::move(what));
  return to;
}

std::string fault_of(const object& from) {
  auto made = fitted(from, tree());
  return made ? "none: " + to_text(value{*made}) : made.error().detail;
}

object said(std::string_view way, value what) {
  return {{"id", 4}, {std::string{way}, std::move(what)}};
}

template <class T>
std::string why(const object& from) {
  auto made = read_answer(from, 4, tree());
  const auto* fault = std::get_if<T>(&made);
  return fault != nullptr ? fault->why : "it was taken";
}

TEST(external_answer, has_to_lie_in_the_range_that_holds) {
  auto space = support::space_of({{"n", "randint(0, {k} + 1)"},
                                  {"k", "randint(1, 9)"},
                                  {"x", "uniform(0, {k})"},
                                  {"q", "quniform(0, {k}, 0.05)"}});
  auto made = fitted({{"n", 2.0}, {"k", 2}, {"x", 1}, {"q", 3 * 0.05}}, *space);
  ASSERT_TRUE(made) << made.error().detail;
  EXPECT_EQ(*made, (object{{"n", 2}, {"k", 2}, {"x", 1.0}, {"q", 0.15}}));
  EXPECT_EQ(fitted({{"n", 3}, {"k", 2}, {"x", 1}, {"q", 0}}, *space).error().detail,
            "\"n\": 3 is not in randint(0, {k} + 1), which is randint(0, 3) here");
}

TEST(external_answer, takes_dotted_and_nested_names_alike) {
  object nested{
      {"opt", object{{"kind", "sgd"}, {"lr", 0.5}}}, {"momentum", 0.25}, {"n", 3}, {"q", 0.5}};
  auto dotted = fitted(config(), tree());
  ASSERT_TRUE(dotted) << dotted.error().detail;
  auto other = fitted(nested, tree());
  ASSERT_TRUE(other) << other.error().detail;
  EXPECT_EQ(*dotted, *other);
  EXPECT_EQ(to_text(value{*dotted}), "{opt: {kind: sgd, lr: 0.5}, momentum: 0.25, n: 3, q: 0.5, "
                                     "k: 7}");
}

TEST(external_answer, has_members_of_subsets_in_the_order_of_the_space) {
  auto space = support::space_of({{"with", "subset(a, b, c)"}});

  auto made = fitted({{"with", value::list{"c", "a"}}}, *space);

  ASSERT_TRUE(made) << made.error().detail;
  EXPECT_EQ(*made, (object{{"with", value::list{"a", "c"}}}));
}

TEST(external_answer, leaves_out_what_is_inactive) {
  auto made = fitted(with(config(), "opt.kind", "adam"), tree());
  ASSERT_TRUE(made) << made.error().detail;
  EXPECT_FALSE(made->contains("momentum"));
}

TEST(external_answer, fits_numbers_to_their_domain) {
  auto made = fitted(with(with(with(config(), "n", 3.0), "q", 3 * 0.05), "opt.lr", 1), tree());
  ASSERT_TRUE(made) << made.error().detail;
  EXPECT_EQ(*made->find("n"), value{3});
  EXPECT_EQ(*made->find("q"), value{0.15});
  EXPECT_EQ(*find_parameter(*made, "opt.lr"), value{1.0});
}

TEST(external_answer, fits_numbers_to_the_members_of_lists) {
  auto space = support::space_of({{"k", "choice(1, 2)"}, {"order", "permutation(1, 2)"}});

  auto made = fitted({{"k", 2.0}, {"order", value::list{2.0, 1.0}}}, *space);

  ASSERT_TRUE(made) << made.error().detail;
  EXPECT_EQ(*made, (object{{"k", 2}, {"order", value::list{2, 1}}}));
}

TEST(external_answer, names_key_value_and_range_of_what_is_wrong) {
  EXPECT_THAT(fault_of(with(config(), "opt.lr", 2.5)),
              AllOf(HasSubstr("\"opt.lr\""), HasSubstr("2.5"), HasSubstr("loguniform(1e-04, 1")));
  EXPECT_THAT(fault_of(with(config(), "n", 9)),
              AllOf(HasSubstr("\"n\""), HasSubstr("9 is not in randint(1, 9)")));
  EXPECT_THAT(fault_of(with(config(), "n", "three")), HasSubstr("\"n\""));
  EXPECT_THAT(fault_of(with(config(), "n", true)), HasSubstr("\"n\""));
  EXPECT_THAT(fault_of(with(config(), "momentum", "nan")), HasSubstr("\"momentum\""));
  EXPECT_THAT(fault_of(with(config(), "momentun", 0.5)),
              AllOf(HasSubstr("\"momentun\""), HasSubstr("did you mean \"momentum\"")));
  EXPECT_THAT(fault_of(with(config(), "k", 8)), HasSubstr("\"k\""));
  auto short_of_one = config();
  short_of_one.erase("momentum");
  EXPECT_THAT(fault_of(short_of_one),
              AllOf(HasSubstr("\"momentum\": is missing"), HasSubstr("uniform(0, 1)")));
}

TEST(external_answer, is_one_of_four) {
  auto made = read_answer(said("config", config()), 4, tree());
  ASSERT_TRUE(std::holds_alternative<proposal>(made));
  const auto& list = std::get<std::vector<suggestion>>(std::get<proposal>(made));
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list.front().origin, own_origin);
  made = read_answer(said("wait", true), 4, tree());
  EXPECT_TRUE(std::holds_alternative<nothing_yet>(std::get<proposal>(made)));
  made = read_answer({{"id", 4}, {"none", true}, {"why", "all tried"}}, 4, tree());
  EXPECT_EQ(std::get<exhausted>(std::get<proposal>(made)).why, "all tried");
  EXPECT_THAT(why<breach>(said("error", "no memory")), HasSubstr("no memory"));
  EXPECT_THAT(why<refused>(said("config", object{})), HasSubstr("is missing"));
}

TEST(external_answer, is_a_breach_otherwise) {
  EXPECT_THAT(why<breach>({{"config", config()}}), HasSubstr("id of the question, which is 4"));
  EXPECT_THAT(why<breach>({{"id", 3}, {"wait", true}}), HasSubstr("question 3, and was asked 4"));
  EXPECT_THAT(why<breach>({{"id", 4}}), HasSubstr("one of config, none, wait and error"));
  EXPECT_THAT(why<breach>({{"id", 4}, {"wait", true}, {"none", true}}), HasSubstr("one of"));
  EXPECT_THAT(why<breach>(said("config", 3)), HasSubstr("no object"));
  EXPECT_THAT(why<breach>(said("wait", false)), HasSubstr("wait must be true"));
}

TEST(external_answer, greets_with_the_version) {
  EXPECT_EQ(why_no_greeting({{"tune", 1}, {"name", "mine"}}), "");
  EXPECT_THAT(why_no_greeting({{"tune", 2}}), HasSubstr("version 2"));
  EXPECT_THAT(why_no_greeting({{"hello", 1}}), HasSubstr("{\"tune\":1}"));
  EXPECT_THAT(why_no_greeting({{"error", "no conditions, please"}}),
              HasSubstr("no conditions, please"));
}

} // namespace
} // namespace tune::external

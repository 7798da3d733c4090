// SPDX-License-Identifier: BSD-3-Clause
#include "../../src/net/answer_verdict.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

using kind = answer_verdict::kind;
constexpr auto stays = false;
constexpr auto leaves = true;

welcome from(std::string head, std::string process, std::string name) {
  welcome result;
  result.head = std::move(head);
  result.process = std::move(process);
  result.name = std::move(name);
  return result;
}

const welcome first = from("a", "process 1", "w");

kind verdict_on(const hello_answer& answer, const welcome* before, bool whether) {
  return judge_answer(answer, before, whether).what;
}

TEST(answer_verdict, enters_where_it_is_welcome) {
  const auto what = judge_answer(hello_answer{first}, nullptr, stays);

  EXPECT_EQ(what.what, kind::enter);
  EXPECT_EQ(what.by, first);
}

TEST(answer_verdict, tries_again_what_makes_no_sense) {
  const auto what = judge_answer(error{ec::bad_syntax, "no JSON"}, &first, stays);

  EXPECT_EQ(what.what, kind::try_again);
  EXPECT_EQ(what.why, "the head's answer makes no sense: no JSON");
}

TEST(answer_verdict, heeds_whether_a_rejection_is_final) {
  EXPECT_EQ(verdict_on(rejection{"full", true}, nullptr, stays), kind::try_again);
  EXPECT_EQ(verdict_on(rejection{"old", false}, nullptr, stays), kind::give_up);
  EXPECT_EQ(verdict_on(rejection{"old", false}, &first, stays), kind::give_up);
}

TEST(answer_verdict, does_not_enter_only_to_leave) {
  EXPECT_EQ(verdict_on(first, nullptr, leaves), kind::leave);
  EXPECT_EQ(verdict_on(first, &first, leaves), kind::enter);
}

TEST(answer_verdict, gives_up_attempts_that_another_head_knows_nothing_of) {
  const auto what = judge_answer(hello_answer{from("b", "process 2", "w")}, &first, stays);

  EXPECT_EQ(what.what, kind::give_up);
  EXPECT_EQ(what.why, "another head leads");
}

TEST(answer_verdict, needs_its_name_at_a_head_in_the_place_of_another) {
  const auto what = judge_answer(hello_answer{from("a", "process 2", "w-2")}, &first, stays);

  EXPECT_EQ(verdict_on(from("a", "process 2", "w"), &first, stays), kind::enter);
  EXPECT_EQ(verdict_on(from("a", "process 1", "w-2"), &first, stays), kind::enter);
  EXPECT_EQ(what.what, kind::give_up);
  EXPECT_EQ(what.why, "another worker has the name w by now");
}

} // namespace
} // namespace tune

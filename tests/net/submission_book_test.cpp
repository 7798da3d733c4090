// SPDX-License-Identifier: BSD-3-Clause
#include "../../src/net/submission_book.hpp"

#include "support/deterministic_system.hpp"

#include <gmock/gmock.h>

#include <string>
#include <utility>

namespace tune {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto wants_rows = true;
constexpr auto attached = true;

class submission_book_test : public support::deterministic_system {
protected:
  submission_book uut;
  follower_actor me = keep(follower());
  follower_actor other = keep(follower());

  follower_actor follower() {
    return system->spawn([]() -> follower_actor::behavior_type {
      return {[](const client_answer&) {}, [](const experiment_ended&) {},
              [](const remote_output&) {}};
    });
  }

  static submission_message words(std::string experiment) {
    submission_message result;
    result.experiment = std::move(experiment);
    result.from = "me at home";
    return result;
  }

  /// An experiment that runs, followed by me.
  std::uint64_t running(const std::string& name, bool rows = wants_rows) {
    const auto result = uut.add(words(name), "CN=me", {{me, 1, rows}});
    uut.at(result).is_taken = true;
    return result;
  }
};

TEST_F(submission_book_test, lets_one_experiment_of_a_name_be_under_way) {
  const auto first = running("digits");

  const auto again = uut.may_begin(words("digits"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ec::refused);
  EXPECT_THAT(again.error().detail, HasSubstr("from me at home"));
  EXPECT_TRUE(uut.may_begin(words("letters")));
  auto numbered = words("digits");
  numbered.numbered = true;
  EXPECT_TRUE(uut.may_begin(numbered));

  static_cast<void>(uut.end(first, true));
  EXPECT_TRUE(uut.may_begin(words("digits")));
}

TEST_F(submission_book_test, lets_only_the_submitter_follow_again) {
  const auto first = running("digits");

  const auto mine = uut.to_follow("digits", "CN=me");
  const auto others = uut.to_follow("digits", "CN=other");
  const auto none = uut.to_follow("letters", "CN=me");

  ASSERT_TRUE(mine);
  EXPECT_EQ(*mine, uut.find(first));
  EXPECT_EQ(others.error().code, ec::refused);
  EXPECT_EQ(none.error().code, ec::unknown_name);
  EXPECT_EQ(uut.owner_of("digits"), "me at home (CN=me)");
  EXPECT_EQ(uut.owner_of("letters"), "");
}

TEST_F(submission_book_test, answers_only_those_that_follow_what_runs) {
  const auto first = running("digits");

  EXPECT_EQ(uut.asked_by(first, me), uut.find(first));
  EXPECT_EQ(uut.asked_by(first, other), nullptr);
  EXPECT_EQ(uut.asked_by(first + 1, me), nullptr);

  uut.at(first).is_taken = false;
  EXPECT_EQ(uut.asked_by(first, me), nullptr);
}

TEST_F(submission_book_test, keeps_what_is_over_until_all_rows_are_fetched) {
  const auto first = running("digits");
  uut.at(first).listeners.push_back({other, 2, !wants_rows, attached});

  const auto over = uut.end(first, true);

  ASSERT_EQ(over.told.size(), 2u);
  EXPECT_TRUE(over.told[0].wants_rows);
  EXPECT_FALSE(over.told[1].wants_rows);
  EXPECT_FALSE(over.done);
  EXPECT_TRUE(uut.all_over());
  EXPECT_FALSE(uut.has_rows(first, other));
  EXPECT_TRUE(uut.has_rows(first, me));
  EXPECT_EQ(uut.find(first), nullptr);
}

TEST_F(submission_book_test, lets_nobody_ask_for_rows_that_there_are_not) {
  const auto first = running("digits");

  const auto over = uut.end(first, false);

  ASSERT_EQ(over.told.size(), 1u);
  EXPECT_FALSE(over.told[0].wants_rows);
  EXPECT_TRUE(over.done);
  EXPECT_EQ(uut.find(first), nullptr);
}

TEST_F(submission_book_test, keeps_what_runs_though_its_client_is_gone) {
  const auto runs = running("digits");
  const auto ended = running("letters");
  static_cast<void>(uut.end(ended, true));
  EXPECT_FALSE(uut.all_over());

  const auto done = uut.forget(me);

  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].words.experiment, "letters");
  EXPECT_THAT(uut.at(runs).listeners, IsEmpty());
  EXPECT_FALSE(uut.has_rows(runs, me));
}

} // namespace
} // namespace tune

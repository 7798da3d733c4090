// SPDX-License-Identifier: BSD-3-Clause
#include "../../src/actors/attempt_end.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tune {
namespace {

const attempt_id attempt{1, 2};
using texts = std::vector<std::string>;

struct attempt_end_test : testing::Test {
  attempt_end uut;
  exit_judgement failed{end_class::user_error, "exit status 3", 3, false};
};

TEST_F(attempt_end_test, tells_how_the_program_ended) {
  uut.begin(attempt, {});
  uut.is_judged(failed);
  uut.output_is_closed({});

  const auto told = uut.take();
  EXPECT_EQ(told.attempt.id(), attempt);
  EXPECT_EQ(told.how, static_cast<std::uint8_t>(end_class::user_error));
  EXPECT_EQ(told.detail, "exit status 3");
  EXPECT_TRUE(told.has_status);
  EXPECT_EQ(told.exit_status, 3);
  EXPECT_FALSE(told.came_late);
  EXPECT_EQ(told.remarks, texts{});
}

TEST_F(attempt_end_test, has_no_status_if_the_program_never_ran) {
  failed.exit_status.reset();
  uut.begin(attempt, {});
  uut.is_judged(failed);

  EXPECT_FALSE(uut.take().has_status);
}

TEST_F(attempt_end_test, adds_what_was_in_the_way_of_its_files_in_lines_of_their_own) {
  uut.begin(attempt, "cannot write params.json");
  uut.is_judged(failed);
  uut.output_is_closed("the disk is full");

  EXPECT_EQ(uut.take().detail, "exit status 3\ncannot write params.json\nnot all that it printed is"
                               " in its files: the disk is full");
}

TEST_F(attempt_end_test, begins_with_the_note_if_there_is_nothing_else_to_say) {
  failed.detail.clear();
  uut.begin(attempt, "cannot write params.json");
  uut.is_judged(failed);
  uut.output_is_closed({});

  EXPECT_EQ(uut.take().detail, "cannot write params.json");
}

TEST_F(attempt_end_test, sends_remarks_once_with_a_report_or_with_the_end) {
  uut.begin(attempt, {});
  uut.remark_on("pattern", "it is slow");
  EXPECT_EQ(uut.take_remarks(), (texts{"pattern", "it is slow"}));
  uut.remark_on("stop_grace", "it was cut short");

  uut.is_judged(failed);
  uut.output_is_closed("the disk is full");

  EXPECT_EQ(uut.take().remarks,
            (texts{"stop_grace", "it was cut short", "output",
                   "not all that it printed is in its files: the disk is full"}));
  EXPECT_EQ(uut.take_remarks(), texts{});
}

} // namespace
} // namespace tune

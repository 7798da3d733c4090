// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/experiment/shown_saving.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace tune {
namespace {

struct shown_saving_test : testing::Test {
  shown_saving uut;

  std::optional<bool> fail_to_save(bool unable) {
    on::save_failed what;
    what.checkpoint = checkpoint_id{1};
    what.why = "it cannot";
    what.unable = unable;
    return uut.heard(what);
  }
  std::optional<bool> save() { return uut.heard(on::saved{}); }
};

TEST_F(shown_saving_test, is_news_when_a_program_says_that_it_cannot_save) {
  EXPECT_EQ(fail_to_save(false), std::nullopt) << "a disk may be full";
  EXPECT_EQ(uut.heard(on::started{}), std::nullopt);

  EXPECT_EQ(fail_to_save(true), false);
  EXPECT_EQ(fail_to_save(true), std::nullopt) << "it is known";
}

TEST_F(shown_saving_test, is_news_when_such_a_program_hands_a_checkpoint_over) {
  EXPECT_EQ(fail_to_save(true), false);

  EXPECT_EQ(save(), true);
  EXPECT_EQ(save(), std::nullopt);
  EXPECT_EQ(fail_to_save(true), std::nullopt) << "it saves of its own accord";
}

TEST_F(shown_saving_test, is_taken_for_granted) {
  EXPECT_EQ(save(), std::nullopt);
}

} // namespace
} // namespace tune

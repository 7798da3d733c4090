// SPDX-License-Identifier: BSD-3-Clause
#include "../../src/actors/attempt_events.hpp"

#include "tune/core/trial/costs.hpp"
#include "tune/io/checkpoint/checkpoint_directory.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tune {
namespace {

constexpr trial_id its_id{7};
const attempt_id attempt{1, 2};
constexpr auto from_far = true;

attempt_saved saved_at(std::string location) {
  return {attempt, 9, 5, 22, std::move(location), 12};
}

std::string own_place() {
  return (checkpoint_folder(its_id, attempt) / "checkpoint_000005").string();
}

TEST(event_of_a_save, is_believed_of_a_node_about_the_attempts_own_checkpoints) {
  ASSERT_TRUE(is_checkpoint_location(own_place())) << own_place();
  for (const auto& place : {own_place(), std::string{}, std::string{kept_in_memory} + "x"}) {
    const auto told = event_of(its_id, saved_at(place), from_far);

    ASSERT_TRUE(std::holds_alternative<on::saved>(told)) << place;
    EXPECT_EQ(std::get<on::saved>(told).location, place);
    EXPECT_EQ(std::get<on::saved>(told).iteration, 5u);
  }
}

TEST(event_of_a_save, is_a_failure_if_a_node_names_the_place_of_another_attempt) {
  const auto others = (checkpoint_folder(its_id, attempt_id{1, 3}) / "checkpoint_000005").string();
  for (const auto& place : {others, std::string{"/etc"}, own_place() + "/../../x"}) {
    const auto told = event_of(its_id, saved_at(place), from_far);

    ASSERT_TRUE(std::holds_alternative<on::save_failed>(told)) << place;
    const auto& failed = std::get<on::save_failed>(told);
    EXPECT_EQ(failed.checkpoint.number, 9u);
    EXPECT_EQ(failed.why, "its node names a place that is not the attempt's: " + place);
    EXPECT_FALSE(failed.unable);
  }
}

TEST(event_of_a_save, is_believed_of_the_heads_own_node) {
  EXPECT_TRUE(std::holds_alternative<on::saved>(event_of(its_id, saved_at("/x"), !from_far)));
}

TEST(event_of_exports, joins_the_lists_of_equal_length_alone) {
  attempt_exported what{attempt, "exports", 3, {"onnx", "csv"}, {"exports/onnx", ""}, {"", "no"}};

  const auto told = event_of(its_id, what);
  what.whys.pop_back();

  ASSERT_TRUE(told);
  const auto& all = std::get<on::exported>(*told).formats;
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].path, "exports/onnx");
  EXPECT_EQ(all[1].why, "no");
  EXPECT_FALSE(event_of(its_id, what));
}

TEST(event_of_an_end, writes_down_only_costs_that_are_known) {
  attempt_ended what;
  what.attempt = attempt;
  what.exit_status = 3;
  what.costs.content = std::make_shared<const object>(object{{"smuggled", 1.0}});

  const auto without_status = std::get<on::ended>(event_of(its_id, what));
  what.has_status = true;
  const auto with_status = std::get<on::ended>(event_of(its_id, what));

  EXPECT_FALSE(without_status.exit_status);
  EXPECT_EQ(with_status.exit_status, 3);
  EXPECT_EQ(from_record(with_status.costs), cost_sheet{});
}

TEST(end_without_word, counts_as_killed) {
  const auto told = std::get<on::ended>(event_of(its_id, end_without_word(attempt, "exit 1")));

  EXPECT_EQ(told.how, end_class::killed);
  EXPECT_EQ(told.detail, "the trainable went away: exit 1");
  EXPECT_EQ(told.attempt, attempt);
}

TEST(mode_of_a_halt, is_the_hardest_for_a_number_that_no_mode_has) {
  EXPECT_EQ(mode_of({attempt, static_cast<std::uint8_t>(halt_mode::stop)}), halt_mode::stop);
  EXPECT_EQ(mode_of({attempt, static_cast<std::uint8_t>(halt_mode::release)}), halt_mode::release);
  EXPECT_EQ(mode_of({attempt, 200}), halt_mode::kill);
}

TEST(remarks_of_an_attempt, name_the_trial_and_need_a_text) {
  const auto told = remarks_of(its_id, {"output", "not all is here", "lost"});

  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].text, "trial " + to_text(its_id) + ": not all is here");
  EXPECT_EQ(told[0].about, "output");
}

} // namespace
} // namespace tune

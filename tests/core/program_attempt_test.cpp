// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/program_attempt.hpp"

#include "tune/core/rng.hpp"

#include <gmock/gmock.h>

#include <map>
#include <optional>
#include <set>

namespace tune {
namespace {

using namespace std::chrono_literals;
using namespace program_cmd;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using answer = program_attempt::answer;
using save_now = program_cmd::save;
using stop_now = program_cmd::stop;
using train_on = program_cmd::go_on;

template <class T>
auto is(T what) {
  return testing::VariantWith<T>(std::move(what));
}
auto a_report() {
  return testing::VariantWith<pass_on>(testing::_);
}

program_attempt running(program_attempt::plan how = {}) {
  program_attempt result{std::move(how), attempt_session{0, 0ns, instant{0s}}};
  result.started(instant{0s});
  return result;
}

object loss(double x) {
  return object{{"loss", x}};
}

program_commands report(program_attempt& uut, instant now = instant{1s}, bool hands_over = false) {
  return uut.reported(loss(.5), false, hands_over, now, 0);
}

program_attempt reported(program_attempt::plan how = {}) {
  auto result = running(std::move(how));
  EXPECT_THAT(report(result), ElementsAre(a_report()));
  return result;
}

/// An attempt that was told to save checkpoint 7.
program_attempt saving(answer_kind how = answer_kind::save, program_attempt::plan what = {}) {
  auto result = reported(std::move(what));
  EXPECT_THAT(result.answered({1, how, 0, 7, false, false}, instant{2s}),
              ElementsAre(is(begin_draft{false})));
  EXPECT_THAT(result.draft_made({}, instant{2s}),
              ElementsAre(is(save_now{how == answer_kind::save_and_end, false})));
  return result;
}

answer continues(std::uint64_t number, std::uint64_t until = 0) {
  return {number, answer_kind::go_on, until};
}

TEST(program_attempt, holds_a_report_until_it_is_answered) {
  auto uut = reported();

  EXPECT_THAT(uut.answered(continues(0), instant{2s}), IsEmpty());
  EXPECT_THAT(uut.answered(continues(1), instant{2s}), ElementsAre(is(train_on{})));
  EXPECT_THAT(uut.answered(continues(1), instant{2s}), IsEmpty());
}

TEST(program_attempt, needs_no_answer_where_it_has_credit) {
  auto uut = reported();
  (void)uut.answered(continues(1, 3), instant{2s});

  EXPECT_THAT(report(uut), ElementsAre(a_report(), is(train_on{})));
  EXPECT_THAT(report(uut), ElementsAre(a_report()));
}

TEST(program_attempt, counts_no_time_for_which_its_report_waited) {
  auto uut = reported();
  (void)uut.answered(continues(1), instant{11s});

  auto next = report(uut, instant{13s});

  EXPECT_EQ(std::get<pass_on>(next.at(0)).what.time_this_iter, 2s);
  EXPECT_EQ(std::get<pass_on>(next.at(0)).what.time_total, 3s);
}

TEST(program_attempt, is_told_to_stop_and_given_time) {
  auto uut = reported({.stop_grace = 5s});

  EXPECT_THAT(uut.answered({1, answer_kind::stop}, instant{2s}),
              ElementsAre(is(stop_now{false}), is(wake{5s})));
  EXPECT_TRUE(uut.is_ending());
  EXPECT_THAT(uut.woken(instant{6s}), IsEmpty());
  EXPECT_FALSE(uut.stopped_too_late());
  EXPECT_THAT(uut.woken(instant{7s}), ElementsAre(is(end_program{})));
  EXPECT_TRUE(uut.stopped_too_late());
}

TEST(program_attempt, gains_no_time_by_further_reports) {
  auto uut = reported({.stop_grace = 5s});
  (void)uut.halt(halt_mode::stop, false, instant{2s});

  EXPECT_THAT(report(uut, instant{4s}), ElementsAre(a_report(), is(stop_now{false})));
  EXPECT_THAT(uut.woken(instant{7s}), ElementsAre(is(end_program{})));
}

TEST(program_attempt, hears_of_a_stop_in_the_middle_of_a_step_at_its_next_report) {
  auto uut = running();

  EXPECT_THAT(uut.halt(halt_mode::stop, true, instant{1s}), IsEmpty());
  EXPECT_THAT(report(uut), ElementsAre(a_report(), is(stop_now{true})));
}

TEST(program_attempt, is_ended_by_signals_where_nobody_talks_to_it) {
  auto uut = running({.is_read = true});

  EXPECT_THAT(uut.halt(halt_mode::stop, false, instant{1s}), ElementsAre(is(end_program{})));
  EXPECT_TRUE(uut.is_ending());
}

TEST(program_attempt, saves_and_trains_on) {
  auto uut = saving();

  EXPECT_THAT(uut.saved(instant{4s}), ElementsAre(is(keep{7, false})));
  EXPECT_THAT(report(uut, instant{5s}), ElementsAre(a_report()));
  EXPECT_THAT(uut.saved(instant{4s}), IsEmpty());
}

TEST(program_attempt, ends_with_a_checkpoint) {
  auto uut = saving(answer_kind::save_and_end, {.stop_grace = 5s});

  EXPECT_THAT(uut.saved(instant{4s}), ElementsAre(is(keep{7, true}), is(wake{5s})));
  EXPECT_THAT(uut.gone(), IsEmpty());
  EXPECT_THAT(uut.settled(instant{5s}), ElementsAre(is(conclude{})));
}

TEST(program_attempt, that_cannot_pause_has_not_ended) {
  auto uut = saving(answer_kind::save_and_end);

  EXPECT_THAT(uut.not_saved("disk full", false, instant{4s}),
              ElementsAre(is(drop_draft{}), is(not_kept{7, "disk full", 0, false})));
  EXPECT_FALSE(uut.is_ending());
}

TEST(program_attempt, that_reports_again_has_not_saved) {
  auto uut = saving();

  auto all = report(uut, instant{5s});

  EXPECT_THAT(
      all, ElementsAre(is(drop_draft{}), testing::VariantWith<not_kept>(testing::_), a_report()));
  EXPECT_EQ(std::get<pass_on>(all.at(2)).what.time_this_iter, 4s)
      << "its step took time all the same";
}

TEST(program_attempt, that_is_asked_again_for_a_save_that_is_over_says_that_it_is_not_kept) {
  for (auto how : {answer_kind::save, answer_kind::save_and_end}) {
    auto uut = saving(how);
    (void)uut.not_saved("disk full", false, instant{4s});

    EXPECT_THAT(uut.answered({1, how, 0, 7}, instant{5s}),
                ElementsAre(is(not_kept{7, "it had trained on", 0, false})));
  }
}

TEST(program_attempt, that_is_asked_again_for_a_save_that_succeeded_says_no_more) {
  for (auto how : {answer_kind::save, answer_kind::save_and_end}) {
    auto uut = saving(how);
    (void)uut.saved(instant{4s});

    EXPECT_THAT(uut.answered({1, how, 0, 7}, instant{5s}), IsEmpty()) << "it is being kept";
    EXPECT_THAT(uut.settled(instant{6s}), IsEmpty());
    EXPECT_THAT(uut.answered({1, how, 0, 7}, instant{7s}), IsEmpty());
  }
}

TEST(program_attempt, that_is_asked_again_for_what_could_not_be_kept_says_so) {
  auto uut = saving();
  (void)uut.saved(instant{4s});
  (void)uut.settled(instant{5s}, 7);

  EXPECT_THAT(uut.answered({1, answer_kind::save, 0, 7}, instant{6s}),
              ElementsAre(is(not_kept{7, "it had trained on", 0, false})));
}

TEST(program_attempt, that_is_asked_again_while_it_saves_goes_on_with_it) {
  auto uut = saving();

  EXPECT_THAT(uut.answered({1, answer_kind::save, 0, 7}, instant{3s}), IsEmpty());
  EXPECT_THAT(uut.saved(instant{4s}), testing::SizeIs(1));
}

TEST(program_attempt, that_cannot_save_trains_on) {
  auto uut = running();
  uut.greeted(false);
  (void)report(uut);

  EXPECT_THAT(uut.answered({1, answer_kind::save, 0, 7}, instant{2s}),
              ElementsAre(is(not_kept{7, "this program cannot save", 0, true}), is(train_on{})));
  EXPECT_FALSE(uut.is_ending());
}

TEST(program_attempt, trains_on_where_no_draft_can_be_made) {
  auto uut = reported();
  (void)uut.answered({1, answer_kind::save, 0, 7}, instant{2s});

  EXPECT_THAT(uut.draft_made("no space", instant{3s}),
              ElementsAre(is(not_kept{7, "no space", 0, false}), is(train_on{})));
}

TEST(program_attempt, is_told_to_stop_while_its_draft_is_being_made) {
  auto uut = reported();
  (void)uut.answered({1, answer_kind::save, 0, 7}, instant{2s});

  EXPECT_THAT(uut.halt(halt_mode::stop, false, instant{3s}),
              ElementsAre(is(drop_draft{}), is(stop_now{false})));
  EXPECT_THAT(uut.draft_made({}, instant{4s}), IsEmpty());
}

TEST(program_attempt, has_what_it_hands_over_copied_before_it_trains_on) {
  auto uut = running();

  EXPECT_THAT(report(uut, instant{1s}, true), ElementsAre(a_report(), is(copy{})));
  EXPECT_THAT(uut.answered(continues(1), instant{2s}), IsEmpty());
  EXPECT_THAT(uut.copied({}, instant{3s}), ElementsAre(is(keep{0, false}), is(train_on{})));
}

TEST(program_attempt, trains_on_where_what_it_hands_over_cannot_be_copied) {
  auto uut = running();
  (void)report(uut, instant{1s}, true);

  EXPECT_THAT(uut.copied("gone", instant{3s}),
              ElementsAre(is(drop_draft{}), is(not_kept{0, "gone", 1, false})));
  EXPECT_THAT(uut.answered(continues(1), instant{4s}), ElementsAre(is(train_on{})));
}

TEST(program_attempt, waits_with_a_copy_while_two_are_being_made_safe) {
  auto uut = running();
  for (std::uint64_t i = 1; i <= program_attempt::most_saves; ++i) {
    (void)report(uut, instant{1s}, true);
    (void)uut.copied({}, instant{1s});
    (void)uut.answered(continues(i), instant{1s});
  }

  EXPECT_THAT(report(uut, instant{1s}, true), ElementsAre(a_report()));
  EXPECT_THAT(uut.settled(instant{2s}), ElementsAre(is(copy{})));
}

TEST(program_attempt, is_over_once_its_checkpoints_are_settled) {
  auto uut = running();
  (void)report(uut, instant{1s}, true);

  EXPECT_THAT(uut.gone(), IsEmpty());
  EXPECT_THAT(uut.copied({}, instant{2s}), ElementsAre(is(keep{0, false})));
  EXPECT_THAT(uut.settled(instant{3s}), ElementsAre(is(conclude{})));
  EXPECT_THAT(uut.halt(halt_mode::kill, false, instant{4s}), IsEmpty());
}

TEST(program_attempt, that_is_killed_has_its_saves_dropped) {
  auto uut = saving();
  (void)uut.saved(instant{3s});

  EXPECT_THAT(uut.halt(halt_mode::kill, false, instant{4s}),
              ElementsAre(is(end_program{}), is(drop_saves{})));
  EXPECT_TRUE(uut.is_killed());
}

TEST(program_attempt, whose_time_is_nearly_over_is_late_where_the_machine_ends_it) {
  auto uut = reported({.stop_grace = 5s});
  (void)uut.answered({1, answer_kind::stop}, instant{2s});

  (void)uut.halt(halt_mode::kill, false, instant{6s});

  EXPECT_TRUE(uut.stopped_too_late());
}

TEST(program_attempt, exports_of_its_own_accord_within_a_limit) {
  auto uut = running({.has_exports = true, .export_time = 9s});

  EXPECT_THAT(uut.exports(instant{1s}), ElementsAre(is(wake{9s}), is(announce_export{})));
  EXPECT_THAT(uut.exports(instant{1s}), IsEmpty());
  EXPECT_THAT(uut.woken(instant{10s}), ElementsAre(is(end_program{})));
  EXPECT_TRUE(uut.exported_too_long());
}

TEST(program_attempt, that_reports_again_is_not_at_its_end) {
  auto uut = running({.has_exports = true, .export_time = 9s});
  (void)uut.exports(instant{1s});
  (void)report(uut);

  EXPECT_THAT(uut.woken(instant{10s}), IsEmpty());
}

TEST(program_attempt, is_ended_for_a_breach_of_the_protocol_alone) {
  auto uut = running();
  EXPECT_THAT(uut.breaks_protocol("no JSON"), ElementsAre(is(end_program{})));
  EXPECT_THAT(uut.breach(), HasSubstr("no JSON"));

  auto told = running();
  (void)told.halt(halt_mode::stop, false, instant{1s});
  EXPECT_THAT(told.breaks_protocol("a line that TERM cut"), ElementsAre(is(end_program{})));
  EXPECT_EQ(told.breach(), "");
}

TEST(program_attempt, that_is_to_save_breaks_the_protocol_also_where_it_is_to_end_then) {
  for (auto how : {answer_kind::save, answer_kind::save_and_end}) {
    auto uut = saving(how);
    EXPECT_THAT(uut.breaks_protocol("no JSON"), ElementsAre(is(end_program{})));
    EXPECT_THAT(uut.breach(), HasSubstr("no JSON"));
  }

  auto halted = saving(answer_kind::save_and_end);
  (void)halted.halt(halt_mode::stop, false, instant{3s});
  (void)halted.breaks_protocol("a line that TERM cut");
  EXPECT_EQ(halted.breach(), "");

  auto saved = saving(answer_kind::save_and_end);
  (void)saved.saved(instant{3s});
  (void)saved.breaks_protocol("last words");
  EXPECT_EQ(saved.breach(), "");
}

TEST(program_attempt, is_ended_for_an_iteration_that_goes_back) {
  auto uut = running();
  (void)uut.reported(object{{"training_iteration", 5}}, false, false, instant{1s}, 0);
  (void)uut.answered(continues(1), instant{1s});

  EXPECT_THAT(uut.reported(object{{"training_iteration", 5}}, false, false, instant{1s}, 0),
              ElementsAre(is(end_program{})));
  EXPECT_THAT(uut.breach(), HasSubstr("training_iteration"));
}

TEST(program_attempt, leaves_an_iteration_out_that_it_found_in_ordinary_output) {
  auto uut = running({.is_read = true});

  EXPECT_THAT(uut.reported(object{{"training_iteration", "of 9"}}, false, false, instant{1s}, 0),
              ElementsAre(a_report()));
}

TEST(program_attempt, of_a_further_rank_neither_reports_nor_stays) {
  auto uut = running({.is_first = false});

  EXPECT_THAT(report(uut), ElementsAre(is(train_on{})));
  EXPECT_THAT(uut.halt(halt_mode::stop, false, instant{1s}),
              ElementsAre(is(stop_now{false}), is(wake{program_attempt::wait_of_rank})));
}

TEST(program_attempt, says_nothing_to_a_host_that_waits_for_other_trials) {
  auto uut = running({.stop_grace = 1s});
  (void)uut.halt(halt_mode::stop, false, instant{1s});
  (void)report(uut);
  uut.parked();

  EXPECT_THAT(uut.woken(instant{9s}), IsEmpty());
  EXPECT_THAT(uut.halt(halt_mode::kill, false, instant{9s}), IsEmpty());
}

TEST(program_attempt, knows_whether_its_objective_appeared) {
  auto uut = running({.objective = "acc"});
  (void)report(uut);
  EXPECT_TRUE(uut.has_reported());
  EXPECT_FALSE(uut.saw_objective());

  (void)uut.answered(continues(1), instant{1s});
  (void)uut.reported(object{{"acc", 1}}, false, false, instant{1s}, 0);
  EXPECT_TRUE(uut.saw_objective());
}

} // namespace
} // namespace tune

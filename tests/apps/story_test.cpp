// What is recorded about one trial, as people and programs read it.
// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/story.hpp"

#include <gmock/gmock.h>

#include <memory>
#include <sstream>

namespace tune::cli {
namespace {

using testing::HasSubstr;

/// Trial 3 with its best report, 0.4 at iteration 2, and a checkpoint of that iteration.
trial_story with_checkpoint_of(trial_id whose, double acc) {
  trial_story result;
  result.trial.trial = {3};
  result.trial.best_iteration = 2;
  result.trial.best_metrics = object{{"acc", 0.4}};
  checkpoint_row checkpoint;
  checkpoint.trial = whose;
  checkpoint.iteration = 2;
  checkpoint.location = "trials/" + to_text(whose) + "/checkpoint_000001";
  auto at = std::make_shared<report>();
  at->iteration = 2;
  at->metrics = std::make_shared<const object>(object{{"acc", acc}});
  result.best_checkpoint = saved_report{checkpoint, at};
  return result;
}

std::string shown(const trial_story& x, output_format how) {
  std::ostringstream out;
  write_story(x, {{"acc", true}}, how, {}, out);
  return out.str();
}

TEST(story, says_whose_the_best_checkpoint_is) {
  auto uut = with_checkpoint_of({2}, 0.45);

  EXPECT_THAT(shown(uut, output_format::table),
              HasSubstr("best checkpoint: trials/00002/checkpoint_000001, of trial 00002 at "
                        "iteration 2 with acc=0.45\n"));
  EXPECT_THAT(shown(uut, output_format::json), HasSubstr(R"("trial":"00002","iteration":2)"));
}

TEST(story, needs_no_word_on_the_checkpoint_of_the_best_report) {
  EXPECT_THAT(shown(with_checkpoint_of({3}, 0.4), output_format::table),
              HasSubstr("best checkpoint: trials/00003/checkpoint_000001\n"));
}

TEST(story, says_what_a_checkpoint_of_another_report_of_that_iteration_has) {
  EXPECT_THAT(shown(with_checkpoint_of({3}, 0.3), output_format::table),
              HasSubstr("/checkpoint_000001, of iteration 2 with acc=0.3\n"));
}

TEST(story, says_that_saves_are_among_its_failures) {
  trial_story uut;
  uut.trial.trial = {3};
  uut.trial.status = trial_status::terminated;
  uut.trial.iterations = 4;
  uut.trial.failures = 2;
  attempt_row failed;
  failed.trial = {3};
  failed.attempt = {1, 1};
  failed.began = std::chrono::seconds{1};
  failed.finished = std::chrono::seconds{2};
  failed.how = end_class::user_error;
  attempt_row well = failed;
  well.attempt = {1, 2};
  well.how = end_class::finished;

  uut.attempts = {failed, well};
  EXPECT_THAT(
      shown(uut, output_format::table),
      HasSubstr("trial 00003 TERMINATED at iteration 4, 2 failures, saves for a pause or for "
                "another trial among them\n"));
  uut.attempts = {failed, failed, well};
  EXPECT_THAT(shown(uut, output_format::table), HasSubstr("at iteration 4, 2 failures\n"));
  uut.trial.failures = 0;
  EXPECT_THAT(shown(uut, output_format::table), HasSubstr("at iteration 4\n"));
}

TEST(story, tells_one_stop_once) {
  decision_row x;
  x.seq = 241;
  x.trial = {3};
  x.iteration = 9;
  x.action = "stop";
  x.reason = {{"why", "reached the end of its bracket"}};
  std::vector<decision_row> all(4, x);
  all[2].trial = {4};
  all[3].action = "annotate";
  all.insert(all.begin(), all[3]);

  leave_out_repeated(all);

  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[1].action, "stop");
  EXPECT_EQ(all[2].trial, trial_id{4});
  EXPECT_EQ(all[3].action, "annotate");
}

} // namespace
} // namespace tune::cli

// Going on with what a directory holds.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/resume_command.hpp"

#include "io/scratch_directory.hpp"

#include "tune/io/spec/record.hpp"
#include "tune/io/store/experiment_store.hpp"
#include "tune/tuner/choices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tune::cli {
namespace {

using testing::HasSubstr;

struct resume_command_test : samples::scratch_directory {};

TEST_F(resume_command_test, says_what_begins_an_experiment_whose_head_ended_before_it_began) {
  const auto directory = root / "x";
  ASSERT_TRUE(experiment_store::create(directory));
  resume_request what;
  what.directory = directory.string();

  testing::internal::CaptureStderr();
  const auto code = resume_experiment({}, what, {});
  const auto said = testing::internal::GetCapturedStderr();

  EXPECT_EQ(code, exit_code::configuration);
  EXPECT_THAT(said, HasSubstr(directory.string() + ": the experiment was ended before it began"));
  EXPECT_THAT(said, HasSubstr("run FILE begins it"));
}

TEST_F(resume_command_test, goes_on_nowhere_else) {
  const auto directory = root / "x";
  ASSERT_TRUE(experiment_store::create(directory));
  resume_request what;
  what.directory = directory.string();
  what.overrides = {{"experiment.storage", (root / "other").string()}};

  testing::internal::CaptureStderr();
  const auto code = resume_experiment({}, what, {});
  const auto said = testing::internal::GetCapturedStderr();

  EXPECT_EQ(code, exit_code::configuration);
  EXPECT_THAT(said, HasSubstr("an experiment goes on where it is, in " + directory.string()));
}

TEST_F(resume_command_test, turns_no_metric_that_says_which_way_it_is_to_go) {
  spec what;
  what.experiment.name = "x";
  what.experiment.objectives = {{"loss", false}};
  what.space = {{"x", "uniform(0, 1)"}};
  what.trainable.kind = trainable_kind::command;
  what.trainable.command = "true";
  const auto directory = root / "x";
  auto store = experiment_store::create(directory);
  ASSERT_TRUE(store);
  ASSERT_TRUE(
      store->write(std::vector<store_item>{event{1, {}, on::opened{1, "test", to_json(what), 1}}}));
  resume_request asked;
  asked.directory = directory.string();
  asked.overrides = {{"experiment.mode", "max"}};

  testing::internal::CaptureStderr();
  const auto code = resume_experiment({}, asked, builtin_choices());
  const auto said = testing::internal::GetCapturedStderr();

  EXPECT_EQ(code, exit_code::refused);
  EXPECT_THAT(said, HasSubstr("[experiment] mode = max has no effect: metric = loss:min says itself"
                              " which way it is to go, as was recorded"));
}

TEST_F(resume_command_test, takes_the_storage_that_it_is_in) {
  const auto directory = root / "x";
  ASSERT_TRUE(experiment_store::create(directory));
  resume_request what;
  what.directory = directory.string();
  what.overrides = {{"experiment.storage", (root / "").string()}};

  testing::internal::CaptureStderr();
  (void)resume_experiment({}, what, {});

  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("was ended before it began"));
}

} // namespace
} // namespace tune::cli

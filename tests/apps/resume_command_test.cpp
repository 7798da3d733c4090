// Going on with what a directory holds.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/resume_command.hpp"

#include "io/scratch_directory.hpp"

#include "tune/io/store/experiment_store.hpp"

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

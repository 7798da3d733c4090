// Trials in processes of their own: this program again, hence a main of its own.
// SPDX-License-Identifier: BSD-3-Clause
#include "bowl.hpp"
#include "tune/io/process/host.hpp"

#include <gmock/gmock.h>
#include <signal.h>

#include <thread>

namespace tune {
namespace {

using samples::number;
using samples::tuner_test;
using testing::HasSubstr;

trainable_registry trainables() {
  auto result = samples::bowls();
  result.add_function("fragile", [](session& with) {
    if (number(with.config(), "x") > 0)
      ::raise(SIGSEGV);
    samples::bowl(with);
  });
  return result;
}

TEST_F(tuner_test, loses_only_the_trial_whose_process_crashes) {
  auto grid = tuner{trainables()}.run(options().trainable("fragile"));

  ASSERT_TRUE(grid) << to_text(grid.error());
  ASSERT_EQ(grid->errors().size(), 1u);
  EXPECT_EQ(number(grid->errors()[0].config, "x"), 1);
  EXPECT_EQ(number(grid->best()->config, "x"), 0);
}

TEST_F(tuner_test, has_two_experiments_with_processes_side_by_side) {
  auto run = [&](const std::string& name) {
    auto grid = tuner{trainables()}.run(
        options(name).isolation(isolation_kind::process).parameter("x", "grid(0, 1, 2, 3)"));
    ASSERT_TRUE(grid) << to_text(grid.error());
    EXPECT_EQ(grid->status(), experiment_status::done);
    EXPECT_EQ(grid->trials().size(), 4u);
    EXPECT_TRUE(grid->errors().empty());
  };

  std::thread one{run, "one"};
  std::thread other{run, "other"};
  one.join();
  other.join();
}

TEST_F(tuner_test, runs_programs_and_reads_their_output) {
  auto grid = tuner{trainables()}.run(run_options{}
                                          .name("program")
                                          .storage(root)
                                          .command("echo loss = {x}")
                                          .set("trainable.metric.loss", "loss = ([0-9.]+)")
                                          .parameter("x", "grid(3, 2)")
                                          .minimise("loss"));

  ASSERT_TRUE(grid) << to_text(grid.error());
  ASSERT_TRUE(grid->best()) << grid->to_csv();
  EXPECT_EQ(number(grid->best()->config, "x"), 2);
}

} // namespace
} // namespace tune

int main(int argc, char** argv) {
  if (auto status = tune::host_main(argc, argv, tune::trainables()))
    return *status;
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}

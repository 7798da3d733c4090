// Trials in processes of their own, which run this same program; hence its own main.
// SPDX-License-Identifier: BSD-3-Clause
#include "bowl.hpp"
#include "tune/io/process/host.hpp"

#include <gmock/gmock.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
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

TEST_F(tuner_test, does_not_go_on_without_the_files_of_its_trials) {
  const auto script = root / "trial.sh";
  std::ofstream{script} << "echo loss = $1\n";
  auto with = [&](const char* samples) {
    return run_options{}
        .name("scripted")
        .storage(root)
        .command("sh " + script.string() + " {x}")
        .set("trainable.metric.loss", "loss = ([0-9.]+)")
        .set("experiment.num_samples", samples)
        .parameter("x", "uniform(0, 1)")
        .minimise("loss");
  };
  ASSERT_TRUE(tuner{trainables()}.run(with("1")));
  std::filesystem::rename(script, root / "aside");

  auto refused = tuner{trainables()}.run(with("2").resume());
  auto finished = tuner{trainables()}.run(with("1").resume());
  std::filesystem::rename(root / "aside", script);
  auto grid = tuner{trainables()}.run(with("2").resume());

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::unreadable);
  EXPECT_THAT(refused.error().detail, HasSubstr(script.string() + ", which its trials need,"));
  EXPECT_TRUE(finished) << to_text(finished.error());
  ASSERT_TRUE(grid) << to_text(grid.error());
  EXPECT_EQ(grid->trials().size(), 2u);
  EXPECT_TRUE(grid->errors().empty()) << grid->to_csv();
}

} // namespace
} // namespace tune

int main(int argc, char** argv) {
  if (auto status = tune::host_main(argc, argv, tune::trainables()))
    return *status;
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}

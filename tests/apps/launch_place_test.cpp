// SPDX-License-Identifier: BSD-3-Clause
#include "up/launch_place.hpp"

#include <gmock/gmock.h>

namespace tune::cli {
namespace {

using testing::HasSubstr;
using environment_map = std::map<std::string, std::string>;

launch_place found(const launch_words& given, const environment_map& environment) {
  auto result = launch_place_of(given, environment);
  EXPECT_TRUE(result) << result.error().detail;
  return result ? *result : launch_place{};
}

std::string fault(const launch_words& given, const environment_map& environment) {
  auto result = launch_place_of(given, environment);
  EXPECT_FALSE(result);
  return result ? std::string{} : result.error().detail;
}

/// A task of a job step, as Slurm 22.05 sets its environment.
environment_map task_of_slurm(const std::string& rank) {
  return {{"SLURM_JOB_ID", "4711"},       {"SLURM_STEP_ID", "0"},        {"SLURM_PROCID", rank},
          {"SLURM_LOCALID", "0"},         {"SLURM_STEP_NUM_TASKS", "3"}, {"SLURM_NTASKS", "3"},
          {"SLURMD_NODENAME", "n" + rank}};
}

TEST(launch_place, is_alone_without_a_launcher) {
  const auto uut = found({}, {{"PATH", "/bin"}});

  EXPECT_EQ(uut.rank, 0u);
  EXPECT_EQ(uut.size, 1u);
  EXPECT_EQ(uut.launch, "");
  EXPECT_EQ(uut.warning, "");
}

TEST(launch_place, is_that_of_a_task_of_slurm) {
  const auto uut = found({}, task_of_slurm("2"));

  EXPECT_EQ(uut.rank, 2u);
  EXPECT_EQ(uut.size, 3u);
  EXPECT_EQ(uut.launch, "slurm-4711.0");
  EXPECT_EQ(uut.node, "n2");
}

TEST(launch_place, tells_a_requeued_job_from_its_first_run) {
  auto environment = task_of_slurm("0");
  environment["SLURM_RESTART_COUNT"] = "2";

  EXPECT_EQ(found({}, environment).launch, "slurm-4711.0-2");
}

TEST(launch_place, names_a_second_process_of_a_node_otherwise) {
  auto environment = task_of_slurm("2");
  environment["SLURM_LOCALID"] = "1";

  EXPECT_EQ(found({}, environment).node, "n2-1");
}

TEST(launch_place, is_alone_in_a_batch_script_and_says_so) {
  auto environment = task_of_slurm("0");
  environment.erase("SLURM_STEP_ID");
  environment.erase("SLURM_STEP_NUM_TASKS");

  const auto uut = found({}, environment);

  EXPECT_EQ(uut.size, 1u);
  EXPECT_THAT(uut.warning, HasSubstr("srun"));
}

TEST(launch_place, is_that_of_mpi_where_slurm_has_one_too) {
  auto environment = task_of_slurm("0");
  environment.insert({{"OMPI_COMM_WORLD_RANK", "1"},
                      {"OMPI_COMM_WORLD_SIZE", "2"},
                      {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                      {"PMIX_NAMESPACE", "prte-n1-7@1/x"}});

  const auto uut = found({}, environment);

  EXPECT_EQ(uut.rank, 1u);
  EXPECT_EQ(uut.size, 2u);
  EXPECT_EQ(uut.launch, "mpi-prte-n1-7_1_x") << "fits into a file name";
}

TEST(launch_place, is_that_of_pmi) {
  const auto uut = found({}, {{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}});

  EXPECT_EQ(uut.rank, 1u);
  EXPECT_EQ(uut.size, 4u);
  EXPECT_EQ(uut.launch, "");
}

TEST(launch_place, is_as_the_command_line_says_above_all) {
  const auto uut = found({3, 5}, task_of_slurm("2"));

  EXPECT_EQ(uut.rank, 3u);
  EXPECT_EQ(uut.size, 5u);
  EXPECT_EQ(uut.launch, "") << "a launch of its own";
}

TEST(launch_place, takes_a_size_that_the_launcher_does_not_tell) {
  EXPECT_EQ(found({{}, 7}, {{"PMI_RANK", "1"}}).size, 7u);
  EXPECT_THAT(fault({}, {{"PMI_RANK", "1"}}), HasSubstr("PMI_SIZE"));
}

TEST(launch_place, refuses_what_makes_no_sense) {
  EXPECT_THAT(fault({1, {}}, {}), HasSubstr("--rank needs -n"));
  EXPECT_THAT(fault({3, 3}, {}), HasSubstr("ranks are 0 to 2"));
  EXPECT_THAT(fault({{}, 3}, {}), HasSubstr("--rank"));
  EXPECT_THAT(fault({0, 1'000'000}, {}), HasSubstr("1 to 100000"));
  for (const auto* text : {"", "-1", "x", "2x", "99999999999999999999"}) {
    auto environment = task_of_slurm("1");
    environment["SLURM_STEP_NUM_TASKS"] = text;
    EXPECT_THAT(fault({}, environment), HasSubstr("SLURM_STEP_NUM_TASKS")) << text;
  }
}

} // namespace
} // namespace tune::cli

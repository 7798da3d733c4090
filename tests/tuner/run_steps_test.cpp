// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/run_steps.hpp"

#include "io/scratch_directory.hpp"

#include <gmock/gmock.h>

namespace tune {
namespace {

using testing::HasSubstr;

/// A machine with four CPUs and no GPU.
std::optional<config_fault> fault_with(const std::string& lines) {
  const auto all = builtin_choices();
  auto loaded = load_spec_text("[experiment]\nmetric = loss:min\n[trainable]\ncommand = true\n"
                               "[space]\nx = grid(1, 2)\n"
                                   + lines,
                               "/nowhere/x.ini", request_for(all));
  EXPECT_TRUE(loaded) << to_text(loaded.faults);
  host_resources machine;
  machine.cpus = 4;
  return loaded ? machine_fault(*loaded.loaded, machine) : std::nullopt;
}

TEST(machine_fault, is_a_request_that_this_machine_can_never_grant) {
  EXPECT_FALSE(fault_with("[resources]\ncpu = 4\n"));

  auto fault = fault_with("[resources]\ncpu = 5\n");

  ASSERT_TRUE(fault);
  EXPECT_THAT(to_text(*fault), HasSubstr("cpu"));
}

TEST(machine_fault, is_unknown_where_workers_may_join) {
  EXPECT_FALSE(fault_with("[resources]\ncpu = 5\n[cluster]\nlisten = 127.0.0.1:0\n"));
}

struct is_over_already_test : samples::scratch_directory {};

TEST_F(is_over_already_test, is_no_where_there_is_no_experiment_or_none_goes_on) {
  auto untidy = [](const error& why) { FAIL() << to_text(why); };
  for (auto how : {std::optional<resume_mode>{}, std::optional{resume_mode::automatic}}) {
    auto is_over = is_over_already(root, {}, how, untidy);

    ASSERT_TRUE(is_over) << to_text(is_over.error());
    EXPECT_FALSE(*is_over);
  }
}

} // namespace
} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "io/spec/spec_support.hpp"
#include "support/processes.hpp"

#include "tune/io/spec/machine_check.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace tune;

namespace {

/// A configuration with this `[trainable]` section, whose lines begin at line 4, and further
/// sections.
loaded_spec loaded(const std::string& trainable) {
  auto result = support::load_text("[experiment]\nmetric = accuracy\n[trainable]\n" + trainable
                                   + "[space]\nlr = uniform(0, 1)\n");
  EXPECT_TRUE(result) << to_text(result.faults);
  return result ? std::move(*result.loaded) : loaded_spec{};
}

std::string missing(const std::string& trainable,
                    const std::map<std::string, std::string>& environment
                    = {{"PATH", "/nowhere:/bin"}}) {
  auto fault = missing_program(loaded(trainable), environment);
  return fault ? to_text(*fault) : "";
}

TEST(missing_program, is_one_that_path_does_not_have) {
  EXPECT_EQ(missing("command = no-such-program {lr}\n"),
            "/nowhere/digits.ini:4: [trainable] command: there is no program \"no-such-program\" "
            "in PATH");
  EXPECT_EQ(missing("command = sh -c {lr}\n"), "");
  EXPECT_EQ(missing("command = sh -c {lr}\n", {}), "");
}

TEST(missing_program, is_looked_for_where_trials_look) {
  EXPECT_NE(missing("command = sh -c {lr}\nenv.PATH = /nowhere\n"), "");
  EXPECT_EQ(missing("command = sh -c {lr}\nenv.PATH = /bin\n", {{"PATH", "/nowhere"}}), "");
  EXPECT_NE(missing("command = sh -c {lr}\nenv.PATH = {ini_dir}\n")
                .find("no program \"sh\" in PATH, as env.PATH sets it"),
            std::string::npos);
  EXPECT_EQ(missing("command = sh -c {lr}\nenv.PATH = /{lr}\n"), "");
}

TEST(missing_program, names_the_nearest_that_can_be_run) {
  const support::scratch_directory bin;
  for (const auto* name : {"python3", "pyhton"})
    std::ofstream{bin.path() / name} << "#!/bin/sh\n";
  std::filesystem::permissions(bin.path() / "python3", std::filesystem::perms::owner_all);
  const auto path = "/nowhere:" + bin.path().string();

  EXPECT_EQ(missing("command = pyhton3 {lr}\n", {{"PATH", path}}),
            "/nowhere/digits.ini:4: [trainable] command: there is no program \"pyhton3\" in PATH; "
            "did you mean \"python3\"?");
  EXPECT_EQ(missing("command = no-such-program {lr}\n", {{"PATH", path}}).find("did you mean"),
            std::string::npos);
}

TEST(missing_program, is_none_where_only_a_trial_knows_its_name) {
  EXPECT_EQ(missing("command = {lr} x\n"), "");
  EXPECT_EQ(missing("command = a{lr}\n"), "");
  EXPECT_EQ(missing("command = bin/train {lr}\n"), "");
  EXPECT_EQ(missing("name = f\n"), "");
}

std::string unenforced(const std::string& lines, bool can_limit) {
  auto warning = unenforced_memory(loaded(lines), [can_limit] { return can_limit; });
  return warning ? to_text(*warning) : "";
}

TEST(unenforced_memory, is_memory_where_no_group_can_be_made) {
  const std::string lines = "command = sh {lr}\n[resources]\nmemory = 500MB\n";

  EXPECT_EQ(unenforced(lines, true), "");
  EXPECT_EQ(unenforced(lines, false),
            "/nowhere/digits.ini:6: [resources] memory = 500MB: only counted, not enforced on "
            "this machine: no control group can be made that limits memory; that takes one, this "
            "process's or one above it, below which this user may make others with a memory "
            "controller");
  EXPECT_EQ(unenforced("command = sh {lr}\n", false), "");
  EXPECT_EQ(unenforced(lines + "[cluster]\nlocal = false\nlisten = a:1\n", false), "");
}

TEST(unenforced_memory, is_that_of_threads) {
  auto text = unenforced("name = f\nkind = function\nisolation = thread\n"
                         "[resources]\nmemory = 1GiB\n",
                         true);

  EXPECT_EQ(text, "/nowhere/digits.ini:8: [resources] memory = 1GiB: only counted, not enforced on "
                  "this machine: threads share their memory");
}

} // namespace

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/own_words.hpp"
#include "tune/core/program_name.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

/// The name is that of the process.
class program_name_test : public testing::Test {
protected:
  void TearDown() override { set_program_name("tune-node"); }
};

TEST_F(program_name_test, tells_programs_that_embed_the_library_from_those_with_its_options) {
  // Each test is a process of its own, and this one has not been given a name.
  if (has_command_line())
    GTEST_SKIP() << "another test of this process has named it";
  EXPECT_EQ(way_to_resume(), "run_options::resume");
  EXPECT_EQ(way_to_number(), "run_options::name(\"auto\")");

  set_program_name("./my_tune");

  EXPECT_EQ(way_to_resume(), "--resume");
  EXPECT_EQ(way_to_number(), "--experiment.name auto");
}

TEST_F(program_name_test, is_the_usual_one_until_it_is_set) {
  EXPECT_EQ(program_name(), "tune-node");
  set_program_name("");
  EXPECT_EQ(program_name(), "tune-node");
  EXPECT_EQ(program_call("trials x"), "tune-node trials x");
}

TEST_F(program_name_test, has_no_directory_and_a_call_has) {
  set_program_name("./bin/my_tune");

  EXPECT_EQ(program_name(), "my_tune");
  EXPECT_EQ(program_call("resume results/x"), "./bin/my_tune resume results/x");
  EXPECT_EQ(program_call(""), "./bin/my_tune");
}

TEST_F(program_name_test, is_quoted_in_a_call_and_harmless_in_messages) {
  set_program_name("/my tools/tune\x1bit");

  EXPECT_EQ(program_name(), "tune\\x1bit");
  EXPECT_EQ(program_call("version"), "'/my tools/tune\x1bit' version");
}

TEST_F(program_name_test, stands_for_the_usual_one_in_texts) {
  set_program_name("/opt/my_tune");

  EXPECT_EQ(in_own_name("best=$(tune-node run x.ini)"), "best=$(my_tune run x.ini)");
  EXPECT_EQ(in_own_name("tune-node completion zsh > _tune-node"),
            "my_tune completion zsh > _my_tune");
  EXPECT_EQ(in_own_name("nothing"), "nothing");
}

TEST_F(program_name_test, names_experiments_by_their_directories) {
  EXPECT_EQ(experiment_words("results/my x"), "'results/my x'");
  EXPECT_EQ(words_to_head(), "");
}

TEST_F(program_name_test, names_experiments_at_a_head_as_its_clients_do) {
  name_experiments_at_head("--head h:1 --certs c");

  EXPECT_EQ(experiment_words("/srv/results/x"), "x --head h:1 --certs c");
  EXPECT_EQ(experiment_words("/srv/results/my x/"), "'my x' --head h:1 --certs c");
  EXPECT_EQ(experiment_words("x"), "x --head h:1 --certs c");
  EXPECT_EQ(words_to_head(), "--head h:1 --certs c");
  name_experiments_at_head("");
}

} // namespace
} // namespace tune

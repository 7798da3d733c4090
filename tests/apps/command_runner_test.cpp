// SPDX-License-Identifier: BSD-3-Clause
#include "head/command_runner.hpp"

#include "head/submitter.hpp"
#include "io/scratch_directory.hpp"
#include "tune/io/store/experiment_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace tune::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

remote_command trials_of(const std::string& experiment) {
  remote_command result;
  result.command = "trials";
  result.experiments = {experiment};
  result.options = {"--limit=3"};
  result.program = "./mine";
  result.reaching = "--head h:1";
  result.columns = 80;
  return result;
}

TEST(command_runner, names_directories_below_the_storage) {
  auto how = process_for(trials_of("x"), "/srv/results");

  ASSERT_TRUE(how);
  EXPECT_THAT(how->words, ElementsAre("./mine", "trials", "--limit=3", "--", "/srv/results/x"));
  EXPECT_THAT(how->environment,
              ElementsAre("TUNE_CLIENT_REACHES_HEAD=--head h:1", "TUNE_CLIENT_COLUMNS=80",
                          "TUNE_CLIENT_HEAD_PID=" + std::to_string(::getpid())));
}

TEST(command_runner, lists_the_whole_storage) {
  remote_command list;
  list.command = "list";
  list.before = {"experiments"};
  list.reaching = "--head h:1";

  auto how = process_for(list, "/srv/results");

  ASSERT_TRUE(how);
  EXPECT_THAT(how->words, ElementsAre("tune-node", "list", "--", "experiments", "/srv/results"));
}

TEST(command_runner, puts_arguments_behind_the_experiment) {
  auto what = trials_of("x");
  what.command = "add";
  what.options = {};
  what.arguments = {"lr=-1", "--not-an-option=2"};

  auto how = process_for(what, "/s");

  ASSERT_TRUE(how);
  EXPECT_THAT(how->words, ElementsAre("./mine", "add", "--", "/s/x", "lr=-1", "--not-an-option=2"));
}

TEST(command_runner, carries_out_nothing_that_clients_have_no_business_with) {
  for (const auto* command : {"run", "resume", "head", "certs", "config", "rerun", "", "ls"}) {
    auto what = trials_of("x");
    what.command = command;
    auto how = process_for(what, "/s");
    ASSERT_FALSE(how) << command;
    EXPECT_EQ(how.error().code, ec::refused);
  }
}

TEST(command_runner, reads_no_name_that_leads_elsewhere) {
  using namespace std::string_literals;
  for (const auto& name : {""s, "."s, ".."s, "../x"s, "a/b"s, "/etc"s, ".hidden"s, "a\0b"s}) {
    auto how = process_for(trials_of(name), "/s");
    ASSERT_FALSE(how) << name;
    EXPECT_EQ(how.error().code, ec::unknown_name);
  }
}

TEST(command_runner, takes_no_option_that_reaches_another_head_and_no_bare_word) {
  using namespace std::string_literals;
  for (const auto& option :
       {"--head"s, "--head=h:2"s, "--"s, "x"s, "-q"s, "--limit=3\0"s, "--to"s, "--to=/etc/x"s}) {
    auto what = trials_of("x");
    what.options = {option};
    auto how = process_for(what, "/s");
    ASSERT_FALSE(how) << option;
    EXPECT_EQ(how.error().code, ec::refused);
  }
}

TEST(command_runner, lets_no_option_take_what_follows_for_its_value) {
  for (const auto* option :
       {"--cluster", "--limit", "--metric", "--sort", "--certs=x", "--cluster=x",
        "--insecure-plaintext", "--help", "--version", "--color", "--nothing=3", "--reverse=3"}) {
    auto what = trials_of("x");
    what.options = {option};
    auto how = process_for(what, "/s");
    ASSERT_FALSE(how) << option;
    EXPECT_EQ(how.error().code, ec::refused) << option;
  }
}

TEST(command_runner, takes_directories_from_its_storage_alone) {
  for (const auto* command : {"compare", "status", "fsck", "importance", "wait"}) {
    auto behind = trials_of("x");
    behind.command = command;
    behind.options = {};
    behind.arguments = {"/s/secret"};
    EXPECT_FALSE(process_for(behind, "/s")) << command;

    auto before = trials_of("x");
    before.command = command;
    before.options = {};
    before.before = {"/s/secret"};
    EXPECT_FALSE(process_for(before, "/s")) << command;
  }
}

TEST(command_runner, names_one_experiment_where_other_arguments_follow) {
  auto what = trials_of("x");
  what.command = "stop";
  what.options = {};
  what.experiments = {"x", "y"};

  EXPECT_FALSE(process_for(what, "/s"));
}

TEST(command_runner, lists_nothing_but_its_storage) {
  remote_command list;
  list.command = "list";
  list.reaching = "--head h:1";
  list.before = {"experiments"};
  list.arguments = {"/etc"};
  EXPECT_FALSE(process_for(list, "/s"));

  list.arguments = {};
  list.before = {"searchers"};
  EXPECT_FALSE(process_for(list, "/s"));

  list.before = {"experiments"};
  list.experiments = {"x"};
  EXPECT_FALSE(process_for(list, "/s"));
}

TEST(command_runner, has_each_process_know_that_it_answers_a_client) {
  auto what = trials_of("x");
  what.reaching.clear();

  EXPECT_FALSE(process_for(what, "/s"));
}

TEST(command_runner, wants_a_name_but_for_a_list) {
  auto what = trials_of("x");
  what.experiments.clear();

  auto how = process_for(what, "/s");

  ASSERT_FALSE(how);
  EXPECT_EQ(how.error().detail, "name an experiment");
}

class submitter_test : public samples::scratch_directory {
protected:
  std::filesystem::path directory;

  void SetUp() override {
    samples::scratch_directory::SetUp();
    directory = root / "x";
    std::filesystem::create_directory(directory);
    std::ofstream{database_file(directory)} << "not read here";
  }
};

TEST_F(submitter_test, lets_whoever_submitted_an_experiment_command_it_and_nobody_else) {
  ASSERT_TRUE(write_submitter(directory, "CN=me"));

  EXPECT_TRUE(may_see_and_steer(directory, "CN=me"));
  auto other = may_see_and_steer(directory, "CN=you");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ec::refused);
  EXPECT_THAT(other.error().detail, HasSubstr("submitted with another certificate"));
  // A head without certificates serves its own machine.
  EXPECT_TRUE(may_see_and_steer(directory, ""));
}

TEST_F(submitter_test, keeps_what_was_run_by_hand_to_the_machine_of_the_head) {
  auto result = may_see_and_steer(directory, "CN=me");

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ec::refused);
  EXPECT_THAT(result.error().detail, HasSubstr("was not submitted to a head"));
}

TEST_F(submitter_test, is_not_fooled_by_a_link_in_the_place_of_the_file) {
  std::ofstream{root / "theirs"} << "CN=you\n";
  std::filesystem::create_symlink(root / "theirs", directory / submitter_file);

  EXPECT_FALSE(may_see_and_steer(directory, "CN=you"));
  ASSERT_TRUE(write_submitter(directory, "CN=me"));
  EXPECT_TRUE(may_see_and_steer(directory, "CN=me"));
  EXPECT_FALSE(std::filesystem::is_symlink(directory / submitter_file));
}

TEST_F(submitter_test, names_an_experiment_that_is_not_there) {
  auto result = may_see_and_steer(root / "y", "CN=me");

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ec::unknown_name);
  EXPECT_EQ(result.error().detail, "no experiment named y is in the head's storage");
}

} // namespace
} // namespace tune::cli

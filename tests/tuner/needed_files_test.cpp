// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/needed_files.hpp"

#include <gmock/gmock.h>

#include <filesystem>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<named_text> recorded{{"train.py", "aa"}, {"/data/x.csv", "bb"}, {"old.py", "cc"}};

TEST(names_missing, are_those_that_were_files_are_still_named_and_are_gone) {
  auto found = names_missing(recorded, {"/data/x.csv", "train.py", "out.txt"},
                             [](const std::string&) { return false; });

  EXPECT_THAT(found, ElementsAre("/data/x.csv", "train.py"));
}

TEST(names_missing, are_none_that_are_there) {
  auto found = names_missing(recorded, {"train.py", "/data/x.csv"},
                             [](const std::string& name) { return name == "train.py"; });

  EXPECT_THAT(found, ElementsAre("/data/x.csv"));
}

TEST(names_missing, come_once) {
  auto asked = 0;

  auto found = names_missing(recorded, {"train.py", "train.py"}, [&](const std::string&) {
    ++asked;
    return false;
  });

  EXPECT_THAT(found, ElementsAre("train.py"));
  EXPECT_EQ(asked, 1);
}

TEST(names_missing, are_none_of_an_experiment_that_recorded_none) {
  EXPECT_THAT(names_missing({}, {"train.py"}, [](const std::string&) { return false; }), IsEmpty());
}

TEST(work_directory, is_found_from_the_place_of_a_jobs_files) {
  EXPECT_EQ(work_directory_around("/hw/jobs/c1-c021f422679a92e3/files"), "/hw");
  EXPECT_EQ(work_directory_around("/a/b/jobs/my_job-c021f422679a92e3/files/of/mine/"), "/a/b");
}

TEST(work_directory, is_none_where_somebody_keeps_files_of_their_own) {
  EXPECT_EQ(work_directory_around("/home/me/jobs/c1/files"), "");
  EXPECT_EQ(work_directory_around("/home/me/c1-c021f422679a92e3/files"), "");
  EXPECT_EQ(work_directory_around("/hw/jobs/c1-c021f422679a92e3"), "");
  EXPECT_EQ(work_directory_around("files"), "");
  EXPECT_EQ(work_directory_around("/"), "");
  EXPECT_EQ(work_directory_around(""), "");
}

/// An experiment with a command, in a directory that does not exist.
spec gone(const std::string& command) {
  spec result;
  result.ini_dir = testing::TempDir() + "none of this name";
  result.trainable.kind = trainable_kind::command;
  result.trainable.command = command;
  result.space = {{"x", "uniform(0, 1)"}};
  return result;
}

TEST(find_missing, names_the_directory_where_no_file_of_it_is_known) {
  auto uut = gone("train --data {ini_dir}/images {x}");
  EXPECT_THAT(find_missing(uut, uut, trial_place::here).names, ElementsAre(uut.ini_dir));
  uut = gone("train {x}");
  EXPECT_TRUE(find_missing(uut, uut, trial_place::here).empty());
  uut.trainable.env = {{"PYTHONPATH", "{ini_dir}"}};
  EXPECT_THAT(find_missing(uut, uut, trial_place::here).names, ElementsAre(uut.ini_dir));
}

TEST(find_missing, leaves_absolute_paths_to_other_machines) {
  auto uut = gone("/none/of/this/name {x}");
  uut.code = {{"/none/of/this/name", "aa"}};

  EXPECT_THAT(find_missing(uut, uut, trial_place::here).names, ElementsAre("/none/of/this/name"));
  EXPECT_TRUE(find_missing(uut, uut, trial_place::anywhere).empty());
}

TEST(find_missing, asks_for_the_files_of_the_command_as_it_is_now) {
  auto before = gone("python3 ./train.py {x}");
  before.code = {{"train.py", "aa"}};
  auto now = gone("python3 /usr/bin/env {x}");

  EXPECT_THAT(find_missing(before, before, trial_place::here).names, ElementsAre("train.py"));
  EXPECT_TRUE(find_missing(before, now, trial_place::here).empty());
}

TEST(find_missing, asks_for_the_program_whatever_was_recorded) {
  auto uut = gone("./train {x}");
  EXPECT_THAT(find_missing(uut, uut, trial_place::here).names, ElementsAre(uut.ini_dir + "/train"));
  auto by_trial = gone("bin/train {x}");
  EXPECT_TRUE(find_missing(by_trial, by_trial, trial_place::here).empty());
  uut.code = {{"train", "aa"}};
  EXPECT_THAT(find_missing(uut, uut, trial_place::here).names, ElementsAre("train"));
}

TEST(find_missing, asks_for_files_that_are_named_without_a_pattern) {
  auto uut = gone("train {x}");
  uut.trainable.files = {"data", "*.csv"};

  EXPECT_THAT(find_missing(uut, uut, trial_place::here).names, ElementsAre("data"));
}

TEST(find_missing, asks_for_templates_tables_and_plugins) {
  auto uut = gone("train {x}");
  uut.trainable.templates = {{"net.txt.in", "net.txt"}};
  EXPECT_THAT(find_missing(uut, uut, trial_place::here).names, ElementsAre("net.txt.in"));
  uut.trainable.kind = trainable_kind::table;
  uut.trainable.path = "curves.csv";
  EXPECT_THAT(find_missing(uut, uut, trial_place::here).names, ElementsAre("curves.csv"));
  uut.trainable.kind = trainable_kind::class_type;
  uut.trainable.plugin = "mine.so";
  EXPECT_THAT(find_missing(uut, uut, trial_place::here).names, ElementsAre("mine.so"));
}

TEST(find_missing, counts_files_and_not_the_names_that_stand_for_them) {
  auto uut = gone("sh {ini_dir}/main.sh {x}");
  uut.trainable.files = {"data", "*.sh"};
  uut.code = {{"main.sh", "aa"}, {"data/k.txt", "bb"}, {"data/l.txt", "cc"}, {"util.sh", "dd"}};

  const auto found = find_missing(uut, uut, trial_place::here);

  EXPECT_EQ(found.files, 4u);
  EXPECT_THAT(to_text(found), testing::HasSubstr(" and 3 more files, which its trials need,"));
}

TEST(missing_files, are_told_by_the_first_and_the_number_of_others) {
  EXPECT_EQ(to_text(missing_files{"/mv", {"./a.py"}}),
            "/mv/a.py, which its trials need, is not there any more");
  EXPECT_EQ(to_text(missing_files{"/mv", {"a.py", "b", "c"}}),
            "/mv/a.py and 2 more files, which its trials need, are not there any more");
}

TEST(find_missing, takes_no_directory_for_a_program) {
  const auto place = testing::TempDir() + "needed_files_test";
  std::filesystem::create_directories(place + "/train");
  auto uut = gone(place + "/train {x}");
  uut.ini_dir = place;

  auto found = find_missing(uut, uut, trial_place::here);
  EXPECT_THAT(found.names, ElementsAre(place + "/train"));
  EXPECT_EQ(to_text(found), place + "/train, which its trials need as a file, is a directory");
  uut.code = {{place + "/train", "aa"}};
  EXPECT_TRUE(find_missing(uut, uut, trial_place::here).is_directory);
  uut = gone("/bin/sh {x}");
  uut.ini_dir = place;
  uut.trainable.files = {"train"};
  EXPECT_TRUE(find_missing(uut, uut, trial_place::here).empty());
  std::filesystem::remove_all(place);
}

} // namespace
} // namespace tune

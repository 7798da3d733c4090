// SPDX-License-Identifier: BSD-3-Clause
#include "run/way_on.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tune::cli {
namespace {

using testing::HasSubstr;

TEST(way_on, is_resume_where_nothing_is_missing) {
  auto way = way_on_from("all my results/x", {});

  EXPECT_EQ(way.command, "tune-node resume 'all my results/x'");
  EXPECT_TRUE(way.is_resume);
  EXPECT_EQ(way.note, "");
  EXPECT_EQ(with_mode(way, "errored_only"),
            "tune-node resume 'all my results/x' --mode errored_only");
}

TEST(way_on, is_a_run_of_the_ini_file_where_its_files_went) {
  auto way = way_on_from("/srv/my results/x/", {"/home/me/mv", {"train.py"}});

  EXPECT_EQ(way.command, "tune-node run FILE --experiment.name x --experiment.storage "
                         "'/srv/my results' --resume");
  EXPECT_FALSE(way.is_resume);
  EXPECT_THAT(way.note, HasSubstr("FILE is its INI file"));
  EXPECT_EQ(with_mode(way, "errored_only"), way.command + "=errored_only");
}

TEST(way_on, leads_to_a_head_where_its_files_lay_in_a_heads_work_directory) {
  auto way = way_on_from("/srv/store/c1", {"/hw/jobs/c1-c021f422679a92e3/files", {"train.py"}});

  EXPECT_EQ(way.command, "tune-node run FILE --head HOST:PORT --experiment.name c1 --resume");
  EXPECT_THAT(way.note, HasSubstr("HOST:PORT a head with this storage"));
}

TEST(way_on, names_other_files_by_the_key_that_names_those_of_the_record) {
  spec what;
  EXPECT_EQ(files_option(what), "--trainable.command COMMAND");
  what.trainable.kind = trainable_kind::class_type;
  what.trainable.plugin = "./libmine.so";
  EXPECT_EQ(files_option(what), "--trainable.plugin FILE");
  what.trainable = {};
  what.trainable.kind = trainable_kind::table;
  EXPECT_EQ(files_option(what), "--trainable.path FILE");
}

} // namespace
} // namespace tune::cli

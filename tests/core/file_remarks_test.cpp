// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/file_remarks.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

TEST(file_remarks, are_told_from_what_a_program_says) {
  EXPECT_TRUE(is_file_remark(missing_artifacts_text("w2", "1 file of 1 stays behind")));
  EXPECT_TRUE(is_file_remark("rank 12: " + missing_artifacts_text("w2", "its disk is full")));
  EXPECT_TRUE(is_file_remark(missing_output_text("cannot write stdout: no space")));
  EXPECT_TRUE(is_file_remark("/s/trials/00001/stdout was a link and is replaced by a new file"));

  EXPECT_FALSE(is_file_remark("what it wrote on node w2"));
  EXPECT_FALSE(is_file_remark("  " + missing_output_text("a program quotes it")));
  EXPECT_FALSE(is_file_remark("rank : " + missing_output_text("no rank")));
  EXPECT_FALSE(is_file_remark("rank 1 on node w2: boom"));
  EXPECT_FALSE(is_file_remark(""));
}

TEST(file_remarks, are_left_out_below_an_error) {
  const auto missing = missing_artifacts_text("w2", "its disk is full");

  EXPECT_EQ(without_file_remarks("exited with status 3\n  no such table\n" + missing),
            "exited with status 3\n  no such table");
  EXPECT_EQ(without_file_remarks("boom\n" + missing + "\n\nlast"), "boom\n\nlast");
  EXPECT_EQ(without_file_remarks("boom\n" + missing + "\n"), "boom\n");
  EXPECT_EQ(without_file_remarks(missing), missing);
  EXPECT_EQ(without_file_remarks("one\ntwo\n"), "one\ntwo\n");
  EXPECT_EQ(without_file_remarks(""), "");
}

} // namespace
} // namespace tune

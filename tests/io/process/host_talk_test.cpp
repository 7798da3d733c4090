// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/host_talk.hpp"

#include "tune/io/process/line_protocol.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

TEST(host_talk, carries_all_that_an_attempt_is_told) {
  host_order order{{"00007", "digits", "/d/trials/00007", 1.5, 0.25, "GPU-1,GPU-2"},
                   "/d/trials/00007/params.json",
                   "/d/checkpoints/1"};

  auto got = read_host_order(to_line(order));

  ASSERT_TRUE(got) << got.error().detail;
  EXPECT_EQ(got->context.trial_id, "00007");
  EXPECT_EQ(got->context.experiment, "digits");
  EXPECT_EQ(got->context.directory, "/d/trials/00007");
  EXPECT_EQ(got->context.cpus, 1.5);
  EXPECT_EQ(got->context.gpus, 0.25);
  EXPECT_EQ(got->context.visible_devices, "GPU-1,GPU-2");
  EXPECT_EQ(got->params, order.params);
  EXPECT_EQ(got->restore, order.restore);
}

TEST(host_talk, tells_an_attempt_from_scratch_by_what_is_not_there) {
  host_order order{{"00007", "digits", "/d", 1, 0, ""}, "/d/params.json", {}};

  auto line = to_line(order);

  EXPECT_EQ(line.find("restore"), line.npos);
  EXPECT_EQ(read_host_order(line)->restore, std::nullopt);
}

TEST(host_talk, tells_what_is_to_be_exported) {
  host_order order{{"00007", "digits", "/d", 1, 0, "", {"model", "onnx"}, "/d/out"}, "/p", {}};

  auto got = read_host_order(to_line(order));

  ASSERT_TRUE(got);
  EXPECT_EQ(got->context.exports, order.context.exports);
  EXPECT_EQ(got->context.export_directory, "/d/out");
}

TEST(host_talk, takes_no_answer_for_an_attempt) {
  for (const auto* text : {"", "{}", "garbage", R"({"decision":"continue"})", R"({"next":5})",
                           R"({"next":{"directory":"/d"}})", R"({"next":{"params":"/p"}})"})
    EXPECT_FALSE(read_host_order(text)) << text;
}

TEST(host_talk, is_no_part_of_the_command_protocol) {
  EXPECT_FALSE(read_report_line(idle_line));
}

} // namespace
} // namespace tune

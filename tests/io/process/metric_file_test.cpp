// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/metric_file.hpp"

#include "../own_mounts.hpp"
#include "process/file_watch.hpp"

#include "support/processes.hpp"
#include "tune/io/process/metric_pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

namespace tune {
namespace {

using testing::HasSubstr;

std::string refusal(std::string_view text) {
  auto uut = parse_file_metric("acc", text);
  return uut ? std::string{} : uut.error().detail;
}

struct metric_file_test : testing::Test {
  support::scratch_directory scratch;

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((scratch.path() / name).parent_path());
    std::ofstream{scratch.path() / name} << text;
  }
  [[nodiscard]] metric_files of(const std::string& text) const {
    metric_files result{{*parse_file_metric("acc", text)}};
    result.begin_in(scratch.path());
    return result;
  }
  static value only(metric_files& from) {
    auto found = from.changed();
    return found.size() == 1 ? found[0].second : value{};
  }
};

TEST_F(metric_file_test, is_neither_read_nor_watched_where_something_is_mounted_on_the_way) {
  write("logs/deep/result.json", "1");
  const auto status = samples::in_own_mounts([this] {
    if (!samples::mount_dead(scratch.path() / "logs"))
      return samples::cannot_mount;
    auto uut = of("file:logs/deep/result.json:/acc");
    file_watch watch;
    if (watch.add(1, scratch.path(), {"logs/deep/result.json"}) < 0)
      return 1;
    const auto found = watch.search_for(1).run();
    // Only the trial's own directory is watched.
    const auto is_apart = found.watches.size() == 1 && !found.has_file;
    return uut.changed().empty() && is_apart ? 0 : 2;
  });
  if (samples::may_not_mount(status))
    GTEST_SKIP() << "only root with /dev/fuse can mount that";

  EXPECT_EQ(status, 0);
}

TEST_F(metric_file_test, is_told_from_an_expression) {
  EXPECT_TRUE(means_file("file:result.json:/acc"));
  EXPECT_TRUE(means_file("file:nonsense"));
  EXPECT_FALSE(means_file("file: ([0-9]+)"));
  EXPECT_FALSE(means_file("file:{number}"));
  EXPECT_FALSE(means_file("acc = x"));
}

TEST_F(metric_file_test, has_a_path_and_a_pointer) {
  auto uut = parse_file_metric("acc", "file:./out/a:b.json:/test/0/a~1b");
  ASSERT_TRUE(uut) << uut.error().detail;
  EXPECT_EQ(*uut, (file_metric{"acc", "out/a:b.json", "/test/0/a~1b"}));
}

TEST_F(metric_file_test, stays_in_the_directory_of_the_trial) {
  EXPECT_THAT(refusal("file:/tmp/a.json:/acc"), HasSubstr("\"/tmp/a.json\" must be a file in the"));
  EXPECT_THAT(refusal("file:../a.json:/acc"), HasSubstr("must be a file in the trial's directory"));
  EXPECT_THAT(refusal("file:x/../../a.json:/acc"), HasSubstr("must be a file in the trial's"));
  EXPECT_THAT(refusal("file::/acc"), HasSubstr("must be a file in the trial's directory"));
  EXPECT_THAT(refusal("file:a.json"), HasSubstr("such as file:result.json:/test/acc"));
}

TEST_F(metric_file_test, follows_a_pointer) {
  const value in{object{{"test", object{{"acc", 0.5}, {"a/b", 1}, {"m~n", 2}}},
                        {"folds", value::list{3, object{{"x", 4}}}}}};
  EXPECT_EQ(*find_pointer(in, "/test/acc"), value{0.5});
  EXPECT_EQ(*find_pointer(in, "/test/a~1b"), value{1});
  EXPECT_EQ(*find_pointer(in, "/test/m~0n"), value{2});
  EXPECT_EQ(*find_pointer(in, "/folds/1/x"), value{4});
  for (const auto* nowhere : {"/test/no", "/folds/2", "/folds/x", "/folds/", "/test/acc/x"})
    EXPECT_EQ(find_pointer(in, nowhere), nullptr) << nowhere;
}

TEST_F(metric_file_test, is_read_each_time_that_it_changed) {
  auto uut = of("file:result.json:/test/acc");
  EXPECT_EQ(only(uut), value{});
  EXPECT_EQ(uut.missing(), "result.json was not written");

  write("result.json", R"({"test":{"acc":0.25}})");
  EXPECT_EQ(only(uut), value{0.25});
  EXPECT_EQ(only(uut), value{}) << "it is as it was";
  write("new", R"({"test":{"acc":0.75}})");
  std::filesystem::rename(scratch.path() / "new", scratch.path() / "result.json");

  EXPECT_EQ(only(uut), value{0.75});
  EXPECT_EQ(uut.missing(), "");
}

TEST_F(metric_file_test, does_not_tell_what_an_earlier_attempt_wrote) {
  write("result.json", R"({"test":{"acc":0.25}})");
  auto uut = of("file:result.json:/test/acc");

  EXPECT_EQ(only(uut), value{});
  EXPECT_EQ(uut.missing(), "result.json was not written");
}

TEST_F(metric_file_test, may_have_numbers_that_json_has_not) {
  auto uut = of("file:result.json:/0");
  write("result.json", "[NaN]\n");
  EXPECT_TRUE(std::isnan(*only(uut).as_double()));
}

TEST_F(metric_file_test, tells_why_it_has_no_value) {
  auto uut = of("file:result.json:/test/acc");
  write("result.json", "{\"test\":");
  EXPECT_EQ(only(uut), value{});
  EXPECT_THAT(uut.missing(), HasSubstr("result.json: it is not JSON at byte 9: "));
  EXPECT_THAT(uut.missing(), HasSubstr("unexpected end of input"));

  write("result.json", R"({"test":{"accuracy":1}})");
  EXPECT_EQ(only(uut), value{});
  EXPECT_EQ(uut.missing(), "result.json: nothing stands at /test/acc");

  write("result.json", R"({"test":{"acc":null}})");
  EXPECT_EQ(only(uut), value{});
  EXPECT_EQ(uut.missing(), "result.json: null stands at /test/acc");

  std::filesystem::remove(scratch.path() / "result.json");
  std::filesystem::create_symlink("/etc/passwd", scratch.path() / "result.json");
  EXPECT_EQ(only(uut), value{});
  EXPECT_THAT(uut.missing(), HasSubstr("result.json"));
}

TEST_F(metric_file_test, tells_which_number_is_too_large) {
  auto uut = of("file:result.json:/test/acc");
  write("result.json", R"({"test":{"acc":1e400}})");
  EXPECT_EQ(only(uut), value{});
  EXPECT_EQ(uut.missing(), "result.json: the number 1e400 of /test/acc at byte 20 is too large");
}

TEST_F(metric_file_test, tells_once_of_a_file_that_is_spoilt_after_it_had_values) {
  metric_pattern_options how{.metrics = {{"loss", "loss {number}"}}, .objective = "loss"};
  how.files = {*parse_file_metric("acc", "file:r.json:/acc"),
               *parse_file_metric("f1", "file:r.json:/f1")};
  auto uut = metric_pattern::make(how);
  ASSERT_TRUE(uut) << uut.error().detail;
  uut->begin_in(scratch.path());
  write("r.json", R"({"acc":1,"f1":2})");
  EXPECT_EQ(uut->read_files(), std::nullopt);
  write("r.json", R"({"acc":1e400,"f1":2})");
  // It may be half written when a line reports.
  EXPECT_TRUE(uut->read("loss 2"));
  EXPECT_FALSE(uut->take_remark());

  EXPECT_EQ(uut->read_files(), std::nullopt);
  const auto told = uut->take_remark();
  ASSERT_TRUE(told);
  EXPECT_EQ(told->text, "r.json cannot be read as it was written last, so that its metrics keep"
                        " their values from before: the number 1e400 of /acc at byte 12 is too"
                        " large");
  EXPECT_TRUE(uut->read("loss 3"));
  EXPECT_EQ(uut->read_files(), std::nullopt);
  EXPECT_FALSE(uut->take_remark());
}

TEST_F(metric_file_test, is_not_blamed_for_an_objective_that_is_read_from_lines) {
  metric_pattern_options how{.metrics = {{"loss", "loss {number}"}}, .objective = "loss"};
  how.files = {*parse_file_metric("acc", "file:r.json:/acc")};
  auto uut = metric_pattern::make(how);
  ASSERT_TRUE(uut);
  uut->begin_in(scratch.path());
  EXPECT_EQ(uut->read_files(), std::nullopt);
  EXPECT_EQ(uut->why_missing(), "");
}

TEST_F(metric_file_test, is_told_of_where_it_never_came) {
  auto uut = metric_pattern::make({.objective = "acc",
                                   .files = {*parse_file_metric("acc", "file:m.json:/acc"),
                                             *parse_file_metric("h0", "file:m.json:/nope/x")}});
  ASSERT_TRUE(uut);
  uut->begin_in(scratch.path());
  write("m.json", R"({"acc":1})");

  EXPECT_TRUE(uut->read_files());

  const auto told = uut->never_reported();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].text,
            "metric.h0 had no value until its end: m.json: nothing stands at /nope/x");
}

TEST_F(metric_file_test, is_told_of_once_where_several_metrics_never_came) {
  metric_pattern_options how{.metrics = {{"loss", "loss {number}"}}, .objective = "loss"};
  for (const auto* name : {"f1", "h0", "r2"})
    how.files.push_back(*parse_file_metric(name, std::string{"file:m.json:/"} + name));
  auto uut = metric_pattern::make(how);
  ASSERT_TRUE(uut) << uut.error().detail;
  uut->begin_in(scratch.path());
  write("m.json", R"({"f1":1e400})");
  EXPECT_TRUE(uut->read("loss 1"));
  EXPECT_EQ(uut->read_files(), std::nullopt);

  EXPECT_FALSE(uut->take_remark());
  const auto told = uut->never_reported();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].text, "metric.f1, metric.h0 and metric.r2 had no value until its end: m.json:"
                          " the number 1e400 of /f1 at byte 11 is too large");
}

TEST_F(metric_file_test, is_read_before_a_line_that_reports) {
  metric_pattern_options how{.metrics = {{"loss", "loss {number}"}}, .objective = "loss"};
  how.files = {*parse_file_metric("acc", "file:r.json:/acc")};
  auto uut = metric_pattern::make(how);
  ASSERT_TRUE(uut) << uut.error().detail;
  uut->begin_in(scratch.path());

  // The line may be heard of before the file is.
  write("r.json", R"({"acc":1})");
  EXPECT_EQ(uut->read("loss 2"), (object{{"loss", 2}, {"acc", 1}}));
  write("r.json", R"({"acc":30})");
  EXPECT_EQ(uut->read("nothing"), std::nullopt);
  EXPECT_EQ(uut->read("loss 3"), (object{{"loss", 3}, {"acc", 30}}));
  EXPECT_EQ(uut->read_files(), std::nullopt);
  // One that is being written has its last value.
  write("r.json", R"({"acc":4)");
  EXPECT_EQ(uut->read("loss 4"), (object{{"loss", 4}, {"acc", 30}}));
}

TEST_F(metric_file_test, reports_where_the_objective_stands_in_it) {
  metric_pattern_options how{.metrics = {{"loss", "loss {number}"}}, .objective = "acc"};
  how.files = {*parse_file_metric("acc", "file:r.json:/acc")};
  auto uut = metric_pattern::make(how);
  ASSERT_TRUE(uut) << uut.error().detail;
  uut->begin_in(scratch.path());

  EXPECT_EQ(uut->read("loss 2"), std::nullopt);
  EXPECT_EQ(uut->read_files(), std::nullopt);
  write("r.json", R"({"acc":1})");
  EXPECT_EQ(uut->read_files(), (object{{"loss", 2}, {"acc", 1}}));
  EXPECT_EQ(uut->read_files(), std::nullopt);
}

} // namespace
} // namespace tune

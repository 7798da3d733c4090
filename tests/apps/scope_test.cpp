// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/scope.hpp"

#include "inspect/failures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tune::cli {
namespace {

using testing::ElementsAre;

std::shared_ptr<const report> said(object metrics) {
  report result;
  result.metrics = std::make_shared<const object>(std::move(metrics));
  return std::make_shared<const report>(std::move(result));
}

double number(const object& from, std::string_view name) {
  const auto* found = from.find(name);
  return found == nullptr ? std::nan("") : found->number().value_or(std::nan(""));
}

TEST(joined_metrics, are_means_and_extremes_of_each_metric) {
  std::vector<std::shared_ptr<const report>> reports;
  for (int i = 1; i <= 12; ++i)
    reports.push_back(said({{"loss", i}, {"val", object{{"acc", 2.0 * i}}}, {"who", "me"}}));

  EXPECT_EQ(number(joined_metrics(reports, metric_scope::avg), "loss"), 6.5);
  EXPECT_EQ(number(joined_metrics(reports, metric_scope::last_5_avg), "loss"), 10);
  EXPECT_EQ(number(joined_metrics(reports, metric_scope::last_10_avg), "val/acc"), 15);
  EXPECT_EQ(number(joined_metrics(reports, metric_scope::min), "val/acc"), 2);
  EXPECT_EQ(number(joined_metrics(reports, metric_scope::max), "loss"), 12);
  EXPECT_FALSE(joined_metrics(reports, metric_scope::max).contains("who"));
}

TEST(joined_metrics, leave_nan_out_and_do_with_few_reports) {
  std::vector<std::shared_ptr<const report>> reports{said({{"loss", std::nan("")}}),
                                                     said({{"loss", 3.0}, {"late", 1}})};

  EXPECT_EQ(number(joined_metrics(reports, metric_scope::avg), "loss"), 3);
  EXPECT_EQ(number(joined_metrics(reports, metric_scope::last_5_avg), "late"), 1);
  EXPECT_TRUE(joined_metrics({}, metric_scope::avg).empty());
}

TEST(pareto_front, has_those_that_nobody_beats) {
  std::vector<std::vector<value>> rows{{1, 5},       {2, 7},  {3, 6}, {2, 7}, {std::nan(""), 9},
                                       {value{}, 9}, {0.5, 1}};

  EXPECT_THAT(pareto_front(rows, {{"loss", false}, {"size", true}}),
              ElementsAre(true, true, false, true, false, false, true));
  EXPECT_THAT(pareto_front(rows, {{"loss", false}}),
              ElementsAre(false, false, false, false, false, false, true));
}

TEST(common_text, is_first_and_last_line_without_names_of_places) {
  EXPECT_EQ(common_text("exit status 1\nTraceback\n  at 0x7f00\nValueError: bad 0xAF1 in "
                        "results/x/trials/00012/attempt_1_3/a.txt\n\n"),
            "exit status 1: ValueError: bad 0x... in results/x/trials/.../a.txt");
  EXPECT_EQ(common_text("exit status 1"), "exit status 1");
  EXPECT_EQ(common_text("\n \n"), "");
  EXPECT_EQ(common_text("0xyz 12"), "0xyz 12");
}

TEST(common_text, is_not_a_remark_on_files) {
  const auto missing = "what it wrote on node w2 is not all here: model-alpha.bin stays behind";

  EXPECT_EQ(common_text(std::string{"exited with status 3\n  no such table\n"} + missing),
            "exited with status 3: no such table");
  EXPECT_EQ(cause_text(std::string{"exited with status 3\n"} + missing), "exited with status 3");
  EXPECT_EQ(failure_key(std::string{"exited with status 3\nrank 1: "} + missing),
            failure_key("exited with status 3"));
}

TEST(common_text, knows_the_same_file_on_each_node) {
  for (const auto* place : {"/w/hw/jobs/seq-6c13ac8f197f265d", "/a/../w/jobs/seq-f91bbbbe85a92f00"})
    EXPECT_EQ(common_text(std::string{"exited with status 4\n  cat: '"} + place
                          + "/files/d.csv': No such file or directory"),
              "exited with status 4: cat: '.../files/d.csv': No such file or directory");
  EXPECT_EQ(common_text(R"(cannot open "/w/jobs/a-0123456789abcdef/trials/00003/x", sorry)"),
            R"(cannot open ".../trials/.../x", sorry)");
  EXPECT_EQ(common_text("no /etc/jobs/today-1"), "no /etc/jobs/today-1");
  EXPECT_EQ(common_text("no /jobs/0123456789abcdef/x"), "no /jobs/0123456789abcdef/x");
}

TEST(common_text, names_the_error_where_the_stack_trace_comes_behind_it) {
  EXPECT_EQ(common_text("exited with status 1\n  Exception in thread \"main\" E: boom\n"
                        "  … (3 lines between)\n  at A.b(A.java:4)\n  at A.main(A.java:9)"),
            "exited with status 1: Exception in thread \"main\" E: boom");
  EXPECT_EQ(common_text("exited with status 1\n  can't read \"x\": no such variable\n"
                        "      while executing\n  \"puts $x\"\n      (file \"a.tcl\" line 3)"),
            "exited with status 1: can't read \"x\": no such variable");
  EXPECT_EQ(common_text("exited with status 1\n  Error in f(2) : boom\n  Calls: f\n"
                        "  Execution halted"),
            "exited with status 1: Error in f(2) : boom");
}

TEST(common_text, names_the_error_where_advice_comes_behind_it) {
  EXPECT_EQ(common_text("exited with status 1\n  Traceback (most recent call last):\n"
                        "  torch.AcceleratorError: CUDA error: an illegal memory access\n"
                        "  For debugging consider passing CUDA_LAUNCH_BLOCKING=1\n"
                        "  Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions."),
            "exited with status 1: torch.AcceleratorError: CUDA error: an illegal memory access");
  EXPECT_EQ(common_text("exited with status 1\nRuntimeError: Error(s) in loading state_dict:\n"
                        "size mismatch for fc\nsize mismatch for conv"),
            "exited with status 1: RuntimeError: Error(s) in loading state_dict: size mismatch for "
            "fc");
}

TEST(common_text, names_the_error_of_runtimes_that_say_more_behind_it) {
  EXPECT_EQ(common_text("exited with status 1\n  /w/n.js:2\n    throw x;\n  … (2 lines between)\n"
                        "  TypeError: no data\n      at f (n.js:2:1)\n  … (9 lines between)\n"
                        "    code: 'E'\n  }\n  Node.js v20.20.2"),
            "exited with status 1: TypeError: no data");
  EXPECT_EQ(
      common_text("exited with status 101\n  thread 'main' panicked at src/main.rs:2:5:\n"
                  "  rate too high\n  note: run with `RUST_BACKTRACE=1` environment variable"),
      "exited with status 101: thread 'main' panicked at src/main.rs:2:5: rate too high");
  EXPECT_EQ(common_text("exited with status 2\n  panic: no data\n  goroutine 1 [running]:\n"
                        "  main.main()\n  \t/w/main.go:4 +0x4c"),
            "exited with status 2: panic: no data");
}

TEST(failure_key, tells_errors_apart_that_end_with_the_same_advice) {
  EXPECT_NE(failure_key("E\ntorch.AcceleratorError: CUDA error: a\nCompile with `X`"),
            failure_key("E\ntorch.AcceleratorError: CUDA error: b\nCompile with `X`"));
}

TEST(failure_key, takes_an_error_by_its_first_sentence) {
  const std::string oom
      = "E\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4 GiB. ";
  EXPECT_EQ(failure_key(oom + "Process 12 has 1.31 GiB in use. Including non-PyTorch memory, th"),
            failure_key(oom + "Including non-PyTorch memory, this process has 3 GiB in use."));
  EXPECT_NE(failure_key("E\nIOError: no a.csv in x"), failure_key("E\nIOError: no b.csv in x"));
  EXPECT_NE(failure_key("E\nthe first. The second"), failure_key("E\nthe first. The third"))
      << "no name of an error";
}

TEST(failure_key, does_not_tell_values_apart_but_places) {
  EXPECT_EQ(failure_key("exited with status 1\nValueError: loss 0.731 of pid 4711 is 1e-05"),
            failure_key("exited with status 1\nValueError: loss 12 of pid 9 is -3.25"));
  EXPECT_NE(failure_key("exited with status 1\nx"), failure_key("exited with status 2\nx"));
  EXPECT_NE(failure_key("E\nboom at line 12"), failure_key("E\nboom at line 13"));
  EXPECT_NE(failure_key("E\nboom in a.py:12"), failure_key("E\nboom in a.py:13"));
  EXPECT_NE(failure_key("E\n[Errno 2] no"), failure_key("E\n[Errno 13] no"));
  EXPECT_NE(failure_key("ended by SIGUSR1"), failure_key("ended by SIGUSR2"));
}

TEST(failure_key, does_not_count_numbers_that_touch_letters) {
  EXPECT_EQ(failure_key("E\nbad shape (14, 128) in layer conv_1 at 0x7f"),
            failure_key("E\nbad shape (3, 128) in layer conv_0 at 0xab2"));
  EXPECT_EQ(failure_key("E\n/tmp/foo215/bar.txt"), failure_key("E\n/tmp/foo246/bar.txt"));
  EXPECT_EQ(failure_key("E\nKeyError: 'missing233'"), failure_key("E\nKeyError: 'missing7'"));
  EXPECT_EQ(failure_key("E\nno trials/00001/attempt_1_2/a_3.txt"),
            failure_key("E\nno trials/00002/attempt_2_9/a_4.txt"));
  // What stands beside them does.
  EXPECT_NE(failure_key("E\nconv1_weight"), failure_key("E\nconv1_bias"));
  EXPECT_NE(failure_key("E\nno trials/00001/a.txt"), failure_key("E\nno trials/00001/b.txt"));
}

TEST(cause_text, keeps_of_a_traceback_what_names_the_error) {
  EXPECT_EQ(cause_text("stalled"), "stalled");
  EXPECT_EQ(cause_text("exited with status 1\n  no data"), "exited with status 1: no data");
  EXPECT_EQ(cause_text("the searcher failed:\n  no data"), "the searcher failed: no data");
  EXPECT_EQ(cause_text("fail_fast: trial 00003: exited with status 1\n  Traceback (most recent)\n"
                       "    File \"a.py\", line 2\n  ValueError: trials/00003/x\n"),
            "fail_fast: trial 00003: exited with status 1: ValueError: trials/00003/x");
  EXPECT_EQ(cause_text("the searcher failed: on stderr:\n  Traceback\n  ImportError: optuna"),
            "the searcher failed: on stderr: ImportError: optuna");
}

TEST(common_text, keeps_what_lies_below_a_directory_of_a_trial) {
  EXPECT_EQ(common_text("cannot open /r/x/trials/00000/data/input_a.csv: missing column 3"),
            "cannot open /r/x/trials/.../data/input_a.csv: missing column 3");
  EXPECT_EQ(common_text("can't open file '/r/trials/00003/attempt_1_2/./b.py'"),
            "can't open file '/r/trials/..././b.py'");
  EXPECT_EQ(common_text("in /r/trials/00003: no"), "in /r/trials/...: no");
  EXPECT_EQ(common_text("/r/trials/00003/attempt_a"), "/r/trials/.../attempt_a");
  EXPECT_EQ(common_text("/data/trials/notes.txt, trials/1"), "/data/trials/notes.txt, trials/1");
}

} // namespace
} // namespace tune::cli

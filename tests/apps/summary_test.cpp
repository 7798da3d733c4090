// SPDX-License-Identifier: BSD-3-Clause
#include "console/summary.hpp"

#include "sample.hpp"

#include "tune/core/experiment/time_limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tune::cli {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

run_snapshot finished() {
  auto x = sample::digits();
  x.counts = {0, 0, 0, 19, 1};
  return x;
}

TEST(summary_text, offers_to_go_on_with_what_was_left_off) {
  run_snapshot left;
  left.experiment = "digits";
  left.directory = "results/digits";
  left.objectives = {{"accuracy", true}};

  auto text = summary_text(left, {experiment_status::interrupted, "", "digits.ini"}, style{});

  EXPECT_NE(text.find("  tune-node resume results/digits  # go on\n"), std::string::npos);
  text = summary_text(left, {experiment_status::done, "", "digits.ini"}, style{});
  EXPECT_EQ(text.find("go on"), std::string::npos);
}

TEST(summary_text, raises_the_limit_that_it_ran_into_where_it_is_to_go_on) {
  run_snapshot left;
  left.experiment = "digits";
  left.directory = "results/digits";
  left.objectives = {{"accuracy", true}};
  left.time_limit = 2s;
  left.elapsed = 2s;
  using enum experiment_status;

  run_ending end{time_limit, std::string{time_limit_reached}, "digits.ini"};
  EXPECT_THAT(summary_text(left, end, style{}),
              HasSubstr("  tune-node resume results/digits --experiment.time_limit 0"
                        "  # go on; 0 = no limit\n"));

  end.why = training_limit_reached;
  left.elapsed = 1s;
  EXPECT_THAT(
      summary_text(left, end, style{}),
      HasSubstr("  tune-node resume results/digits --experiment.training_limit 0  # go on"));

  left.elapsed = 3s;
  EXPECT_THAT(summary_text(left, end, style{}),
              HasSubstr("resume results/digits --experiment.time_limit 0 "
                        "--experiment.training_limit 0  # go on"));

  end.head = "h:7";
  end.given = {"--experiment.time_limit", "2", "--strict"};
  EXPECT_THAT(summary_text(left, end, style{}),
              HasSubstr("  tune-node run digits.ini --head h:7 --strict --experiment.name digits "
                        "--resume --experiment.time_limit 0 --experiment.training_limit 0  # go"));
  EXPECT_THAT(summary_text(left, end, style{}),
              HasSubstr("  tune-node run digits.ini --head h:7 --experiment.time_limit 2 --strict "
                        "--experiment.name auto  # once more"));
}

TEST(summary_text, repeats_what_the_command_line_said) {
  run_snapshot left;
  left.experiment = "other name";
  left.directory = "/srv/other name";
  left.objectives = {{"accuracy", true}};
  run_ending end{experiment_status::interrupted, "", "digits.ini"};
  end.given = {"--space.lr", "uniform(0, 1)", "--strict"};

  EXPECT_THAT(summary_text(left, end, style{}),
              HasSubstr("  tune-node resume '/srv/other name' --strict  # go on\n"));
  EXPECT_THAT(summary_text(left, end, style{}),
              HasSubstr("  tune-node run digits.ini --space.lr 'uniform(0, 1)' --strict "
                        "--experiment.name auto  # once more, beside it\n"));

  end.head = "h:7";
  EXPECT_THAT(summary_text(left, end, style{}),
              HasSubstr("  tune-node run digits.ini --head h:7 --space.lr 'uniform(0, 1)' --strict "
                        "--experiment.name 'other name' --resume  # go on\n"));
}

TEST(summary_text, tells_what_trials_failed_with_and_who_is_in_the_front) {
  auto x = finished();
  x.objectives = {{"accuracy", true}, {"latency", false}};
  x.failures = {{"user_error", "exit status 1", {{3}, {4}}}};
  x.pareto = {{{7}, {0.5, 2}}};

  auto text = summary_text(x, {experiment_status::done, "", ""}, {});

  EXPECT_THAT(text, HasSubstr("  2 trials failed: user_error: exit status 1 (trial 00003, ...)\n"));
  EXPECT_THAT(text, HasSubstr("no trial beats in all objectives: 1 trial\n"
                              "    trial 00007: accuracy = 0.5, latency = 2\n"));
  EXPECT_THAT(summary_json(x, experiment_status::done),
              HasSubstr(R"("failures":[{"count":2,"class":"user_error","text":"exit status 1",)"
                        R"("trials":["00003","00004"]}],"pareto":["00007"]})"));
}

TEST(summary_text, names_the_best_the_directory_and_what_to_do_next) {
  EXPECT_EQ(summary_text(finished(), {experiment_status::done, "", "digits.ini"}, {}),
            R"(digits-mlp: done after 2m05s
  20 trials: 19 terminated, 1 errored
  best: trial 00003 at iteration 9, accuracy = 0.98125
    lr = 0.01
    hidden = 64
    optimizer = adam
  checkpoint: results/digits-mlp/trials/00003/checkpoint_000002
  directory: results/digits-mlp
next:
  tune-node trials results/digits-mlp  # all trials
  sqlite3 -readonly results/digits-mlp/experiment.db "SELECT trial, status, reason FROM trials"  # or by SQL
  tune-node run digits.ini --experiment.name auto  # once more, beside it
)");
}

TEST(summary_text, names_values_that_are_objects_as_the_space_takes_them) {
  auto x = finished();
  x.best->config = sample::shared(
      {{"model", object{{"kind", "a"}, {"depth", 3}}}, {"opt", object{{"lr", 0.5}}}});
  x.object_parameters = {"model"};

  EXPECT_THAT(summary_text(x, {experiment_status::done, "", "digits.ini"}, {}),
              HasSubstr("\n    model = {\"kind\":\"a\",\"depth\":3}\n    opt.lr = 0.5\n"));
}

TEST(summary_text, says_why_it_ended_and_quotes_for_the_shell) {
  auto text = summary_text(sample::digits(),
                           {experiment_status::interrupted, "Ctrl-C", "my digits.ini"}, {});

  EXPECT_THAT(text, HasSubstr("digits-mlp: interrupted after 2m05s\n  Ctrl-C\n"));
  EXPECT_THAT(text, HasSubstr("  tune-node run 'my digits.ini' --experiment.name auto"));
}

TEST(summary_text, does_not_say_twice_how_it_ended) {
  const auto text
      = summary_text(finished(), {experiment_status::interrupted, "interrupted", ""}, style{});

  EXPECT_THAT(text, Not(HasSubstr("\n  interrupted\n")));
}

TEST(summary_text, says_that_a_strict_constraint_is_missed_at_its_limit) {
  auto x = finished();
  x.constraints = *parse_constraints("accuracy < 0.98125, loss < 0.01");

  EXPECT_THAT(summary_text(x, {}, style{}),
              HasSubstr("it misses the least: accuracy < 0.98125 at the limit, loss < 0.01 by "));
}

TEST(summary_text, says_of_a_stall_what_is_left_and_how_to_go_on) {
  auto x = finished();
  const run_ending stalled{experiment_status::stalled, "the searcher waits", ""};
  EXPECT_THAT(summary_text(x, stalled, {}),
              HasSubstr("stalled: no trial is left, and the searcher has no further one after "));
  EXPECT_THAT(summary_text(x, stalled, {}),
              HasSubstr("  tune-node resume results/digits-mlp  # go on\n"));

  x.counts[static_cast<std::size_t>(trial_status::paused)] = 1;
  EXPECT_THAT(summary_text(x, stalled, {}),
              HasSubstr("stalled: trials are left, but none can run after "));
}

TEST(summary_text, offers_no_run_without_a_file) {
  EXPECT_THAT(summary_text(finished(), {experiment_status::done, "", ""}, {}),
              Not(HasSubstr("tune-node run")));
}

TEST(summary_text, says_so_when_there_is_no_best) {
  auto x = finished();
  x.best.reset();
  EXPECT_THAT(summary_text(x, {experiment_status::failed, "", ""}, {}),
              HasSubstr("  best: none, no trial reported a number for accuracy other than NaN\n"));
}

TEST(summary_text, says_of_which_report_the_checkpoint_is_where_the_best_has_none) {
  auto x = finished();
  x.best->checkpoint_iteration = 7;
  x.best->checkpoint_metrics = sample::shared({{"accuracy", 0.9}});

  EXPECT_THAT(summary_text(x, {experiment_status::done, "", ""}, {}),
              HasSubstr("  checkpoint: results/digits-mlp/trials/00003/checkpoint_000002\n"
                        "    of iteration 7, accuracy = 0.9: the best report has none\n"));
}

TEST(summary_text, says_so_where_the_checkpoint_is_another_report_of_the_same_iteration) {
  auto x = finished();
  x.best->checkpoint_iteration = x.best->iteration;
  x.best->checkpoint_metrics = sample::shared({{"accuracy", 0.9}});

  EXPECT_THAT(summary_text(x, {experiment_status::done, "", ""}, {}),
              HasSubstr(" of iteration " + std::to_string(x.best->iteration)
                        + ", accuracy = 0.9: the best report has none\n"));
}

TEST(summary_text, says_what_several_runs_of_the_best_come_to) {
  auto x = finished();
  auto& runs = x.best->runs.emplace();
  runs.runs = runs.wanted = 3;
  runs.is_full = true;
  runs.mean = runs.judged = 0.93;
  runs.error = 0.004;
  EXPECT_THAT(progress_text(x, style{}), HasSubstr("\n    3 runs: mean accuracy = 0.93 ± 0.004\n"));
  EXPECT_EQ(best_value(x), value{0.98125});

  runs.confirms = true;
  runs.mean_in_search = 0.95;
  EXPECT_THAT(
      progress_text(x, style{}),
      HasSubstr("    confirmed by 3 runs: mean accuracy = 0.93 ± 0.004; in the search 0.95\n"));
  runs.violation = 1.5;
  EXPECT_THAT(progress_text(x, style{}),
              HasSubstr("; in the search 0.95; they miss the constraints by 1.5 on average\n"));

  runs = {};
  runs.judge = run_judge::lower_bound;
  runs.runs = 1;
  runs.wanted = 2;
  runs.mean = 0.5;
  runs.judged = 0.25;
  EXPECT_THAT(
      progress_text(x, style{}),
      HasSubstr("    not all of its runs count: 1 of 2 runs: lower bound accuracy = 0.25, by which "
                "it is judged; mean 0.5\n"));
  runs.judged = 0.75;
  EXPECT_THAT(progress_text(x, style{}), HasSubstr("upper bound accuracy = 0.75, by which"));
  runs.judged = 0.25;
  runs.mean_in_search = 0.75;
  EXPECT_THAT(progress_text(x, style{}), HasSubstr("; mean 0.5, in the search 0.75\n"));
}

TEST(summary_text, says_that_the_best_trial_failed_later) {
  auto x = finished();
  x.best->status = trial_status::errored;

  EXPECT_THAT(summary_text(x, {experiment_status::done, "", ""}, {}),
              HasSubstr("  best: trial 00003 (which failed later) at iteration 9, "));
}

TEST(summary_text, says_that_exports_failed) {
  auto x = finished();
  EXPECT_THAT(summary_text(x, {experiment_status::done, "", ""}, {}), Not(HasSubstr("exports")));
  x.exports = {0, 4, "onnx: no such layer"};
  EXPECT_THAT(summary_text(x, {experiment_status::done, "", ""}, {}),
              HasSubstr("  exports: all 4 failed: onnx: no such layer\n"));
  x.exports.made = 2;
  EXPECT_THAT(summary_text(x, {experiment_status::done, "", ""}, {}),
              HasSubstr("  exports: 2 made, 4 failed: onnx: no such layer\n"));
  EXPECT_THAT(summary_json(x, experiment_status::done),
              HasSubstr(R"("exports":{"made":2,"failed":4,"why":"onnx: no such layer"})"));
}

TEST(summary_text, is_harmless_whatever_trials_said) {
  auto x = finished();
  x.best->config = sample::shared({{"k\x1b[2J", "v\n\x1b[31m"}});
  x.best->metrics = sample::shared({{"accuracy", "\x1b[5m"}});

  auto text = summary_text(x, {experiment_status::done, "\x1b[1m", "a\nb.ini"}, {});

  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
}

TEST(summary_json, is_exactly_the_documented_object) {
  EXPECT_EQ(
      summary_json(finished(), experiment_status::done),
      R"({"experiment":"digits-mlp","directory":"results/digits-mlp","status":"done",)"
      R"("counts":{"PENDING":0,"RUNNING":0,"PAUSED":0,"TERMINATED":19,"ERRORED":1},"planned":20,)"
      R"("best":{"trial":"00003","config":{"lr":0.01,"hidden":64,"optimizer":"adam"},)"
      R"("metrics":{"accuracy":0.98125,"loss":0.0625},)"
      R"("iteration":9,"status":"TERMINATED",)"
      R"("checkpoint":"results/digits-mlp/trials/00003/checkpoint_000002",)"
      R"("checkpoint_iteration":9,"checkpoint_metrics":{"accuracy":0.98125}},"elapsed_s":125.0})"
      "\n");
}

TEST(summary_json, has_null_where_there_is_nothing) {
  auto x = finished();
  x.best->checkpoint.clear();
  EXPECT_THAT(
      summary_json(x, experiment_status::done),
      HasSubstr(R"("checkpoint":null,"checkpoint_iteration":null,"checkpoint_metrics":null})"));

  x.best.reset();
  EXPECT_THAT(summary_json(x, experiment_status::failed), HasSubstr(R"("status":"failed",)"));
  EXPECT_THAT(summary_json(x, experiment_status::failed), HasSubstr(R"("best":null,)"));
}

TEST(summary_json, says_why_it_ended_where_there_is_a_cause) {
  EXPECT_THAT(summary_json(finished(), experiment_status::interrupted, "the searcher failed"),
              HasSubstr(R"("elapsed_s":125.0,"why":"the searcher failed"})"));
}

TEST(summary_json, writes_numbers_that_are_not_finite_as_texts) {
  auto x = finished();
  x.best->metrics = sample::shared(
      {{"accuracy", std::numeric_limits<double>::infinity()}, {"loss", std::nan("")}});
  x.elapsed = 1500500us;

  auto text = summary_json(x, experiment_status::time_limit);

  EXPECT_THAT(text, HasSubstr(R"("metrics":{"accuracy":"inf","loss":"nan"})"));
  EXPECT_THAT(text, HasSubstr(R"("status":"time_limit")"));
  EXPECT_THAT(text, HasSubstr(R"("elapsed_s":1.5)"));
}

} // namespace
TEST(next_steps, lead_to_where_a_directory_was_moved) {
  run_snapshot x;
  x.experiment = "digits";
  x.directory = "results/digits";
  x.counts[static_cast<std::size_t>(trial_status::running)] = 2;
  run_ending end{experiment_status::failed, "experiment.db: was moved", "digits.ini"};
  end.has_lost_record = true;
  end.is_gone = true;

  const auto text = summary_text(x, end, style{});

  EXPECT_THAT(text, StartsWith("digits: broken off after "));
  EXPECT_THAT(text, HasSubstr("what it knew of its trials then:\n  2 trials: 2 running\n"));
  EXPECT_THAT(text, HasSubstr("  directory: results/digits, where it is no more\n"));
  EXPECT_THAT(text, HasSubstr("\n  tune-node resume DIR  # go on, if it was moved"));
  EXPECT_THAT(text, HasSubstr("\n  tune-node run digits.ini --experiment.name auto  # from"));
  EXPECT_THAT(text, Not(HasSubstr("trials results/digits")));
  EXPECT_THAT(text, Not(HasSubstr("sqlite3")));
  end.is_gone = false;
  EXPECT_THAT(summary_text(x, end, style{}), HasSubstr("tune-node resume results/digits"));
}

TEST(next_steps, repeat_the_command_that_ran_it_on_several_machines) {
  run_snapshot x;
  x.experiment = "digits";
  x.directory = "results/digits";
  run_ending end{experiment_status::interrupted, "", "digits.ini"};
  end.command = "launch";
  end.given = {"--hosts", "a,b", "--ssh", "ssh -F conf"};

  auto text = summary_text(x, end, style{});

  EXPECT_THAT(text, HasSubstr("\n  tune-node launch digits.ini --hosts a,b --ssh 'ssh -F conf' "
                              "--experiment.name digits  # go on\n"));
  EXPECT_THAT(text, HasSubstr("\n  tune-node launch digits.ini --hosts a,b --ssh 'ssh -F conf' "
                              "--experiment.name auto  # once more, beside it\n"));
  end.command = "up";
  end.given = {"--number", "3"};
  text = summary_text(x, end, style{});
  EXPECT_THAT(text, HasSubstr("tune-node up digits.ini --number 3 --experiment.name digits"
                              "  # go on, in all tasks\n"));
  EXPECT_THAT(text, HasSubstr("--experiment.name auto  # once more, beside it, in all tasks\n"));
}

TEST(next_steps, go_on_where_the_files_of_the_trials_are) {
  run_snapshot x;
  x.experiment = "digits";
  x.directory = "results/digits";
  run_ending end{experiment_status::interrupted, "", ""};
  end.way_on = "tune-node run FILE --head HOST:PORT --experiment.name digits --resume";
  end.way_on_note = ", entered where it was submitted";

  EXPECT_THAT(summary_text(x, end, style{}),
              HasSubstr("\n  tune-node run FILE --head HOST:PORT --experiment.name digits --resume"
                        "  # go on, entered where it was submitted\n"));
}

TEST(next_steps, run_what_had_failed_again_where_nothing_else_is_left) {
  run_snapshot x;
  x.experiment = "digits";
  x.directory = "results/digits";
  x.planned = 2;
  x.counts[static_cast<std::size_t>(trial_status::errored)] = 1;
  const run_ending end{experiment_status::failed, "fail_fast: trial 00000", ""};

  EXPECT_THAT(summary_text(x, end, style{}),
              HasSubstr("tune-node resume results/digits  # go on\n"));

  x.counts[static_cast<std::size_t>(trial_status::terminated)] = 1;
  EXPECT_THAT(
      summary_text(x, end, style{}),
      HasSubstr("tune-node resume results/digits --mode errored_only  # run what had failed "
                "again\n"));
}

TEST(next_steps, go_on_with_what_a_client_stopped_where_trials_are_left) {
  run_snapshot x;
  x.experiment = "digits";
  x.directory = "results/digits";
  x.planned = 2;
  x.counts[static_cast<std::size_t>(trial_status::terminated)] = 1;
  const run_ending end{experiment_status::stopped, "stopped by a client", ""};

  EXPECT_THAT(summary_text(x, end, style{}),
              HasSubstr("tune-node resume results/digits  # go on\n"));

  x.counts[static_cast<std::size_t>(trial_status::terminated)] = 2;
  EXPECT_THAT(summary_text(x, end, style{}), Not(HasSubstr("resume")));
}

} // namespace tune::cli

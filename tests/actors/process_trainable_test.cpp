// SPDX-License-Identifier: BSD-3-Clause
#include "support/process_limit.hpp"
#include "support/processes.hpp"
#include "support/small_run.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include <signal.h>

namespace tune {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using iterations = std::vector<std::uint64_t>;

struct process_trainable : support::small_run {
  process_trainable() {
    node.processes.guard_program = TUNE_FAKE_TRAINABLE;
    work.kill_grace = 200ms;
    objective("i");
  }

  void objective(const std::string& metric) {
    work.objective = metric;
    settings.objectives = {{metric, true}};
  }
  /// @param script Arguments of tests/support/fake_trainable.cpp.
  void runs(const std::string& script, std::optional<metric_pattern_options> patterns = {}) {
    auto command = command_template::parse(TUNE_FAKE_TRAINABLE " " + script, {});
    ASSERT_TRUE(command);
    work.plan = run_command{*command, "/", std::move(patterns), {}};
  }
  static metric_pattern_options accuracy(report_mode mode) {
    metric_pattern_options result;
    result.metrics = {{"acc", "Accuracy = ([0-9]+)"}};
    result.mode = mode;
    result.objective = "acc";
    return result;
  }
  on::ended end() {
    auto ends = events<on::ended>();
    EXPECT_EQ(ends.size(), 1u);
    return ends.empty() ? on::ended{} : ends[0];
  }
};

TEST_F(process_trainable, reports_by_protocol) {
  runs("report 3");

  auto how = run();

  EXPECT_EQ(how.view.succeeded, 1u);
  EXPECT_EQ(reported_iterations(), (iterations{1, 2, 3}));
  EXPECT_EQ(*events<on::reported>()[2].what->metrics->find("i"), value{3});
  EXPECT_GT(events<on::reported>()[0].what->pid, 0);
  ASSERT_EQ(events<on::started>().size(), 1u);
  EXPECT_EQ(end().how, end_class::finished);
  EXPECT_EQ(end().exit_status, 0);
}

TEST_F(process_trainable, tells_where_not_all_of_its_output_could_be_kept) {
  runs("report 1 out words");
  std::filesystem::create_directories(work.directory / "trials" / "00000" / "stdout");

  run();

  EXPECT_EQ(end().how, end_class::finished);
  EXPECT_THAT(end().detail, HasSubstr("not all that it printed is in its files: "));
  EXPECT_THAT(end().detail, HasSubstr("stdout is a directory, not a file"));
}

TEST_F(process_trainable, fails_with_the_name_of_a_parameter_that_its_command_cannot_have) {
  auto command = command_template::parse(TUNE_FAKE_TRAINABLE " report 1 out {x}", {"x"});
  ASSERT_TRUE(command);
  work.plan = run_command{*command, "/", {}, {}};
  configs = {object{{"x", std::string{"a\0b", 3}}}};

  run();

  EXPECT_EQ(end().how, end_class::user_error);
  EXPECT_THAT(end().detail, HasSubstr("parameter \"x\" has a NUL byte"));
}

TEST_F(process_trainable, is_told_to_stop_by_protocol) {
  runs("report 1000 exit 5");
  stop_lines = {{"i", "2"}};

  run();

  EXPECT_EQ(reported_iterations(), (iterations{1, 2}));
  EXPECT_EQ(end().how, end_class::stopped);
  EXPECT_EQ(end().exit_status, 0);
}

TEST_F(process_trainable, hears_of_a_stop_at_its_next_report_wherever_it_is) {
  settings.stop_grace = 1h;
  runs("report 100000000");
  start();
  ASSERT_TRUE(wait_for_events<on::reported>(20));

  post(on::stop_asked{{}, "enough"});
  finish();

  EXPECT_EQ(end().how, end_class::stopped);
}

TEST_F(process_trainable, is_judged_before_its_next_line_is_read) {
  objective("acc");
  runs("lines 1000 hang", accuracy(report_mode::line));
  stop_lines = {{"acc", "2"}};

  run();

  EXPECT_EQ(reported_iterations(), (iterations{1, 2}));
  EXPECT_EQ(end().how, end_class::stopped);
}

TEST_F(process_trainable, keeps_nobody_waiting_by_an_expression_that_backtracks) {
  objective("acc");
  auto slow = accuracy(report_mode::line);
  slow.metrics.emplace_back("slow", "^(a+)+$");
  auto command = command_template::parse(
      "sh -c 'yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa! | head -n 5000; sleep 1000'", {});
  ASSERT_TRUE(command);
  work.plan = run_command{*command, "/", slow, {}};
  start();
  ASSERT_TRUE(wait_for_events<on::started>(1));
  auto begun = std::chrono::steady_clock::now();

  post(on::interrupted{"ctrl-c"});

  EXPECT_EQ(finish().status, experiment_status::interrupted);
  // Matching all lines would take minutes.
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 30s);
}

TEST_F(process_trainable, prints_more_than_fits_into_the_queue) {
  objective("acc");
  runs("bytes 300000 lines 3 bytes 300000 lines 1", accuracy(report_mode::final));

  auto how = run();

  EXPECT_EQ(how.view.succeeded, 1u);
  EXPECT_EQ(*events<on::reported>()[0].what->metrics->find("acc"), value{1});
}

TEST_F(process_trainable, reports_once_at_its_end_in_final_mode) {
  objective("acc");
  runs("lines 3", accuracy(report_mode::final));

  auto how = run();

  EXPECT_EQ(how.view.succeeded, 1u);
  ASSERT_EQ(events<on::reported>().size(), 1u);
  EXPECT_EQ(*events<on::reported>()[0].what->metrics->find("acc"), value{3});
}

TEST_F(process_trainable, makes_no_report_in_final_mode_where_it_fails) {
  objective("acc");
  runs("lines 3 exit 5", accuracy(report_mode::final));

  run();

  EXPECT_EQ(end().how, end_class::user_error);
  EXPECT_TRUE(events<on::reported>().empty());
}

TEST_F(process_trainable, fails_where_its_objective_never_appears) {
  objective("acc");
  runs("out 'Acuracy = 1%' exit 0", accuracy(report_mode::line));

  run();

  EXPECT_EQ(end().how, end_class::user_error);
  EXPECT_THAT(end().detail, HasSubstr("exited 0 but metric 'acc' never appeared"));
  EXPECT_THAT(end().detail, HasSubstr("Acuracy = 1%"));
}

TEST_F(process_trainable, fails_with_its_status_and_last_words) {
  runs("report 1 err oops exit 2");

  run();

  EXPECT_EQ(end().how, end_class::user_error);
  EXPECT_EQ(end().exit_status, 2);
  EXPECT_THAT(end().detail, HasSubstr("exited with status 2"));
  EXPECT_THAT(end().detail, HasSubstr("oops"));
}

TEST_F(process_trainable, has_its_run_opened_before_an_interrupt_that_came_first_counts) {
  runs("report 2");
  early = {on::interrupted{"a signal"}};

  auto how = run();

  EXPECT_EQ(how.status, experiment_status::interrupted);
  EXPECT_EQ(events<on::interrupted>().size(), 1u);
  const auto all = log.all();
  EXPECT_TRUE(std::holds_alternative<on::opened>(all[0].what));
  // The run has its own clock, which starts at zero.
  EXPECT_LT(all.back().at, 1min);
}

TEST_F(process_trainable, may_be_judged_by_a_metric_that_the_runtime_adds) {
  runs("report 2");
  objective("time_total_s");

  run();

  EXPECT_EQ(end().how, end_class::finished) << end().detail;
}

TEST_F(process_trainable, fails_with_its_signal) {
  runs("abort");

  run();

  EXPECT_EQ(end().how, end_class::user_error);
  EXPECT_EQ(end().exit_status, -6);
  EXPECT_THAT(end().detail, HasSubstr("SIGABRT"));
}

TEST_F(process_trainable, is_killed_from_outside) {
  runs("report 1 kill_self");

  run();

  EXPECT_EQ(end().how, end_class::killed);
  EXPECT_EQ(end().exit_status, -9);
}

TEST_F(process_trainable, says_what_cannot_be_started) {
  auto command = command_template::parse("/not/there", {});
  work.plan = run_command{*command, "/", {}, {}};

  run();

  EXPECT_EQ(end().how, end_class::user_error);
  EXPECT_THAT(end().detail, HasSubstr("/not/there"));
}

// A node that temporarily cannot create processes or open descriptors.

struct process_trainable_without_room : process_trainable {
  support::scratch_directory scratch;

  void SetUp() override {
    auto service = process_service::start(node.processes);
    ASSERT_TRUE(service) << to_text(service.error());
    node.service = std::move(*service);
    configs = {object{{"x", 1}}, object{{"x", 2}}, object{{"x", 3}}};
    // A trial's first failure is final; preemptions are free.
    settings.failures.budget.fill(0);
    settings.failures.budget[static_cast<std::size_t>(end_class::preempted)]
        = failure_policy::unlimited;
  }
  void TearDown() override {
    node.service.reset();
    process_trainable::TearDown();
  }
  /// Checks that all trials finished, each lost attempt never having started.
  void expect_only_delay(const run_summary& how, const std::string& cause) {
    EXPECT_EQ(how.status, experiment_status::done);
    EXPECT_EQ(how.view.succeeded, configs.size());
    std::size_t finished = 0;
    for (const auto& x : events<on::ended>()) {
      finished += x.how == end_class::finished ? 1 : 0;
      if (x.how == end_class::finished)
        continue;
      EXPECT_EQ(x.how, end_class::preempted) << x.detail;
      EXPECT_THAT(x.detail, HasSubstr("is not ready for it: " + cause));
    }
    EXPECT_EQ(finished, configs.size());
    EXPECT_GT(events<on::ended>().size(), configs.size());
  }
};

TEST_F(process_trainable_without_room, waits_for_descriptors_of_the_guard) {
  runs("report 1");
  auto options = node.processes;
  options.guard_program = support::program_with_descriptors(
      support::highest_descriptor_of(node.service->guard_pid()) + 1, TUNE_FAKE_TRAINABLE,
      scratch.path());
  auto service = process_service::start(options);
  ASSERT_TRUE(service) << to_text(service.error());
  node.service = std::move(*service);

  start();
  ASSERT_TRUE(wait_for_events<on::ended>(1));
  support::raise_descriptor_limit_of(node.service->guard_pid());

  expect_only_delay(finish(), "cannot take over the process's pipes: Too many open files");
}

TEST_F(process_trainable_without_room, waits_for_processes) {
  runs("report 1");
  support::process_limit none{node.service->guard_pid()};
  if (!none.holds())
    GTEST_SKIP() << "no control group that limits processes can be made here";

  start();
  ASSERT_TRUE(wait_for_events<on::ended>(1));
  none.lift();

  expect_only_delay(finish(), "cannot make a process: Resource temporarily unavailable");
}

TEST_F(process_trainable_without_room, fails_by_a_wrong_command_as_ever) {
  auto command = command_template::parse("/not/there", {});
  work.plan = run_command{*command, "/", {}, {}};

  auto how = run();

  EXPECT_EQ(how.view.succeeded, 0u);
  for (const auto& x : events<on::ended>())
    EXPECT_EQ(x.how, end_class::user_error);
}

TEST_F(process_trainable, does_not_listen_to_what_follows_a_line_that_is_no_report) {
  runs("report 1 say garbage flood 100 exit 0");

  run();

  EXPECT_EQ(end().how, end_class::user_error);
  EXPECT_THAT(end().detail, HasSubstr("in line: garbage"));
  EXPECT_EQ(reported_iterations(), (iterations{1}));
}

TEST_F(process_trainable, is_ended_for_reporting_on_without_reading_its_answers) {
  runs("flood 1000000 hang");

  run();

  EXPECT_EQ(end().how, end_class::user_error);
  EXPECT_THAT(end().detail, HasSubstr("without reading its answers"));
  EXPECT_LT(events<on::reported>().size(), 10'000u);
}

TEST_F(process_trainable, that_outlives_its_stop_has_not_failed) {
  settings.stop_grace = 100ms;
  work.kill_grace = 50ms;
  runs("ignore_term report 1 say '{\"metrics\":{\"i\":2}}' hear hang");
  stop_lines = {{"i", "2"}};

  auto how = run();

  EXPECT_EQ(how.view.succeeded, 1u);
  EXPECT_EQ(end().how, end_class::stopped);
  EXPECT_THAT(end().detail, HasSubstr("did not end within"));
}

TEST_F(process_trainable, is_ended_where_it_takes_longer_than_stop_grace) {
  work.stop_grace = 50ms;
  settings.stop_grace = 1h;
  runs("report 1 say '{\"metrics\":{\"i\":2}}' hear hang");
  stop_lines = {{"i", "2"}};

  auto how = run();

  EXPECT_EQ(how.view.succeeded, 1u);
  EXPECT_EQ(end().how, end_class::stopped);
  EXPECT_EQ(end().exit_status, -15);
  EXPECT_THAT(end().detail, HasSubstr("did not end within [cluster] stop_grace"));
}

TEST_F(process_trainable, that_fails_after_its_stop_is_warned_of) {
  runs("report 1 say '{\"metrics\":{\"i\":2}}' hear exit 3");
  stop_lines = {{"i", "2"}};

  auto how = run();

  EXPECT_EQ(how.view.succeeded, 1u);
  EXPECT_EQ(end().how, end_class::stopped);
  ASSERT_EQ(warned.all().size(), 1u);
  EXPECT_THAT(warned.all()[0],
              HasSubstr("exited with status 3 after it was told to end, which is no failure"));
}

TEST_F(process_trainable, saves_by_protocol) {
  settings.saves = save_ability::on_request;
  settings.checkpoints.frequency = 2;
  runs("report 3");

  auto how = run();

  EXPECT_EQ(how.view.succeeded, 1u);
  EXPECT_EQ(reported_iterations(), (iterations{1, 2, 3}));
  auto saved = events<on::saved>();
  ASSERT_EQ(saved.size(), 1u);
  EXPECT_EQ(saved[0].iteration, 2u);
  std::ifstream in{work.directory / saved[0].location / "state"};
  int state = 0;
  in >> state;
  EXPECT_EQ(state, 2);
}

TEST_F(process_trainable, goes_on_where_what_it_hands_over_cannot_be_kept) {
  runs(R"(say '{"metrics":{"i":1},"checkpoint":"not there"}' hear report 1)");

  auto how = run();

  EXPECT_EQ(how.view.succeeded, 1u);
  EXPECT_EQ(reported_iterations(), (iterations{1, 2}));
  auto failed = events<on::save_failed>();
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].checkpoint, checkpoint_id{});
  EXPECT_THAT(failed[0].why, HasSubstr("not there: "));
}

TEST_F(process_trainable, is_ended_for_a_line_without_end) {
  runs("endless_report");

  run();

  EXPECT_EQ(end().how, end_class::user_error);
  EXPECT_THAT(end().detail,
              HasSubstr("must be no longer than 1048576 bytes (put large values into a file"));
}

TEST_F(process_trainable, saves_and_leaves_off_when_the_run_is_interrupted) {
  settings.saves = save_ability::on_request;
  runs("report 100000000");
  start();
  ASSERT_TRUE(wait_for_events<on::reported>(1));

  post(on::interrupted{"ctrl-c"});
  auto how = finish();

  EXPECT_EQ(how.status, experiment_status::interrupted);
  EXPECT_EQ(how.view.counts[static_cast<std::size_t>(trial_status::pending)], 1u);
  EXPECT_EQ(events<on::saved>().size(), 1u);
  EXPECT_EQ(end().how, end_class::stopped);
}

TEST_F(process_trainable, ends_with_the_node_in_the_middle_of_a_run) {
  runs("report 1 ignore_term hang");
  start();
  ASSERT_TRUE(wait_for_events<on::reported>(1));

  end_run();

  EXPECT_EQ(system, nullptr);
}

struct bad_line {
  const char* name;
  const char* text;
  /// Part of the expected error message.
  const char* problem;
};

struct process_trainable_lines : process_trainable, testing::WithParamInterface<bad_line> {};

TEST_P(process_trainable_lines, are_the_programs_error_at_once) {
  runs("report 1 say '" + std::string{GetParam().text} + "' hear");

  run();

  EXPECT_EQ(end().how, end_class::user_error);
  EXPECT_THAT(end().detail, HasSubstr("broke the command protocol"));
  EXPECT_THAT(end().detail, HasSubstr(GetParam().problem));
  EXPECT_EQ(end().exit_status, -15);
  EXPECT_EQ(reported_iterations(), (iterations{1}));
}

INSTANTIATE_TEST_SUITE_P(
    that_are, process_trainable_lines,
    testing::Values(
        bad_line{"garbage", "garbage", "must be one JSON object"},
        bad_line{"a_number_too_large", R"({"metrics":{"i":1e999}})",
                 "the number 1e999 of /metrics/i at byte 21 is too large in line"},
        bad_line{"a_lone_surrogate", R"({"metrics":{"i":"\ud800"}})", "must be one JSON object"},
        bad_line{"metrics_that_are_no_object", R"({"metrics":5})", "'metrics' must be an object"},
        bad_line{"of_no_kind", R"({"other":5})", "none of 'metrics'"},
        bad_line{"half_an_iteration", R"({"metrics":{"training_iteration":1.5}})", "not 1.5"},
        bad_line{"an_iteration_gone_back", R"({"metrics":{"training_iteration":1}})", "not 1"}),
    [](const auto& x) { return std::string{x.param.name}; });

/// A program that writes all its lines at once, after a while.
std::string burst_after_a_while(const std::string& then) {
  return "sh -c 'sleep 0.8; printf \"Accuracy = 1\\nAccuracy = 2\\nAccuracy = 3\\n\"; " + then
         + "'";
}

TEST_F(process_trainable, tells_where_all_reports_came_at_once_with_its_end) {
  objective("acc");
  auto command = command_template::parse(burst_after_a_while("exit 0"), {});
  ASSERT_TRUE(command);
  run_command plan{*command, "/", accuracy(report_mode::line), {}};
  plan.pty = false;
  work.plan = std::move(plan);
  stop_lines = {{"acc", "1"}};

  auto how = run();

  EXPECT_EQ(reported_iterations(), (iterations{1}));
  EXPECT_TRUE(end().came_late);
  ASSERT_EQ(warned.all().size(), 1u);
  EXPECT_THAT(warned.all()[0], HasSubstr("trial 00000: its reports came all at once, as it ended"));
  EXPECT_THAT(warned.all()[0], HasSubstr("[trainable] pty = true"));
  EXPECT_THAT(reasons.all().back(), HasSubstr("; it had run its course by then"));
}

TEST_F(process_trainable, tells_where_a_quick_program_had_ended_before_it_was_told_to) {
  objective("acc");
  auto command = command_template::parse(
      "sh -c 'printf \"Accuracy = 1\\nAccuracy = 2\\nAccuracy = 3\\n\"'", {});
  ASSERT_TRUE(command);
  run_command plan{*command, "/", accuracy(report_mode::line), {}};
  plan.pty = false;
  work.plan = std::move(plan);
  stop_lines = {{"acc", "1"}};
  before_judging = [this] {
    EXPECT_TRUE(support::eventually([this] {
      auto all = events<on::started>();
      return !all.empty() && ::kill(static_cast<pid_t>(all.front().pid), 0) != 0;
    }));
  };

  run();

  EXPECT_EQ(reported_iterations(), (iterations{1}));
  EXPECT_TRUE(end().came_late);
  EXPECT_TRUE(warned.all().empty()) << "it was too quick to report earlier";
  EXPECT_THAT(reasons.all().back(), HasSubstr("; it had run its course by then"));
}

TEST_F(process_trainable, advises_no_terminal_where_metrics_are_read_from_stderr) {
  objective("acc");
  auto command = command_template::parse(
      "sh -c 'sleep 0.8; printf \"Accuracy = 1\\nAccuracy = 2\\nAccuracy = 3\\n\" >&2'", {});
  ASSERT_TRUE(command);
  run_command plan{*command, "/", accuracy(report_mode::line), {}};
  plan.patterns->stream = metric_stream::err;
  work.plan = std::move(plan);
  stop_lines = {{"acc", "1"}};

  run();

  ASSERT_EQ(warned.all().size(), 1u);
  EXPECT_THAT(warned.all()[0], HasSubstr("its reports came all at once, as it ended"));
  EXPECT_THAT(warned.all()[0], Not(HasSubstr("pty")));
}

/// It starts slowly, and is quick then.
TEST_F(process_trainable, says_nothing_of_reports_that_came_apart_however_short_the_time) {
  objective("acc");
  auto command = command_template::parse("sh -c 'sleep 1; echo \"Accuracy = 1\"; sleep 0.02; "
                                         "echo \"Accuracy = 2\"; sleep 0.01'",
                                         {});
  ASSERT_TRUE(command);
  work.plan = run_command{*command, "/", accuracy(report_mode::line), {}};

  run();

  EXPECT_EQ(reported_iterations(), (iterations{1, 2}));
  EXPECT_FALSE(end().came_late);
  EXPECT_TRUE(warned.all().empty());
}

TEST_F(process_trainable, says_nothing_of_reports_that_came_as_they_were_printed) {
  objective("acc");
  auto command = command_template::parse(
      "sh -c 'for i in 1 2 3; do sleep 0.3; echo \"Accuracy = $i\"; done; exec sleep 1000'", {});
  ASSERT_TRUE(command);
  work.plan = run_command{*command, "/", accuracy(report_mode::line), {}};
  stop_lines = {{"acc", "3"}};

  run();

  EXPECT_EQ(reported_iterations(), (iterations{1, 2, 3}));
  EXPECT_FALSE(end().came_late);
  EXPECT_TRUE(warned.all().empty());
}

TEST_F(process_trainable, warns_once_of_a_number_that_is_read_in_part) {
  objective("acc");
  runs("out 'Accuracy = 1e-5' out 'Accuracy = 2e-5'", accuracy(report_mode::line));

  run();

  EXPECT_EQ(reported_iterations(), (iterations{1, 2}));
  ASSERT_EQ(warned.all().size(), 1u);
  EXPECT_THAT(warned.all()[0],
              HasSubstr("reads 1 from the line \"Accuracy = 1e-5\", where \"e-5\" follows it"));
}

TEST_F(process_trainable, reads_metrics_from_a_file_when_it_is_written) {
  objective("acc");
  metric_pattern_options how;
  how.objective = "acc";
  how.files = {*parse_file_metric("acc", "file:result.json:/test/acc")};
  auto command = command_template::parse(
      "sh -c 'echo {{\\\"test\\\":{{\\\"acc\\\":1}}}} >result.json; exec sleep 1000'", {});
  ASSERT_TRUE(command) << command.error().detail;
  work.plan = run_command{*command, "/", how, {}};
  stop_lines = {{"acc", "1"}};

  run();

  EXPECT_EQ(reported_iterations(), (iterations{1}));
  EXPECT_EQ(end().how, end_class::stopped);
}

TEST_F(process_trainable, tells_its_start_before_what_a_file_had_by_then) {
  objective("acc");
  metric_pattern_options how;
  how.objective = "acc";
  how.files = {*parse_file_metric("acc", "file:result.json:/acc")};
  // The file is there at once; whether it is seen before the start is left to chance, each time.
  for (int i = 0; i < 20; ++i)
    configs.push_back(object{{"x", i}});
  auto command = command_template::parse("sh -c 'echo {{\\\"acc\\\":7}} >result.json'", {});
  ASSERT_TRUE(command) << command.error().detail;
  work.plan = run_command{*command, "/", how, {}};

  run();

  const auto reports = events<on::reported>();
  ASSERT_GE(reports.size(), 20u);
  for (const auto& x : reports)
    EXPECT_NE(x.what->pid, 0);
}

TEST_F(process_trainable, reads_files_once_more_at_its_end) {
  objective("acc");
  metric_pattern_options how;
  how.objective = "acc";
  how.mode = report_mode::final;
  how.files = {*parse_file_metric("acc", "file:result.json:/acc")};
  auto command = command_template::parse("sh -c 'echo {{\\\"acc\\\":7}} >result.json'", {});
  ASSERT_TRUE(command) << command.error().detail;
  work.plan = run_command{*command, "/", how, {}};

  EXPECT_EQ(run().view.succeeded, 1u);

  ASSERT_EQ(events<on::reported>().size(), 1u);
  EXPECT_EQ(*events<on::reported>()[0].what->metrics->find("acc"), value{7});
}

TEST_F(process_trainable, says_why_a_file_gave_no_metric) {
  objective("acc");
  metric_pattern_options how;
  how.objective = "acc";
  how.files = {*parse_file_metric("acc", "file:result.json:/acc")};
  runs("exit 0", how);

  run();

  EXPECT_EQ(end().how, end_class::user_error);
  EXPECT_THAT(end().detail, HasSubstr("metric 'acc' never appeared: result.json was not written"));
}

} // namespace
} // namespace tune

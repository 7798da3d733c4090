// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/exit_judgement.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace tune {
namespace {

exit_info exited(int code, std::vector<std::string> last_words = {}) {
  exit_info result;
  result.code = code;
  result.stderr_lines = std::move(last_words);
  return result;
}

exit_info signalled(int number, bool requested = false) {
  exit_info result;
  result.signal = number;
  result.requested = requested;
  return result;
}

exit_info troubled(std::string why, bool guard_lost = false) {
  exit_info result;
  result.trouble = std::move(why);
  result.guard_lost = guard_lost;
  return result;
}

exit_info at_fault(exit_info x, ec what) {
  x.fault = what;
  return x;
}

exit_info without_memory(exit_info x) {
  x.out_of_memory = true;
  return x;
}

exit_info unwatched(exit_info x) {
  x.memory_unwatched = true;
  return x;
}

exit_info printed(exit_info x, std::vector<std::string> lines) {
  x.stdout_lines = std::move(lines);
  return x;
}

exit_info words(exit_info x, std::vector<std::string> lines) {
  x.stderr_lines = std::move(lines);
  return x;
}

/// The facts of a program that reported everything required.
exit_facts well() {
  exit_facts result;
  result.objective = "acc";
  result.reported = true;
  result.saw_objective = true;
  return result;
}

exit_facts silent() {
  exit_facts result;
  result.objective = "acc";
  return result;
}

exit_facts ending(exit_facts x) {
  x.ending = true;
  return x;
}

exit_facts given_up(exit_facts x) {
  x.killed = true;
  return x;
}

exit_facts stopped_late(exit_facts x) {
  x.late_stop = true;
  return x;
}

exit_facts hosted(exit_facts x) {
  x.is_host = true;
  return x;
}

exit_facts reads_stderr(exit_facts x) {
  x.reads_stderr = true;
  return x;
}

exit_facts said(exit_facts x, std::string text, bool restore = false) {
  x.failure = line::failure{std::move(text), restore};
  return x;
}

exit_facts exports_late(exit_facts x) {
  x.late_export = true;
  return x;
}

exit_facts broke(exit_facts x, std::string what) {
  x.breach = std::move(what);
  return x;
}

exit_info requested(exit_info x) {
  x.requested = true;
  return x;
}

exit_facts reported(exit_facts x) {
  x.reported = true;
  return x;
}

struct row {
  const char* name;
  exit_info how;
  exit_facts known;
  exit_judgement verdict;
};

void PrintTo(const row& x, std::ostream* out) {
  *out << x.name;
}

const std::vector<row>& rows() {
  using enum end_class;
  static const std::vector<row> table{
      {"a_good_end", exited(0), well(), {finished, "", 0}},
      {"a_good_end_after_an_error", exited(0), said(well(), "no chart"), {finished, "no chart", 0}},
      {"a_breach_before_a_good_end",
       exited(0),
       broke(well(), "not JSON"),
       {user_error, "not JSON", 0}},
      {"a_breach_that_we_ended_it_for",
       signalled(SIGTERM, true),
       broke(well(), "not JSON"),
       {user_error, "not JSON", -15}},
      {"a_breach_that_we_ended_it_for_with_its_own_status",
       requested(exited(3, {"terminated"})),
       broke(well(), "not JSON"),
       {user_error, "not JSON", 3}},
      {"a_breach_and_a_progress_timeout",
       signalled(SIGKILL, true),
       given_up(broke(well(), "not JSON")),
       {user_error, "not JSON", -9}},
      {"a_line_that_a_crash_cut_short",
       signalled(SIGSEGV),
       broke(well(), "not JSON"),
       {user_error, "ended by SIGSEGV", -11}},
      {"a_status",
       exited(3, {"a", "b"}),
       well(),
       {user_error, "exited with status 3\n  a\n  b", 3}},
      {"a_status_with_words_of_its_own",
       exited(3, {"a"}),
       said(well(), "no data"),
       {user_error, "no data", 3}},
      {"a_signal_of_its_own", signalled(SIGSEGV), well(), {user_error, "ended by SIGSEGV", -11}},
      {"a_signal_without_a_name",
       signalled(SIGRTMIN + 1),
       well(),
       {user_error, "ended by signal " + std::to_string(SIGRTMIN + 1), -(SIGRTMIN + 1)}},
      {"a_kill_from_outside", signalled(SIGKILL), well(), {killed, "ended by SIGKILL", -9}},
      {"a_term_from_outside", signalled(SIGTERM), well(), {killed, "ended by SIGTERM", -15}},
      {"an_export_that_takes_too_long",
       signalled(SIGTERM, true),
       exports_late(well()),
       {finished, "was still exporting when export_timeout was over; ended by tune-node", -15}},
      {"an_export_that_takes_too_long_and_heeds_no_term",
       signalled(SIGKILL, true),
       exports_late(ending(well())),
       {stopped, "was still exporting when export_timeout was over; ended by tune-node", -9}},
      {"an_export_that_takes_too_long_and_stop_grace",
       signalled(SIGKILL, true),
       given_up(exports_late(ending(well()))),
       {stopped, "was still exporting when export_timeout was over; ended by tune-node", -9}},
      {"an_export_that_takes_too_long_after_no_metric",
       signalled(SIGTERM, true),
       exports_late(reported(silent())),
       {user_error, "exited 0 but metric 'acc' never appeared in its reports", -15}},
      {"want_of_memory",
       without_memory(signalled(SIGKILL)),
       well(),
       {out_of_memory, "out of memory", -9}},
      {"want_of_memory_below_a_shell",
       without_memory(exited(137, {"Killed"})),
       well(),
       {out_of_memory,
        "out of memory: a process that it had started was killed for want of it; it exited with "
        "status 137\n  Killed",
        137}},
      {"want_of_memory_that_it_got_over", without_memory(exited(0)), well(), {finished, "", 0}},
      {"want_of_memory_that_a_script_ignored",
       without_memory(exited(0)),
       silent(),
       {out_of_memory,
        "out of memory: a process that it had started was killed for want of it; it exited with "
        "status 0",
        0}},
      {"want_of_memory_by_its_own_words",
       exited(1, {"Traceback (most recent call last):",
                  "torch.OutOfMemoryError: CUDA out of memory."}),
       well(),
       {out_of_memory,
        "exited with status 1\n  Traceback (most recent call last):\n  torch.OutOfMemoryError: "
        "CUDA out of memory.",
        1}},
      {"want_of_memory_by_its_report_of_an_error",
       exited(1),
       said(well(), "it failed\nstd::bad_alloc"),
       {out_of_memory, "it failed\nstd::bad_alloc", 1}},
      {"want_of_memory_by_a_signal",
       words(signalled(SIGABRT), {"  what():  std::bad_alloc"}),
       well(),
       {out_of_memory, "ended by SIGABRT\n    what():  std::bad_alloc", -6}},
      {"want_of_memory_that_was_long_ago",
       exited(1, {"MemoryError", "(9 lines left out)", "a", "b", "c", "d", "e"}),
       well(),
       {user_error,
        "exited with status 1\n  MemoryError\n  (9 lines left out)\n  a\n  b\n  c\n  d\n  e", 1}},
      {"a_kill_below_a_shell",
       exited(137),
       well(),
       {user_error, "exited with status 137, as a shell does whose program was ended by SIGKILL",
        137}},
      {"a_kill_below_a_shell_that_nobody_watched",
       unwatched(exited(137)),
       well(),
       {user_error,
        "exited with status 137, as a shell does whose program was ended by SIGKILL; whether for "
        "want of memory cannot be told, since no control group could be made for it",
        137}},
      {"a_bad_checkpoint",
       exited(1),
       said(silent(), "truncated", true),
       {bad_checkpoint, "truncated", 1}},
      {"a_failure_that_is_none_of_the_checkpoint",
       exited(1),
       said(silent(), "no data", false),
       {user_error, "no data", 1}},
      {"nothing_reported",
       exited(0, {"warning"}),
       silent(),
       {user_error, "exited 0 but metric 'acc' never appeared\n  warning", 0}},
      {"nothing_reported_with_output",
       printed(exited(0, {"warning"}), {"Acuracy = 1"}),
       silent(),
       {user_error,
        "exited 0 but metric 'acc' never appeared\nstderr:\n  warning\nstdout:\n  Acuracy = 1", 0}},
      {"nothing_reported_on_stderr",
       printed(exited(0, {"Acuracy = 1"}), {"done"}),
       reads_stderr(silent()),
       {user_error,
        "exited 0 but metric 'acc' never appeared\nstdout:\n  done\nstderr:\n  Acuracy = 1", 0}},
      {"nothing_reported_with_words_of_its_own",
       exited(0, {"warning"}),
       said(silent(), "no data"),
       {user_error, "no data\nexited 0 but metric 'acc' never appeared", 0}},
      {"reports_without_the_objective",
       exited(0, {"warning"}),
       reported(silent()),
       {user_error, "exited 0 but metric 'acc' never appeared in its reports", 0}},
      {"a_host_without_a_word", exited(0), hosted(silent()), {finished, "", 0}},
      {"a_host_with_a_breach",
       exited(0),
       hosted(broke(silent(), "not JSON")),
       {user_error, "not JSON", 0}},
      {"a_host_that_fails", exited(1), hosted(silent()), {user_error, "exited with status 1", 1}},
      {"an_asked_end", exited(0), ending(well()), {stopped, "", 0}},
      {"an_asked_end_with_a_status", exited(7, {"a"}), ending(well()), {stopped, "", 7}},
      {"an_asked_end_without_a_report", exited(0), ending(silent()), {stopped, "", 0}},
      {"an_asked_end_by_our_kill",
       signalled(SIGKILL, true),
       ending(well()),
       {stopped, "did not end within kill_grace after TERM; killed by tune-node", -9}},
      {"an_asked_end_that_took_too_long",
       signalled(SIGKILL, true),
       given_up(ending(well())),
       {stopped, "did not end within [cluster] stop_grace after it was to stop; ended by tune-node",
        -9, true}},
      {"an_asked_end_that_took_too_long_before_its_term",
       signalled(SIGTERM, true),
       stopped_late(ending(well())),
       {stopped, "did not end within [cluster] stop_grace after it was to stop; ended by tune-node",
        -15, true}},
      {"an_asked_end_that_came_just_in_time",
       exited(0),
       stopped_late(ending(well())),
       {stopped, "", 0}},
      {"an_asked_end_by_a_kill_of_others", signalled(SIGKILL), ending(well()), {killed, "", -9}},
      {"an_asked_end_by_another_signal", signalled(SIGTERM), ending(well()), {stopped, "", -15}},
      {"a_kill_of_ours",
       signalled(SIGKILL, true),
       given_up(well()),
       {killed, "ended by SIGKILL", -9}},
      {"a_kill_of_ours_with_words",
       signalled(SIGTERM, true),
       given_up(said(well(), "KeyboardInterrupt")),
       {killed, "KeyboardInterrupt", -15}},
      {"a_kill_of_ours_that_it_forestalled", exited(0), given_up(well()), {killed, "", 0}},
      {"what_cannot_be_started",
       troubled("/not/there: No such file"),
       silent(),
       {user_error, "/not/there: No such file", {}}},
      {"what_cannot_be_started_and_was_to_end",
       troubled("no more processes"),
       given_up(silent()),
       {user_error, "no more processes", {}}},
      {"what_the_node_has_no_process_for",
       at_fault(troubled("no more processes"), ec::shortage),
       silent(),
       {preempted, "no more processes", {}}},
      {"what_the_node_cannot_start_otherwise",
       at_fault(troubled("Input/output error"), ec::storage),
       silent(),
       {preempted, "Input/output error", {}}},
      {"what_the_node_has_no_process_for_and_was_to_end",
       at_fault(troubled("no more processes"), ec::shortage),
       ending(silent()),
       {preempted, "no more processes", {}}},
      {"a_lost_guard", troubled("the guard died", true), well(), {node_lost, "the guard died", {}}},
      {"a_lost_guard_while_it_was_to_end",
       troubled("the guard died", true),
       given_up(well()),
       {node_lost, "the guard died", {}}},
      {"a_guard_that_had_to_be_killed_for_it",
       requested(troubled("the guard was silent", true)),
       given_up(well()),
       {killed, "the guard was silent", {}}},
      {"a_guard_that_had_to_be_killed_at_its_stop",
       requested(troubled("the guard was silent", true)),
       ending(well()),
       {stopped, "the guard was silent", {}}},
  };
  return table;
}

struct exit_judgements : testing::TestWithParam<row> {};

TEST_P(exit_judgements, are_those_of_the_table) {
  auto verdict = judge_exit(GetParam().how, GetParam().known);

  EXPECT_EQ(to_text(verdict.how), to_text(GetParam().verdict.how));
  EXPECT_EQ(verdict.detail, GetParam().verdict.detail);
  EXPECT_EQ(verdict.exit_status, GetParam().verdict.exit_status);
}

INSTANTIATE_TEST_SUITE_P(of, exit_judgements, testing::ValuesIn(rows()),
                         [](const auto& x) { return std::string{x.param.name}; });

TEST(exit_judgement, names_what_is_missing_before_it_says_why) {
  auto known = reported(silent());
  known.why_missing = "the line was cut";

  EXPECT_EQ(judge_exit(exited(0), known).detail,
            "exited 0 but metric 'acc' never appeared in its reports: the line was cut");
}

// -- Files that are gone from the node.

TEST(exit_judgement, is_the_node_s_fault_where_files_that_a_failed_program_needs_are_gone) {
  EXPECT_EQ(without_files({end_class::user_error, "exited with status 1", 1}, "a.sh is gone"),
            (exit_judgement{end_class::node_lost, "a.sh is gone\nexited with status 1", 1}));
}

TEST(exit_judgement, stays_where_no_file_is_gone_or_the_program_did_not_fail) {
  const exit_judgement failed{end_class::user_error, "exited with status 1", 1};
  const exit_judgement ended{end_class::finished, "", 0};

  EXPECT_EQ(without_files(failed, ""), failed);
  EXPECT_EQ(without_files(ended, "a.sh is gone"), ended);
}

} // namespace
} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "run/ending.hpp"

#include "console/one_line.hpp"
#include "console/stderr_queue.hpp"
#include "console/summary.hpp"
#include "console/text.hpp"
#include "inspect/failures.hpp"
#include "inspect/trials.hpp"

#include "tune/core/program_name.hpp"
#include "tune/io/store/experiment_directory.hpp"

#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <iostream>
#include <system_error>

namespace tune::cli {

namespace fs = std::filesystem;

exit_code complain(const error& what) {
  std::cerr << program_name() << ": " << in_one_line(to_text(what)) << '\n';
  return exit_code_for(what.code);
}

void warn(const std::vector<std::string>& lines, bool quiet) {
  for (const auto& x : quiet ? std::vector<std::string>{} : lines)
    std::cerr << program_name() << ": warning: " << printable(x) << '\n';
}

namespace {

/// Whether nobody wanted this end, and something has to be done before the run can go on.
bool is_trouble(experiment_status x) {
  return x == experiment_status::interrupted || x == experiment_status::failed
         || x == experiment_status::stalled;
}

} // namespace

void say_cause(const run_summary& how) {
  // A user who interrupts a run knows the cause, and record errors are shown separately.
  auto says_more
      = !how.why.empty() && how.why != to_text(how.status) && how.why != how.storage_error;
  if (is_trouble(how.status) && says_more)
    std::cerr << program_name() << ": " << to_text(how.status) << ": " << cause_text(how.why)
              << '\n';
}

exit_code exit_code_of(const run_summary& how, bool strict, int signal) {
  if (!how.storage_error.empty())
    return exit_code::storage;
  auto errored = how.view.counts[static_cast<std::size_t>(trial_status::errored)];
  switch (how.status) {
    case experiment_status::interrupted:
      return signal == 0 ? exit_code::again : static_cast<exit_code>(128 + signal);
    case experiment_status::time_limit:
    case experiment_status::left_off:
      // Trials that are to go on count by what they have reported.
      if (how.view.promising == 0)
        return exit_code::none_succeeded;
      return strict && errored > 0 ? exit_code::some_failed : exit_code::done;
    case experiment_status::stalled:
      return exit_code::again;
    case experiment_status::failed:
      return how.view.promising > 0 ? exit_code::some_failed : exit_code::none_succeeded;
    case experiment_status::done:
    case experiment_status::stopped:
      break;
  }
  if (how.view.succeeded == 0)
    return exit_code::none_succeeded;
  return strict && errored > 0 ? exit_code::some_failed : exit_code::done;
}

namespace {

/// Whether the record is no longer where it was begun; one that cannot be looked at is taken to be
/// there.
bool is_gone(const run_snapshot& x) {
  std::error_code failed;
  return !fs::exists(database_file(x.directory), failed) && !failed;
}

run_ending ending_of(const result_request& what, const run_snapshot& last, const run_summary& how) {
  run_ending result{how.status, how.why, what.file, what.head, what.given};
  result.has_lost_record = !how.storage_error.empty();
  result.is_asked = what.is_asked;
  result.command = what.command;
  result.way_on = what.way_on;
  result.way_on_note = what.way_on_note;
  result.is_gone = result.has_lost_record && what.head.empty() && is_gone(last);
  return result;
}

} // namespace

bool write_result(const result_request& what, const run_snapshot& last, const run_summary& how,
                  const style& look) {
  settle_stderr();
  expected<void> read;
  auto format = what.line.output.value_or(output_format::table);
  if (format == output_format::table)
    std::cout << summary_text(last, ending_of(what, last, how), look);
  if (format == output_format::csv || format == output_format::jsonl) {
    trials_request all;
    all.directory = last.directory;
    read = what.rows ? what.rows(std::cout) : show_trials(all, format, {}, std::cout);
  }
  if (format == output_format::json || format == output_format::jsonl)
    std::cout << summary_json(last, how.status, how.why);
  // The table includes the cause, and a head's client shows it separately.
  auto is_left_off = !what.head.empty() && how.status == experiment_status::interrupted;
  if (format != output_format::table && !is_left_off)
    say_cause(how);
  if (!read)
    complain(read.error());
  return read.has_value();
}

screen_options screen_of(const command_line& line, std::vector<objective> objectives) {
  auto environment = terminal_environment::of_process();
  auto terminal = ::isatty(STDERR_FILENO) == 1;
  screen_options result;
  result.objectives = std::move(objectives);
  result.redraw = can_redraw(environment, terminal) && !line.quiet;
  result.quiet = line.quiet;
  result.look = style{wants_color(line.color, environment, terminal)};
  return result;
}

} // namespace tune::cli

// The choices of the program, and the dispatch of commands.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/app/app.hpp"

#include "ask_tell/ask_tell_command.hpp"
#include "certs_command.hpp"
#include "client/client_command.hpp"
#include "client/fetch_command.hpp"
#include "client/logs_command.hpp"
#include "client/remote_command.hpp"
#include "client/status_command.hpp"
#include "command/command_line.hpp"
#include "command/completion.hpp"
#include "command/help.hpp"
#include "command/man_page.hpp"
#include "config_command.hpp"
#include "console/status_block.hpp"
#include "console/stderr_queue.hpp"
#include "console/terminal_guard.hpp"
#include "console/text.hpp"
#include "doctor/doctor_command.hpp"
#include "exit_code.hpp"
#include "head/command_runner.hpp"
#include "head/head_command.hpp"
#include "inspect/compare.hpp"
#include "inspect/experiments.hpp"
#include "inspect/export_command.hpp"
#include "inspect/fsck.hpp"
#include "inspect/importance.hpp"
#include "inspect/list.hpp"
#include "inspect/trials.hpp"
#include "launch/down_command.hpp"
#include "launch/keeper.hpp"
#include "launch/launch_command.hpp"
#include "plot/plot_command.hpp"
#include "report/report_command.hpp"
#include "run/cut_memory.hpp"
#include "run/interrupts.hpp"
#include "run/rerun_command.hpp"
#include "run/resume_command.hpp"
#include "run/run_command.hpp"
#include "run/submit_command.hpp"
#include "run/wait_command.hpp"
#include "serve/serve_command.hpp"
#include "simulate/simulate_command.hpp"
#include "top/top_command.hpp"
#include "up/up_command.hpp"
#include "whatif/whatif_command.hpp"
#include "worker/farewell_main.hpp"
#include "worker/worker_command.hpp"

#include "tune/core/program_name.hpp"
#include "tune/io/process/descriptor_limit.hpp"
#include "tune/io/process/host.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <system_error>
#include <utility>

namespace tune::cli {

namespace {

style look_of(const command_line& line, int descriptor) {
  auto environment = terminal_environment::of_process();
  return style{wants_color(line.color, environment, ::isatty(descriptor) == 1)};
}

table_look table_of(const command_line& line) {
  auto terminal = ::isatty(STDOUT_FILENO) == 1;
  auto columns = terminal ? size_of_terminal(STDOUT_FILENO).columns : 0;
  if (auto of_client = columns_of_client())
    columns = *of_client;
  return {static_cast<std::size_t>(columns), look_of(line, STDOUT_FILENO)};
}

struct commander {
  const command_line& line;
  const choices& all;

  exit_code operator()(const run_request& x) const { return run_experiment(line, x, all); }

  exit_code operator()(const up_request& x) const { return run_up(line, x, all); }
  exit_code operator()(const launch_request& x) const { return run_launch(line, x, all); }
  exit_code operator()(const down_request& x) const { return run_down(line, x); }

  exit_code operator()(const ask_tell_request& x) const { return run_ask_tell(line, x, all); }

  exit_code operator()(const head_request& x) const { return run_head(line, x, all); }

  exit_code operator()(const worker_request& x) const { return run_worker(line, x, all); }

  exit_code operator()(const resume_request& x) const { return resume_experiment(line, x, all); }

  exit_code operator()(const status_request& x) const {
    return show_status(line, x, table_of(line));
  }

  exit_code operator()(const logs_request& x) const { return show_logs(line, x); }

  exit_code operator()(const fetch_request& x) const { return fetch(line, x); }

  exit_code operator()(const wait_request& x) const {
    return wait_for_experiment(line, x, table_of(line));
  }

  exit_code operator()(const serve_request& x) const { return serve_experiments(line, x, all); }

  exit_code operator()(const report_request& x) const {
    return told(write_report(x, all, std::cout));
  }

  exit_code operator()(const plot_request& x) const {
    const auto look = table_of(line);
    const auto is_unicode = locale_is_unicode() || columns_of_client();
    return told(plot_experiment(x, {look.width > 0 ? look.width : 80, 20, is_unicode, look.colors},
                                std::cout));
  }

  exit_code operator()(const top_request& x) const { return show_top(line, x); }

  exit_code operator()(const export_request& x) const {
    return export_experiment(line, x, all.sinks);
  }

  exit_code operator()(const client_command& x) const { return run_client(line, x); }

  exit_code operator()(const trials_request& x) const {
    return told(show_trials(x, format(), table_of(line), std::cout, &all));
  }

  exit_code operator()(const fsck_request& x) const {
    auto done = check_experiment(x, all);
    if (!done) {
      std::cerr << program_name() << ": " << to_text(done.error()) << '\n';
      return exit_code_for(done.error().code);
    }
    write_fsck(*done, format(), std::cout);
    if (format() == output_format::csv || format() == output_format::jsonl) {
      for (const auto& y : done->unread)
        std::cerr << program_name() << ": " << printable(to_text(y)) << '\n';
    }
    return done->is_sound() ? exit_code::done : exit_code::storage;
  }

  exit_code operator()(const simulate_request& x) const {
    return simulate_experiment(line, x, all);
  }

  exit_code operator()(const whatif_request& x) const {
    return ask_what_if(line, x, all, table_of(line));
  }

  exit_code operator()(const rerun_request& x) const {
    return rerun_trial(line, x, all, table_of(line));
  }

  exit_code operator()(const attach_request& x) const { return attach_to_experiment(line, x); }

  exit_code operator()(const compare_request& x) const {
    return told(compare_experiments(x, format(), table_of(line), std::cout));
  }

  exit_code operator()(const importance_request& x) const {
    return told(show_importance(x, format(), table_of(line), std::cout));
  }

  exit_code operator()(const list_request& x) const {
    if (x.what == list_request::part::experiments)
      return told(list_experiments(x.storage, format(), table_of(line), std::cout, std::cerr));
    show_list(x, all, format(), table_of(line), std::cout);
    return exit_code::done;
  }

  exit_code operator()(const config_request& x) const { return show_config(x, all, format()); }

  exit_code operator()(const certs_request& x) const {
    auto done = run_certs(x, format(), table_of(line), std::cout);
    if (done)
      return exit_code::done;
    std::cerr << program_name() << ": " << printable(to_text(done.error())) << '\n';
    return certs_exit_code(done.error().code);
  }

  exit_code operator()(const doctor_request& x) const {
    return run_doctor(line, x, table_of(line));
  }

  exit_code operator()(const version_request&) const {
    std::cout << version_text(TUNE_CAF_VERSION, format());
    return exit_code::done;
  }

  exit_code operator()(const completion_request& x) const {
    std::cout << completion_script(x.what);
    return exit_code::done;
  }

  exit_code operator()(const help_request& x) const {
    std::cout << (x.man ? man_page() : help_text(x, look_of(line, STDOUT_FILENO)));
    return exit_code::done;
  }

  /// The exit code for a result; complains if it failed.
  static exit_code told(const expected<void>& done) {
    if (done)
      return exit_code::done;
    std::cerr << program_name() << ": " << printable(to_text(done.error())) << '\n';
    return exit_code_for(done.error().code);
  }

  [[nodiscard]] output_format format() const { return line.output.value_or(output_format::table); }
};

/// If the caller closed a standard descriptor, the next opened file would get its number, and
/// messages would be written into the database. The replacement fails when it is used.
void fill_standard_descriptors() {
  for (auto number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) < 0 && errno == EBADF
        && ::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
      std::_Exit(static_cast<int>(exit_code::internal));
  }
}

/// Smallest usable stack of a thread; each gets as much as the limit says. [bytes]
constexpr rlim_t least_stack = 256 * 1024;

/// Whether threads have enough stack. Complains if not.
bool has_stack() {
  rlimit stack{};
  if (::getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= least_stack)
    return true;
  const auto text = program_name() + ": stacks may have only "
                    + std::to_string(stack.rlim_cur / 1024)
                    + " KiB here; raise the limit (ulimit -s), at least to "
                    + std::to_string(least_stack / 1024) + "\n";
  [[maybe_unused]] auto count = ::write(STDERR_FILENO, text.data(), text.size());
  return false;
}

/// Whether stdout gets text unescaped. Tables escape their content, and colour the rest.
bool shows_as_found(const command_line& line) {
  if (const auto* logs = std::get_if<logs_request>(&line.what))
    return !logs->raw;
  return std::holds_alternative<config_request>(line.what)
         || line.output.value_or(output_format::table) != output_format::table;
}

exit_code carry_out(const command_line& line, const choices& all) {
  std::optional<terminal_guard> guard;
  if (::isatty(STDOUT_FILENO) == 1 && shows_as_found(line))
    guard.emplace(std::cout);
  if (line.at_head) {
    if (const auto* written = std::get_if<export_request>(&line.what))
      return export_from_head(line, *line.at_head, *written, all.sinks, table_of(line));
    const auto* fetched = std::get_if<fetch_request>(&line.what);
    return fetched != nullptr ? fetch_from_head(line, *line.at_head, *fetched, table_of(line))
                              : ask_head(*line.at_head, table_of(line));
  }
  return std::visit(commander{line, all}, line.what);
}

int run(int argc, char** argv, const choices& all) {
  if (auto status = host_main(argc, argv, all.trainables))
    return *status;
  if (auto status = farewell_main(argc, argv))
    return *status;
  if (const auto directory = keeper_directory(argc, argv)) {
    hold_signals();
    const stderr_queue talk;
    return static_cast<int>(run_keeper(*directory, all));
  }
  heed_client_of_runner();
  end_when_memory_is_cut();
  auto line = parse(argc, argv);
  if (!line) {
    std::cerr << program_name() << ": " << to_text(line.error()) << '\n';
    return static_cast<int>(exit_code::usage);
  }
  std::optional<stderr_queue> talk;
  const auto* up = std::get_if<up_request>(&line->what);
  if (std::holds_alternative<run_request>(line->what) || up != nullptr
      || std::holds_alternative<launch_request>(line->what)
      || std::holds_alternative<down_request>(line->what)
      || std::holds_alternative<ask_tell_request>(line->what)
      || std::holds_alternative<resume_request>(line->what)
      || std::holds_alternative<rerun_request>(line->what)
      || std::holds_alternative<attach_request>(line->what)
      || std::holds_alternative<head_request>(line->what)
      || std::holds_alternative<serve_request>(line->what)
      || std::holds_alternative<worker_request>(line->what)) {
    hold_signals(up != nullptr ? up->run.notice_signal : 0);
    talk.emplace();
  }
  auto code = carry_out(*line, all);
  errno = 0;
  std::cout.flush();
  if (std::cout)
    return static_cast<int>(code);
  std::cerr << program_name() << ": the result could not be written to stdout"
            << (errno != 0 ? std::string{": "} + std::strerror(errno) : std::string{}) << '\n';
  return static_cast<int>(exit_code::storage);
}

} // namespace

} // namespace tune::cli

namespace tune {

int app(int argc, char** argv, choices what) {
  set_program_name(argc > 0 ? argv[0] : "");
  cli::fill_standard_descriptors();
  // Whoever started this program may ignore the ends of children; here they are waited for.
  ::signal(SIGCHLD, SIG_DFL);
  if (!cli::has_stack())
    return static_cast<int>(cli::exit_code::configuration);
  raise_descriptor_limit();
  try {
    return cli::run(argc, argv, what);
  } catch (const std::filesystem::filesystem_error& why) {
    std::error_code gone;
    static_cast<void>(std::filesystem::current_path(gone));
    if (gone) {
      std::cerr << program_name() << ": the working directory cannot be found: " << gone.message()
                << "; change to another one\n";
      return static_cast<int>(cli::exit_code::configuration);
    }
    std::cerr << program_name() << ": internal error: " << why.what() << '\n';
  } catch (const std::exception& why) {
    std::cerr << program_name() << ": internal error: " << why.what() << '\n';
  }
  return static_cast<int>(cli::exit_code::internal);
}

} // namespace tune

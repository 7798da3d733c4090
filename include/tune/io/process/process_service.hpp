/// Runs a node's trial processes: starts them, reads what they say, ends them, leaves nothing.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/process/output_sink.hpp"

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tune {

/// Names one launch of one service, or one further use of its process; never used again.
struct process_handle {
  std::uint64_t id = 0;
  /// Rises when the process is parked, and when it is handed on. What is asked of an earlier use
  /// has no effect any more.
  std::uint64_t use = 0;
  friend bool operator==(const process_handle&, const process_handle&) = default;
};

/// What `process_service` returns where it parks `which` or hands it on.
[[nodiscard]] constexpr process_handle next_use(process_handle which) {
  return {which.id, which.use + 1};
}

/// Whether a process is given a terminal.
enum class terminal_use : std::uint8_t {
  none,
  /// Where the machine has one left; else a pipe.
  wanted,
  /// Without one it is not started.
  required
};

/// What to run.
struct process_order {
  /// The program and its words. One without a slash is looked up in PATH.
  std::vector<std::string> argv;
  /// The whole environment, "NAME=value"; see `environment_with`.
  std::vector<std::string> env;
  /// Its working directory; must exist. Relative paths stand against the service's at the launch.
  std::filesystem::path directory;
  /// Files appended to; empty: none. Made at the first byte. Where their disk does not keep up, the
  /// program waits when it writes; where it does not answer, the end of the process is not told.
  std::filesystem::path stdout_file;
  std::filesystem::path stderr_file;
  /// Whose files these are. Processes of one job wait for a disk that does not answer together;
  /// those of others do not.
  std::string job = {};
  /// Bytes each file may hold; what exceeds it is read and dropped.
  std::uint64_t output_cap = 64 * 1024 * 1024;
  /// Open the report and the answer descriptor and name them in the environment.
  bool protocol = false;
  /// These are its stdout and its stdin, and the environment names none. Nothing else may want its
  /// stdout then.
  bool protocol_is_standard = false;
  /// Longest report delivered whole, where it is not the service's limit. [bytes; 0: the service's]
  std::size_t max_report_line = 0;
  /// Deliver the lines of stdout; of stderr.
  bool stdout_lines = false;
  bool stderr_lines = false;
  /// Whether stdout is a terminal, so that most programs hand each line over at once. What is
  /// written comes through unchanged.
  terminal_use terminal = terminal_use::none;
  /// Files against `directory` whose changes are told; parts of their paths may not exist yet.
  std::vector<std::string> watched_files;
  /// From TERM to KILL if this node dies or the service ends.
  std::chrono::milliseconds grace{5000};
  /// Bytes, enforced by a control group where one can be had; 0: no limit.
  std::uint64_t memory_limit = 0;
  /// Where none can be had, limit the address space instead. Breaks programs that reserve much.
  bool address_space_fallback = false;
  /// Resource and value, as for setrlimit; of open files only the soft limit.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> limits;
  /// Set as TUNE_TRIAL_ATTEMPT: by it leftovers are found. Unique among all runs on this machine,
  /// those in other containers excepted.
  std::string tag;
  /// Set as TUNE_TRIAL_PLACE: the directory that leftovers belong to; see `directory_mark`.
  std::string place = {};
};

/// What changes where a process goes on for another trial.
struct process_turn {
  /// As in its order.
  std::filesystem::path stdout_file;
  std::filesystem::path stderr_file;
  std::uint64_t output_cap = 64 * 1024 * 1024;
};

/// How a process ended. All it started is gone as well.
struct exit_info {
  /// Exit status; nothing where a signal ended it or it never ran.
  std::optional<int> code;
  std::optional<int> signal;
  /// Why it could not be started, or why its end is unknown; empty otherwise.
  std::string trouble;
  /// Whose fault it is that it could not be started: `ec::process`: the command's; any other: this
  /// machine's, and `ec::shortage`: only for now.
  ec fault = ec::process;
  /// The memory limit, or the kernel for want of memory, ended it, or a process that it had
  /// started: it may have ended well all the same.
  bool out_of_memory = false;
  /// It had a limit of memory, but no control group could be made: what its own status does not say
  /// is not known.
  bool memory_unwatched = false;
  /// Its end was asked for before it came.
  bool requested = false;
  /// The guard died or had to be killed and took it along: nobody's fault but this node's.
  bool guard_lost = false;
  /// What was written, made printable: of stderr the first three lines and the last five, and
  /// between them how many are left out; of stdout the last five, only where it was read.
  std::vector<std::string> stderr_lines;
  std::vector<std::string> stdout_lines;
  /// Why an output file could not be written; empty where it could.
  std::string output_trouble;
};

/// Whether to read on after a line, or to leave the rest in the pipe until it was judged.
enum class line_flow : std::uint8_t { go_on, hold };

/// Hears of one process. Called from the service's thread: be quick, hand the news on.
class process_listener {
public:
  virtual ~process_listener() = default;

  /// The program was executed, or is this listener's from now on. Comes before all lines; not at
  /// all where it could not be started.
  virtual void started(pid_t pid) { static_cast<void>(pid); }
  /// A line of the report descriptor. @param truncated it was longer than the limit.
  /// On `hold` no more is delivered until `resume_reports`.
  virtual line_flow report_line(std::string_view line, bool truncated) {
    static_cast<void>(line);
    static_cast<void>(truncated);
    return line_flow::go_on;
  }
  /// Answers do not fit into its pipe any more: it leaves them unread. Once at most.
  virtual void answers_unread() {}
  /// None of the answers so far waits any more: its pipe has them, or it wants none.
  virtual void answers_taken() {}
  /// Bytes that it printed were read: the lines that are told next came with them.
  virtual void output_read() {}
  /// A line of stdout; a carriage return ends one, too. Likewise until `resume_output`. Not called
  /// once its end was asked for.
  virtual line_flow stdout_line(std::string_view line, bool truncated) {
    static_cast<void>(line);
    static_cast<void>(truncated);
    return line_flow::go_on;
  }
  /// A line of stderr, as one of stdout.
  virtual line_flow stderr_line(std::string_view line, bool truncated) {
    static_cast<void>(line);
    static_cast<void>(truncated);
    return line_flow::go_on;
  }
  /// Watched files may have changed: written and closed, or put there under their names.
  virtual void files_changed() {}
  /// The last call, exactly once, after all lines.
  virtual void exited(const exit_info& how) = 0;
  /// The last call instead of it where the process was parked. @param so_far without its end.
  virtual void parked(const exit_info& so_far) { static_cast<void>(so_far); }
};

struct process_service_options {
  /// What is started as guard; empty: this program. Must call `host_main` first.
  std::filesystem::path guard_program{};
  /// For its start.
  std::chrono::milliseconds guard_patience{20'000};
  /// A guard that answers nothing for so long is killed, and its processes with it.
  std::chrono::milliseconds guard_silence{10'000};
  /// A program that the guard starts should this process die without the end of its service, once
  /// nothing is left of the service's processes: to tell somebody. Empty: none.
  std::vector<std::string> obituary{};
  /// Longest lines delivered whole. [bytes]
  std::size_t max_stdout_line = 64 * 1024;
  std::size_t max_report_line = 1024 * 1024;
  /// Answers that wait for a process to read them; further ones are dropped. [bytes]
  std::size_t max_waiting_answers = 64 * 1024;
  /// What takes the bytes of output files; empty: the files themselves.
  output_maker output{};
  /// At the end of the service, once no process is left: a disk that takes nothing for so long is
  /// waited for no further. What is missing is told as `output_trouble`.
  std::chrono::milliseconds output_patience{10'000};
};

/// One per node process. Owns a guard process, one thread that reads for all, and one for each job
/// that writes its output files: a file system that does not answer keeps that job's processes
/// alone. All functions may be called from any thread and from listeners, and never wait for a
/// process or a disk.
///
/// After a process is asked to end, holds are lifted, lines of stdout are no longer delivered,
/// and at most 256 more of its report lines are.
class process_service {
public:
  /// @errors `ec::process`, `ec::refused` as for the guard, `ec::shortage` where this machine lacks
  ///         processes, threads or descriptors for now.
  [[nodiscard]] static expected<std::unique_ptr<process_service>>
  start(process_service_options options = {});

  /// Ends all processes, each with its order's grace, waits for that and tells their listeners. A
  /// thread whose disk does not answer (see `output_patience`) is left alone with what it has to
  /// write: it goes when it is done, or with this process.
  ~process_service();
  process_service(const process_service&) = delete;
  process_service& operator=(const process_service&) = delete;

  /// Starts a process soon. Whatever goes wrong is told by `exited`.
  process_handle launch(process_order what, std::shared_ptr<process_listener> who);

  void resume_reports(process_handle which);
  void resume_output(process_handle which);
  /// Writes `line` and a newline to the answer descriptor, as far as the process reads it. Lifts a
  /// hold of the report descriptor.
  void answer(process_handle which, std::string line);
  /// Closes the answer descriptor once the process has read all that waits.
  void end_answers(process_handle which);
  /// TERM to the process and its group now, KILL to all of it after `grace`.
  void end(process_handle which, std::chrono::milliseconds grace);
  /// The same with its order's grace.
  void end(process_handle which);
  /// KILL to all of it.
  void kill(process_handle which);

  /// Takes a process that speaks the protocol from its listener, which hears `parked` when all that
  /// was printed so far is in its files. What it prints from then on is dropped.
  ///
  /// Not if it is gone or was asked to end, and not if anything lives that it started: then its
  /// answer descriptor is closed, so that it ends, and all that it leaves is ended. In either case
  /// its listener hears `exited`.
  /// @param checkpoint_service Has the process from then on: hears `started`, before the other's
  /// last call,
  ///               and `exited`.
  /// @returns the checkpoint service's handle.
  process_handle park(process_handle which, std::shared_ptr<process_listener> checkpoint_service);
  /// Gives a parked process to `who`, and writes `line` to its answer descriptor. All counts and
  /// limits begin anew. Where it is gone by now, `who` hears `exited` with that trouble.
  /// @returns the handle of `who`.
  process_handle hand_on(process_handle which, process_turn how,
                         std::shared_ptr<process_listener> who, std::string line);

  /// The guard's process; for tests and `doctor`.
  [[nodiscard]] pid_t guard_pid() const;

private:
  class poll_loop;
  std::unique_ptr<poll_loop> loop_;

  explicit process_service(std::unique_ptr<poll_loop> loop);
};

/// This process's environment with `additions`, which win. What marks a trial (TUNE_TRIAL_*) is
/// not inherited. Names that are empty or contain '=' or NUL are left out, as are values with NUL.
[[nodiscard]] std::vector<std::string>
environment_with(const std::vector<std::pair<std::string, std::string>>& additions);

} // namespace tune

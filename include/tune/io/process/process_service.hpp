/// Runs a node's trial processes: starts them, reads their output and reports, ends them, leaves
/// nothing behind.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/process/output_sink.hpp"
#include "tune/io/process/process_usage.hpp"

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

/// Identifies one launch of a service, or one further use of its process; never reused.
struct process_handle {
  std::uint64_t id = 0;
  /// Increases when the process is parked and when it is handed on. Requests with the handle of an
  /// earlier use have no effect.
  std::uint64_t use = 0;
  friend bool operator==(const process_handle&, const process_handle&) = default;
};

/// The handle that `process_service` returns when it parks `which` or hands it on.
[[nodiscard]] constexpr process_handle next_use(process_handle which) {
  return {which.id, which.use + 1};
}

/// Whether a process is given a terminal.
enum class terminal_use : std::uint8_t {
  none,
  /// A terminal if the machine has one left; else a pipe.
  wanted,
  /// The process is not started without a terminal.
  required
};

/// Describes a process to run.
struct process_order {
  /// The program and its arguments. A program without a slash is looked up in PATH.
  std::vector<std::string> argv;
  /// The whole environment, "NAME=value"; see `environment_with`.
  std::vector<std::string> env;
  /// The working directory; must exist. A relative path is resolved against the service's at the
  /// launch.
  std::filesystem::path directory;
  /// Files that output is appended to; empty for none. Created at the first byte. While their disk
  /// is too slow, the program blocks when it writes; while it does not answer, the end of the
  /// process is not reported.
  std::filesystem::path stdout_file;
  std::filesystem::path stderr_file;
  /// The job that owns these files. A disk that does not answer delays all processes of the job,
  /// but not those of other jobs.
  std::string job = {};
  /// Size limit of each file; further output is read and dropped. [bytes]
  std::uint64_t output_cap = 64 * 1024 * 1024;
  /// Whether to open the report and the answer descriptor and name them in the environment.
  bool protocol = false;
  /// Use stdout and stdin for reports and answers; the environment then names no descriptors. No
  /// other option may use stdout in this case.
  bool protocol_is_standard = false;
  /// Longest report delivered whole. [bytes; 0: the service's limit]
  std::size_t max_report_line = 0;
  /// Whether to deliver the lines of stdout (of stderr) to the listener.
  bool stdout_lines = false;
  bool stderr_lines = false;
  /// Whether stdout is a terminal, so that most programs flush each line at once. Output comes
  /// through unchanged.
  terminal_use terminal = terminal_use::none;
  /// Files, relative to `directory`, whose changes are reported; parts of their paths may not exist
  /// yet.
  std::vector<std::string> watched_files;
  /// Time from TERM to KILL if this node dies or the service ends.
  std::chrono::milliseconds grace{5000};
  /// Memory limit in bytes, enforced by a control group if one can be created; 0: no limit.
  std::uint64_t memory_limit = 0;
  /// Whether to limit the address space if there can be no control group. Breaks programs that
  /// reserve much.
  bool address_space_fallback = false;
  /// Resource and value, as for setrlimit; for open files only the soft limit is set.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> limits;
  /// Value of TUNE_TRIAL_ATTEMPT, by which leftovers are found. Unique among all runs on this
  /// machine, except those in other containers.
  std::string tag;
  /// Value of TUNE_TRIAL_PLACE: the directory that leftovers belong to; see `directory_mark`.
  std::string place = {};
};

/// The settings that change when a process is reused for another trial.
struct process_turn {
  /// The files of the same name in `process_order`.
  std::filesystem::path stdout_file;
  std::filesystem::path stderr_file;
  std::uint64_t output_cap = 64 * 1024 * 1024;
};

/// The end of a process. All processes that it started are gone as well.
struct exit_info {
  /// Exit status; empty if a signal ended the process or it never ran.
  std::optional<int> code;
  std::optional<int> signal;
  /// Why it could not be started, or why its end is unknown; empty otherwise.
  std::string trouble;
  /// The cause of a failed start: `ec::process` means the command; any other code means this
  /// machine, and `ec::shortage` that it lacks something only for now.
  ec fault = ec::process;
  /// True if the memory limit, or the kernel's OOM killer, ended the process or a descendant of it:
  /// the process itself may have ended well all the same.
  bool out_of_memory = false;
  /// True if the process had a memory limit but no control group could be created: an out-of-memory
  /// end is then known only as far as its exit status shows it.
  bool memory_unwatched = false;
  /// True if the end was requested before it happened.
  bool requested = false;
  /// True if the guard died or had to be killed and took the process along, which is this node's
  /// fault only.
  bool guard_lost = false;
  /// Output, made printable: the first three and the last five lines of stderr, and between them
  /// the line that names the error (`telling_line_in`) and the number of lines left out; the last
  /// five lines of stdout, only if stdout was read.
  std::vector<std::string> stderr_lines;
  std::vector<std::string> stdout_lines;
  /// Why an output file could not be written; empty if it could.
  std::string output_trouble;
  /// What it used, and all processes that it started, if their ends were waited for. Empty if the
  /// guard was lost.
  std::optional<process_usage> usage;
};

/// Whether to go on reading after a line, or to leave the rest in the pipe until the line was
/// judged.
enum class line_flow : std::uint8_t { go_on, hold };

/// Callbacks about one process. Called from the service's thread: be quick, pass the news on.
class process_listener {
public:
  virtual ~process_listener() = default;

  /// The program was executed, or now belongs to this listener. Called before all lines; not called
  /// if the program could not be started.
  virtual void started(pid_t pid) { static_cast<void>(pid); }
  /// A line of the report descriptor. @param truncated whether it was longer than the limit. On
  /// `hold` no more is delivered until `resume_reports`.
  virtual line_flow report_line(std::string_view line, bool truncated) {
    static_cast<void>(line);
    static_cast<void>(truncated);
    return line_flow::go_on;
  }
  /// Answers no longer fit into the pipe because the process does not read them. Called at most
  /// once.
  virtual void answers_unread() {}
  /// No answer is waiting any more: all are in the pipe, or the process takes none.
  virtual void answers_taken() {}
  /// Bytes that the process printed were read; the next lines came with them.
  virtual void output_read() {}
  /// A line of stdout; a carriage return ends a line, too. On `hold` no more is delivered until
  /// `resume_output`. Not called once the end of the process was requested.
  virtual line_flow stdout_line(std::string_view line, bool truncated) {
    static_cast<void>(line);
    static_cast<void>(truncated);
    return line_flow::go_on;
  }
  /// A line of stderr; the rules of `stdout_line` apply.
  virtual line_flow stderr_line(std::string_view line, bool truncated) {
    static_cast<void>(line);
    static_cast<void>(truncated);
    return line_flow::go_on;
  }
  /// Watched files may have changed: they were written and closed, or moved into place.
  virtual void files_changed() {}
  /// The last call, exactly once, after all lines.
  virtual void exited(const exit_info& how) = 0;
  /// The last call, instead of `exited`, if the process was parked. @param so_far exit information
  /// without the end.
  virtual void parked(const exit_info& so_far) { static_cast<void>(so_far); }
};

struct process_service_options {
  /// The program to start as the guard; empty for this program. It must call `host_main` first.
  std::filesystem::path guard_program{};
  /// How long the guard may take to start.
  std::chrono::milliseconds guard_patience{20'000};
  /// A guard that does not answer for this long is killed together with its processes.
  std::chrono::milliseconds guard_silence{10'000};
  /// A program that the guard runs to notify somebody if this process dies before its service has
  /// ended; started once none of the service's processes is left. Empty for none.
  std::vector<std::string> obituary{};
  /// Longest lines delivered whole. [bytes]
  std::size_t max_stdout_line = 64 * 1024;
  std::size_t max_report_line = 1024 * 1024;
  /// Limit on answers waiting for a process to read them; further ones are dropped. [bytes]
  std::size_t max_waiting_answers = 64 * 1024;
  /// Creates the sinks of output files; if empty, output goes to the files themselves.
  output_maker output{};
  /// At the end of the service, once no process is left: how long to wait for a disk that accepts
  /// nothing. The output that is missing then is reported as `output_trouble`.
  std::chrono::milliseconds output_patience{10'000};
};

/// One per node process. Owns a guard process, one thread that reads for all processes, and one
/// thread per job that writes its output files: a file system that does not answer delays only that
/// job's processes. All functions may be called from any thread and from listeners, and never wait
/// for a process or a disk.
///
/// After a process was asked to end, holds are lifted, lines of stdout are no longer delivered, and
/// at most 256 more of its reports are.
class process_service {
public:
  /// @errors `ec::process`, `ec::refused` as for the guard; `ec::shortage` if this machine lacks
  ///         processes, threads or descriptors for now.
  [[nodiscard]] static expected<std::unique_ptr<process_service>>
  start(process_service_options options = {});

  /// Ends all processes, each with the grace of its order, waits for that and notifies their
  /// listeners. A thread whose disk does not answer (see `output_patience`) is left to itself with
  /// its remaining data: it ends when all is written, or with this process.
  ~process_service();
  process_service(const process_service&) = delete;
  process_service& operator=(const process_service&) = delete;

  /// Starts a process soon. Any failure is reported by `exited`.
  process_handle launch(process_order what, std::shared_ptr<process_listener> who);

  void resume_reports(process_handle which);
  void resume_output(process_handle which);
  /// Writes `line` and a newline to the answer descriptor as soon as the process reads it. Lifts a
  /// hold of the report descriptor.
  void answer(process_handle which, std::string line);
  /// Closes the answer descriptor once the process has read all waiting answers.
  void end_answers(process_handle which);
  /// Sends TERM to the process and its group now, and KILL to all its processes after `grace`.
  void end(process_handle which, std::chrono::milliseconds grace);
  /// Like `end(which, grace)` with the grace of its order.
  void end(process_handle which);
  /// Sends KILL to the process and all its descendants.
  void kill(process_handle which);

  /// Takes a process that speaks the protocol away from its listener, which gets the call `parked`
  /// when all output so far is in its files. Later output is dropped.
  ///
  /// Does not park a process that is gone or was asked to end, nor one with living descendants: the
  /// answer descriptor of the latter is closed, so that it ends, and everything it leaves is ended.
  /// In either case its listener gets the call `exited`.
  /// @param holder Listener that owns the process from then on: gets the call
  /// `started`, before the other's last call, and `exited`.
  /// @returns the handle of the new listener.
  process_handle park(process_handle which, std::shared_ptr<process_listener> holder);
  /// Gives a parked process to `who`, and writes `line` to its answer descriptor. All counts and
  /// limits start anew. If the process is gone by now, `who` gets the call `exited` with that
  /// trouble.
  /// @returns the handle of `who`.
  process_handle hand_on(process_handle which, process_turn how,
                         std::shared_ptr<process_listener> who, std::string line);

  /// PID of the guard; for tests and `doctor`.
  [[nodiscard]] pid_t guard_pid() const;

private:
  class poll_loop;
  std::unique_ptr<poll_loop> loop_;

  explicit process_service(std::unique_ptr<poll_loop> loop);
};

/// This process's environment with `additions`, which take precedence. Marks of a trial
/// (TUNE_TRIAL_*) are not inherited. Names that are empty or contain '=' or NUL are left out, as
/// are values with NUL.
[[nodiscard]] std::vector<std::string>
environment_with(const std::vector<std::pair<std::string, std::string>>& additions);

} // namespace tune

/// The node's end of one trial process: its pipes, files and listener.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "answer_backlog.hpp"
#include "guard_wire.hpp"
#include "line_splitter.hpp"
#include "output_tail.hpp"
#include "output_thread.hpp"
#include "pipe_watch.hpp"
#include "tune/io/process/process_service.hpp"

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tune {

/// Resources shared by all processes of a service; outlives them.
struct child_means {
  const process_service_options& options;
  pipe_watch& watch;
  output_threads& writers;
  /// Schedules a call of `on_written` for the process with this id. May be called from any thread,
  /// as long as it is held.
  std::function<void(std::uint64_t)> tell_written;
};

/// Lives on the service's thread, from the launch until the call of its listener's `exited`.
class child_process {
public:
  child_process(std::uint64_t id, process_order what, std::shared_ptr<process_listener> who,
                const child_means& means);

  [[nodiscard]] const process_order& order() const { return order_; }
  /// See `process_handle`.
  [[nodiscard]] std::uint64_t use() const { return use_; }

  /// Creates the pipes and gets a thread that writes output and watches files. The remote ends stay
  /// in `remote_fds` until they are sent.
  [[nodiscard]] expected<void> open_pipes();
  [[nodiscard]] bool has_pipes() const { return opened_; }
  [[nodiscard]] std::vector<int> remote_fds() const;
  /// @param guard_mark Identifies the leftovers of a guard that is gone.
  [[nodiscard]] guard_wire::launch launch_message(const std::string& guard_mark) const;
  /// Closes this process's copies once the guard has the descriptors.
  void forget_remote_fds() { remote_.clear(); }

  void on_started(pid_t pid);
  /// Starts reading from all pipes.
  void watch_all();
  /// @param buffer Space to read into; its content does not matter.
  /// @returns whether the process closed that pipe: it may be about to end.
  bool on_ready(pipe_role role, std::span<char> buffer);
  void resume(pipe_role role, std::span<char> buffer);
  void answer(std::string_view line, std::span<char> buffer);
  void end_answers();
  void on_end_requested(std::span<char> buffer);
  /// @returns whether the guard must check for living descendants: not if the process was asked to
  /// end or has ended.
  bool begin_park(std::shared_ptr<process_listener> holder, std::span<char> buffer);
  /// Continues after the guard's check. A process with living descendants must end.
  void end_park(bool alone, std::span<char> buffer);
  void hand_on(const process_turn& how, std::shared_ptr<process_listener> who,
               std::string_view line, std::span<char> buffer);
  /// The process is gone: reads the remaining output, has it written, then notifies the listener.
  void on_exited(exit_info how, std::span<char> buffer);
  /// Called when its files have room again or are finished.
  void on_written(std::span<char> buffer);
  /// True if the process is gone and its end will be reported once its files are finished.
  [[nodiscard]] bool waits_for_files() const { return exit_ && !finished_; }
  /// The thread that writes and watches its files; null if it has no files.
  [[nodiscard]] const std::shared_ptr<output_thread>& writer() const { return writer_; }
  /// @pre `waits_for_files()`. Reports the end without waiting for the files.
  void give_up_files(const std::string& why);
  /// Called when watched files may have changed.
  void on_files_changed() {
    if (!end_requested_ && !finished_)
      who_->files_changed();
  }
  /// True once the listener was notified of the end.
  [[nodiscard]] bool finished() const { return finished_; }

private:
  struct input {
    pipe_role role;
    unique_fd fd;
    line_splitter lines;
    /// Bytes already read that must not be delivered before `resume`.
    std::string rest{};
    bool held = false;
    bool watched = false;
    /// Limit on what is still read after the end or before a change of listener. [bytes]
    std::size_t drain_left;
  };
  enum class read_result : std::uint8_t { some, nothing, closed };

  std::uint64_t id_;
  process_order order_;
  std::shared_ptr<process_listener> who_;
  /// The next listener, which takes over once the process is known to have no living descendants
  /// and its files are finished.
  std::shared_ptr<process_listener> holder_;
  /// True while the process waits for a change of listener, until its output so far is read and
  /// written.
  bool changes_hands_ = false;
  const child_means& means_;
  pipe_watch& watch_;
  std::size_t max_report_line_;
  std::uint64_t use_ = 0;
  pid_t pid_ = 0;
  bool opened_ = false;
  bool started_ = false;
  bool end_requested_ = false;
  bool finished_ = false;
  std::optional<exit_info> exit_;
  std::vector<unique_fd> remote_;
  std::array<input, 3> inputs_;
  unique_fd answers_;
  answer_backlog waiting_answers_;
  bool answers_watched_ = false;
  std::size_t reports_after_end_ = 0;
  /// Output of the process, kept for its files and for `exit_info`.
  struct output {
    output_file_stream file{};
    output_tail lines{};

    void write(std::string_view bytes) {
      lines.add(bytes);
      file.write(bytes);
    }
  };
  std::shared_ptr<output_thread> writer_;
  output out_;
  output err_;

  [[nodiscard]] bool open_input(pipe_role role);
  [[nodiscard]] bool open_output();
  [[nodiscard]] bool open_terminal();
  [[nodiscard]] error no_output(int reason);
  [[nodiscard]] bool open_answers();
  void watch(input& from);
  void close(input& from);
  read_result read_once(input& from, std::span<char> buffer);
  void take(input& from, std::string_view bytes);
  bool hear(input& from, std::string_view line, bool truncated);
  [[nodiscard]] bool has_lines(const input& from) const;
  /// Has a last line that has no end heard.
  void finish_lines(input& from);
  void flush_answers();
  void close_answers();
  void hear_on_if_answered(std::span<char> buffer);
  void drain(std::span<char> buffer);
  [[nodiscard]] output* output_of(const input& from);
  /// Whether its file has no room; `on_written` is called once it has.
  [[nodiscard]] bool is_choked(const input& from);
  /// @errors `ec::shortage` if no thread can be started.
  [[nodiscard]] expected<void> need_writer();
  void open_files(const process_turn& where);
  [[nodiscard]] output open_file(const std::filesystem::path& path, std::uint64_t cap) const;
  /// @returns whether all available output was read.
  bool read_output(std::span<char> buffer);
  [[nodiscard]] bool finish_files();
  /// @param how receives the last lines and the output troubles.
  void describe_output(exit_info& how) const;
  void go_on_parking(std::span<char> buffer);
  void begin_use(std::shared_ptr<process_listener> who, const process_turn& how);
  void tell_exit();
};

} // namespace tune

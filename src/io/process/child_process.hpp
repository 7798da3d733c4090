/// The node's end of one trial process: its pipes, files and listener.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

/// What all processes of a service use; outlives them.
struct child_means {
  const process_service_options& options;
  pipe_watch& watch;
  output_threads& writers;
  /// Has `on_written` called soon, of the process named. From any thread, as long as it is held.
  std::function<void(std::uint64_t)> tell_written;
};

/// Lives on the service's thread, from the launch until its listener was told the end.
class child_process {
public:
  child_process(std::uint64_t id, process_order what, std::shared_ptr<process_listener> who,
                const child_means& means);

  [[nodiscard]] const process_order& order() const { return order_; }
  /// See `process_handle`.
  [[nodiscard]] std::uint64_t use() const { return use_; }

  /// Makes the pipes, and sees to it that somebody writes and looks for its files. The other ends
  /// wait in `remote_fds` until they were sent.
  [[nodiscard]] expected<void> open_pipes();
  [[nodiscard]] bool has_pipes() const { return opened_; }
  [[nodiscard]] std::vector<int> remote_fds() const;
  /// @param guard_mark By which leftovers of a guard that is gone are known.
  [[nodiscard]] guard_wire::launch launch_message(const std::string& guard_mark) const;
  /// The guard has them: closes ours.
  void forget_remote_fds() { remote_.clear(); }

  void on_started(pid_t pid);
  /// Begins to read.
  void watch_all();
  /// @param buffer to read into; any content.
  /// @returns whether it let go of that pipe: it may be about to end.
  bool on_ready(pipe_role role, std::span<char> buffer);
  void resume(pipe_role role, std::span<char> buffer);
  void answer(std::string_view line, std::span<char> buffer);
  void end_answers();
  void on_end_requested(std::span<char> buffer);
  /// @returns whether the guard is to look if it is alone: not if it was asked to end, or has
  /// ended.
  bool begin_park(std::shared_ptr<process_listener> checkpoint_service, std::span<char> buffer);
  /// The guard has looked. One that is not alone shall end.
  void end_park(bool alone, std::span<char> buffer);
  void hand_on(const process_turn& how, std::shared_ptr<process_listener> who,
               std::string_view line, std::span<char> buffer);
  /// It is gone: reads what is left, has it written, then tells the listener.
  void on_exited(exit_info how, std::span<char> buffer);
  /// Its files have room again, or are finished.
  void on_written(std::span<char> buffer);
  /// It is gone, and its end will be told when its files are finished.
  [[nodiscard]] bool waits_for_files() const { return exit_ && !finished_; }
  /// Who writes and looks for its files; null: it has none.
  [[nodiscard]] const std::shared_ptr<output_thread>& writer() const { return writer_; }
  /// @pre `waits_for_files()`. Tells the end nevertheless.
  void give_up_files(const std::string& why);
  /// Files that it is known to write may have changed.
  void on_files_changed() {
    if (!end_requested_ && !finished_)
      who_->files_changed();
  }
  /// Nothing is left to do.
  [[nodiscard]] bool finished() const { return finished_; }

private:
  struct input {
    pipe_role role;
    unique_fd fd;
    line_splitter lines;
    /// Read, but not to be heard before `resume`.
    std::string rest{};
    bool held = false;
    bool watched = false;
    /// May still be read after the end, or before it changes hands. [bytes]
    std::size_t drain_left;
  };
  enum class read_result : std::uint8_t { some, nothing, closed };

  std::uint64_t id_;
  process_order order_;
  std::shared_ptr<process_listener> who_;
  /// Is to have it once it is known to be alone, and its files are finished.
  std::shared_ptr<process_listener> checkpoint_service_;
  /// It goes to another listener once what it has printed by now was read and written.
  bool changes_hands_ = false;
  const child_means& means_;
  pipe_watch& watch_;
  std::size_t max_waiting_answers_;
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
  std::string waiting_answers_;
  bool answers_watched_ = false;
  bool answers_unread_ = false;
  /// There will be no more.
  bool answers_end_ = false;
  /// Its last report was answered, though the answer may still wait for its pipe.
  bool answered_ = false;
  std::size_t reports_after_end_ = 0;
  /// What it prints: for its files, and for `exit_info`.
  struct output {
    output_stream file{};
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
  void flush_answers();
  void close_answers();
  void hear_on_if_answered(std::span<char> buffer);
  void drain(std::span<char> buffer);
  [[nodiscard]] output* output_of(const input& from);
  /// Its file has no room; `on_written` comes when it has.
  [[nodiscard]] bool is_choked(const input& from);
  /// @errors `ec::shortage` where there is no thread for it.
  [[nodiscard]] expected<void> need_writer();
  void open_files(const process_turn& where);
  [[nodiscard]] output open_file(const std::filesystem::path& path, std::uint64_t cap) const;
  /// @returns whether all that is there was read.
  bool read_output(std::span<char> buffer);
  [[nodiscard]] bool finish_files();
  /// @param how gets the last lines and the troubles of its output.
  void describe_output(exit_info& how) const;
  void go_on_parking(std::span<char> buffer);
  void begin_use(std::shared_ptr<process_listener> who, const process_turn& how);
  void tell_exit();
};

} // namespace tune

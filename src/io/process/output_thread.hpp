/// Threads that write output files, so that no other thread waits for a disk.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/process/output_sink.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// Writes the files of one job in turn. A file system that does not answer blocks this thread and
/// everything else it has to write, but no other thread.
class output_thread {
public:
  /// @errors `ec::shortage` if no thread can be started.
  [[nodiscard]] static expected<std::shared_ptr<output_thread>> begin();
  /// Ends an idle thread. A busy one is left alone: it owns everything it needs, and ends when all
  /// is written, or with the process.
  ~output_thread();
  output_thread(const output_thread&) = delete;
  output_thread& operator=(const output_thread&) = delete;

  /// Queues other work for the job that may block.
  void run(std::function<void()> work);

  [[nodiscard]] bool is_idle() const;
  /// Time at which the thread last finished a piece of work.
  [[nodiscard]] std::chrono::steady_clock::time_point moved() const;

private:
  friend class output_file_stream;
  struct file;
  struct state;
  std::shared_ptr<state> state_;

  explicit output_thread(std::shared_ptr<state> what) : state_{std::move(what)} {}
};

/// The threads of a service: as many as jobs had files at the same time. A thread whose job is over
/// serves another one. For use by one thread.
class output_threads {
public:
  /// The thread that writes for `job`; it serves the job as long as the pointer is held.
  /// @errors as `output_thread::begin`.
  [[nodiscard]] expected<std::shared_ptr<output_thread>> of(const std::string& job);

private:
  struct entry {
    std::string job;
    std::shared_ptr<output_thread> whom;
  };
  std::vector<entry> all_;
};

/// The non-blocking front end of one file. For use by one thread.
class output_file_stream {
public:
  /// A stream without a target: written bytes are dropped.
  output_file_stream() = default;
  struct target {
    std::filesystem::path path;
    std::uint64_t cap = 0;
    output_maker make;
    /// Called by the writer thread when there is room again or the file is finished.
    std::function<void()> moved;
  };
  output_file_stream(std::shared_ptr<output_thread> by, target to);
  /// A stream without a target that reports `trouble`.
  explicit output_file_stream(std::string trouble) : trouble_{std::move(trouble)} {}
  /// Bytes written so far still go into the file.
  ~output_file_stream();
  output_file_stream(output_file_stream&& other) noexcept;
  output_file_stream& operator=(output_file_stream&& other) noexcept;

  /// Bytes wait in memory, without limit, until they are in the file.
  void write(std::string_view bytes);
  /// Whether so many bytes wait that no more should be written for now; `moved` is called when
  /// there is room.
  [[nodiscard]] bool is_full();
  /// Ends the output. @returns whether all is written; if not, `moved` is called when it is.
  bool finish();
  /// Stops waiting for the file. If it is not finished, `trouble` names it with the reason.
  void give_up(const std::string& why);
  /// Why the file is incomplete, or what it replaced; empty if all is well. Known once the file is
  /// finished.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

private:
  std::shared_ptr<output_thread> by_;
  std::shared_ptr<output_thread::file> file_;
  std::string trouble_;

  void end();
};

} // namespace tune

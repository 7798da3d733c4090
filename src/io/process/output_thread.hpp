/// Threads that write output files, so that nobody waits for a disk but who writes there.
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

/// Writes the files of one job, by turns. A file system that does not answer keeps it and whatever
/// else it has to write, and nobody else.
class output_thread {
public:
  /// @errors `ec::shortage` where there is no thread for it.
  [[nodiscard]] static expected<std::shared_ptr<output_thread>> begin();
  /// An idle thread goes. A busy one is left alone: it holds what it needs by itself, and goes when
  /// all is written, or with the process.
  ~output_thread();
  output_thread(const output_thread&) = delete;
  output_thread& operator=(const output_thread&) = delete;

  /// Has it do something else for the job that may block, when its turn comes.
  void run(std::function<void()> work);

  [[nodiscard]] bool is_idle() const;
  /// When it last was done with something.
  [[nodiscard]] std::chrono::steady_clock::time_point moved() const;

private:
  friend class output_stream;
  struct file;
  struct state;
  std::shared_ptr<state> state_;

  explicit output_thread(std::shared_ptr<state> what) : state_{std::move(what)} {}
};

/// A service's threads: as many as jobs had files at the same time. One whose job is over serves
/// another. For one thread.
class output_threads {
public:
  /// Whoever writes for `job`; it does as long as somebody holds it.
  /// @errors as `output_thread::begin`.
  [[nodiscard]] expected<std::shared_ptr<output_thread>> of(const std::string& job);

private:
  struct entry {
    std::string job;
    std::shared_ptr<output_thread> whom;
  };
  std::vector<entry> all_;
};

/// The near end of one file: never waits. For one thread.
class output_stream {
public:
  /// What is written is dropped.
  output_stream() = default;
  struct target {
    std::filesystem::path path;
    std::uint64_t cap = 0;
    output_maker make;
    /// Called by the thread that writes: there is room again, or it is finished.
    std::function<void()> moved;
  };
  output_stream(std::shared_ptr<output_thread> by, target to);
  /// The same as without a target, with a reason.
  explicit output_stream(std::string trouble) : trouble_{std::move(trouble)} {}
  /// What was written is brought into the file all the same.
  ~output_stream();
  output_stream(output_stream&& other) noexcept;
  output_stream& operator=(output_stream&& other) noexcept;

  /// Bytes wait in memory until they are in the file, however many.
  void write(std::string_view bytes);
  /// Whether so much waits that no more should come for now; `moved` is called when it may.
  [[nodiscard]] bool is_full();
  /// Nothing more comes. @returns whether all is done; else `moved` is called when it is.
  bool finish();
  /// Nobody waits for it any more. Where it is not finished, `trouble` names it with the reason.
  void give_up(const std::string& why);
  /// Why the file is not whole, or what it took the place of; empty while all is well. Known once
  /// it is finished.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

private:
  std::shared_ptr<output_thread> by_;
  std::shared_ptr<output_thread::file> file_;
  std::string trouble_;

  void end();
};

} // namespace tune

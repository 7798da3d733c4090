/// Finds metrics in what a process prints, away from the thread that hears of it. Private to
/// actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "burst_watch.hpp"
#include "pattern_thread.hpp"
#include "process_forwarder.hpp"

#include "tune/io/process/metric_pattern.hpp"

#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace tune {

/// Lines wait here, a bounded number of bytes, for their turn on the pattern thread.
class pattern_reader : public process_forwarder,
                       public piecework,
                       public std::enable_shared_from_this<pattern_reader> {
public:
  /// @param patterns Nothing was read with them yet.
  /// @param thread   must outlive the process.
  pattern_reader(process_impl to, metric_pattern patterns, std::weak_ptr<pattern_thread> thread);

  void started(pid_t pid) override;
  void output_read() override;
  line_flow stdout_line(std::string_view line, bool truncated) override;
  line_flow stderr_line(std::string_view line, bool truncated) override;
  void files_changed() override;
  void exited(const exit_info& how) override;

  /// The last report was judged: lines behind it may be looked at.
  void go_on();
  /// Lines that were not looked at yet never will be: its end was asked for.
  void drop();

  bool work() override;

private:
  using clock = std::chrono::steady_clock;
  /// A line, and when it was read; without one: files changed.
  struct item {
    std::optional<std::string> line;
    clock::time_point at;
  };

  std::weak_ptr<pattern_thread> thread_;
  metric_pattern patterns_;
  /// Of the pattern thread alone: when the lines came that reported.
  burst_watch reports_;
  std::mutex mutex_;
  // The rest is guarded by it.
  std::deque<item> lines_;
  std::size_t bytes_ = 0;
  /// The process is held until there is room again.
  bool full_ = false;
  bool waits_for_verdict_ = false;
  /// Reports that were told.
  std::uint64_t brought_reports_ = 0;
  bool brought_ = false;
  bool dropped_ = false;
  bool over_ = false;
  /// When anything that it printed was read last.
  clock::time_point read_at_;
  clock::time_point began_;
  clock::time_point gone_;
  std::optional<exit_info> exit_;

  line_flow take(std::string_view line);
  /// Keeps no more than is worth counting of what will not be looked at.
  void keep_for_count();
  void count(const item& what);
  void read(const item& what);
  [[nodiscard]] bool has_work() const;
  void bring();
  bool stay_if_work();
  void end(const exit_info& how, bool whole);
};

} // namespace tune

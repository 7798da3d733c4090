/// Finds metrics in the output of a process, on another thread than the one that receives it.
/// Private to actors.
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

/// Keeps lines, up to a limit in bytes, until their turn on the pattern thread.
class pattern_reader : public process_forwarder,
                       public piecework,
                       public std::enable_shared_from_this<pattern_reader> {
public:
  /// @param patterns Nothing has been read with them yet.
  /// @param thread   must outlive the process.
  pattern_reader(process_impl to, metric_pattern patterns, std::weak_ptr<pattern_thread> thread);

  void started(pid_t pid) override;
  void output_read() override;
  line_flow stdout_line(std::string_view line, bool truncated) override;
  line_flow stderr_line(std::string_view line, bool truncated) override;
  void files_changed() override;
  void exited(const exit_info& how) override;

  /// The last report was judged: lines after it may be looked at.
  void go_on();
  /// The process has ended, or is about to: `process_news::used` is wanted, also before the last
  /// report is judged.
  void tell_usage();
  /// Drops the lines that were not looked at yet: the end of the process was asked for.
  void drop();

  bool work() override;

private:
  using clock = std::chrono::steady_clock;
  /// A line and when it was read; without a line: files changed.
  struct item {
    std::optional<std::string> line;
    clock::time_point at;
  };

  std::weak_ptr<pattern_thread> thread_;
  metric_pattern patterns_;
  /// Used by the pattern thread only: the arrival times of the lines that made reports.
  burst_watch reports_;
  /// Used by the pattern thread only: whether reports came behind the one by which it was stopped.
  bool left_reports_ = false;
  std::mutex mutex_;
  // The mutex guards everything below.
  std::deque<item> lines_;
  std::size_t bytes_ = 0;
  /// The process is held back until there is room again.
  bool full_ = false;
  bool waits_for_verdict_ = false;
  /// Number of reports passed on.
  std::uint64_t brought_reports_ = 0;
  /// The actor knows that the process runs.
  bool start_told_ = false;
  bool brought_ = false;
  bool dropped_ = false;
  bool wants_usage_ = false;
  bool over_ = false;
  /// When anything that it printed was read last.
  clock::time_point read_at_;
  clock::time_point began_;
  clock::time_point gone_;
  std::optional<exit_info> exit_;

  line_flow take(std::string_view line);
  /// Drops waiting lines, but keeps as many as are needed to notice reports that piled up.
  void keep_for_count();
  void count(const item& what);
  void read(const item& what);
  [[nodiscard]] bool has_work() const;
  void bring();
  bool stay_if_work();
  void end(const exit_info& how, bool whole);
};

} // namespace tune

/// Shared helpers for tests of processes: a recording listener, waiting for conditions, reading
/// /proc.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/process/leftovers.hpp"
#include "tune/io/process/process_service.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace tune::support {

/// Generous, since only a failing test waits that long.
inline constexpr std::chrono::seconds deadline{60};

/// Polls until `condition` holds. @returns whether it did in time.
inline bool eventually(const std::function<bool()>& condition) {
  auto until = std::chrono::steady_clock::now() + deadline;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  return true;
}

/// A name that is unique on this machine while this process lives.
inline std::string unique_tag(const std::string& name) {
  static std::atomic<int> count = 0;
  return "test/" + std::to_string(::getpid()) + "/" + std::to_string(++count) + "/" + name;
}

inline std::size_t count_tagged(const std::string& tag) {
  return find_leftovers([&](std::string_view x) { return x == tag; }).size();
}

/// Records everything it hears.
class recorder : public process_listener {
public:
  line_flow on_stdout = line_flow::go_on;
  line_flow on_report = line_flow::go_on;
  /// Called with each report line, on the service's thread.
  std::function<void(const std::string&)> react;

  void started(pid_t pid) override {
    note([&] { pid_ = pid; });
  }
  line_flow report_line(std::string_view line, bool truncated) override {
    note([&] { reports_.emplace_back(std::string{line} + (truncated ? "[cut]" : "")); });
    if (react)
      react(std::string{line});
    return on_report;
  }
  line_flow stdout_line(std::string_view line, bool truncated) override {
    note([&] { lines_.emplace_back(std::string{line} + (truncated ? "[cut]" : "")); });
    return on_stdout;
  }
  line_flow stderr_line(std::string_view line, bool truncated) override {
    return stdout_line(line, truncated);
  }
  void exited(const exit_info& how) override {
    note([&] {
      ++exits_;
      exit_ = how;
    });
  }
  void parked(const exit_info& so_far) override {
    note([&] { parked_ = so_far; });
  }

  [[nodiscard]] std::vector<std::string> lines() { return locked(lines_); }
  [[nodiscard]] std::vector<std::string> reports() { return locked(reports_); }
  [[nodiscard]] pid_t pid() { return locked(pid_); }
  [[nodiscard]] int exits() { return locked(exits_); }
  [[nodiscard]] bool has_exited() { return exits() > 0; }

  /// Waits until the recorded data fulfils `condition`. @returns whether it did in time.
  bool wait(const std::function<bool()>& condition) {
    std::unique_lock lock{mutex_};
    return news_.wait_for(lock, deadline, condition);
  }
  bool wait_started() {
    return wait([this] { return pid_ != 0 || exits_ > 0; });
  }
  bool wait_lines(std::size_t count) {
    return wait([this, count] { return lines_.size() >= count; });
  }
  bool wait_reports(std::size_t count) {
    return wait([this, count] { return reports_.size() >= count; });
  }
  bool wait_parked() {
    return wait([this] { return parked_.has_value(); });
  }
  [[nodiscard]] std::optional<exit_info> parked_as() { return locked(parked_); }
  /// The end of the process. If it never ends, the trouble is empty and there is no code; the test
  /// fails anyway.
  exit_info wait_exit() {
    wait([this] { return exits_ > 0; });
    return locked(exit_).value_or(exit_info{});
  }

private:
  std::mutex mutex_;
  std::condition_variable news_;
  std::vector<std::string> lines_;
  std::vector<std::string> reports_;
  pid_t pid_ = 0;
  int exits_ = 0;
  std::optional<exit_info> exit_;
  std::optional<exit_info> parked_;

  template <class T>
  T locked(const T& what) {
    std::lock_guard lock{mutex_};
    return what;
  }
  template <class F>
  void note(F&& what) {
    std::lock_guard lock{mutex_};
    what();
    news_.notify_all();
  }
};

/// A directory for one test, removed at its end.
class scratch_directory {
public:
  scratch_directory() {
    auto pattern = (std::filesystem::temp_directory_path() / "tune-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~scratch_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch_directory(const scratch_directory&) = delete;
  scratch_directory& operator=(const scratch_directory&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
};

} // namespace tune::support

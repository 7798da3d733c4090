// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/process_meter.hpp"

#include "posix/unique_fd.hpp"
#include "proc_files.hpp"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

namespace {

/// Descendants that are looked at: a bound for what a measurement costs.
constexpr std::size_t most_processes = 256;

/// The number after `name` in a file of "name: number" lines.
std::optional<double> number_after(std::string_view text, std::string_view name) {
  const auto at = text.find(name);
  if (at == text.npos)
    return std::nullopt;
  const auto begin = text.find_first_of("0123456789", at + name.size());
  if (begin == text.npos)
    return std::nullopt;
  std::uint64_t result = 0;
  const auto [end, fault] = std::from_chars(text.data() + begin, text.data() + text.size(), result);
  return fault == std::errc{} ? std::optional{static_cast<double>(result)} : std::nullopt;
}

std::string file_of(pid_t pid, const char* name) {
  return proc_files::read_small(("/proc/" + std::to_string(pid) + "/" + name).c_str());
}

/// CPU time of all threads of a process, to the nanosecond.
std::optional<double> own_cpu(pid_t pid) {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0)
    return std::nullopt;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

struct memory_facts {
  double now = 0;
  double peak = 0;
};

std::optional<memory_facts> memory_of_process(pid_t pid) {
  constexpr double kilobyte = 1024;
  const auto text = file_of(pid, "status");
  const auto peak = number_after(text, "\nVmHWM:");
  const auto now = number_after(text, "\nVmRSS:");
  if (!peak || !now)
    return std::nullopt;
  return memory_facts{*now * kilobyte, *peak * kilobyte};
}

void reset_peak(pid_t pid) {
  unique_fd file{
      ::open(("/proc/" + std::to_string(pid) + "/clear_refs").c_str(), O_WRONLY | O_CLOEXEC)};
  // Kernels without this file keep the peak.
  if (file)
    static_cast<void>(::write(file.get(), "5", 1) == 1);
}

/// The sums of what is known of each process. What some do not show is left out of the sum.
struct sums {
  std::optional<double> cpu;
  std::optional<double> read;
  std::optional<double> written;
  std::optional<double> memory_now;
  double memory_peak = 0;

  void take(pid_t pid) {
    const auto facts = proc_files::stat_of(pid);
    if (!facts || facts->state == 'Z')
      return;
    if (const auto x = own_cpu(pid))
      add(cpu, *x + facts->children_cpu);
    const auto io = file_of(pid, "io");
    if (const auto x = number_after(io, "\nread_bytes:"))
      add(read, *x);
    if (const auto x = number_after(io, "\nwrite_bytes:"))
      add(written, *x);
    if (const auto x = memory_of_process(pid)) {
      add(memory_now, x->now);
      memory_peak = std::max(memory_peak, x->peak);
    }
  }

private:
  static void add(std::optional<double>& to, double x) { to = to.value_or(0) + x; }
};

void put(cost_sheet& to, cost_kind kind, const std::optional<double>& x) {
  if (x)
    to.set(kind, *x);
}

cost_sheet costs_of(const process_usage& x) {
  cost_sheet result;
  result.set(cost_kind::cpu_s, static_cast<double>(x.cpu_us) / 1e6);
  if (x.peak_rss > 0)
    result.set(cost_kind::peak_rss_bytes, static_cast<double>(x.peak_rss));
  // A kernel that does not count the bytes shows no such file either.
  static const bool counts_bytes = ::access("/proc/self/io", F_OK) == 0;
  if (counts_bytes) {
    result.set(cost_kind::read_bytes, static_cast<double>(x.read_bytes));
    result.set(cost_kind::written_bytes, static_cast<double>(x.written_bytes));
  }
  return result;
}

} // namespace

std::vector<pid_t> processes_of(pid_t leader) {
  // The numbers of another PID namespace name other processes.
  static const bool is_legible = proc_files::shows_own_space();
  if (!is_legible || leader <= 0)
    return {};
  std::vector<pid_t> result{leader};
  for (std::size_t i = 0; i < result.size() && result.size() < most_processes; ++i) {
    const auto more = proc_files::children_of(result[i]);
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

cost_sheet costs_of_processes(pid_t leader, bool resets_peak) {
  cost_sheet result;
  sums all;
  for (auto pid : processes_of(leader)) {
    all.take(pid);
    if (resets_peak)
      reset_peak(pid);
  }
  put(result, cost_kind::cpu_s, all.cpu);
  put(result, cost_kind::read_bytes, all.read);
  put(result, cost_kind::written_bytes, all.written);
  if (all.memory_now)
    result.set(cost_kind::peak_rss_bytes, std::max(*all.memory_now, all.memory_peak));
  return result;
}

void process_meter::begin(pid_t pid, bool is_used) {
  pid_ = pid;
  is_used_ = is_used;
  is_gone_ = false;
  so_far_ = {};
  before_ = is_used ? costs_of_processes(pid, true) : cost_sheet{};
  next_.reset();
}

const cost_sheet& process_meter::read(instant now) {
  if (pid_ == 0 || (next_ && now < *next_))
    return so_far_;
  const auto begun = std::chrono::steady_clock::now();
  read_now();
  const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - begun;
  next_ = now + std::max<std::chrono::nanoseconds>(least_pause, took * most_share);
  return so_far_;
}

const cost_sheet& process_meter::read_now() {
  if (pid_ == 0)
    return so_far_;
  const auto all = costs_of_processes(pid_);
  is_gone_ = all.empty() && proc_files::shows_own_space();
  so_far_.raise(all.since(before_));
  return so_far_;
}

const cost_sheet& process_meter::end(const std::optional<process_usage>& used) {
  if (used) {
    auto all = costs_of(*used).since(before_);
    // The peak that the kernel tells is that of the whole life of the process.
    if (is_used_) {
      cost_sheet amounts;
      for (auto kind : {cost_kind::cpu_s, cost_kind::read_bytes, cost_kind::written_bytes})
        put(amounts, kind, all.of(kind));
      all = amounts;
    }
    so_far_.raise(all);
  }
  pid_ = 0;
  return so_far_;
}

} // namespace tune

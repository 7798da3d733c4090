/// Measures what it takes to measure the costs of a process.
///
///   tune_cost_bench [PROCESSES] [MEASUREMENTS]
///
/// PROCESSES is 1 by default: a process and its children, all asleep. Also counts how often a
/// report each millisecond measures. All figures are of processor time.
// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include "tune/io/process/process_meter.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>

namespace {

using namespace tune;

/// Processor time of this process. [microseconds]
double used() {
  return static_cast<double>(std::clock()) * 1e6 / CLOCKS_PER_SEC;
}

/// A process with so many children, once all of them are there.
pid_t family(std::uint64_t children) {
  int ends[2] = {};
  if (::pipe(ends) != 0)
    return 0;
  const auto result = ::fork();
  if (result == 0) {
    for (std::uint64_t i = 0; i < children; ++i) {
      if (::fork() == 0)
        for (;;)
          ::pause();
    }
    if (::write(ends[1], "x", 1) != 1)
      ::_exit(1);
    for (;;)
      ::pause();
  }
  char ready = 0;
  return ::read(ends[0], &ready, 1) == 1 ? result : 0;
}

} // namespace

int main(int argc, char** argv) {
  bench::arguments given{argc, argv, "[PROCESSES] [MEASUREMENTS]"};
  const auto processes = given.number(1, 1);
  const auto count = given.number(2000, 1);
  given.finish();
  ::setpgid(0, 0);
  const auto leader = family(processes - 1);
  const auto begin = used();
  for (std::uint64_t i = 0; i < count; ++i)
    static_cast<void>(costs_of_processes(leader));
  const auto took = used() - begin;
  // Reports each millisecond, for ten seconds that do not have to pass.
  process_meter meter;
  meter.begin(leader, false);
  const auto first = used();
  constexpr int reports = 10'000;
  for (int i = 0; i < reports; ++i)
    static_cast<void>(meter.read(instant{std::chrono::milliseconds{i}}));
  const auto all = used() - first;
  std::printf(R"({"processes":%llu,"microseconds_per_measurement":%.1f,)"
              R"("microseconds_per_report":%.2f})"
              "\n",
              static_cast<unsigned long long>(processes), took / static_cast<double>(count),
              all / reports);
  ::signal(SIGTERM, SIG_IGN);
  ::kill(0, SIGTERM);
  if (leader > 0) {
    ::kill(leader, SIGKILL);
    ::waitpid(leader, nullptr, 0);
  }
  return 0;
}

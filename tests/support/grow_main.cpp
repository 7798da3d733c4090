/// Makes the record of an experiment of any size, for tests and benchmarks that only read it.
///
///   tune_grow DIRECTORY TRIALS REPORTS [REPORTS_PER_SECOND]
///
/// DIRECTORY is the experiment's, and is made; REPORTS are those of a trial that is not stopped.
/// With REPORTS_PER_SECOND the experiment is not finished: "ready" is printed, and it goes on to
/// report at that pace until SIGTERM; then the pace that it came to is printed.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/grown_record.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>

namespace {

std::atomic<bool> is_told = false;

/// Reports in groups, fifty a second, until a signal comes.
void go_on(tune::support::grown_record& record, std::uint64_t per_second) {
  using clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds pace{20};
  const auto group = std::max<std::uint64_t>(per_second / 50, 1);
  const auto begun = clock::now();
  std::uint64_t count = 0;
  for (auto next = begun; !is_told; std::this_thread::sleep_until(next += pace)) {
    record.begin_trial();
    for (std::uint64_t i = 0; i < group; ++i)
      record.report_once();
    record.flush();
    count += group;
  }
  const std::chrono::duration<double> took = clock::now() - begun;
  std::printf("%.1f\n", static_cast<double>(count) / took.count());
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) {
    std::fprintf(stderr, "tune_grow DIRECTORY TRIALS REPORTS [REPORTS_PER_SECOND]\n");
    return 2;
  }
  std::signal(SIGTERM, [](int) { is_told = true; });
  const std::filesystem::path directory = argv[1];
  std::filesystem::create_directories(directory.parent_path());
  tune::support::growth how;
  how.trials = std::stoull(argv[2]);
  how.reports = std::stoull(argv[3]);
  tune::support::grown_record record{directory, how,
                                     tune::support::grown_spec(directory.filename().string())};
  record.write_all();
  if (argc == 5) {
    std::printf("ready\n");
    std::fflush(stdout);
    go_on(record, std::stoull(argv[4]));
  } else {
    record.finish();
  }
  return 0;
}

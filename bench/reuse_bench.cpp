/// Measures trivial trials of a C++ trainable in processes: with one process per trial, and with a
/// few processes that serve all trials.
///
///   tune_reuse_bench [TRIALS] [AT_ONCE] [REPEATS]
///
/// Makes whole runs of `tune::tuner` with database and all files. Prints a JSON object per way:
/// trials per second of the REPEATS runs, compared with the bare posix_spawn and waitpid of this
/// program, which then does nothing. Directories are made below the current one and removed again.
// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include "tune/io/json.hpp"
#include "tune/io/process/host.hpp"
#include "tune/tuner/tuner.hpp"

#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace tune;
using clock_type = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr const char* nothing_flag = "--nothing";

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "reuse_bench: %s\n", why.c_str());
  std::exit(1);
}

double seconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double>(clock_type::now() - begin).count();
}

/// Processor time of this process, without its children. [s]
double own_cpu() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  auto seconds = [](const timeval& x) {
    return static_cast<double>(x.tv_sec) + static_cast<double>(x.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

trainable_registry trainables() {
  trainable_registry result;
  result.add_function("one_report", [](session& with) {
    with.report({{"loss", *with.config().find("x")}});
  });
  return result;
}

/// A directory for the runs, removed at the end.
struct scratch {
  fs::path directory = fs::absolute("reuse_bench." + std::to_string(::getpid()));
  scratch() { fs::create_directories(directory); }
  ~scratch() { fs::remove_all(directory); }
};

double bare_rate(int count) {
  std::string program = fs::read_symlink("/proc/self/exe").string();
  std::string flag = nothing_flag;
  char* argv[] = {program.data(), flag.data(), nullptr};
  auto begin = clock_type::now();
  for (int i = 0; i < count; ++i) {
    pid_t pid = 0;
    if (::posix_spawn(&pid, argv[0], nullptr, nullptr, argv, environ) != 0)
      give_up("cannot start itself");
    ::waitpid(pid, nullptr, 0);
  }
  return count / seconds_since(begin);
}

/// @returns the duration of the run. [s]
double run(const fs::path& storage, bool reuse, int trials, int at_once) {
  auto begin = clock_type::now();
  auto grid = tuner{trainables()}.run(run_options{}
                                          .name("bench")
                                          .storage(storage)
                                          .trainable("one_report")
                                          .isolation(isolation_kind::process)
                                          .reuse_actors(reuse)
                                          .parameter("x", "uniform(0, 1)")
                                          .num_samples(trials)
                                          .minimise("loss")
                                          .set("cluster.cpus", at_once));
  auto seconds = seconds_since(begin);
  if (!grid)
    give_up(to_text(grid.error()));
  if (grid->trials().size() != static_cast<std::size_t>(trials) || !grid->errors().empty())
    give_up("not all trials ended well");
  return seconds;
}

/// Nothing is removed before the end: on some file systems creating files stays slow for minutes
/// after many were removed.
object measured(const fs::path& storage, bool reuse, int trials, int at_once, int repeats) {
  value::list rates;
  std::vector<double> sorted;
  auto cpu = own_cpu();
  for (int i = 0; i < repeats; ++i) {
    sorted.push_back(trials / run(storage / std::to_string(i), reuse, trials, at_once));
    rates.emplace_back(sorted.back());
  }
  cpu = own_cpu() - cpu;
  std::sort(sorted.begin(), sorted.end());
  auto bare = bare_rate(std::max(trials / 10, 100));
  auto median = sorted[sorted.size() / 2];
  return {{"measure", reuse ? "reused_processes" : "own_processes"},
          {"trials", trials},
          {"at_once", at_once},
          {"trials_per_second", median},
          {"of_each_run", std::move(rates)},
          {"own_cpu_ms_per_trial", 1000 * cpu / (trials * repeats)},
          {"bare_spawns_per_second", bare},
          {"times_bare", median / bare}};
}

} // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view{argv[1]} == nothing_flag)
    return 0;
  if (auto status = host_main(argc, argv, trainables()))
    return *status;
  bench::arguments given{argc, argv, "[TRIALS] [AT_ONCE] [REPEATS]"};
  auto trials = static_cast<int>(given.number(5000, 1));
  auto at_once = static_cast<int>(given.number(4, 1));
  auto repeats = static_cast<int>(given.number(3, 1));
  given.finish();
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  scratch in;
  for (auto reuse : {true, false})
    std::printf("%s\n",
                to_json(measured(in.directory / (reuse ? "reused" : "own"), reuse,
                                 reuse ? trials : std::max(trials / 5, 1), at_once, repeats))
                    .c_str());
  return 0;
}

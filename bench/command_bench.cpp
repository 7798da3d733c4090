/// Measures `tune-node run` from outside, with all files on.
///
///   tune_command_bench TUNE_NODE PROGRAM [TRIALS] [AT_ONCE] [REPEATS]
///
/// PROGRAM is `tune_one_report`. Prints two JSON objects: the time of a run of one trial, from
/// start to exit (REPEATS times), and the trials per second of a run of TRIALS, beside the bare
/// posix_spawn and waitpid of the same program. Directories are made below the current one and
/// removed again.
// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include "tune/io/json.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace tune;
using clock_type = std::chrono::steady_clock;
namespace fs = std::filesystem;

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "command_bench: %s\n", why.c_str());
  std::exit(1);
}

double seconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double>(clock_type::now() - begin).count();
}

/// Runs a program to its end, discarding its output. @returns its exit status.
int run(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (const auto& word : command)
    argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  ::posix_spawn_file_actions_init(&quiet);
  ::posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  if (::posix_spawnp(&pid, argv[0], &quiet, nullptr, argv.data(), environ) != 0)
    give_up("cannot start " + command.front());
  ::posix_spawn_file_actions_destroy(&quiet);
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// A scratch directory with the INI files.
class scratch {
public:
  scratch() : directory_{fs::absolute("command_bench." + std::to_string(::getpid()))} {
    fs::create_directories(directory_);
  }
  ~scratch() { fs::remove_all(directory_); }

  /// @returns the duration of the whole run. [s]
  double run_trials(const std::string& node, const std::string& program, int trials, int at_once) {
    fs::remove_all(directory_ / "results");
    auto ini = directory_ / "bench.ini";
    std::ofstream{ini} << "[experiment]\nname = bench\nstorage = "
                       << (directory_ / "results").string()
                       << "\nmetric = loss\nmode = min\nnum_samples = " << trials
                       << "\n[trainable]\nkind = command\ncommand = " << program
                       << "\n[space]\nx = uniform(0, 1)\n[cluster]\ncpus = " << at_once << '\n';
    auto begin = clock_type::now();
    if (auto status = run({node, "run", ini.string()}); status != 0)
      give_up("tune-node run ended with status " + std::to_string(status));
    return seconds_since(begin);
  }

private:
  fs::path directory_;
};

object one_trial(scratch& in, const std::string& node, const std::string& program, int repeats) {
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i)
    times.push_back(1000 * in.run_trials(node, program, 1, 1));
  std::sort(times.begin(), times.end());
  return {{"measure", "one_trial"},
          {"runs", repeats},
          {"min_ms", times.front()},
          {"p50_ms", times[times.size() / 2]},
          {"max_ms", times.back()}};
}

object many_trials(scratch& in, const std::string& node, const std::string& program, int trials,
                   int at_once) {
  auto seconds = in.run_trials(node, program, trials, at_once);
  auto begin = clock_type::now();
  for (int i = 0; i < trials; ++i)
    run({program});
  auto bare = trials / seconds_since(begin);
  return {{"measure", "processes"},
          {"trials", trials},
          {"at_once", at_once},
          {"trials_per_second", trials / seconds},
          {"bare_spawns_per_second", bare},
          {"share_of_bare", trials / seconds / bare}};
}

} // namespace

int main(int argc, char** argv) {
  bench::arguments given{argc, argv, "TUNE_NODE PROGRAM [TRIALS] [AT_ONCE] [REPEATS]"};
  auto node = given.word({});
  auto program = given.word({});
  if (program.empty())
    given.refuse("wants the paths of tune-node and of tune_one_report");
  node = fs::absolute(node).string();
  program = fs::absolute(program).string();
  const auto trials = static_cast<int>(given.number(1000, 1));
  const auto at_once = static_cast<int>(given.number(4, 1));
  const auto repeats = static_cast<int>(given.number(20, 1));
  given.finish();
  scratch in;
  std::printf("%s\n", to_json(one_trial(in, node, program, repeats)).c_str());
  std::printf("%s\n", to_json(many_trials(in, node, program, trials, at_once)).c_str());
  return 0;
}

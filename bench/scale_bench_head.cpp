// SPDX-License-Identifier: BSD-3-Clause
#include "scale_bench_head.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

extern char** environ;

namespace tune::bench {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void give_up(const std::string& why) {
  throw std::runtime_error{why};
}

/// @param log Gets stdout and stderr.
::pid_t start(std::vector<std::string> words, const fs::path& log) {
  std::vector<char*> raw;
  for (auto& word : words)
    raw.push_back(word.data());
  raw.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, log.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  ::pid_t result = 0;
  const auto fault = ::posix_spawn(&result, raw[0], &files, nullptr, raw.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  if (fault != 0)
    give_up("cannot start " + words[0]);
  return result;
}

std::string text_of(const fs::path& file) {
  std::ifstream in{file};
  std::stringstream result;
  result << in.rdbuf();
  return result.str();
}

void run(std::vector<std::string> words, const fs::path& log) {
  const auto what = words[0] + " " + words[1];
  int status = 0;
  ::waitpid(start(std::move(words), log), &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    give_up(what + " failed:\n" + text_of(log));
}

/// The number that follows `name` in a file of lines such as "VmRSS:   123 kB".
double number_in(const fs::path& file, const std::string& name) {
  std::ifstream in{file};
  for (std::string word; in >> word;) {
    double result = 0;
    if (word == name && in >> result)
      return result;
  }
  give_up("the head has ended");
}

} // namespace

scale_head::scale_head(fs::path tune_node, fs::path directory)
    : tune_node_{std::move(tune_node)}, directory_{std::move(directory)} {
  const auto log = directory_ / "head.log";
  run({tune_node_, "certs", "init", "--certs", certificates(), "--cluster", "default"}, log);
  process_
      = start({tune_node_, "head", "--listen", "127.0.0.1:0", "--no-local", "--certs",
               certificates(), "--storage", directory_ / "results", "--work", directory_ / "work"},
              log);
  try {
    await_port();
  } catch (...) {
    stop();
    throw;
  }
}

void scale_head::await_port() {
  const std::string before = "--join 127.0.0.1:";
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  for (auto text = said(); port_ == 0; text = said()) {
    if (auto at = text.find(before); at != std::string::npos && text.find('\n', at) != text.npos)
      port_ = static_cast<std::uint16_t>(std::stoul(text.substr(at + before.size())));
    else if (std::chrono::steady_clock::now() > until)
      give_up("the head does not listen:\n" + text);
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
}

scale_head::~scale_head() {
  stop();
}

void scale_head::stop() {
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

std::string scale_head::said() const {
  return text_of(directory_ / "head.log");
}

usage scale_head::used() const {
  ::clockid_t clock{};
  ::timespec all{};
  if (::clock_getcpuclockid(process_, &clock) != 0 || ::clock_gettime(clock, &all) != 0)
    give_up("the head has ended:\n" + said());
  const auto place = fs::path{"/proc"} / std::to_string(process_);
  return {static_cast<double>(all.tv_sec) + static_cast<double>(all.tv_nsec) / 1e9,
          1024 * number_in(place / "status", "VmRSS:")};
}

void scale_head::submit(std::uint64_t trials, const std::string& searcher) {
  const auto file = directory_ / "scale.ini";
  std::ofstream{file} << "[experiment]\nmetric = loss\nmode = min\nnum_samples = " << trials
                      << "\n[trainable]\ncommand = /bin/true {x}\n[space]\nx = uniform(0, 1)\n"
                         "[search]\ntype = "
                      << searcher << "\n[resources]\ncpu = 1\n[failure]\nbackoff = 0\n";
  run({tune_node_, "run", file, "--head", "127.0.0.1:" + std::to_string(port_), "--certs",
       certificates(), "--detach"},
      directory_ / "run.log");
}

} // namespace tune::bench

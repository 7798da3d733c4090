// SPDX-License-Identifier: BSD-3-Clause
#include "travel.hpp"

#include "arguments.hpp"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <functional>
#include <random>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace tune::bench {

void give_up(const std::string& why) {
  std::fprintf(stderr, "%s: %s\n", ::program_invocation_short_name, why.c_str());
  std::_Exit(1);
}

settings::settings(int count, char** all, const char* usage, std::vector<std::string> names) {
  bench::arguments given{count, all, usage};
  names.insert(names.end(), {"cert", "key", "ca"});
  for (const auto& name : names) {
    std::string value;
    given.read("--" + name, value);
    if (!value.empty())
      flags[name] = value;
  }
  if (given.has_word() && (words = given.words()).front() != "worker")
    given.refuse("one too many: " + words.front());
  given.finish();
}

std::string settings::text(const std::string& name) const {
  auto found = flags.find(name);
  return found == flags.end() ? std::string{} : found->second;
}

std::size_t settings::number(const std::string& name, std::size_t otherwise) const {
  auto found = flags.find(name);
  return found == flags.end() ? otherwise : std::stoul(found->second);
}

tls_files settings::tls() const {
  return {text("cert"), text("key"), text("ca")};
}

bool settings::has_tls() const {
  const auto x = tls();
  return !x.certificate.empty() && !x.key.empty() && !x.authority.empty();
}

::pid_t start_worker(const settings& given, std::vector<std::string> words) {
  words.insert(words.begin(), ::program_invocation_short_name);
  for (const auto& [name, value] : given.flags)
    words.push_back("--" + name + "=" + value);
  std::vector<char*> raw;
  for (auto& word : words)
    raw.push_back(word.data());
  raw.push_back(nullptr);
  ::pid_t pid = 0;
  if (::posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, raw.data(), environ) != 0)
    give_up("cannot start a worker");
  return pid;
}

void end_workers(const std::vector<::pid_t>& all) {
  for (auto pid : all) {
    ::kill(pid, SIGTERM);
    ::waitpid(pid, nullptr, 0);
  }
}

void write_noise(const std::filesystem::path& file, std::size_t bytes) {
  std::mt19937_64 random{1};
  std::vector<std::uint64_t> block(8192);
  std::ofstream out{file, std::ios::binary};
  for (std::size_t written = 0; written < bytes;) {
    std::generate(block.begin(), block.end(), std::ref(random));
    const auto part = std::min(bytes - written, block.size() * sizeof block[0]);
    out.write(reinterpret_cast<const char*>(block.data()), static_cast<std::streamsize>(part));
    written += part;
  }
  if (!out.flush())
    give_up("cannot write " + file.string());
}

void series::add(const std::vector<work_report>& all, std::uint64_t bytes, double seconds,
                 const peak_memory& head) {
  rates.push_back(static_cast<double>(bytes * all.size()) / 1e6 / seconds);
  head_mib = std::max(head_mib, static_cast<double>(head.extra_kib()) / 1024);
  for (const auto& x : all) {
    worker_mib = std::max(worker_mib, static_cast<double>(x.extra_kib) / 1024);
    longest_ping_ms = std::max(longest_ping_ms, static_cast<double>(x.longest_ping_us) / 1e3);
  }
}

double series::median() const {
  auto sorted = rates;
  std::sort(sorted.begin(), sorted.end());
  return sorted.empty() ? 0 : sorted[sorted.size() / 2];
}

object series::json() const {
  value::list all;
  for (auto rate : rates)
    all.emplace_back(rate);
  return {{"mb_per_second", median()},
          {"all", value{std::move(all)}},
          {"worker_extra_mib", worker_mib},
          {"head_extra_mib", head_mib},
          {"longest_ping_ms", longest_ping_ms}};
}

} // namespace tune::bench

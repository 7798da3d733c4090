/// Measures how fast a file is shipped to workers, beside a bare loop that does the same with
/// nothing around it: chunks of the same size, as many under way, SHA-256 and fsync.
///
///   tune_ship_bench [--mb=100] [--workers=2] [--rounds=4] [--cert=F --key=F --ca=F]
///
/// Workers are processes on this machine. All of them fetch at the same time; each round does it
/// both ways, by turns one or the other first. Without certificates the connections are plain.
/// Works in the current directory.
// SPDX-License-Identifier: BSD-3-Clause
#include "ship_bench_actors.hpp"

#include "tune/io/json.hpp"
#include "tune/net/depot.hpp"
#include "tune/net/fetcher.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace {

using namespace tune;
using namespace tune::bench;
namespace fs = std::filesystem;

constexpr std::chrono::minutes patience{10};

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "ship_bench: %s\n", why.c_str());
  std::_Exit(1);
}

template <class T>
T must(expected<T> what) {
  if (!what)
    give_up(to_text(what.error()));
  return std::move(*what);
}

/// The command line: "--name=value", and the words before.
struct settings {
  std::vector<std::string> words;
  std::map<std::string, std::string> flags;

  settings(int count, char** all) {
    for (int i = 1; i < count; ++i) {
      const std::string word = all[i];
      const auto equals = word.find('=');
      if (word.starts_with("--") && equals != std::string::npos)
        flags[word.substr(2, equals - 2)] = word.substr(equals + 1);
      else
        words.push_back(word);
    }
  }
  std::string text(const std::string& name) const {
    auto found = flags.find(name);
    return found == flags.end() ? std::string{} : found->second;
  }
  std::size_t number(const std::string& name, std::size_t otherwise) const {
    auto found = flags.find(name);
    return found == flags.end() ? otherwise : std::stoul(found->second);
  }
  tls_files tls() const { return {text("cert"), text("key"), text("ca")}; }
};

struct network_config : caf::actor_system_config {
  explicit network_config(const tls_files& tls) {
    configure_net(*this);
    add_types<caf::id_block::ship_bench>(*this);
    if (!tls.certificate.empty() && !tls.key.empty() && !tls.authority.empty())
      load_network(*this, tls);
    else
      load_network(*this);
  }
};

/// Where workers are awaited.
class meeting {
public:
  void add(worker_actor who) {
    std::lock_guard guard{mutex_};
    there_.push_back(std::move(who));
    changed_.notify_all();
  }
  std::vector<worker_actor> wait_for(std::size_t count) {
    std::unique_lock guard{mutex_};
    if (!changed_.wait_for(guard, patience, [&] { return there_.size() >= count; }))
      give_up("a worker is missing");
    return there_;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<worker_actor> there_;
};

std::string worker_directory(std::size_t number) {
  return "worker" + std::to_string(number);
}

/// As a worker: introduces itself, then does what it is told until the head is gone.
int work(const settings& given) {
  const auto tls = given.tls();
  const auto port = static_cast<std::uint16_t>(std::stoul(given.words.at(1)));
  network_config config{tls};
  caf::actor_system system{config};
  auto head = must(!tls.certificate.empty() && !tls.key.empty() && !tls.authority.empty()
                       ? connect_tls<head_actor>(system, "127.0.0.1", port)
                       : connect_plain<head_actor>(system, "127.0.0.1", port));
  auto worker = spawn_worker(system, given.words.at(2));
  send_from_outside(head, worker);
  caf::scoped_actor self{system};
  self->wait_for(head);
  std::_Exit(0);
}

std::vector<::pid_t> start_workers(const settings& given, std::uint16_t port, std::size_t count) {
  std::vector<::pid_t> result;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::string> words{"tune_ship_bench", "worker", std::to_string(port),
                                   worker_directory(i)};
    for (const auto& [name, value] : given.flags)
      words.push_back("--" + name + "=" + value);
    std::vector<char*> raw;
    for (auto& word : words)
      raw.push_back(word.data());
    raw.push_back(nullptr);
    ::pid_t pid = 0;
    if (::posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, raw.data(), environ) != 0)
      give_up("cannot start a worker");
    result.push_back(pid);
  }
  return result;
}

/// Bytes that no layer can compress.
void write_noise(const fs::path& file, std::size_t bytes) {
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

/// What one way came to.
struct series {
  std::vector<double> rates; // MB/s, all workers together
  double worker_mib = 0;
  double head_mib = 0;
  double longest_ping_ms = 0;

  void add(const std::vector<work_report>& all, double bytes, double seconds, double head) {
    rates.push_back(bytes * static_cast<double>(all.size()) / 1e6 / seconds);
    head_mib = std::max(head_mib, head);
    for (const auto& x : all) {
      worker_mib = std::max(worker_mib, static_cast<double>(x.extra_kib) / 1024);
      longest_ping_ms = std::max(longest_ping_ms, static_cast<double>(x.longest_ping_us) / 1e3);
    }
  }
  double median() const {
    auto sorted = rates;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
  object json() const {
    value::list all;
    for (auto rate : rates)
      all.emplace_back(rate);
    return {{"mb_per_second", median()},
            {"all", value{std::move(all)}},
            {"worker_extra_mib", worker_mib},
            {"head_extra_mib", head_mib},
            {"longest_ping_ms", longest_ping_ms}};
  }
};

/// Whom the workers speak to.
struct head_actors {
  depot_actor depot;
  bare_source_actor source;
  pong_actor pong;
};

/// Has all workers do one thing at the same time.
void run(caf::scoped_actor& self, const head_actors& head, const std::vector<worker_actor>& workers,
         const work_order& order, series& into) {
  peak_memory memory;
  const auto begin = clock_type::now();
  using answer = decltype(request(self.operator->(), workers[0], patience, order, head.depot,
                                  head.source, head.pong));
  std::vector<answer> answers;
  for (const auto& worker : workers)
    answers.push_back(
        request(self.operator->(), worker, patience, order, head.depot, head.source, head.pong));
  std::vector<work_report> reports;
  for (auto& x : answers)
    x.receive([&](const work_report& report) { reports.push_back(report); },
              [](const caf::error&) { give_up("a worker was lost"); });
  for (const auto& x : reports)
    x.trouble.empty() ? void() : give_up(x.trouble);
  const auto seconds = std::chrono::duration<double>(clock_type::now() - begin).count();
  // What is not yet on the disk must not burden the next.
  for (std::size_t i = 0; i < workers.size(); ++i)
    fs::remove_all(worker_directory(i));
  into.add(reports, static_cast<double>(order.bytes), seconds,
           static_cast<double>(memory.extra_kib()) / 1024);
}

int lead(const settings& given) {
  const auto tls = given.tls();
  const auto bytes = given.number("mb", 100) * 1'000'000;
  fs::create_directories("head");
  write_noise("head/data", bytes);
  auto manifest = must(make_manifest("head", std::vector<std::string>{"data"}));

  network_config config{tls};
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  auto depot = spawn_depot(system);
  auto source = spawn_source(system, "head/data");
  meeting all;
  auto head = spawn_head(system, [&all](worker_actor who) { all.add(std::move(who)); });
  const auto port = must(!tls.certificate.empty() && !tls.key.empty() && !tls.authority.empty()
                             ? publish_tls(system, head, 0, "127.0.0.1")
                             : publish_plain(system, head, 0, "127.0.0.1"));
  const auto pids = start_workers(given, port, given.number("workers", 2));
  const auto workers = all.wait_for(pids.size());
  const head_actors actors{depot, source, head};

  series ship;
  series bare;
  for (std::size_t round = 0; round < given.number("rounds", 4); ++round) {
    const auto job = "job-" + std::to_string(round);
    request(self.operator->(), depot, patience, job_offer{job, "", manifest, fs::absolute("head")})
        .receive([](const std::string& why) { why.empty() ? void() : give_up(why); },
                 [&](const caf::error& why) { give_up(render(system, why)); });
    const auto bare_first = round % 2 == 0;
    for (auto is_bare : {bare_first, !bare_first})
      run(self, actors, workers, {is_bare ? "" : job, round, bytes}, is_bare ? bare : ship);
  }
  const object result{
      {"benchmark", "ship"},
      {"tls", !tls.certificate.empty() && !tls.key.empty() && !tls.authority.empty()},
      {"bytes", static_cast<std::int64_t>(bytes)},
      {"workers", static_cast<std::int64_t>(workers.size())},
      {"ship", ship.json()},
      {"bare", bare.json()},
      {"ratio", ship.median() / bare.median()}};
  std::printf("%s\n", to_json(result).c_str());
  std::fflush(stdout);
  for (auto pid : pids) {
    ::kill(pid, SIGTERM);
    ::waitpid(pid, nullptr, 0);
  }
  std::_Exit(0);
}

} // namespace

int main(int count, char** all) {
  init_net_types();
  init_types<caf::id_block::ship_bench>();
  const settings given{count, all};
  return !given.words.empty() && given.words[0] == "worker" ? work(given) : lead(given);
}

/// Measures how fast a file is shipped to workers, compared with a bare loop that does only the
/// necessary: chunks of the same size, as many under way, SHA-256 and fsync.
///
///   tune_ship_bench [--mb=100] [--workers=2] [--rounds=4] [--cert=F --key=F --ca=F]
///
/// Workers are processes on this machine. All of them fetch at the same time; each round does it
/// both ways, and the rounds alternate in which comes first. Without certificates the connections
/// are plain. Works in the current directory.
// SPDX-License-Identifier: BSD-3-Clause
#include "travel.hpp"

#include "tune/io/json.hpp"
#include "tune/net/package_client.hpp"
#include "tune/net/package_server.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

namespace {

using namespace tune;
using namespace tune::bench;
namespace fs = std::filesystem;

constexpr std::chrono::minutes patience{10};

using network_config = bench_config<caf::id_block::ship_bench>;

/// The place where the head waits for its workers.
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

/// Runs a worker: introduces itself, then carries out orders until the head is gone.
int work(const settings& given) {
  const auto port = static_cast<std::uint16_t>(std::stoul(given.words.at(1)));
  network_config config{given};
  caf::actor_system system{config};
  auto head = connect_to<head_actor>(system, given, port);
  auto worker = spawn_worker(system, given.words.at(2));
  send_from_outside(head, worker);
  caf::scoped_actor self{system};
  self->wait_for(head);
  std::_Exit(0);
}

std::vector<::pid_t> start_workers(const settings& given, std::uint16_t port, std::size_t count) {
  std::vector<::pid_t> result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back(start_worker(given, {"worker", std::to_string(port), worker_directory(i)}));
  return result;
}

/// The actors that workers speak to.
struct head_actors {
  package_server_actor package_server;
  bare_source_actor source;
  pong_actor pong;
};

/// Has all workers carry out one order at the same time.
void run(caf::scoped_actor& self, const head_actors& head, const std::vector<worker_actor>& workers,
         const work_order& order, series& into) {
  peak_memory memory;
  const auto begin = clock_type::now();
  using answer = decltype(request(self.operator->(), workers[0], patience, order,
                                  head.package_server, head.source, head.pong));
  std::vector<answer> answers;
  for (const auto& worker : workers)
    answers.push_back(request(self.operator->(), worker, patience, order, head.package_server,
                              head.source, head.pong));
  std::vector<work_report> reports;
  for (auto& x : answers)
    x.receive([&](const work_report& report) { reports.push_back(report); },
              [](const caf::error&) { give_up("a worker was lost"); });
  for (const auto& x : reports)
    x.trouble.empty() ? void() : give_up(x.trouble);
  const auto seconds = std::chrono::duration<double>(clock_type::now() - begin).count();
  // Data that are not on the disk yet must not slow down the next measurement.
  for (std::size_t i = 0; i < workers.size(); ++i)
    fs::remove_all(worker_directory(i));
  into.add(reports, order.bytes, seconds, memory);
}

int lead(const settings& given) {
  const auto bytes = given.number("mb", 100) * 1'000'000;
  fs::create_directories("head");
  write_noise("head/data", bytes);
  auto manifest = must(make_manifest("head", std::vector<std::string>{"data"}));

  network_config config{given};
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  auto package_server = spawn_package_server(system);
  auto source = spawn_source(system, "head/data");
  meeting all;
  auto head = spawn_head(system, [&all](worker_actor who) { all.add(std::move(who)); });
  const auto port = open_for(system, given, head);
  const auto pids = start_workers(given, port, given.number("workers", 2));
  const auto workers = all.wait_for(pids.size());
  const head_actors actors{package_server, source, head};

  series ship;
  series bare;
  for (std::size_t round = 0; round < given.number("rounds", 4); ++round) {
    const auto job = "job-" + std::to_string(round);
    request(self.operator->(), package_server, patience,
            job_offer{job, "", manifest, fs::absolute("head")})
        .receive([](const std::string& why) { why.empty() ? void() : give_up(why); },
                 [&](const caf::error& why) { give_up(render(system, why)); });
    const auto bare_first = round % 2 == 0;
    for (auto is_bare : {bare_first, !bare_first})
      run(self, actors, workers, {is_bare ? "" : job, round, bytes}, is_bare ? bare : ship);
  }
  const object result{{"benchmark", "ship"},
                      {"tls", given.has_tls()},
                      {"bytes", static_cast<std::int64_t>(bytes)},
                      {"workers", static_cast<std::int64_t>(workers.size())},
                      {"ship", ship.json()},
                      {"bare", bare.json()},
                      {"ratio", ship.median() / bare.median()}};
  std::printf("%s\n", to_json(result).c_str());
  std::fflush(stdout);
  end_workers(pids);
  std::_Exit(0);
}

} // namespace

int main(int count, char** all) {
  init_net_types();
  init_types<caf::id_block::ship_bench>();
  const settings given{count,
                       all,
                       "[--mb 100] [--workers 2] [--rounds 4] [--cert F --key F --ca F]",
                       {"mb", "workers", "rounds"}};
  return !given.words.empty() && given.words[0] == "worker" ? work(given) : lead(given);
}

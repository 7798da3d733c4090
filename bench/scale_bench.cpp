/// Measures what a head costs with many workers: `tune-node head` in a process of its own, and
/// workers over TLS on the loopback, each with a connection, a session and a node of its own. Only
/// their trials are imitated: actors that report at a given pace.
///
///   tune_scale_bench --node TUNE_NODE [--workers N] [--slots N] [--seconds S] [--processes N]
///                    [--searcher NAME] [--garbage N]
///
/// In order: N (1,000) workers join; they idle for S (20) seconds; an experiment is submitted with
/// as many trials as there are places, SLOTS (10) on each worker, which start and are silent for S
/// / 2 seconds; they report 5,000 and 20,000 times a second and as fast as they are answered, for S
/// / 2 seconds each; they report 2,000 times a second for S / 2 seconds without, with and again
/// without N (1,000) further connections that never become members; as many workers as one of the
/// PROCESSES (10) holds join beside, and such a process is killed. Prints a JSON object for each
/// step: processor time and memory are the head's. The files of this run are made below the current
/// directory, and removed again.
// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include "scale_bench_garbage.hpp"
#include "scale_bench_head.hpp"
#include "scale_bench_workers.hpp"

#include "tune/io/json.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

namespace {

using namespace tune;
using namespace tune::bench;
using clock_type = std::chrono::steady_clock;

constexpr double million = 1e6;
/// Longest time for a step.
constexpr std::chrono::seconds patience{120};

double seconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double>(clock_type::now() - begin).count();
}

void rest(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>{seconds});
}

/// A connection takes three descriptors of its worker's.
void raise_limits() {
  ::rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
}

struct sizes {
  std::uint64_t workers = 1000;
  std::uint64_t slots = 10;
  std::uint64_t processes = 10;
  std::uint64_t garbage = 1000;
  double seconds = 20;
  std::string searcher = "random";
};

/// The head, and the processes of the workers.
class scale_cluster {
public:
  scale_cluster(const std::string& tune_node, const std::filesystem::path& directory, sizes how)
      : how_{how}, head_{tune_node, directory} {}

  void join();
  void idle(const char* measure, double seconds);
  void place();
  void report(std::uint64_t rate);
  void suffer_garbage();
  void lose();

private:
  /// What a step has cost so far.
  struct step {
    clock_type::time_point began = clock_type::now();
    usage before;
    [[nodiscard]] double seconds() const { return seconds_since(began); }
  };

  /// What passes while trials report.
  struct flow {
    double seconds = 0;
    double reports = 0;
    /// The head's processor time. [s]
    double cpu = 0;
    /// By which its memory grew. [bytes]
    double growth = 0;
    [[nodiscard]] double reports_per_second() const { return reports / seconds; }
  };

  sizes how_;
  scale_head head_;
  std::deque<worker_process> all_;
  std::uint64_t begun_ = 0;
  double bytes_before_ = 0;

  [[nodiscard]] step begin() const { return {clock_type::now(), head_.used()}; }
  [[nodiscard]] double cpu_since(const step& x) const {
    return head_.used().seconds - x.before.seconds;
  }
  [[nodiscard]] worker_counts counts();
  void start(std::uint64_t workers);
  void set_pace(std::int64_t microseconds);
  void set_rate(std::uint64_t rate);
  [[nodiscard]] flow watch();
  void await(const char* what, const std::function<bool(const worker_counts&)>& is_there);
  [[nodiscard]] std::uint64_t share() const { return how_.workers / how_.processes; }
  [[nodiscard]] std::uint64_t trials() const { return how_.workers * how_.slots; }
};

object result_of(const char* measure, const sizes& how) {
  return {{"measure", measure},
          {"workers", static_cast<std::int64_t>(how.workers)},
          {"slots", static_cast<std::int64_t>(how.workers * how.slots)}};
}

void print(const object& what) {
  std::printf("%s\n", to_json(what).c_str());
  std::fflush(stdout);
}

worker_counts scale_cluster::counts() {
  worker_counts result;
  for (auto& x : all_)
    result += x.counts();
  return result;
}

void scale_cluster::start(std::uint64_t workers) {
  all_.emplace_back(worker_order{head_.port(), head_.certificates(), begun_, workers, how_.slots});
  begun_ += workers;
}

void scale_cluster::set_pace(std::int64_t microseconds) {
  for (auto& x : all_)
    x.set_pace(microseconds);
}

void scale_cluster::await(const char* what,
                          const std::function<bool(const worker_counts&)>& is_there) {
  const auto begin = clock_type::now();
  for (auto now = counts(); !is_there(now); now = counts()) {
    if (clock_type::now() - begin > patience) {
      throw std::runtime_error{"not in time: " + std::string{what} + " ("
                               + std::to_string(now.joined) + " joined, "
                               + std::to_string(now.running) + " trials run)"};
    }
    rest(0.01);
  }
}

void scale_cluster::join() {
  const auto from = begin();
  bytes_before_ = from.before.resident;
  for (std::uint64_t i = 0; i < how_.processes; ++i)
    start(share());
  await("all workers join", [&](const auto& x) { return x.joined == how_.workers; });
  const auto seconds = from.seconds();
  const auto cpu = cpu_since(from);
  const auto workers = static_cast<double>(how_.workers);
  auto result = result_of("join", how_);
  result.set("seconds", seconds);
  result.set("joins_per_second", workers / seconds);
  result.set("cpu_us_per_join", cpu * million / workers);
  result.set("retries", static_cast<std::int64_t>(counts().retries));
  rest(1);
  result.set("kib_per_worker", (head_.used().resident - bytes_before_) / 1024 / workers);
  print(result);
}

void scale_cluster::idle(const char* measure, double seconds) {
  const auto from = begin();
  rest(seconds);
  const auto passed = from.seconds();
  auto result = result_of(measure, how_);
  result.set("seconds", passed);
  result.set("cpu_us_per_worker_and_second",
             cpu_since(from) * million / passed / static_cast<double>(how_.workers));
  result.set("losses", static_cast<std::int64_t>(counts().losses));
  print(result);
}

void scale_cluster::place() {
  const auto from = begin();
  head_.submit(trials(), how_.searcher);
  await("all trials start", [&](const auto& x) { return x.running == trials(); });
  const auto seconds = from.seconds();
  const auto count = static_cast<double>(trials());
  auto result = result_of("place", how_);
  result.set("seconds", seconds);
  result.set("launches_per_second", count / seconds);
  result.set("cpu_us_per_launch", cpu_since(from) * million / count);
  result.set("kib_per_trial", (head_.used().resident - from.before.resident) / 1024 / count);
  print(result);
  // The files of the trials follow at their own pace.
  rest(2);
}

/// @param rate Of all trials together, a second; 0: as fast as they are answered.
void scale_cluster::set_rate(std::uint64_t rate) {
  set_pace(rate == 0 ? as_fast_as_answered
                     : static_cast<std::int64_t>(million * static_cast<double>(trials())
                                                 / static_cast<double>(rate)));
  // Until the pace is steady.
  rest(std::min(3.0, how_.seconds / 4));
}

scale_cluster::flow scale_cluster::watch() {
  const auto before = counts();
  const auto from = begin();
  rest(how_.seconds / 2);
  const auto count = static_cast<double>(counts().answered - before.answered);
  const auto passed = from.seconds();
  return {passed, count, cpu_since(from), head_.used().resident - from.before.resident};
}

/// @param rate As above.
void scale_cluster::report(std::uint64_t rate) {
  set_rate(rate);
  const auto losses = counts().losses;
  const auto seen = watch();
  auto result = result_of("report", how_);
  result.set("wanted_per_second", static_cast<std::int64_t>(rate));
  result.set("reports_per_second", seen.reports_per_second());
  result.set("cpu_us_per_report", seen.cpu * million / seen.reports);
  result.set("cpus", seen.cpu / seen.seconds);
  result.set("losses", static_cast<std::int64_t>(counts().losses - losses));
  print(result);
}

void scale_cluster::suffer_garbage() {
  constexpr std::uint64_t rate = 2000;
  set_rate(rate);
  const auto losses = counts().losses;
  const auto before = watch();
  auto crowd = std::make_unique<garbage_crowd>(head_.port(), how_.garbage, head_.certificates());
  const auto with = watch();
  const auto made = crowd->made();
  crowd.reset();
  rest(1);
  const auto after = watch();
  auto result = result_of("garbage", how_);
  result.set("connections", static_cast<std::int64_t>(how_.garbage));
  result.set("connections_made", static_cast<std::int64_t>(made));
  result.set("reports_per_second_without",
             (before.reports_per_second() + after.reports_per_second()) / 2);
  result.set("reports_per_second", with.reports_per_second());
  result.set("cpu_ms_per_connection",
             (with.cpu - (before.cpu + after.cpu) / 2) * 1000 / static_cast<double>(made));
  result.set("growth_without_kib", before.growth / 1024);
  result.set("growth_kib", with.growth / 1024);
  result.set("losses", static_cast<std::int64_t>(counts().losses - losses));
  print(result);
}

void scale_cluster::lose() {
  set_pace(pace_of_held_trials);
  start(share());
  await("further workers join", [&](const auto& x) { return x.joined == how_.workers + share(); });
  // What was under way is over.
  rest(2);
  const auto from = begin();
  all_.pop_front();
  await("all trials start again", [&](const auto& x) { return x.running == trials(); });
  const auto seconds = from.seconds();
  auto result = result_of("lose", how_);
  result.set("lost_workers", static_cast<std::int64_t>(share()));
  result.set("seconds", seconds);
  result.set("cpu_ms_per_lost_worker", cpu_since(from) * 1000 / static_cast<double>(share()));
  result.set("cpu_seconds", cpu_since(from));
  print(result);
}

void measure(const std::string& tune_node, const std::filesystem::path& directory,
             const sizes& how) {
  scale_cluster cluster{tune_node, directory, how};
  cluster.join();
  cluster.idle("idle", how.seconds);
  cluster.place();
  cluster.idle("idle_with_trials", how.seconds / 2);
  for (std::uint64_t rate : {5000, 20000, 0})
    cluster.report(rate);
  cluster.suffer_garbage();
  cluster.lose();
}

worker_order order_of(char** words) {
  auto number = [&](int i) { return std::stoull(words[i]); };
  return {static_cast<std::uint16_t>(number(2)), words[3], number(4), number(5), number(6)};
}

} // namespace

int main(int count, char** all) {
  if (count == 7 && std::string_view{all[1]} == "__workers")
    work(order_of(all));
  bench::arguments given{
      count, all,
      "--node TUNE_NODE [--workers N] [--slots N] [--seconds S] [--processes N] [--searcher NAME]"
      " [--garbage N]"};
  std::string tune_node;
  sizes how;
  given.read("--node", tune_node);
  given.read("--workers", how.workers, 1);
  given.read("--slots", how.slots, 1);
  given.read("--seconds", how.seconds);
  given.read("--processes", how.processes, 1);
  given.read("--searcher", how.searcher);
  given.read("--garbage", how.garbage, 1);
  given.finish();
  if (tune_node.empty())
    given.refuse("--node is needed");
  if (how.workers % how.processes != 0)
    given.refuse("--workers must be a multiple of --processes");
  raise_limits();
  const auto directory = std::filesystem::absolute("scale_bench." + std::to_string(::getpid()));
  tune_node = std::filesystem::absolute(tune_node);
  std::filesystem::create_directories(directory);
  // Trials get directories where the workers are.
  std::filesystem::current_path(directory);
  auto result = 0;
  try {
    measure(tune_node, directory, how);
  } catch (const std::exception& why) {
    std::fprintf(stderr, "scale_bench: %s\n", why.what());
    result = 1;
  }
  std::filesystem::current_path(directory.parent_path());
  std::filesystem::remove_all(directory);
  return result;
}

/// Measures how fast the read model answers for an experiment of many trials that goes on
/// reporting.
///
///   tune_view_bench [DIRECTORY] [TRIALS] [REPORTS] [REQUESTS] [REPORTS_PER_SECOND]
///
/// DIRECTORY is made and removed again; REPORTS are those of each trial that is
/// not stopped. Times are in milliseconds; `cpu_…` are those of the processor, which other work on
/// the machine does not lengthen.
// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"
#include "support/grown_record.hpp"
#include "view/views.hpp"

#include "tune/io/json.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace tune;
using clock_type = std::chrono::steady_clock;
using query_type = std::multimap<std::string, std::string>;

/// Memory of this process. [bytes]
std::int64_t memory_now() {
  std::ifstream from{"/proc/self/statm"};
  std::int64_t all = 0, here = 0;
  from >> all >> here;
  return here * 4096;
}

/// Processor time of this thread. [milliseconds]
double cpu_now() {
  timespec x{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &x);
  return static_cast<double>(x.tv_sec) * 1e3 + static_cast<double>(x.tv_nsec) / 1e6;
}

/// How long a request took.
struct duration_pair {
  double wall = 0;
  double cpu = 0;
};

/// Asks and renders, as the gateway does.
duration_pair asked(cli::views& of, const std::string& part, const query_type& query) {
  cli::view_request what{{"experiments", "grown"}, query};
  if (!part.empty())
    what.path.push_back(part);
  const auto begin = clock_type::now();
  const auto cpu = cpu_now();
  auto answer = of.answer(what);
  auto* found = std::get_if<value>(&answer);
  if (found == nullptr || to_json(*found).empty()) {
    std::fprintf(stderr, "view_bench: %s: %s\n", part.c_str(),
                 std::get<cli::view_fault>(answer).detail.c_str());
    std::exit(1);
  }
  const std::chrono::duration<double, std::milli> wall = clock_type::now() - begin;
  return {wall.count(), cpu_now() - cpu};
}

object spread_of(std::vector<double> times, const std::string& prefix) {
  std::sort(times.begin(), times.end());
  auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  return {{prefix + "p50", at(0.5)}, {prefix + "p99", at(0.99)}, {prefix + "most", times.back()}};
}

/// The first request, which reads the record, and those that follow.
object measured(cli::views& of, const std::string& part, const query_type& query,
                std::uint64_t requests) {
  const auto first = asked(of, part, query);
  std::vector<double> wall, cpu;
  for (std::uint64_t i = 0; i < requests; ++i) {
    const auto took = asked(of, part, query);
    wall.push_back(took.wall);
    cpu.push_back(took.cpu);
  }
  auto result = spread_of(std::move(wall), "");
  for (const auto& [name, each] : spread_of(std::move(cpu), "cpu_"))
    result.set(name, each);
  result.set("first", first.wall);
  result.set("cpu_first", first.cpu);
  return result;
}

/// Reports at a steady pace on a thread of its own, as the head of another process would.
class reporter {
public:
  reporter(support::grown_record& to, std::uint64_t per_second)
      : to_{to}, per_second_{per_second}, thread_{[this] { run(); }} {}
  ~reporter() {
    done_ = true;
    thread_.join();
  }
  std::uint64_t count() const { return count_; }

private:
  support::grown_record& to_;
  std::uint64_t per_second_;
  std::atomic<bool> done_{false};
  std::atomic<std::uint64_t> count_{0};
  std::thread thread_;

  void run() {
    constexpr std::chrono::milliseconds pace{20};
    const auto group = std::max<std::uint64_t>(per_second_ / 50, 1);
    auto next = clock_type::now();
    while (!done_ && per_second_ > 0) {
      to_.begin_trial();
      for (std::uint64_t i = 0; i < group; ++i)
        to_.report_once();
      to_.flush();
      count_ += group;
      std::this_thread::sleep_until(next += pace);
    }
  }
};

} // namespace

int main(int argc, char** argv) {
  bench::arguments given{argc, argv,
                         "[DIRECTORY] [TRIALS] [REPORTS] [REQUESTS] [REPORTS_PER_SECOND]"};
  const std::filesystem::path storage = given.word("view_bench.tmp");
  support::growth how;
  how.trials = given.number(100'000, 1);
  how.reports = given.number(14, 1);
  const auto requests = given.number(200, 2);
  const auto per_second = given.number(1000);
  given.finish();

  std::filesystem::create_directories(storage);
  support::grown_record record{storage / "grown", how, support::grown_spec("grown")};
  const auto begun = clock_type::now();
  record.write_all();
  object all{{"trials", static_cast<std::int64_t>(how.trials)},
             {"written_s", std::chrono::duration<double>(clock_type::now() - begun).count()}};
  const auto before = memory_now();
  cli::views uut{storage};
  {
    reporter busy{record, per_second};
    const auto start = clock_type::now();
    all.set("overview", measured(uut, "", {}, requests));
    all.set("page", measured(uut, "trials", {}, requests));
    all.set("page_sorted", measured(uut, "trials", {{"sort", "best:loss"}}, requests));
    all.set("page_filtered", measured(uut, "trials", {{"filter", "param:lr < 0.01"}}, requests));
    all.set("history", measured(uut, "history", {}, requests));
    all.set("parallel", measured(uut, "parallel", {}, requests));
    all.set("curves", measured(uut, "curves", {}, requests));
    all.set("rungs", measured(uut, "rungs", {}, std::min<std::uint64_t>(requests, 10)));
    all.set("timeline", measured(uut, "timeline", {}, std::min<std::uint64_t>(requests, 10)));
    const std::chrono::duration<double> took = clock_type::now() - start;
    all.set("reports_per_second", static_cast<double>(busy.count()) / took.count());
  }
  all.set("memory_mib", static_cast<double>(memory_now() - before) / (1024 * 1024));
  std::printf("%s\n", to_json(all).c_str());
  std::filesystem::remove_all(storage);
  return 0;
}

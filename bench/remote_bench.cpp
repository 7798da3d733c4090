/// Measures the cost of running a trial on another node: a head and a worker, two processes of this
/// machine over mutual TLS on the loopback, with the actors that `tune-node` uses.
///
///   tune_remote_bench [ROUNDS]
///
/// Each measurement is made locally and remotely in turns, ROUNDS (3) times, next to bare messages
/// over the same connection; figures are medians of the rounds. Prints one JSON object per line.
/// Works in a directory below the current one, which it removes again.
// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include "remote_bench_cluster.hpp"

#include "tune/io/json.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

namespace {

using namespace tune;
using namespace tune::bench;

/// Number of bare messages per round.
constexpr std::uint64_t pings = 2000;

/// One figure, measured once per round.
class figure {
public:
  void add(double x) { all_.push_back(x); }
  [[nodiscard]] double median() const {
    auto copy = all_;
    return percentile(copy, 0.5);
  }

private:
  std::vector<double> all_;
};

constexpr std::array<place, 2> both{place::local, place::remote};

std::string in(place where, const std::string& what) {
  return (where == place::local ? "local_" : "remote_") + what;
}

/// Bare messages per second, with `at_once` of them under way.
double bare_rate(small_cluster& nodes, std::uint64_t at_once) {
  const auto count = pings * at_once;
  const auto begin = clock_type::now();
  static_cast<void>(nodes.ping(place::remote, count, at_once));
  return static_cast<double>(count)
         / std::chrono::duration<double>(clock_type::now() - begin).count();
}

/// Measures trials of one report each.
object measure_trials(small_cluster& nodes, std::uint64_t rounds, std::uint64_t slots) {
  const std::uint64_t trials = 1000 * slots;
  std::array<figure, 2> seconds;
  figure ping;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < both.size(); ++i)
      seconds[i].add(nodes.run({both[i], trials, 1, slots}).seconds);
    auto took = nodes.ping(place::remote, pings * slots, slots);
    ping.add(percentile(took, 0.5));
  }
  object result{{"measure", "remote_trials"},
                {"slots", static_cast<std::int64_t>(slots)},
                {"trials", static_cast<std::int64_t>(trials)}};
  std::array<double, 2> each{};
  for (std::size_t i = 0; i < both.size(); ++i) {
    const auto all = seconds[i].median();
    each[i] = 1000 * all / static_cast<double>(trials);
    result.set(in(both[i], "trials_per_second"), static_cast<double>(trials) / all);
    result.set(in(both[i], "ms_per_trial"), each[i]);
  }
  // Additional time for which a trial occupies its slot.
  const auto extra = (each[1] - each[0]) * static_cast<double>(slots);
  result.set("extra_ms_per_trial", extra);
  result.set("ping_p50_ms", ping.median());
  result.set("extra_in_pings", extra / ping.median());
  return result;
}

/// Measures how long a trial waits for the answer to a report.
object measure_report(small_cluster& nodes, std::uint64_t rounds) {
  const std::uint64_t reports = 5000;
  std::array<figure, 2> p50, p99;
  figure ping_p50, ping_p99;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < both.size(); ++i) {
      const auto took = nodes.run({both[i], 1, reports, 1});
      p50[i].add(took.p50_ms);
      p99[i].add(took.p99_ms);
    }
    auto took = nodes.ping(place::remote, pings, 1);
    ping_p50.add(percentile(took, 0.5));
    ping_p99.add(percentile(took, 0.99));
  }
  object result{{"measure", "remote_report"}, {"reports", static_cast<std::int64_t>(reports)}};
  for (std::size_t i = 0; i < both.size(); ++i) {
    result.set(in(both[i], "p50_ms"), p50[i].median());
    result.set(in(both[i], "p99_ms"), p99[i].median());
  }
  result.set("ping_p50_ms", ping_p50.median());
  result.set("ping_p99_ms", ping_p99.median());
  result.set("remote_p50_in_pings", p50[1].median() / ping_p50.median());
  return result;
}

/// Measures how many reports per second of `at_once` trials one connection carries.
object measure_rate(small_cluster& nodes, std::uint64_t rounds, std::uint64_t at_once) {
  const auto reports = std::max<std::uint64_t>(500, 5000 / at_once);
  const auto all = static_cast<double>(reports * at_once);
  std::array<figure, 2> rate;
  figure bare;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < both.size(); ++i)
      rate[i].add(all / nodes.run({both[i], at_once, reports, at_once}).seconds);
    bare.add(bare_rate(nodes, at_once));
  }
  object result{{"measure", "remote_reports"},
                {"trials", static_cast<std::int64_t>(at_once)},
                {"reports_per_trial", static_cast<std::int64_t>(reports)}};
  for (std::size_t i = 0; i < both.size(); ++i)
    result.set(in(both[i], "reports_per_second"), rate[i].median());
  result.set("pings_per_second", bare.median());
  result.set("share_of_pings", rate[1].median() / bare.median());
  return result;
}

void print(const object& what) {
  std::printf("%s\n", to_json(what).c_str());
  std::fflush(stdout);
}

} // namespace

int main(int count, char** all) {
  init_net_types();
  if (count == 5 && all[1] == std::string{"worker"})
    work(static_cast<std::uint16_t>(std::stoul(all[2])), all[3], all[4]);
  bench::arguments given{count, all, "[ROUNDS]"};
  const auto rounds = given.number(3, 1);
  given.finish();
  small_cluster nodes{std::filesystem::absolute("remote_bench." + std::to_string(::getpid()))};
  for (auto where : both)
    static_cast<void>(nodes.run({where, 8, 100, 8})); // warm-up
  for (std::uint64_t slots : {1, 8})
    print(measure_trials(nodes, rounds, slots));
  print(measure_report(nodes, rounds));
  for (std::uint64_t trials : {1, 8, 64})
    print(measure_rate(nodes, rounds, trials));
  return 0;
}

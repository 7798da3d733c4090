/// Measures the simulator: schedules with faults per minute, and large experiments without record.
///
///   tune_simulate_bench campaign SCHEDULER SCHEDULES [FIRST_SEED]
///   tune_simulate_bench trials TRIALS [SCHEDULER]
///   tune_simulate_bench schedulers
///
/// Prints one JSON object, or the names of the schedulers. A schedule with a finding ends a
/// campaign with exit status 1; the findings go to stderr, with the seed to repeat it.
// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include "support/campaign.hpp"

#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

namespace tune {
namespace {

double seconds_since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

/// Processor time of this process, which hardly depends on the load of the machine.
double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  auto seconds = [](const timeval& x) {
    return static_cast<double>(x.tv_sec) + static_cast<double>(x.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Resident memory of this process. [bytes]
std::uint64_t resident() {
  std::ifstream from{"/proc/self/statm"};
  std::uint64_t all = 0;
  std::uint64_t here = 0;
  from >> all >> here;
  return here * 4096;
}

int campaign(const support::judge& who, std::uint64_t count, std::uint64_t first) {
  auto computed_before = processor_seconds();
  auto began = std::chrono::steady_clock::now();
  auto result = support::run_campaign(who, first, count);
  auto took = seconds_since(began);
  auto computed = processor_seconds() - computed_before;
  std::cout << "{\"bench\":\"simulate_campaign\",\"scheduler\":\"" << who.name
            << "\",\"first_seed\":" << first << ",\"schedules\":" << result.schedules
            << ",\"events\":" << result.events << ",\"heads\":" << result.heads
            << ",\"nodes_lost\":" << result.nodes_lost << ",\"seconds\":" << took
            << ",\"cpu_seconds\":" << computed << ",\"schedules_per_cpu_minute\":"
            << static_cast<double>(result.schedules) / computed * 60
            << ",\"findings\":" << result.found.count() << "}\n";
  std::cerr << text_of(who, result);
  return result.found.empty() ? 0 : 1;
}

int large(std::uint64_t trials, const support::judge& who) {
  auto before = resident();
  auto computed_before = processor_seconds();
  auto began = std::chrono::steady_clock::now();
  auto uut = support::large_simulation(who, trials);
  uut->run();
  auto took = seconds_since(began);
  auto computed = processor_seconds() - computed_before;
  auto after = resident();
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  auto events = static_cast<double>(uut->events());
  auto ended = uut->machine().view().counts[static_cast<std::size_t>(trial_status::terminated)];
  std::cout << "{\"bench\":\"simulate_trials\",\"scheduler\":\"" << who.name
            << "\",\"trials\":" << trials << ",\"terminated\":" << ended
            << ",\"events\":" << uut->events() << ",\"seconds\":" << took
            << ",\"cpu_seconds\":" << computed
            << ",\"cpu_nanoseconds_per_event\":" << computed / events * 1e9
            << ",\"bytes_per_trial\":"
            << static_cast<double>(after - before) / static_cast<double>(trials)
            << ",\"peak_kib\":" << used.ru_maxrss << "}\n";
  return ended == trials ? 0 : 1;
}

int run(bench::arguments given) {
  const auto what = given.word({});
  if (what == "schedulers") {
    given.finish();
    for (const auto& x : support::judges())
      std::cout << x.name << '\n';
    return 0;
  }
  if ((what != "campaign" && what != "trials") || !given.has_word())
    given.refuse("wants one of these");
  const auto is_campaign = what == "campaign";
  auto name = is_campaign ? given.word({}) : std::string{"fifo"};
  const auto count = given.number(0, 1);
  const auto first = is_campaign ? given.number(1) : 0;
  if (!is_campaign)
    name = given.word(name);
  given.finish();
  const auto* who = support::find_judge(name);
  if (who == nullptr || count == 0)
    given.refuse(who == nullptr ? "no scheduler " + name : "how many schedules?");
  return is_campaign ? campaign(*who, count, first) : large(count, *who);
}

} // namespace
} // namespace tune

int main(int argc, char** argv) {
  return tune::run({argc, argv,
                    "campaign SCHEDULER SCHEDULES [FIRST_SEED]\n"
                    "trials TRIALS [SCHEDULER]\n"
                    "schedulers"});
}

/// Measures the cost of a suggestion after a number of results: ten floats, CPU time of one thread.
/// Prints JSON.
///
///     tune_suggestion_bench SEARCHER [--open TRIALS] N...
///
/// The searcher is given N results of random configurations; then twenty suggestions and their
/// results follow, which are timed. With `--open` so many trials (0) have begun besides, and have
/// no result; what is timed is what a head does for the next one, by work that is deferred or at
/// once.
// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include "tune/core/search/searcher.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

namespace {

using namespace tune;

constexpr int dimensions = 10;
constexpr int timed = 20;

std::shared_ptr<const search_space> ten_floats() {
  std::vector<parameter_text> lines;
  for (int i = 0; i < dimensions; ++i)
    lines.push_back({"x" + std::to_string(i), "uniform(0, 1)"});
  return std::make_shared<const search_space>(*search_space::parse(lines));
}

std::unique_ptr<searcher> make(const std::string& name) {
  auto all = builtin_searchers();
  const auto* entry = all.find(name);
  if (entry == nullptr)
    std::exit((std::cerr << "no searcher " << name << '\n', 2));
  searcher_context about;
  about.space = ten_floats();
  about.seed = 1;
  about.samples = 0;
  return std::move(*entry->make(*options::parse(entry->known, {}), about));
}

/// A smooth function with interactions, and somewhat rugged.
double value_of(const object& config) {
  double sum = 0;
  double before = 0.5;
  for (const auto& [name, x] : config) {
    auto u = *x.number();
    sum -= (u - 0.4) * (u - 0.4) + (u - before) * (u - 0.2) + 0.02 * std::cos(20 * u);
    before = u;
  }
  return sum;
}

struct run {
  std::unique_ptr<searcher> uut;
  std::uint64_t asks = 0;
  std::uint64_t trials = 0;
  sequence seq = 0;

  config_ptr suggest() {
    const ask question{++asks, 1, seq};
    const auto later = uut->propose_later(question);
    auto answer = later ? later() : uut->propose(question);
    uut->apply({++seq, suggested_fact{asks, answer, trial_id{trials++}}});
    return std::get<0>(answer).front().config;
  }
  void tell(trial_id id, const config_ptr& config) {
    uut->apply({++seq, observation{id, config, 1, 1, {value_of(*config)}, {}, outcome::completed}});
  }
};

std::vector<double> times(const std::string& name, std::uint64_t count, std::uint64_t open) {
  run uut{make(name)};
  run random{make("random")};
  // The suggestions before the first model.
  while (uut.trials < std::min<std::uint64_t>(count, 20)) {
    const auto config = uut.suggest();
    uut.tell(trial_id{uut.trials - 1}, config);
  }
  for (std::uint64_t i = uut.trials; i < count; ++i)
    uut.tell(trial_id{1000000 + i}, random.suggest());
  for (std::uint64_t i = 0; i < open; ++i) {
    proposal answer = std::vector<suggestion>{{random.suggest(), "random"}};
    uut.uut->apply({++uut.seq, suggested_fact{++uut.asks, answer, trial_id{uut.trials++}}});
  }
  std::vector<double> result;
  for (int i = 0; i < timed; ++i) {
    auto begin = std::clock();
    auto config = uut.suggest();
    if (count > 0)
      uut.tell(trial_id{uut.trials - 1}, config);
    result.push_back(1000.0 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return result;
}

} // namespace

int main(int argc, char** argv) {
  bench::arguments given{argc, argv, "SEARCHER [--open TRIALS] RESULTS..."};
  std::uint64_t open = 0;
  given.read("--open", open);
  const auto name = given.word({});
  if (name.empty() || !given.has_word())
    given.refuse("after how many results of which searcher?");
  if (const auto catalogue = builtin_searchers(); catalogue.find(name) == nullptr)
    given.refuse("no searcher " + name);
  std::vector<std::uint64_t> counts;
  while (given.has_word())
    counts.push_back(given.number(0));
  given.finish();
  for (auto count : counts) {
    auto all = times(name, count, open);
    auto mean = std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
    std::sort(all.begin(), all.end());
    std::cout << R"({"searcher": ")" << name << R"(", "results": )" << count << R"(, "open": )"
              << open << R"(, "dimensions": 10, "median_ms": )" << all[all.size() / 2]
              << R"(, "mean_ms": )" << mean << R"(, "most_ms": )" << all.back() << "}\n";
  }
}

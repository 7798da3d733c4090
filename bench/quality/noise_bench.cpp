/// Measures whether searchers find better configurations if they are told how certain the means of
/// several runs are. Prints JSON.
///
///     tune_noise_bench [--searcher gp] [--seeds 10] [--configurations 60] [--runs 3]
///                      [--failures 0.3] [--noise 0.5] [--problems branin,...]
///
/// Each configuration runs `runs` times, through the repeater. A run fails with the given chance,
/// so that a mean is of one run, two, or more. The noise of a run is in units of the distance
/// between the optimum and the best of ten random draws. Regret, on the same scale, is that of the
/// configuration with the best mean. `told` is the searcher as it is, `untold` the same searcher
/// without the information about noise.
// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include "quality/problems.hpp"

#include "tune/core/search/repeat/repeater.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <map>
#include <numeric>
#include <sstream>

namespace {

constexpr auto usage
    = "[--searcher gp] [--seeds 10] [--configurations 60] [--runs 3] [--failures 0.3]\n"
      "    [--noise 0.5] [--problems branin,...]";

using namespace tune;
using namespace tune::quality;

struct request {
  std::string searcher = "gp";
  std::vector<std::string> problems{"branin",     "hartmann6", "rosenbrock4",
                                    "ellipsoid6", "ackley5",   "training"};
  std::uint64_t seeds = 10;
  std::uint64_t configurations = 60;
  std::uint32_t runs = 3;
  double failures = 0.3;
  double noise = 0.5;
};

/// A searcher that is not told the spread of runs.
class untold final : public searcher {
public:
  explicit untold(std::unique_ptr<searcher> inner) : inner_{std::move(inner)} {}
  [[nodiscard]] searcher_traits traits() const override { return inner_->traits(); }
  void apply(const searcher_fact& what) override {
    auto copy = what;
    if (auto* seen = std::get_if<observation>(&copy.what))
      seen->spread.reset();
    inner_->apply(copy);
  }
  [[nodiscard]] proposal propose(const ask& question) const override {
    return inner_->propose(question);
  }
  void describe(fingerprint& into) const override { inner_->describe(into); }

private:
  std::unique_ptr<searcher> inner_;
};

std::unique_ptr<searcher> make(const request& how, const problem& on, std::uint64_t seed) {
  auto all = builtin_searchers();
  const auto* entry = all.find(how.searcher);
  if (entry == nullptr)
    std::exit((std::cerr << "no searcher " << how.searcher << '\n', 2));
  searcher_context about;
  about.space = on.space;
  about.seed = seed;
  about.samples = how.configurations;
  return std::move(*entry->make(*options::parse(entry->known, {}), about));
}

/// Regret of the configuration that would be chosen, after one third of the configurations, two
/// thirds, and all.
std::vector<double> campaign(const request& how, const problem& on, const scale& by, bool tells,
                             std::uint64_t seed) {
  auto inner = make(how, on, seed);
  if (!tells)
    inner = std::make_unique<untold>(std::move(inner));
  repeat_rule rule;
  rule.runs = how.runs;
  repeater uut{std::move(inner), rule, how.configurations};
  rng chance{seed, "noise benchmark", 0};
  auto deviation = how.noise * (by.ten_draws - by.optimum);
  sequence seq = 0;
  auto best_mean = std::numeric_limits<double>::infinity();
  double chosen = std::numeric_limits<double>::infinity();
  std::vector<double> result;
  for (std::uint64_t k = 0; k < how.configurations; ++k) {
    auto answer = uut.propose({k + 1, how.runs, seq});
    const auto* list = std::get_if<std::vector<suggestion>>(&answer);
    if (list == nullptr)
      break;
    uut.apply({++seq, suggested_fact{k + 1, answer, {k * how.runs}}});
    auto truth = on.f(*list->front().config);
    std::vector<double> values;
    for (std::uint32_t i = 0; i < how.runs; ++i) {
      observation told;
      told.trial = {k * how.runs + i};
      told.config = (*list)[i].config;
      told.fidelity = 1;
      auto failed = std::isnan(truth) || chance.unit() < how.failures;
      auto value = truth + deviation * chance.normal();
      told.how = failed ? outcome::failed : outcome::completed;
      if (!failed) {
        values.push_back(value);
        told.values = {-value};
      }
      uut.apply({++seq, told});
    }
    auto mean = values.empty() ? std::numeric_limits<double>::infinity()
                               : std::accumulate(values.begin(), values.end(), 0.0)
                                     / static_cast<double>(values.size());
    if (mean < best_mean) {
      best_mean = mean;
      chosen = truth;
    }
    if ((k + 1) % (how.configurations / 3) == 0)
      result.push_back(by.regret(chosen));
  }
  return result;
}

struct summary {
  double mean = 0;
  double error = 0;
};

summary summary_of(const std::vector<double>& xs) {
  auto n = static_cast<double>(xs.size());
  summary result;
  result.mean = std::accumulate(xs.begin(), xs.end(), 0.0) / n;
  double squares = 0;
  for (auto x : xs)
    squares += (x - result.mean) * (x - result.mean);
  result.error = std::sqrt(squares / (n - 1) / n);
  return result;
}

request parse(bench::arguments given) {
  request result;
  given.read("--searcher", result.searcher);
  given.read("--problems", result.problems);
  given.read("--seeds", result.seeds, 1);
  given.read("--configurations", result.configurations, 3);
  given.read("--runs", result.runs, 1);
  given.read("--failures", result.failures);
  given.read("--noise", result.noise);
  given.finish();
  return result;
}

/// Results at one part of the run: regrets of all problems and seeds, told and untold, and their
/// differences.
struct tally {
  std::vector<double> told;
  std::vector<double> untold;
  std::vector<double> gain;
};

} // namespace

int main(int argc, char** argv) {
  auto how = parse({argc, argv, usage});
  std::map<std::size_t, tally> all;
  for (const auto& what : all_problems()) {
    if (std::find(how.problems.begin(), how.problems.end(), what.name) == how.problems.end())
      continue;
    auto by = scale_of(what);
    for (std::uint64_t seed = 1; seed <= how.seeds; ++seed) {
      auto told = campaign(how, what, by, true, seed);
      auto untold = campaign(how, what, by, false, seed);
      for (std::size_t i = 0; i < std::min(told.size(), untold.size()); ++i) {
        auto& to = all[i];
        to.told.push_back(told[i]);
        to.untold.push_back(untold[i]);
        to.gain.push_back(untold[i] - told[i]);
      }
    }
  }
  for (const auto& [part, x] : all) {
    auto told = summary_of(x.told);
    auto untold = summary_of(x.untold);
    auto gain = summary_of(x.gain);
    std::cout << "{\"searcher\":\"" << how.searcher
              << "\",\"configurations\":" << (part + 1) * (how.configurations / 3)
              << ",\"runs\":" << how.runs << ",\"campaigns\":" << x.told.size()
              << ",\"told\":" << told.mean << ",\"told_error\":" << told.error
              << ",\"untold\":" << untold.mean << ",\"untold_error\":" << untold.error
              << ",\"gain\":" << gain.mean << ",\"gain_error\":" << gain.error << "}\n";
  }
}

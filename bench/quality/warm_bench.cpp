/// Measures the benefit of earlier experiments, and their cost if they mislead. Prints JSON.
///
///     tune_warm_bench [--searchers auto,gp,tpe] [--seeds 5] [--evaluations 50] [--earlier 60]
///                     [--problems branin,...] [--relations same,near,...]
///
/// A searcher first runs an experiment of a related task, cold, with a seed of its own; then the
/// problem, with that experiment to learn from. Regret is as in tune_quality_bench. Standard errors
/// are over seeds, for fixed problems, including those of `difference`, which is warm minus cold of
/// the same seeds.
// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include "quality/problems.hpp"
#include "quality/warm.hpp"

#include "tune/core/search/searcher.hpp"
#include "tune/core/search/transfer/source.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <limits>
#include <sstream>

namespace {

constexpr auto usage = "[--searchers auto,gp,tpe] [--seeds 5] [--evaluations 50] [--earlier 60]\n"
                       "    [--problems branin,...] [--relations same,near,...]";

using namespace tune;
using namespace tune::quality;

constexpr std::size_t checkpoints[] = {10, 25, 50, 100};

struct request {
  std::vector<std::string> searchers{"auto", "gp", "tpe"};
  std::vector<std::string> problems{"branin",    "hartmann6", "ackley5", "log_ellipsoid5",
                                    "integers",  "noisy",     "kernels", "learners_diabetes",
                                    "families6", "pipeline"};
  std::vector<std::string> relations;
  std::uint64_t seeds = 5;
  std::size_t evaluations = 50;
  std::size_t earlier = 60;
};

using function = std::function<double(const object&)>;

/// One experiment with one trial at a time.
struct run {
  std::vector<double> best;
  std::vector<earlier_trial> trials;
  /// Processor time of all proposals.
  double seconds = 0;
};

struct task {
  std::shared_ptr<const search_space> space;
  function f;
  double noise = 0;
};

std::unique_ptr<searcher> make(const std::string& name, const task& what, std::uint64_t seed,
                               std::vector<earlier_experiment> earlier) {
  auto all = builtin_searchers();
  const auto* entry = all.find(name);
  if (entry == nullptr)
    std::exit((std::cerr << "no searcher " << name << '\n', 2));
  searcher_context about;
  about.space = what.space;
  about.seed = seed;
  about.samples = 0;
  about.earlier = std::move(earlier);
  auto made = entry->make(*options::parse(entry->known, {}), about);
  if (!made)
    std::exit((std::cerr << made.error().detail << '\n', 2));
  return std::move(*made);
}

run carry_out(searcher& by, const task& what, std::size_t evaluations, std::uint64_t seed) {
  run result;
  rng chance{seed, "benchmark", 0};
  auto best = std::numeric_limits<double>::infinity();
  for (std::uint64_t i = 0; i < evaluations; ++i) {
    auto begin = std::clock();
    auto answer = by.propose({i + 1, 1, 2 * i});
    result.seconds += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    by.apply({2 * i + 1, suggested_fact{i + 1, answer, trial_id{i}}});
    const auto* list = std::get_if<std::vector<suggestion>>(&answer);
    if (list == nullptr)
      break;
    auto truth = what.f(*list->front().config);
    observation told;
    told.trial = trial_id{i};
    told.config = list->front().config;
    told.fidelity = 1;
    told.how = std::isnan(truth) ? outcome::failed : outcome::completed;
    auto seen = truth + what.noise * chance.normal();
    if (!std::isnan(truth))
      told.values = {-seen};
    by.apply({2 * i + 2, told});
    best = std::isnan(truth) ? best : std::min(best, truth);
    result.best.push_back(best);
    result.trials.push_back({trial_id{i}, *told.config, -seen});
  }
  return result;
}

/// The related experiment in the form in which the problem's searcher gets it.
earlier_experiment history_of(const std::string& name, const problem& what, relation_of_task how,
                              std::size_t evaluations, std::uint64_t seed) {
  auto related = task_of(what, how, seed);
  task first{related.space, related.f, related.noise};
  auto by = make(name, first, seed + 1000, {});
  auto seen = carry_out(*by, first, evaluations, seed + 1000);
  auto space = encoding::make(what.space, "the benchmark");
  auto made
      = transfer::adapted(*space, {name_of(how), std::move(seen.trials)}, transfer::most_of_each);
  return made.what;
}

request parse(bench::arguments given) {
  request result;
  for (auto x : all_relations())
    result.relations.push_back(name_of(x));
  given.read("--searchers", result.searchers);
  given.read("--problems", result.problems);
  given.read("--relations", result.relations);
  given.read("--seeds", result.seeds, 1);
  given.read("--evaluations", result.evaluations, 1);
  given.read("--earlier", result.earlier, 1);
  given.finish();
  return result;
}

/// By checkpoint, then by seed: means over the problems.
using table = std::vector<std::vector<double>>;

std::string summary(const table& of) {
  std::string result = "{";
  for (std::size_t c = 0; c < of.size(); ++c) {
    auto n = static_cast<double>(of[c].size());
    double mean = 0;
    double error = 0;
    for (auto x : of[c])
      mean += x / n;
    for (auto x : of[c])
      error += (x - mean) * (x - mean);
    error = n > 1 ? std::sqrt(error / (n - 1) / n) : 0;
    result += (c > 0 ? ", \"" : "\"") + std::to_string(checkpoints[c]) + "\": ["
              + std::to_string(mean) + ", " + std::to_string(error) + "]";
  }
  return result + "}";
}

class comparison {
public:
  comparison(const request& how, const std::vector<problem>& problems)
      : how_{how}, problems_{problems} {
    for (const auto& x : problems_)
      scales_.push_back(scale_of(x));
    for (auto n : checkpoints)
      columns_ += n <= how.evaluations;
  }

  void print(const std::string& name, bool is_last) {
    double seconds = 0;
    auto cold = regrets(name, {}, seconds);
    std::cout << "  \"" << name << "\": {\n    \"cold\": {\"regret\": " << summary(cold)
              << ", \"ms_per_suggestion\": " << milliseconds(seconds) << "}";
    for (auto how : all_relations()) {
      if (std::find(how_.relations.begin(), how_.relations.end(), name_of(how))
          == how_.relations.end())
        continue;
      auto warm = regrets(name, how, seconds);
      auto difference = warm;
      for (std::size_t c = 0; c < warm.size(); ++c) {
        for (std::size_t s = 0; s < warm[c].size(); ++s)
          difference[c][s] -= cold[c][s];
      }
      std::cout << ",\n    \"" << name_of(how) << "\": {\"regret\": " << summary(warm)
                << ",\n      \"difference\": " << summary(difference)
                << ", \"ms_per_suggestion\": " << milliseconds(seconds) << each_ << "}"
                << std::flush;
    }
    std::cout << "\n  }" << (is_last ? "\n" : ",\n") << std::flush;
  }

private:
  const request& how_;
  const std::vector<problem>& problems_;
  std::vector<scale> scales_;
  std::size_t columns_ = 0;
  std::string each_;

  [[nodiscard]] double milliseconds(double seconds) const {
    return 1000 * seconds / static_cast<double>(problems_.size() * how_.seeds * how_.evaluations);
  }

  table regrets(const std::string& name, std::optional<relation_of_task> from, double& seconds) {
    table result(columns_, std::vector<double>(how_.seeds));
    seconds = 0;
    each_ = "";
    for (std::size_t p = 0; p < problems_.size(); ++p) {
      const auto& what = problems_[p];
      std::vector<double> own(columns_);
      for (std::uint64_t seed = 1; seed <= how_.seeds; ++seed) {
        std::vector<earlier_experiment> earlier;
        if (from)
          earlier.push_back(history_of(name, what, *from, how_.earlier, seed));
        task now{what.space, what.f, what.noise};
        auto by = make(name, now, seed, std::move(earlier));
        auto seen = carry_out(*by, now, how_.evaluations, seed);
        seconds += seen.seconds;
        for (std::size_t c = 0; c < columns_; ++c) {
          auto best = seen.best[std::min(checkpoints[c], seen.best.size()) - 1];
          auto regret = scales_[p].regret(best);
          result[c][seed - 1] += regret / static_cast<double>(problems_.size());
          own[c] += regret / static_cast<double>(how_.seeds);
        }
      }
      each_ += (p == 0 ? ",\n      \"problems\": {\"" : ", \"") + what.name + "\": [";
      for (std::size_t c = 0; c < columns_; ++c)
        each_ += (c > 0 ? ", " : "") + std::to_string(own[c]);
      each_ += p + 1 == problems_.size() ? "]}" : "]";
    }
    return result;
  }
};

} // namespace

int main(int argc, char** argv) {
  auto how = parse({argc, argv, usage});
  auto problems = all_problems();
  std::erase_if(problems, [&](const problem& x) {
    return std::find(how.problems.begin(), how.problems.end(), x.name) == how.problems.end();
  });
  comparison results{how, problems};
  std::cout << "{\n";
  for (std::size_t i = 0; i < how.searchers.size(); ++i)
    results.print(how.searchers[i], i + 1 == how.searchers.size());
  std::cout << "}\n";
}

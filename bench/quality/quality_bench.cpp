/// Measures how good searchers are: normalised regret on problems with known optima, as JSON.
///
///     tune_quality_bench [--searchers auto,tpe,gp,random] [--seeds 5] [--evaluations 200]
///                        [--workers 1] [--problems branin,...] [--first-seed 1]
///                        [--after 25,50,100,200,500,1000]
///     tune_quality_bench --serve
///
/// The second form serves the problems for peers.py: see serve.hpp. `by_seed` has each seed's
/// regrets, for paired differences. Regret is 0 at the optimum and 1 at the median of the best of
/// ten random draws. Standard errors are over seeds, for fixed problems.
// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include "quality/problems.hpp"
#include "quality/processor_time.hpp"
#include "quality/serve.hpp"

#include "tune/core/search/searcher.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <map>
#include <sstream>

namespace {

constexpr auto usage
    = "[--searchers auto,tpe,gp,random] [--seeds 5] [--evaluations 200] [--workers 1]\n"
      "    [--problems branin,...] [--first-seed 1] [--after 25,50,100,200,500,1000]\n"
      "--serve";

using namespace tune;
using namespace tune::quality;

struct request {
  std::vector<std::string> searchers{"auto", "tpe", "gp", "random"};
  std::vector<std::string> problems;
  std::uint64_t seeds = 5;
  std::uint64_t first = 1;
  /// Numbers of evaluations after which regret is reported.
  std::vector<std::size_t> after{25, 50, 100, 200, 500, 1000};
  std::size_t evaluations = 200;
  std::size_t workers = 1;
};

struct measured {
  /// Best true value after each evaluation.
  std::vector<double> best;
  double seconds = 0;
  std::size_t suggestions = 0;
};

/// One searcher on one problem; trials end in random order, as trials of different length do.
class campaign {
public:
  campaign(const problem& what, std::unique_ptr<searcher> by, std::uint64_t seed)
      : what_{what}, by_{std::move(by)}, chance_{seed, "benchmark", 0} {}

  measured run(std::size_t evaluations, std::size_t workers) {
    while (result_.best.size() < evaluations) {
      while (!ended_ && running_.size() < workers)
        ask();
      if (running_.empty())
        break;
      auto i = static_cast<std::size_t>(chance_.below(running_.size()));
      finish(running_[i]);
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return result_;
  }

private:
  struct trial {
    trial_id id;
    config_ptr config;
  };

  const problem& what_;
  std::unique_ptr<searcher> by_;
  rng chance_;
  std::vector<trial> running_;
  measured result_;
  std::uint64_t asks_ = 0;
  std::uint64_t trials_ = 0;
  sequence seq_ = 0;
  bool ended_ = false;

  void ask() {
    auto begin = std::clock();
    auto answer = by_->propose({++asks_, 1, seq_});
    suggested_fact told{asks_, answer, trial_id{trials_}};
    by_->apply({++seq_, told});
    result_.seconds += seconds_since(begin);
    ++result_.suggestions;
    const auto* list = std::get_if<std::vector<suggestion>>(&answer);
    ended_ = list == nullptr;
    if (list != nullptr)
      running_.push_back({trial_id{trials_++}, list->front().config});
  }

  void finish(const trial& x) {
    auto truth = what_.f(*x.config);
    auto failed = std::isnan(truth);
    auto before
        = result_.best.empty() ? std::numeric_limits<double>::infinity() : result_.best.back();
    result_.best.push_back(failed ? before : std::min(before, truth));
    observation told;
    told.trial = x.id;
    told.config = x.config;
    told.fidelity = 1;
    told.how = failed ? outcome::failed : outcome::completed;
    if (!failed)
      told.values = {-(truth + what_.noise * chance_.normal())};
    auto begin = std::clock();
    by_->apply({++seq_, told});
    result_.seconds += seconds_since(begin);
  }
};

request parse(bench::arguments given) {
  request result;
  given.read("--searchers", result.searchers);
  given.read("--problems", result.problems);
  given.read("--seeds", result.seeds, 1);
  given.read("--first-seed", result.first);
  given.read("--after", result.after);
  given.read("--evaluations", result.evaluations, 1);
  given.read("--workers", result.workers, 1);
  given.finish();
  return result;
}

std::unique_ptr<searcher> make(const std::string& name, const problem& what, std::uint64_t seed) {
  auto all = builtin_searchers();
  const auto* entry = all.find(name);
  if (entry == nullptr)
    std::exit((std::cerr << "no searcher " << name << '\n', 2));
  auto defaults = options::parse(entry->known, {});
  searcher_context about;
  about.space = what.space;
  about.seed = seed;
  about.samples = 0;
  return std::move(*entry->make(*defaults, about));
}

struct moments {
  double mean = 0;
  double error = 0;
};

moments moments_of(const std::vector<double>& xs) {
  moments result;
  auto n = static_cast<double>(xs.size());
  for (auto x : xs)
    result.mean += x / n;
  for (auto x : xs)
    result.error += (x - result.mean) * (x - result.mean);
  result.error = n > 1 ? std::sqrt(result.error / (n - 1) / n) : 0;
  return result;
}

/// Regrets of one searcher: by checkpoint, by seed, the mean over the problems.
class table {
public:
  table(const request& how, const std::vector<problem>& problems) : how_{how}, all_{problems} {
    for (const auto& x : all_)
      scales_.push_back(scale_of(x));
  }

  void print(const std::string& name) {
    std::vector<std::vector<double>> whole(how_.after.size());
    std::vector<std::vector<double>> trees(how_.after.size());
    std::ostringstream each;
    std::ostringstream by_seed;
    double seconds = 0;
    std::size_t suggestions = 0;
    std::vector<std::vector<std::vector<double>>> regrets(all_.size());
    for (std::size_t p = 0; p < all_.size(); ++p) {
      for (auto seed = how_.first; seed < how_.first + how_.seeds; ++seed) {
        campaign run{all_[p], make(name, all_[p], seed), seed};
        auto got = run.run(how_.evaluations, how_.workers);
        regrets[p].push_back(at_checkpoints(got, scales_[p]));
        seconds += got.seconds;
        suggestions += got.suggestions;
      }
      each << (p > 0 ? "," : "") << "\n      \"" << all_[p].name << "\": " << means(regrets[p]);
      by_seed << (p > 0 ? "," : "") << "\n      \"" << all_[p].name << "\": " << rows(regrets[p]);
    }
    for (std::size_t c = 0; c < how_.after.size(); ++c) {
      for (std::uint64_t seed = 0; seed < how_.seeds; ++seed) {
        whole[c].push_back(mean_over_problems(regrets, c, seed, false));
        trees[c].push_back(mean_over_problems(regrets, c, seed, true));
      }
    }
    std::cout << "  \"" << name << "\": {\n    \"regret\": " << summary(whole)
              << ",\n    \"regret_conditional\": " << summary(trees)
              << ",\n    \"ms_per_suggestion\": "
              << 1000 * seconds / static_cast<double>(suggestions) << ",\n    \"problems\": {"
              << each.str() << "\n    },\n    \"by_seed\": {" << by_seed.str() << "\n    }\n  }";
  }

private:
  const request& how_;
  const std::vector<problem>& all_;
  std::vector<scale> scales_;

  [[nodiscard]] std::vector<double> at_checkpoints(const measured& got, const scale& by) const {
    std::vector<double> result;
    for (auto n : how_.after) {
      if (n > how_.evaluations)
        break;
      // After a finite space has been exhausted, the last value stays.
      auto best = got.best[std::min(n, got.best.size()) - 1];
      result.push_back(by.regret(best));
    }
    return result;
  }

  static std::string means(const std::vector<std::vector<double>>& by_seed) {
    std::string result = "[";
    for (std::size_t c = 0; c < by_seed.front().size(); ++c) {
      double sum = 0;
      for (const auto& x : by_seed)
        sum += x[c] / static_cast<double>(by_seed.size());
      result += (c > 0 ? ", " : "") + std::to_string(sum);
    }
    return result + "]";
  }

  static std::string rows(const std::vector<std::vector<double>>& by_seed) {
    std::string result = "[";
    for (const auto& row : by_seed)
      result += (result.size() > 1 ? ", " : "") + means({row});
    return result + "]";
  }

  [[nodiscard]] double
  mean_over_problems(const std::vector<std::vector<std::vector<double>>>& regrets, std::size_t c,
                     std::uint64_t seed, bool trees) const {
    double sum = 0;
    double count = 0;
    for (std::size_t p = 0; p < all_.size(); ++p) {
      if ((trees && !all_[p].conditional) || c >= regrets[p][seed].size())
        continue;
      sum += regrets[p][seed][c];
      ++count;
    }
    return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
  }

  [[nodiscard]] std::string summary(const std::vector<std::vector<double>>& of) const {
    std::string result = "{";
    for (std::size_t c = 0; c < how_.after.size(); ++c) {
      auto [mean, error] = moments_of(of[c]);
      if (std::isnan(mean))
        continue;
      result += (c > 0 ? ", \"" : "\"") + std::to_string(how_.after[c]) + "\": ["
                + std::to_string(mean) + ", " + std::to_string(error) + "]";
    }
    return result + "}";
  }
};

} // namespace

int main(int argc, char** argv) {
  bench::arguments given{argc, argv, usage};
  if (given.flag("--serve")) {
    given.finish();
    return serve(all_problems(), std::cin, std::cout);
  }
  auto how = parse(given);
  auto problems = all_problems();
  std::erase_if(problems, [&](const problem& x) {
    return !how.problems.empty()
           && std::find(how.problems.begin(), how.problems.end(), x.name) == how.problems.end();
  });
  table results{how, problems};
  std::cout << "{\n";
  for (std::size_t i = 0; i < how.searchers.size(); ++i) {
    results.print(how.searchers[i]);
    std::cout << (i + 1 < how.searchers.size() ? ",\n" : "\n") << std::flush;
  }
  std::cout << "}\n";
}

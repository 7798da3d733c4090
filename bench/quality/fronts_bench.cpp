/// Measures how close searchers come to Pareto fronts: the volume that they miss, as JSON.
///
///     tune_fronts_bench [--searchers auto,tpe,nsga2,random] [--seeds 5] [--evaluations 200]
///                       [--problems zdt1,...]
///     tune_fronts_bench --serve
///
/// The second form serves the problems for peers.py, in the protocol that serve.hpp describes for
/// `tune_quality_bench`, except that it has `values` in place of `value`, and that `{"problem": …,
/// "values": [[…], …]}` is answered by `{"missed": …}`. The missed volume is 0 for the whole front
/// and 1 for the median of ten random draws. Standard errors are over seeds, for fixed problems.
// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include "quality/fronts.hpp"
#include "quality/processor_time.hpp"
#include "quality/serve.hpp"

#include "tune/core/search/searcher.hpp"
#include "tune/io/json.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <sstream>

namespace {

constexpr auto usage
    = "[--searchers auto,tpe,nsga2,random] [--seeds 5] [--evaluations 200] [--problems zdt1,...]\n"
      "--serve";

using namespace tune;
using namespace tune::quality;

constexpr std::size_t checkpoints[] = {25, 50, 100, 200, 500, 1000};

struct request {
  std::vector<std::string> searchers{"auto", "tpe", "nsga2", "random"};
  std::vector<std::string> problems;
  std::uint64_t seeds = 5;
  std::size_t evaluations = 200;
};

request parse(bench::arguments given) {
  request result;
  given.read("--searchers", result.searchers);
  given.read("--problems", result.problems);
  given.read("--seeds", result.seeds, 1);
  given.read("--evaluations", result.evaluations, 1);
  given.finish();
  return result;
}

std::unique_ptr<searcher> make(const std::string& name, const front_problem& what,
                               std::uint64_t seed) {
  auto all = builtin_searchers();
  const auto* entry = all.find(name);
  if (entry == nullptr)
    std::exit((std::cerr << "no searcher " << name << '\n', 2));
  searcher_context about;
  about.space = what.space;
  about.seed = seed;
  about.samples = 0;
  about.objectives = what.objectives;
  auto made = entry->make(*options::parse(entry->known, {}), about);
  if (!made)
    std::exit((std::cerr << made.error().detail << '\n', 2));
  return std::move(*made);
}

struct measured {
  /// Missed volume at each checkpoint.
  std::vector<double> missed;
  double seconds = 0;
};

/// Runs one trial at a time.
measured run(const front_problem& what, const front_scale& by, searcher& uut,
             std::size_t evaluations) {
  measured result;
  std::vector<double> seen;
  sequence seq = 0;
  for (std::uint64_t n = 0; n < evaluations; ++n) {
    auto begin = std::clock();
    auto answer = uut.propose({n + 1, 1, seq});
    uut.apply({++seq, suggested_fact{n + 1, answer, trial_id{n}}});
    result.seconds += seconds_since(begin);
    const auto* list = std::get_if<std::vector<suggestion>>(&answer);
    if (list == nullptr)
      break;
    auto y = what.f(*list->front().config);
    seen.insert(seen.end(), y.begin(), y.end());
    observation told;
    told.trial = trial_id{n};
    told.config = list->front().config;
    told.fidelity = 1;
    told.how = outcome::completed;
    for (auto x : y)
      told.values.push_back(-x);
    uut.apply({++seq, told});
    if (std::find(std::begin(checkpoints), std::end(checkpoints), n + 1) != std::end(checkpoints))
      result.missed.push_back(by.missed(by.volume(seen)));
  }
  return result;
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

/// Means over the problems, by seed and checkpoint; and the figures of each problem.
object figures_of(const std::string& name, const request& how,
                  const std::vector<front_problem>& problems,
                  const std::vector<front_scale>& scales) {
  std::vector<std::vector<double>> whole(std::size(checkpoints), std::vector<double>(how.seeds, 0));
  object each;
  double seconds = 0;
  for (std::size_t p = 0; p < problems.size(); ++p) {
    std::vector<double> means(std::size(checkpoints), 0);
    std::size_t count = 0;
    for (std::uint64_t seed = 0; seed < how.seeds; ++seed) {
      auto uut = make(name, problems[p], seed + 1);
      auto got = run(problems[p], scales[p], *uut, how.evaluations);
      count = got.missed.size();
      for (std::size_t c = 0; c < count; ++c) {
        whole[c][seed] += got.missed[c] / static_cast<double>(problems.size());
        means[c] += got.missed[c] / static_cast<double>(how.seeds);
      }
      seconds += got.seconds;
    }
    each.set(problems[p].name,
             value::list(means.begin(), means.begin() + static_cast<std::ptrdiff_t>(count)));
  }
  object missed;
  for (std::size_t c = 0; c < std::size(checkpoints) && checkpoints[c] <= how.evaluations; ++c) {
    auto [mean, error] = moments_of(whole[c]);
    missed.set(std::to_string(checkpoints[c]), value::list{mean, error});
  }
  auto suggestions = static_cast<double>(how.seeds * problems.size() * how.evaluations);
  return {{"seeds", static_cast<std::int64_t>(how.seeds)},
          {"missed", std::move(missed)},
          {"ms_per_suggestion", 1000 * seconds / suggestions},
          {"problems", std::move(each)}};
}

object refusal(std::string why) {
  return {{"error", std::move(why)}};
}

object answer(const front_problem& to, const front_scale& by, const object& asked) {
  if (const auto* sets = asked.find("values"); sets != nullptr && sets->as_list() != nullptr) {
    std::vector<double> all;
    for (const auto& set : *sets->as_list()) {
      if (set.as_list() == nullptr || set.as_list()->size() != to.objectives)
        return refusal("values: a list of lists of " + std::to_string(to.objectives));
      for (const auto& x : *set.as_list())
        all.push_back(x.number().value_or(0));
    }
    return {{"missed", by.missed(by.volume(all))}};
  }
  const auto* params = asked.find("params");
  if (params == nullptr || params->as_object() == nullptr)
    return refusal("neither params nor values");
  auto config = fitted(*to.space, *params->as_object());
  if (auto why = to.space->reject(config, false))
    return refusal(why->detail);
  auto y = to.f(config);
  return {{"values", value::list(y.begin(), y.end())}};
}

int serve_fronts(const std::vector<front_problem>& all, const std::vector<front_scale>& scales) {
  for (std::string line; std::getline(std::cin, line);) {
    auto asked = object_from_json(line);
    if (asked && asked->find("op") != nullptr) {
      value::list list;
      for (const auto& x : all)
        list.emplace_back(object{{"name", x.name},
                                 {"objectives", static_cast<std::int64_t>(x.objectives)},
                                 {"noise", 0},
                                 {"parameters", parameters_of(*x.space)}});
      std::cout << to_json(value{std::move(list)}) << std::endl;
      continue;
    }
    const auto* name = asked ? asked->find("problem") : nullptr;
    auto found = std::find_if(all.begin(), all.end(), [&](const auto& x) {
      return name != nullptr && *name == value{x.name};
    });
    auto said = found == all.end()
                    ? refusal("no such problem")
                    : answer(*found, scales[static_cast<std::size_t>(found - all.begin())], *asked);
    std::cout << to_json(said) << std::endl;
  }
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  bench::arguments given{argc, argv, usage};
  auto serves = given.flag("--serve");
  auto how = parse(given);
  auto problems = front_problems();
  std::erase_if(problems, [&](const front_problem& x) {
    return !how.problems.empty()
           && std::find(how.problems.begin(), how.problems.end(), x.name) == how.problems.end();
  });
  std::vector<front_scale> scales;
  for (const auto& x : problems)
    scales.push_back(front_scale_of(x));
  if (serves)
    return serve_fronts(problems, scales);
  object all;
  for (const auto& name : how.searchers)
    all.set(name, figures_of(name, how, problems, scales));
  std::cout << to_json(all) << '\n';
}

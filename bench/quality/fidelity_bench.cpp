/// Measures how soon schedulers and searchers together find good configurations, over recorded
/// curves in virtual time. Prints JSON lines.
///
///     tune_fidelity_bench [--tables boosting_cancer,...] [--methods asha_promotion_2/auto,...]
///                         [--seeds 40] [--first-seed 1] [--workers 4] [--trainings 20]
///                         [--between blend|nearest]
///
/// Regret is 0 at the best full training of the table and 1 at the median of the best of ten random
/// ones; it is that of the best value seen at any level, after 10, 20, 50 and 100 % of the budget.
/// The budget is the average duration of `trainings` full trainings. One line per table and method,
/// then one per method for all tables together; standard errors are over seeds, for fixed tables.
// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include "quality/fidelity_methods.hpp"
#include "quality/fidelity_run.hpp"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>

namespace {

constexpr auto usage
    = "[--tables boosting_cancer,...] [--methods asha_promotion_2/auto,...] [--seeds 40]\n"
      "    [--first-seed 1] [--workers 4] [--trainings 20] [--between blend|nearest]";

using namespace tune;
using namespace tune::quality;

struct request {
  std::vector<std::string> tables = curve_names();
  std::vector<std::string> methods = method_names();
  std::uint64_t seeds = 40;
  std::uint64_t first_seed = 1;
  fidelity_setting how;
  between gaps = between::blend;
};

/// Regrets at each mark: means, and squares of their standard errors.
struct moments {
  std::array<double, marks.size()> mean{};
  std::array<double, marks.size()> square{};
};

moments moments_of(const std::vector<fidelity_result>& of) {
  moments result;
  auto n = static_cast<double>(of.size());
  for (std::size_t i = 0; i < marks.size(); ++i) {
    for (const auto& x : of)
      result.mean[i] += x.regret[i] / n;
    for (const auto& x : of)
      result.square[i] += std::pow(x.regret[i] - result.mean[i], 2) / (n - 1) / n;
  }
  return result;
}

/// The mean over several tables of equal weight.
moments mean_of(const std::vector<moments>& of) {
  moments result;
  auto n = static_cast<double>(of.size());
  for (const auto& x : of) {
    for (std::size_t i = 0; i < marks.size(); ++i) {
      result.mean[i] += x.mean[i] / n;
      result.square[i] += x.square[i] / n / n;
    }
  }
  return result;
}

std::string rounded(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", x);
  return text;
}

template <class Number>
std::string list(const std::array<double, marks.size()>& of, Number change) {
  std::string result = "[";
  for (std::size_t i = 0; i < of.size(); ++i)
    result += (i > 0 ? ", " : "") + rounded(change(of[i]));
  return result + "]";
}

void print(const std::string& table, const std::string& method, const moments& what,
           const std::string& more) {
  std::cout << R"({"bench":"fidelity","table":")" << table << R"(","method":")" << method
            << R"(","regret":)" << list(what.mean, [](double x) { return x; }) << R"(,"error":)"
            << list(what.square, [](double x) { return std::sqrt(x); }) << more << "}" << std::endl;
}

moments measure(const request& what, const curve_set& curves, const std::string& method) {
  auto scale = scale_of(curves);
  std::vector<fidelity_result> all;
  double trials = 0;
  double levels = 0;
  auto began = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < what.seeds; ++i) {
    auto how = what.how;
    how.seed = what.first_seed + i;
    auto rules = [&] { return rules_of(method, curves, how.seed); };
    all.push_back(run_over(curves, scale, how, rules));
    trials += static_cast<double>(all.back().trials) / static_cast<double>(what.seeds);
    levels += static_cast<double>(all.back().levels) / static_cast<double>(what.seeds);
  }
  auto took = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  auto result = moments_of(all);
  print(curves.name(), method, result,
        R"(,"trials":)" + rounded(trials) + R"(,"levels":)" + rounded(levels)
            + R"(,"seconds_per_run":)" + rounded(took / static_cast<double>(what.seeds)));
  return result;
}

request parse(bench::arguments given) {
  request result;
  std::string gaps = "blend";
  given.read("--tables", result.tables);
  given.read("--methods", result.methods);
  given.read("--seeds", result.seeds, 2);
  given.read("--first-seed", result.first_seed);
  given.read("--workers", result.how.workers, 1);
  given.read("--trainings", result.how.trainings);
  given.read("--between", gaps);
  if (gaps != "blend" && gaps != "nearest")
    given.refuse("--between: blend or nearest, not " + gaps);
  result.gaps = gaps == "blend" ? between::blend : between::nearest;
  given.finish();
  return result;
}

} // namespace

int main(int argc, char** argv) {
  auto what = parse({argc, argv, usage});
  std::map<std::string, std::vector<moments>> by_method;
  for (const auto& name : what.tables) {
    auto curves = curve_set::read(name, what.gaps);
    for (const auto& method : what.methods)
      by_method[method].push_back(measure(what, curves, method));
  }
  for (const auto& method : what.methods)
    print("all", method, mean_of(by_method[method]), "");
}

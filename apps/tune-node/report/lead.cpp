// SPDX-License-Identifier: BSD-3-Clause
#include "report/lead.hpp"

#include <cmath>

namespace tune::cli {

namespace {

/// Standard deviation. [n >= 2]
double spread_of(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (auto x : values)
    sum += x;
  const auto n = static_cast<double>(values.size());
  for (auto x : values)
    squares += (x - sum / n) * (x - sum / n);
  return std::sqrt(squares / (n - 1));
}

std::optional<study_lead> measured_lead(const std::vector<run_statistics>& runs, bool maximise) {
  if (runs.size() < 2 || std::isnan(runs[0].error) || std::isnan(runs[1].error)
      || runs[1].violation > runs[0].violation)
    return std::nullopt;
  study_lead result;
  result.is_measured = true;
  result.by = maximise ? runs[0].mean - runs[1].mean : runs[1].mean - runs[0].mean;
  result.noise = std::hypot(runs[0].error, runs[1].error);
  result.is_clear = result.by >= 2 * result.noise;
  return result;
}

} // namespace

std::optional<study_lead> lead_of(const study& x) {
  if (!x.runs.empty())
    return measured_lead(x.runs, x.maximise);
  const auto ranked = ranked_trials(x);
  if (ranked.size() < 5 || x.trials[ranked[4]].how.violation > 0)
    return std::nullopt;
  const auto best = x.trials[ranked[0]].how.score;
  const auto second = x.trials[ranked[1]].how.score;
  // Infinite values can be alike, and have no spread.
  if (best == second)
    return study_lead{};
  std::vector<double> next;
  for (std::size_t i = 1; i < ranked.size() && next.size() < 4; ++i) {
    const auto& how = x.trials[ranked[i]].how;
    if (std::isfinite(how.score) && how.violation == 0)
      next.push_back(how.score);
  }
  if (next.size() < 4)
    return std::nullopt;
  study_lead result;
  result.by = best - second;
  result.noise = spread_of(next);
  result.is_clear = result.by > result.noise;
  return result;
}

} // namespace tune::cli

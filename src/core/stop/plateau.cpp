// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/stop/plateau.hpp"

#include "tune/core/schedule/wording.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tune {

namespace {

/// Population standard deviation, computed in two passes; NaN if a value is not finite.
template <class Numbers>
double standard_deviation(const Numbers& xs) {
  auto count = static_cast<double>(xs.size());
  auto mean = 0.0;
  for (auto x : xs)
    mean += x / count;
  auto variance = 0.0;
  for (auto x : xs)
    variance += (x - mean) * (x - mean) / count;
  return std::sqrt(variance);
}

/// @param why The reason without the numbers, which follow as in `0.00031 < 0.001`.
stop_verdict verdict_of(stop_verdict::reach scope, const std::string& why, double x,
                        const std::string& relation, double limit) {
  auto [left, right] = told_apart(x, limit);
  return {scope, why + left + relation + right,
          why + to_text(value{x}) + relation + to_text(value{limit})};
}

} // namespace

std::optional<stop_verdict> trial_plateau::see(const report& what) {
  auto x = metric_number(what, settings_.metric);
  if (!x)
    return std::nullopt;
  auto& [results, window] = seen_[what.trial];
  ++results;
  window.push_back(*x);
  if (window.size() > settings_.window)
    window.pop_front();
  if (results < settings_.grace || window.size() < settings_.window)
    return std::nullopt;
  if (settings_.threshold) {
    auto reached = settings_.maximise ? *x >= *settings_.threshold : *x <= *settings_.threshold;
    if (!reached)
      return std::nullopt;
  }
  auto std = standard_deviation(window);
  if (!(std < settings_.std))
    return std::nullopt;
  return verdict_of(stop_verdict::reach::trial,
                    "plateau: the last " + std::to_string(settings_.window) + " values of "
                        + settings_.metric + " have a standard deviation of ",
                    std, " < ", settings_.std);
}

std::vector<needed_metric> trial_plateau::needs() const {
  return {{"[stop] plateau", settings_.metric, "no trial is stopped for standing still"}};
}

void trial_plateau::describe(fingerprint& into) const {
  into.add(std::uint64_t{seen_.size()});
  for (const auto& [trial, x] : seen_) {
    into.add(trial).add(x.results).add(std::uint64_t{x.window.size()});
    for (auto y : x.window)
      into.add(y);
  }
}

std::optional<stop_verdict> experiment_plateau::see(const report& what) {
  auto x = metric_number(what, settings_.metric);
  if (!x || !std::isfinite(*x))
    return std::nullopt;
  auto better = [this](double a, double b) { return settings_.maximise ? a > b : a < b; };
  best_.insert(std::upper_bound(best_.begin(), best_.end(), *x, better), *x);
  if (best_.size() > settings_.top)
    best_.pop_back();
  auto std = standard_deviation(best_);
  if (best_.size() < settings_.top || !(std <= settings_.std)) {
    at_rest_ = 0;
    return std::nullopt;
  }
  if (++at_rest_ < settings_.patience)
    return std::nullopt;
  const auto values = std::to_string(settings_.top) + " values of " + settings_.metric
                      + " have a standard deviation of ";
  auto says_best = verdict_of(stop_verdict::reach::experiment, "plateau: the best " + values, std,
                              " <= ", settings_.std);
  auto result = verdict_of(stop_verdict::reach::experiment,
                           std::string{"plateau: the "}
                               + (settings_.maximise ? "highest " : "lowest ") + values,
                           std, " <= ", settings_.std);
  result.earlier_why = std::move(says_best.earlier_why);
  result.former_why = std::move(says_best.why);
  return result;
}

std::vector<needed_metric> experiment_plateau::needs() const {
  return {{"[stop] experiment_plateau", settings_.metric,
           "the experiment is not ended for standing still"}};
}

void experiment_plateau::describe(fingerprint& into) const {
  into.add(at_rest_).add(std::uint64_t{best_.size()});
  for (auto x : best_)
    into.add(x);
}

} // namespace tune

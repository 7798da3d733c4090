// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/tpe/tpe.hpp"

#include "tune/core/search/learner/ranking.hpp"
#include "tune/core/search/tpe/parzen.hpp"
#include "tune/core/search/transfer/memory.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tune::tpe {

namespace {

using learning::result;

constexpr double good_share = 0.15;
constexpr std::size_t most_good = 25;
constexpr std::size_t newest_bad = 25;
constexpr std::size_t most_bad = 1000;

/// Improvement of each good result over the first that is not good, divided by the mean
/// improvement.
std::vector<double> weigh_good(const std::vector<result>& results,
                               const std::vector<std::size_t>& order, std::size_t count) {
  std::vector<double> weights(count, 1);
  if (count >= order.size())
    return weights;
  auto missed = learning::violations(results);
  auto bound = results[order[count]].value;
  if (missed[order[count]] > 0 || learning::objectives_of(results) > 1)
    return weights;
  for (std::size_t i = 0; i < count; ++i)
    weights[i] = std::max(1e-9, bound - results[order[i]].value);
  auto mean = std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(count);
  for (auto& x : weights)
    x = mean > 1e-8 && std::isfinite(mean) ? x / mean : 1;
  return weights;
}

/// Weight of number `i` of `count` by age, from 1/count up to 1.
double weigh_bad(std::size_t i, std::size_t count) {
  if (i + newest_bad >= count)
    return 1;
  auto least = 1 / static_cast<double>(count);
  return least + (1 - least) * static_cast<double>(i) / static_cast<double>(count - newest_bad);
}

/// Positions to use of `count`: all, or the newest half of `most_bad` and as many of the others.
std::vector<std::size_t> thinned(std::size_t count) {
  std::vector<std::size_t> taken;
  auto newest = most_bad / 2;
  if (count > most_bad) {
    auto older = count - newest;
    for (std::size_t k = 0; k < most_bad - newest; ++k)
      taken.push_back(k * older / (most_bad - newest));
  }
  for (auto i = count > most_bad ? count - newest : 0; i < count; ++i)
    taken.push_back(i);
  return taken;
}

} // namespace

split split_results(const std::vector<result>& results, const std::vector<cube_point>& pending) {
  split made;
  auto order = learning::ranking(results, most_good + 1);
  auto all = static_cast<double>(results.size() + pending.size());
  auto count = std::min(most_good, static_cast<std::size_t>(std::ceil(good_share * all)));
  count = std::min(count, order.size());
  made.good_weights = weigh_good(results, order, count);
  std::vector<bool> is_good(results.size());
  for (std::size_t i = 0; i < count; ++i) {
    is_good[order[i]] = true;
    made.good.push_back(&results[order[i]].at);
  }
  std::vector<const cube_point*> bad;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!is_good[i])
      bad.push_back(&results[i].at);
  }
  for (const auto& x : pending)
    bad.push_back(&x);
  for (auto i : thinned(bad.size())) {
    made.bad.push_back(bad[i]);
    made.bad_weights.push_back(weigh_bad(i, bad.size()));
  }
  return made;
}

namespace {

/// Draws each coordinate on its own: the best of several by the ratio on that axis.
cube_point draw_apart(const encoding& space, const parzen& good, const parzen& bad,
                      std::size_t candidates, rng& from) {
  cube_point result(space.dimensions());
  for (std::size_t i = 0; i < result.size(); ++i) {
    auto best = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < candidates; ++k) {
      auto u = space.at(i).snapped(good.draw(i, from));
      auto ratio = good.log_density(i, u) - bad.log_density(i, u);
      if (k == 0 || ratio > best) {
        best = ratio;
        result[i] = u;
      }
    }
  }
  return result;
}

/// Adds points of earlier experiments. @returns their number.
std::size_t back(split& to, const std::vector<transfer::backing>& by) {
  std::size_t count = 0;
  for (const auto& x : by) {
    to.good.insert(to.good.end(), x.good.begin(), x.good.end());
    to.good_weights.insert(to.good_weights.end(), x.good.size(), x.weight);
    to.bad.insert(to.bad.end(), x.bad.begin(), x.bad.end());
    to.bad_weights.insert(to.bad_weights.end(), x.bad.size(), x.weight);
    count += x.good.size() + x.bad.size();
  }
  return count;
}

/// All that both densities are made of.
struct evidence {
  /// `parts` points to these.
  std::vector<cube_point> pending;
  split parts;
  /// Points of earlier experiments in both parts.
  std::size_t earlier = 0;
};

/// Empty if there are no good points of this experiment.
std::optional<evidence> evidence_from(const learning::outlook& from) {
  if (from.past().results().empty())
    return std::nullopt;
  evidence made{from.pending(), {}};
  made.parts = split_results(from.past().results(), made.pending);
  if (made.parts.good.empty())
    return std::nullopt;
  if (from.earlier() != nullptr)
    made.earlier = back(made.parts, from.earlier()->backings(from.past().results()));
  return made;
}

/// Logarithm of the ratio of both densities, by which points are compared.
double log_ratio(const encoding& space, const parzen& good, const parzen& bad, const cube_point& at,
                 bool multivariate) {
  if (multivariate)
    return good.log_density(at) - bad.log_density(at);
  double sum = 0;
  for (std::size_t i = 0; i < space.dimensions(); ++i) {
    if (!std::isnan(at[i]))
      sum += good.log_density(i, at[i]) - bad.log_density(i, at[i]);
  }
  return sum;
}

} // namespace

std::optional<explanation> tpe_rule::explain(const learning::outlook& from,
                                             const learning::pick& what,
                                             learning::workbook&) const {
  auto seen = what.origin.starts_with("tpe") ? evidence_from(from) : std::nullopt;
  if (!seen)
    return std::nullopt;
  const auto& parts = seen->parts;
  const auto& space = from.space();
  parzen good{space, parts.good, parts.good_weights};
  parzen bad{space, parts.bad, parts.bad_weights};
  explanation made;
  made.how = "the largest ratio of the densities of good and bad configurations";
  made.results = from.past().results().size();
  made.details.set("log_ratio", log_ratio(space, good, bad, what.at, how_.multivariate));
  made.details.set("good", static_cast<std::int64_t>(parts.good.size()));
  made.details.set("bad", static_cast<std::int64_t>(parts.bad.size()));
  made.details.set("pending", static_cast<std::int64_t>(seen->pending.size()));
  if (seen->earlier > 0)
    made.details.set("earlier", static_cast<std::int64_t>(seen->earlier));
  return made;
}

std::optional<learning::pick> tpe_rule::next(const learning::outlook& from,
                                             learning::workbook&) const {
  auto seen = evidence_from(from);
  if (!seen)
    return std::nullopt;
  const auto& parts = seen->parts;
  const auto& space = from.space();
  parzen good{space, parts.good, parts.good_weights};
  parzen bad{space, parts.bad, parts.bad_weights};
  rng chance{from.seed(), "tpe", from.number()};
  std::optional<learning::pick> result;
  auto best = -std::numeric_limits<double>::infinity();
  // A point drawn axis by axis is the best of many already; more are drawn only if it is taken.
  auto tries = how_.multivariate ? how_.candidates : std::size_t{8};
  for (std::size_t k = 0; k < tries; ++k) {
    auto at = space.canonical(how_.multivariate
                                  ? good.draw(chance)
                                  : draw_apart(space, good, bad, how_.candidates, chance));
    if (from.is_taken(at))
      continue;
    auto ratio = good.log_density(at) - bad.log_density(at);
    if (!result || ratio > best) {
      best = ratio;
      result = learning::pick{std::move(at), "tpe"};
    }
    if (!how_.multivariate)
      break;
  }
  return result;
}

} // namespace tune::tpe

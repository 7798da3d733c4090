// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/experiment/run_book.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>

namespace tune {

namespace {

/// 0.95 quantiles of Student's t distribution by degrees of freedom, from 1.
constexpr std::array<double, 30> quantiles{
    6.313752, 2.919986, 2.353363, 2.131847, 2.015048, 1.943180, 1.894579, 1.859548,
    1.833113, 1.812461, 1.795885, 1.782288, 1.770933, 1.761310, 1.753050, 1.745884,
    1.739607, 1.734064, 1.729133, 1.724718, 1.720743, 1.717144, 1.713872, 1.710882,
    1.708141, 1.705618, 1.703288, 1.701131, 1.699127, 1.697261};

/// @param freedom Degrees of freedom; beyond the table by the first terms of the expansion, to 5
/// digits. [>= 1]
double quantile(std::size_t freedom) {
  constexpr double normal = 1.644854;
  if (freedom <= quantiles.size())
    return quantiles[freedom - 1];
  return normal + (normal * normal * normal + normal) / (4 * static_cast<double>(freedom));
}

double median_of(std::vector<double> xs) {
  std::sort(xs.begin(), xs.end());
  auto middle = xs.size() / 2;
  return xs.size() % 2 == 1 ? xs[middle] : xs[middle - 1] + (xs[middle] - xs[middle - 1]) / 2;
}

void append_length(std::string& to, std::string_view text) {
  to += std::to_string(text.size()) + ':';
  to += text;
}

} // namespace

std::string_view to_text(run_judge x) {
  constexpr std::array<std::string_view, 3> names{"mean", "median", "lower_bound"};
  return names[static_cast<std::size_t>(x)];
}

std::pair<double, double> mean_and_error(const std::vector<double>& scores) {
  auto n = static_cast<double>(scores.size());
  double sum = 0;
  for (auto x : scores)
    sum += x;
  // Rounding must not move the mean away from values that are all equal.
  auto [least, most] = std::minmax_element(scores.begin(), scores.end());
  auto mean = std::clamp(sum / n, *least, *most);
  if (scores.size() < 2)
    return {mean, std::numeric_limits<double>::quiet_NaN()};
  double squares = 0;
  for (auto x : scores)
    squares += (x - mean) * (x - mean) / (n - 1);
  return {mean, std::sqrt(squares / n)};
}

double worth_of(run_judge rule, std::size_t runs) {
  auto n = static_cast<double>(runs);
  if (rule == run_judge::mean || runs < 2)
    return n;
  if (rule == run_judge::median)
    return runs == 2 ? 2 : 1 + 2 * (n - 1) / std::numbers::pi;
  // Γ(n/2) / Γ((n-1)/2): the product of two consecutive ratios is (n-1)/2.
  auto ratio = std::sqrt(1 / std::numbers::pi);
  for (double k = 2; k < n; ++k)
    ratio = (k - 1) / 2 / ratio;
  auto t = quantile(runs - 1);
  return n / (1 + t * t * (1 - 2 * ratio * ratio / (n - 1)));
}

bool has_value(run_judge rule, std::size_t runs) {
  return rule != run_judge::lower_bound || runs > 1;
}

double judged_by(run_judge rule, std::vector<double> scores) {
  if (rule == run_judge::median)
    return median_of(std::move(scores));
  auto [mean, error] = mean_and_error(scores);
  // A single run has no measure of spread, nor do infinite scores.
  if (rule == run_judge::mean || std::isnan(error))
    return mean;
  return mean - quantile(scores.size() - 1) * error;
}

std::string run_key(const object& config, const std::string& parameter) {
  std::string result;
  for (const auto& [name, what] : config) {
    if (name == parameter)
      continue;
    append_length(result, name);
    append_length(result, std::to_string(what.as_string() != nullptr) + to_text(what));
  }
  return result;
}

bool run_book::standing::operator<(const standing& than) const {
  if (tier != than.tier)
    return tier < than.tier;
  if (is_better(how, than.how) || is_better(than.how, how))
    return is_better(how, than.how);
  return group < than.group;
}

void run_book::add(trial_id trial, const object& config, std::string_view origin) {
  if (members_.contains(trial))
    return;
  auto confirms = is_confirming(origin);
  std::pair key{confirms, run_key(config, rule_.parameter)};
  auto [place, is_new] = by_key_.emplace(key, groups_.size());
  if (is_new)
    groups_.push_back({confirms, std::move(key.second)});
  members_.emplace(trial, member{place->second});
  auto& group = groups_[place->second];
  group.trials.push_back(trial);
  group.is_drawn = group.is_drawn || origin != client_origin;
  ++open_;
  confirming_ += confirms ? 1 : 0;
  judge(place->second);
}

void run_book::note(trial_id trial, merit best) {
  auto x = members_.find(trial);
  if (x == members_.end() || std::isnan(best.score))
    return;
  x->second.best = best;
  judge(x->second.group);
}

void run_book::end(trial_id trial) {
  auto x = members_.find(trial);
  if (x == members_.end() || std::exchange(x->second.ended, true))
    return;
  --open_;
  judge(x->second.group);
}

void run_book::revive(trial_id trial) {
  auto x = members_.find(trial);
  if (x == members_.end() || !std::exchange(x->second.ended, false))
    return;
  ++open_;
  judge(x->second.group);
}

run_group run_book::group_of(const entry& x) const {
  run_group result;
  result.trials = x.trials;
  result.confirms = x.confirms;
  result.wanted = x.confirms ? rule_.confirm_runs : rule_.runs;
  if (!x.is_drawn)
    result.wanted = std::min(result.wanted, static_cast<std::uint32_t>(x.trials.size()));
  auto ended = std::count_if(x.trials.begin(), x.trials.end(),
                             [&](trial_id id) { return members_.at(id).ended; });
  auto is_over = static_cast<std::uint64_t>(ended) >= result.wanted;
  std::vector<double> scores;
  std::optional<merit> most;
  for (auto id : x.trials) {
    const auto& each = members_.at(id);
    if (!each.best || (is_over && !each.ended))
      continue;
    scores.push_back(each.best->score);
    result.how.violation += each.best->violation;
    if (!most || is_better(*each.best, *most)) {
      most = each.best;
      result.best = id;
    }
  }
  result.runs = static_cast<std::uint32_t>(scores.size());
  if (scores.empty())
    return result;
  result.is_full = is_over && 2 * scores.size() > result.wanted;
  // A constraint that one run misses, if only at its limit, is missed.
  if (result.how.violation > 0)
    result.how.violation = std::max(result.how.violation / static_cast<double>(scores.size()),
                                    std::numeric_limits<double>::denorm_min());
  std::tie(result.mean, result.error) = mean_and_error(scores);
  result.how.score = judged_by(rule_.judge, std::move(scores));
  return result;
}

void run_book::judge(std::size_t group) {
  auto& x = groups_[group];
  if (x.now)
    order_.erase(*x.now);
  x.now.reset();
  auto seen = group_of(x);
  // Opposite infinities have no mean.
  if (seen.runs == 0 || std::isnan(seen.how.score))
    return;
  auto tier = 0u;
  if (!seen.is_full)
    tier = 3;
  else if (!has_value(rule_.judge, seen.runs))
    tier = 2;
  else if (!x.confirms)
    tier = 1;
  x.now = standing{tier, seen.how, group};
  order_.insert(*x.now);
}

std::optional<run_group> run_book::best() const {
  if (order_.empty())
    return std::nullopt;
  return group_of(groups_[order_.begin()->group]);
}

std::vector<run_group> run_book::ranked(std::size_t most, std::optional<bool> confirming) const {
  std::vector<run_group> result;
  for (const auto& x : order_) {
    if (result.size() >= most)
      break;
    if (!confirming || groups_[x.group].confirms == *confirming)
      result.push_back(group_of(groups_[x.group]));
  }
  return result;
}

std::optional<run_group> run_book::in_search(const run_group& of) const {
  const auto& key = groups_[members_.at(of.trials.front()).group].key;
  auto other = by_key_.find({false, key});
  if (other == by_key_.end() || !groups_[other->second].now)
    return std::nullopt;
  return group_of(groups_[other->second]);
}

std::size_t run_book::count(const object& config, bool confirms) const {
  auto known = by_key_.find({confirms, run_key(config, rule_.parameter)});
  return known == by_key_.end() ? 0 : groups_[known->second].trials.size();
}

void run_book::describe(fingerprint& into) const {
  into.add(std::uint64_t{members_.size()}).add(std::uint64_t{open_});
  for (const auto& [trial, x] : members_) {
    into.add(trial).add(std::uint64_t{x.group}).add(std::uint64_t{x.ended});
    into.add(std::uint64_t{x.best.has_value()});
    if (x.best)
      into.add(x.best->violation).add(x.best->score);
  }
}

run_statistics statistics_of(const run_book& book, const run_group& what, bool maximise) {
  auto sign = maximise ? 1.0 : -1.0;
  run_statistics result;
  result.runs = what.runs;
  result.wanted = what.wanted;
  result.is_full = what.is_full;
  result.confirms = what.confirms;
  result.judge = book.rule().judge;
  result.mean = sign * what.mean;
  result.error = what.error;
  if (has_value(result.judge, what.runs))
    result.judged = sign * what.how.score;
  if (auto search = what.confirms ? book.in_search(what) : std::nullopt)
    result.mean_in_search = sign * search->mean;
  result.violation = what.how.violation;
  return result;
}

object to_object(const run_statistics& x) {
  auto number = [](double y) { return std::isnan(y) ? value{} : value{y}; };
  return {{"judge", to_text(x.judge)},
          {"value", number(x.judged)},
          {"mean", number(x.mean)},
          {"error", number(x.error)},
          {"count", static_cast<std::int64_t>(x.runs)},
          {"wanted", static_cast<std::int64_t>(x.wanted)},
          {"full", x.is_full},
          {"confirmed", x.confirms},
          {"mean_in_search", number(x.mean_in_search)},
          {"violation", x.violation}};
}

run_statistics statistics_from(const object& x) {
  run_statistics result;
  auto read = [&](std::string_view name, auto& to) {
    const auto* found = x.find(name);
    if (auto number = found == nullptr ? std::nullopt : found->number())
      to = static_cast<std::decay_t<decltype(to)>>(*number);
  };
  read("value", result.judged);
  read("mean", result.mean);
  read("error", result.error);
  read("count", result.runs);
  read("wanted", result.wanted);
  read("mean_in_search", result.mean_in_search);
  read("violation", result.violation);
  auto holds = [&](std::string_view name) {
    const auto* found = x.find(name);
    return found != nullptr && found->as_bool() != nullptr && *found->as_bool();
  };
  result.is_full = holds("full");
  result.confirms = holds("confirmed");
  const auto* judge = x.find("judge");
  for (auto each : {run_judge::median, run_judge::lower_bound}) {
    if (judge != nullptr && judge->as_string() != nullptr && *judge->as_string() == to_text(each))
      result.judge = each;
  }
  return result;
}

} // namespace tune

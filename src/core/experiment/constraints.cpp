// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/experiment/constraints.hpp"

#include "tune/core/trial/automatic_metrics.hpp"

#include <cmath>
#include <optional>

namespace tune {

namespace {

using op = metric_comparison::op;

constexpr auto infinite = std::numeric_limits<double>::infinity();

expected<void> check(const metric_comparison& x) {
  auto text = to_text(constraint_list{x});
  if (x.how == op::equal || x.how == op::unequal)
    return error{ec::bad_option, text + ": a constraint is one of <=, <, >= and >"};
  if (!std::isfinite(x.limit))
    return error{ec::bad_option, text + ": its number must be finite"};
  // The best report does not keep automatic metrics.
  if (is_automatic(x.metric))
    return error{ec::bad_option,
                 text + ": the runtime adds " + x.metric
                     + " to reports, and a constraint is on a metric that trials report"};
  return {};
}

std::optional<double> number_in(const object& metrics, const std::string& name) {
  const auto* found = metrics.find(name);
  if (found == nullptr)
    found = find_path(metrics, name);
  return found == nullptr ? std::nullopt : found->number();
}

double violation_of(const metric_comparison& x, std::optional<double> number) {
  if (!number || std::isnan(*number))
    return infinite;
  auto is_lower = x.how == op::at_least || x.how == op::more;
  auto result = is_lower ? x.limit - *number : *number - x.limit;
  auto is_strict = x.how == op::more || x.how == op::less;
  // Being at the limit violates a strict constraint by the smallest number there is.
  return is_strict && result == 0 ? std::numeric_limits<double>::denorm_min() : result;
}

} // namespace

expected<constraint_list> parse_constraints(std::string_view text) {
  auto result = parse_comparisons(text);
  if (!result)
    return result;
  for (const auto& x : *result) {
    if (auto fine = check(x); !fine)
      return fine.error();
  }
  return result;
}

std::string to_text(const constraint_list& xs) {
  std::string result;
  for (const auto& x : xs)
    result += (result.empty() ? "" : ", ") + to_text(x);
  return result;
}

std::vector<double> violations_of(const constraint_list& xs, const object& metrics) {
  std::vector<double> result;
  result.reserve(xs.size());
  for (const auto& x : xs)
    result.push_back(violation_of(x, number_in(metrics, x.metric)));
  return result;
}

double total_violation(const constraint_list& xs, const object& metrics) {
  double result = 0;
  for (auto x : violations_of(xs, metrics))
    result += std::max(x, 0.0);
  return result;
}

bool is_better(const merit& x, const merit& than) {
  if (std::isnan(x.score) || std::isnan(than.score))
    return !std::isnan(x.score) && std::isnan(than.score);
  return x.violation < than.violation || (x.violation == than.violation && x.score > than.score);
}

} // namespace tune

// SPDX-License-Identifier: BSD-3-Clause
#include "rank_cost_board.hpp"

#include "tune/core/trial/rank_costs.hpp"

#include <memory>
#include <string>

namespace tune {

namespace {

constexpr std::string_view own_names = "own";
constexpr std::string_view of_attempt_name = "attempt";

const object* object_at(const object& in, std::string_view name) {
  const auto* found = in.find(name);
  return found == nullptr ? nullptr : found->as_object();
}

} // namespace

void rank_cost_board::note(std::uint32_t rank, const cost_sheet& told) {
  std::lock_guard guard{mutex_};
  told_[rank].raise(told);
}

cost_sheet rank_cost_board::sum() const {
  std::lock_guard guard{mutex_};
  cost_sheet result;
  for (const auto& [rank, x] : told_)
    add_beside(result, x);
  return result;
}

void leave_costs(object& metrics, const cost_sheet& of_attempt) {
  object own;
  for (auto name : cost_metrics) {
    if (find_path(metrics, name) != nullptr)
      own.set(std::string{name}, true);
  }
  object left;
  left.set(std::string{own_names}, value{std::move(own)});
  left.set(std::string{of_attempt_name}, value{of_attempt.to_object()});
  metrics.set(std::string{joined_costs}, value{std::move(left)});
}

metrics_ptr with_costs_of_ranks(const metrics_ptr& metrics, const cost_sheet& before,
                                const cost_sheet& others) {
  const auto* left = metrics == nullptr ? nullptr : object_at(*metrics, joined_costs);
  const auto* own = left == nullptr ? nullptr : object_at(*left, own_names);
  const auto* of_first = left == nullptr ? nullptr : object_at(*left, of_attempt_name);
  if (own == nullptr || of_first == nullptr)
    return metrics;
  auto of_attempt = cost_sheet::from(*of_first);
  add_beside(of_attempt, others);
  auto all = before;
  all.add(of_attempt);
  auto result = std::make_shared<object>(*metrics);
  result->erase(joined_costs);
  for (auto name : cost_metrics) {
    if (own->find(name) == nullptr)
      result->erase(name);
  }
  all.join(*result);
  return result;
}

} // namespace tune

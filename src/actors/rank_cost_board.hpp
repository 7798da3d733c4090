/// What the ranks of an attempt cost while it runs. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/trial/costs.hpp"
#include "tune/core/value.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>

namespace tune {

/// The further ranks of one attempt: their trials write, and that of rank 0 reads. For any thread.
class rank_cost_board {
public:
  void note(std::uint32_t rank, const cost_sheet& told);
  /// As far as they have told it.
  [[nodiscard]] cost_sheet sum() const;

private:
  mutable std::mutex mutex_;
  std::map<std::uint32_t, cost_sheet> told_;
};

/// Where a node leaves for the head, among the metrics of a report by rank 0, what costs it added
/// to them. The head takes it out again.
inline constexpr std::string_view joined_costs = "tune/costs";

/// Leaves that.
/// @param metrics Without costs that the node adds.
void leave_costs(object& metrics, const cost_sheet& of_attempt);

/// The metrics of a report by rank 0 with the costs of all ranks in place of its own.
/// @param before Those of the trial up to this attempt. @param others Those of the other ranks.
[[nodiscard]] metrics_ptr with_costs_of_ranks(const metrics_ptr& metrics, const cost_sheet& before,
                                              const cost_sheet& others);

} // namespace tune

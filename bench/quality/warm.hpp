/// Histories of other experiments for the problems, from the same task to a misleading one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quality/problems.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tune::quality {

/// Relation of a task to a problem.
enum class relation_of_task : std::uint8_t {
  /// The task is the problem itself.
  same,
  /// All numbers of the optimum are moved by a tenth of their range, and values are 100 times as
  /// large, plus 1000.
  near,
  /// All numbers of the optimum are moved by three tenths of their range.
  far,
  /// The problem without half of its parameters, which are fixed to the middle.
  half,
  /// The problem with values negated: good in one is bad in the other.
  negated,
  /// The task is a smooth random function.
  unrelated,
};

[[nodiscard]] std::vector<relation_of_task> all_relations();
[[nodiscard]] std::string name_of(relation_of_task x);

/// A task that is related to a problem. Its configurations may lack parameters.
struct related_task {
  std::shared_ptr<const search_space> space;
  std::function<double(const object&)> f;
  /// Standard deviation of the noise: that of the problem, on the scale of the task's values.
  double noise = 0;
};

[[nodiscard]] related_task task_of(const problem& what, relation_of_task how, std::uint64_t seed);

} // namespace tune::quality

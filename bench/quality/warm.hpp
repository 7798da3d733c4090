/// Histories of other experiments for the problems: from the same task to one that misleads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quality/problems.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tune::quality {

/// How a task is related to a problem.
enum class relation_of_task : std::uint8_t {
  /// It is the same.
  same,
  /// All numbers of its optimum are a tenth of their range elsewhere, and values are 100 times as
  /// large, plus 1000.
  near,
  /// Three tenths of their range.
  far,
  /// The same without half of its parameters, which stand in the middle.
  half,
  /// What is good in one is bad in the other.
  negated,
  /// A smooth random function.
  unrelated,
};

[[nodiscard]] std::vector<relation_of_task> all_relations();
[[nodiscard]] std::string name_of(relation_of_task x);

/// A task that is related to a problem. Its configurations may lack parameters.
struct related_task {
  std::shared_ptr<const search_space> space;
  std::function<double(const object&)> f;
  /// As that of the problem, on the scale of its values.
  double noise = 0;
};

[[nodiscard]] related_task task_of(const problem& what, relation_of_task how, std::uint64_t seed);

} // namespace tune::quality

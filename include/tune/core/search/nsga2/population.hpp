/// Survival of results from generation to generation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/learner/archive.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tune::nsga2 {

/// A result that may have children.
struct member {
  learning::result what;
  /// Number of its front: 0 is the best. Results that miss constraints come after all fronts, each
  /// with a number of its own.
  std::size_t front = 0;
  /// Its crowding distance within the front.
  double room = 0;

  /// Crowded comparison.
  [[nodiscard]] bool is_better_than(const member& other) const {
    return front != other.front ? front < other.front : room > other.room;
  }
};

/// The best `most` of the finished results: by fronts, and from the last front that has a place
/// those with the most room. Feasible ones come before all that miss a constraint, which are
/// ordered by how much they miss.
/// @source Deb et al. 2002, sections III and VI.
[[nodiscard]] std::vector<member> survivors(std::vector<learning::result> of, std::size_t most);

/// The population after a number of results. As many results as the population has members,
/// including failed ones, form a generation; the best of it and of the previous population form the
/// next one. The order in which trials end within a generation makes no difference.
class population {
public:
  /// @param size Number of members. [>= 2]
  explicit population(std::size_t size) : size_{size} {}

  /// Takes in the results that were added since the last call.
  void follow(const learning::archive& past);

  /// The best of the last complete generation and of those of the present one that have ended.
  [[nodiscard]] std::vector<member> parents() const;
  /// Number of complete generations.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }

private:
  std::size_t size_;
  std::vector<member> members_;
  std::uint64_t generation_ = 0;
  /// Members of the incomplete generation: the number of ended ones, and the finished ones.
  std::size_t ended_ = 0;
  std::vector<learning::result> children_;
  /// Number of results taken in, and a hash over them.
  std::size_t count_ = 0;
  std::uint64_t digest_ = 0;

  void take(const learning::result& what);
};

} // namespace tune::nsga2

/// Trials in the order of their scores, with ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tune::pbt {

/// A set of (score, trial), worst first; ties by trial number. Every query and change costs O(log
/// n) on average, whatever the scores are: a treap whose priorities are hashes of the trials.
class ranking {
public:
  /// One entry. The score must not be NaN.
  struct entry {
    double score = 0;
    trial_id trial;
    friend bool operator<(const entry& x, const entry& y) {
      return x.score != y.score ? x.score < y.score : x.trial < y.trial;
    }
  };

  /// Adds an entry. It must not be in the set.
  void insert(const entry& what);
  /// Removes an entry. It must be in the set.
  void erase(const entry& what);

  [[nodiscard]] std::size_t size() const { return size_of(root_); }
  /// Number of entries before this one.
  [[nodiscard]] std::size_t rank(const entry& what) const;
  /// The entry with `i` entries before it. [i < size()]
  [[nodiscard]] entry at(std::size_t i) const;

private:
  /// Index into `nodes_`, whose first element stands for no node.
  using link = std::uint32_t;
  struct node {
    entry what;
    std::uint64_t priority = 0;
    std::size_t size = 0;
    link left = 0;
    link right = 0;
  };

  std::vector<node> nodes_{node{}};
  std::vector<link> free_;
  link root_ = 0;

  [[nodiscard]] std::size_t size_of(link x) const { return nodes_[x].size; }
  void recount(link x);
  /// Splits into the entries before `border`, and the others.
  std::pair<link, link> split(link x, const entry& border);
  link merge(link left, link right);
  link without(link x, const entry& what);
};

} // namespace tune::pbt

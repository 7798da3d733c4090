/// Which kernel goes with which results: a function of the results alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/gp/model.hpp"
#include "tune/core/search/learner/archive.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

namespace tune::transfer {
class memory;
}

namespace tune::gp {

/// Finished and failed results, in order; and the seed for what is drawn of them.
struct evidence {
  const encoding* space = nullptr;
  std::span<const learning::result> results;
  std::uint64_t seed = 0;
  /// Null: nothing is expected of the results.
  const transfer::memory* earlier = nullptr;
};

/// Which of many results a model is made of: those of the best targets, the newest, and some drawn
/// at random. [sum of the three >= 1]
struct portion {
  std::size_t best = 0;
  std::size_t newest = 0;
  std::size_t random = 0;
};

/// Indices, rising; all where there are no more than the portion's sum.
[[nodiscard]] std::vector<std::size_t> chosen_of(const evidence& from,
                                                 const std::vector<double>& targets, portion how);

/// The same of targets alone.
[[nodiscard]] std::vector<std::size_t> portion_of(const std::vector<double>& targets, portion how,
                                                  std::uint64_t seed);

/// The kernel of a fit that begins at what is thought before anything is seen; to at most 200 of
/// the results.
[[nodiscard]] kernel_logs kernel_from_nowhere(const evidence& from, bool power);

/// Fits kernels, and remembers those that the next ones begin at.
///
/// Kernels of n results begin at an *anchor*: the kernel of the first results up to a multiple of
/// ten (of ⌈n/50⌉ beyond 200 results, where they are fitted to 200 of them, and anchors are taken
/// as they are). An anchor is the better of a fit from nowhere and of one that begins at the anchor
/// before; every fifth is fitted from nowhere alone. So the kernel is a function of the results,
/// the work to come by it is bounded, and it does not matter whether any was remembered.
class kernel_book {
public:
  /// @param power Whether targets are transformed. Each sort has anchors of its own.
  [[nodiscard]] kernel_logs kernel_for(const evidence& from, bool power);

private:
  /// Anchors by a hash over the results, by sort, and by whether something is expected of them.
  std::map<std::tuple<std::uint64_t, bool, bool>, kernel_logs> anchors_;

  [[nodiscard]] const kernel_logs& anchor(const evidence& from, bool power, std::size_t count);
};

} // namespace tune::gp

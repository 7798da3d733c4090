/// Chooses the kernel for given results: a function of the results alone.
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
struct model_book;
} // namespace tune::transfer

namespace tune::gp {

/// Finished and failed results, in order; and the seed for draws from them.
struct evidence {
  const encoding* space = nullptr;
  std::span<const learning::result> results;
  std::uint64_t seed = 0;
  /// Null: there are no expectations of the results.
  const transfer::memory* earlier = nullptr;
  /// Models of the earlier experiments. @pre Not null if `earlier` is not.
  transfer::model_book* sources = nullptr;
};

/// The part of many results that a model is made of: those of the best targets, the newest, and
/// some drawn at random. [sum of the three >= 1]
struct portion {
  std::size_t best = 0;
  std::size_t newest = 0;
  std::size_t random = 0;
};

/// Indices of the chosen results, rising; all if there are no more than the portion's sum.
[[nodiscard]] std::vector<std::size_t> chosen_of(const evidence& from,
                                                 const std::vector<double>& targets, portion how);

/// Chooses by targets alone, without `evidence`.
[[nodiscard]] std::vector<std::size_t> portion_of(const std::vector<double>& targets, portion how,
                                                  std::uint64_t seed);

/// The kernel of a fit that begins at the first guess of the prior; fitted to at most 200 of the
/// results.
[[nodiscard]] kernel_logs kernel_from_nowhere(const evidence& from, bool power);

/// Fits kernels, and remembers those from which later fits begin.
///
/// Kernels of n results begin at an *anchor*: the kernel of the first results up to a multiple of
/// ten (of ⌈n/50⌉ beyond 200 results, where kernels are fitted to 200 of them, and anchors are used
/// unchanged). An anchor is the better of a fit from nowhere and of one that begins at the previous
/// anchor; every fifth is fitted from nowhere alone. Thus the kernel is a function of the results,
/// the work to obtain it is bounded, and it does not matter whether any anchor was remembered.
class kernel_book {
public:
  /// @param power Whether targets are transformed. Each kind has its own anchors.
  [[nodiscard]] kernel_logs kernel_for(const evidence& from, bool power);

private:
  /// Anchors by a hash over the results, by kind, and by whether there are expectations of them.
  std::map<std::tuple<std::uint64_t, bool, bool>, kernel_logs> anchors_;

  [[nodiscard]] const kernel_logs& anchor(const evidence& from, bool power, std::size_t count);
};

} // namespace tune::gp

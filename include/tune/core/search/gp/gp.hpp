/// Bayesian optimisation: a Gaussian process over the results predicts where to expect an
/// improvement.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/learner/rule.hpp"
#include "tune/core/search/searcher.hpp"

#include <cstdint>

namespace tune::gp {

/// Transformation of objectives before the model sees them.
enum class bending : std::uint8_t {
  /// By Yeo and Johnson's transform at every other suggestion: with it a model quickly sees where
  /// results are good, and without it a model tells the best apart.
  in_turns,
  always,
  never,
};

struct settings {
  bending bend = bending::in_turns;
  /// In conditional spaces every fourth suggestion is for the family that is furthest behind.
  bool branch_steps = true;
};

/// Fits a process to the results and chooses the point of the largest expected improvement.
///
/// Failed trials count as bad as the worst. Trials that have not ended, and those that the
/// scheduler stopped, are assumed to get the value the model predicts, so that nothing else is
/// proposed next to them. Beyond 400 results the model is made of 400: the best 200, the newest
/// 100, 100 others.
///
/// From earlier experiments it expects the predictions of their own processes, each scaled by how
/// well it fits the results (`transfer::memory`), and models only the difference. It does so if
/// that is likelier than a model without them, by half the logarithm of the number of results for
/// each experiment (Schwarz's criterion), and up to 200 results: beyond that its own results say
/// more.
/// @source Golovin et al., "Google Vizier: A Service for Black-Box Optimization", KDD 2017, for
///         processes over the residuals of those before; the scales and their choice are our own.
class gp_rule final : public learning::rule {
public:
  explicit gp_rule(settings how) : how_{how} {}

  [[nodiscard]] std::optional<learning::pick> next(const learning::outlook& from,
                                                   learning::workbook& kept) const override;
  [[nodiscard]] std::optional<double> regret_bound(const learning::outlook& from,
                                                   learning::workbook& kept) const override;
  [[nodiscard]] bool takes_several() const override { return true; }
  [[nodiscard]] bool learns_earlier() const override { return true; }
  /// Chooses by TPE.
  [[nodiscard]] std::optional<learning::pick> sketch(const learning::outlook& from) const override;
  [[nodiscard]] std::optional<explanation> explain(const learning::outlook& from,
                                                   const learning::pick& what,
                                                   learning::workbook& kept) const override;

private:
  settings how_;
};

/// "gp".
[[nodiscard]] searcher_catalogue::entry make_entry();

} // namespace tune::gp

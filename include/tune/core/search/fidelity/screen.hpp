/// Choice of configurations if the scheduler cuts most trials short.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/learner/rule.hpp"

namespace tune::fidelity {

/// Draws sixty random configurations, and takes the one with the largest improvement that a
/// Gaussian process expects.
///
/// The process learns the extrapolated values of trials, each with the variance of its error. Every
/// fifth configuration is drawn at random. The selection is weak on purpose: the favourites of a
/// model alone look good early, are promoted, and consume the budget of trials that would become
/// better. Expectations from earlier experiments are used as in `gp::gp_rule`.
class screen final : public learning::rule {
public:
  [[nodiscard]] std::optional<learning::pick> next(const learning::outlook& from,
                                                   learning::workbook& kept) const override;
  /// Draws at random.
  [[nodiscard]] std::optional<learning::pick> sketch(const learning::outlook& from) const override;
  [[nodiscard]] bool learns_earlier() const override { return true; }
  /// Values are the extrapolated ones. Details: `candidates`, the number that it was the best of;
  /// `earlier`, as for `gp::gp_rule`.
  [[nodiscard]] std::optional<explanation> explain(const learning::outlook& from,
                                                   const learning::pick& what,
                                                   learning::workbook& kept) const override;
  [[nodiscard]] bool sees_courses() const override { return true; }
  [[nodiscard]] std::uint64_t usual_startup() const override { return 9; }
};

} // namespace tune::fidelity

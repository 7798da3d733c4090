/// How configurations are chosen where the scheduler cuts most trials short.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/learner/rule.hpp"

namespace tune::fidelity {

/// Takes the best of sixty random configurations by the improvement that a Gaussian process
/// expects.
///
/// The process learns the values that trials are extrapolated to, each with the variance of its
/// error. Every fifth configuration is drawn at random. The pull is limited on purpose: what a
/// model alone likes best looks good early, is promoted, and eats the budget of what would become
/// better. What earlier experiments lead to expect counts as for `gp::gp_rule`.
class screen final : public learning::rule {
public:
  [[nodiscard]] std::optional<learning::pick> next(const learning::outlook& from) const override;
  /// At random.
  [[nodiscard]] std::optional<learning::pick> sketch(const learning::outlook& from) const override;
  [[nodiscard]] bool learns_earlier() const override { return true; }
  /// Values are what trials are extrapolated to. Details: `candidates`, of which it was the best.
  [[nodiscard]] std::optional<explanation> explain(const learning::outlook& from,
                                                   const learning::pick& what) const override;
  [[nodiscard]] bool sees_courses() const override { return true; }
  [[nodiscard]] std::uint64_t usual_startup() const override { return 9; }
};

} // namespace tune::fidelity

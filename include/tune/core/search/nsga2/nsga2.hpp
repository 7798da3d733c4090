/// NSGA-II: a population that moves towards the Pareto front and spreads along it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/learner/rule.hpp"
#include "tune/core/search/nsga2/population.hpp"
#include "tune/core/search/nsga2/variation.hpp"
#include "tune/core/search/searcher.hpp"

#include <cstddef>
#include <memory>

namespace tune::nsga2 {

struct settings {
  /// Number of members. [>= 2]
  std::size_t population = 20;
  variation how = {};
};

/// Proposes children of the population's better members, which are found by tournaments of two.
///
/// No suggestion has to wait: children are made of the last complete generation, however many of
/// the present one still run.
/// @source Deb et al., "A Fast and Elitist Multiobjective Genetic Algorithm: NSGA-II", IEEE
///         Transactions on Evolutionary Computation 6, 2002.
class nsga2_rule final : public learning::rule {
public:
  explicit nsga2_rule(settings how);

  [[nodiscard]] std::optional<learning::pick> next(const learning::outlook& from,
                                                   learning::workbook& kept) const override;
  [[nodiscard]] std::optional<explanation> explain(const learning::outlook& from,
                                                   const learning::pick& what,
                                                   learning::workbook& kept) const override;
  [[nodiscard]] bool takes_several() const override { return true; }
  [[nodiscard]] std::uint64_t usual_startup() const override { return how_.population; }

private:
  struct child;
  [[nodiscard]] std::optional<child> born(const learning::outlook& from) const;

  settings how_;
  /// Cached analysis of earlier results; changes no answer.
  std::shared_ptr<population> known_;
};

/// "nsga2".
[[nodiscard]] searcher_catalogue::entry make_entry();

} // namespace tune::nsga2

/// Regularised evolution: only the newest results have children, and all die of age.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/learner/rule.hpp"
#include "tune/core/search/searcher.hpp"

#include <cstddef>
#include <memory>

namespace tune::evolution {

struct settings {
  /// Number of newest results that are alive. [>= 2]
  std::size_t population = 40;
  /// Number of these that are drawn; the best of them has a child. [>= 1]
  std::size_t sample = 10;
};

/// Draws some of the newest results, and changes one parameter of the best of them.
///
/// Since results die of age, however good, a lucky one cannot stay, and a configuration survives
/// only if its children do as well as it did.
/// @source Real et al., "Regularized Evolution for Image Classifier Architecture Search", AAAI
///         2019, Algorithm 1.
class evolution_rule final : public learning::rule {
public:
  explicit evolution_rule(settings how) : how_{how} {}

  [[nodiscard]] std::optional<learning::pick> next(const learning::outlook& from,
                                                   learning::workbook& kept) const override;
  /// The parent is given as the nearest trial.
  [[nodiscard]] std::optional<explanation> explain(const learning::outlook& from,
                                                   const learning::pick& what,
                                                   learning::workbook& kept) const override;
  [[nodiscard]] bool takes_several() const override { return true; }
  [[nodiscard]] std::uint64_t usual_startup() const override { return how_.population; }

private:
  struct child;
  [[nodiscard]] std::optional<child> born(const learning::outlook& from) const;

  settings how_;
};

/// "evolution".
[[nodiscard]] searcher_catalogue::entry make_entry();

} // namespace tune::evolution

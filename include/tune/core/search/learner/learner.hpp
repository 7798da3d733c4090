/// The common part of all searchers that learn: user's points, a design, then a rule.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/learner/rule.hpp"
#include "tune/core/search/learner/workbook.hpp"
#include "tune/core/search/points.hpp"
#include "tune/core/search/searcher.hpp"
#include "tune/core/search/transfer/first_points.hpp"
#include "tune/core/search/transfer/memory.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tune::learning {

/// Initial phase and name of a searcher that learns.
struct settings {
  /// Name in the catalogue, for messages.
  std::string name;
  /// Number of configurations before the rule is asked, including the user's points; 0: as many as
  /// suit the space.
  std::uint64_t startup = 0;
  /// See `searcher_traits::prompt`.
  bool prompt = false;
  /// The searcher ends once no more than this can be gained (`rule::regret_bound`); 0: never.
  double regret_below = 0;
};

/// Suggests the points to evaluate, then an initial design, then the choices of its rule.
///
/// If there are earlier experiments, their best configurations take two to four places of the
/// design. The replaced points are tried after the design if by then no experiment agrees with the
/// results (`transfer::memory::backings`): a misleading experiment costs only that many
/// configurations.
///
/// Failed trials count as bad, those that the scheduler stopped as bad or unknown, lost ones not at
/// all. No configuration is suggested twice, except points to evaluate; in a finite space the
/// search ends when all configurations were suggested. Suggestions are a function of the seed and
/// of the facts applied so far.
class generator final : public searcher {
public:
  /// @errors `ec::bad_option` for grids, for points outside of the space, for more objectives than
  ///         the rule takes, and for earlier experiments if the rule does not learn from them.
  [[nodiscard]] static expected<generator> make(settings how, std::shared_ptr<const rule> by,
                                                const searcher_context& about);

  [[nodiscard]] searcher_traits traits() const override;
  void apply(const searcher_fact& what) override;
  [[nodiscard]] proposal propose(const ask& question) const override;
  [[nodiscard]] deferred_proposal propose_later(const ask& question) const override;
  void describe(fingerprint& into) const override;
  [[nodiscard]] std::optional<explanation> explain(const ask& question,
                                                   const std::vector<suggestion>& answer,
                                                   std::size_t which) const override;

private:
  generator(settings how, std::shared_ptr<const rule> by, const searcher_context& about,
            initial_points points, encoding space);

  settings how_;
  std::shared_ptr<const rule> rule_;
  std::uint64_t seed_;
  initial_points points_;
  std::shared_ptr<const std::vector<transfer::first_point>> design_;
  /// Points of the design that earlier experiments replaced.
  std::shared_ptr<const std::vector<transfer::first_point>> spare_;
  archive past_;
  /// Empty: there are no earlier experiments.
  std::optional<transfer::memory> earlier_;
  /// For proposals made at once.
  std::shared_ptr<workbook> book_;
  /// For proposals made later: the next job begins with what the last one has left.
  std::shared_ptr<workbook> later_book_;

  void lay_out(std::size_t count);
  [[nodiscard]] const transfer::first_point* planned(const outlook& from) const;
  [[nodiscard]] outlook view(std::optional<trial_id> draft) const;
  [[nodiscard]] std::optional<exhausted> end_for(const ask& question) const;
  [[nodiscard]] std::optional<suggestion> next(outlook& from, drafting drafts) const;
  [[nodiscard]] suggestion point(outlook& from) const;
  [[nodiscard]] std::optional<pick> chosen(const outlook& from, drafting drafts) const;
};

} // namespace tune::learning

/// Quasi-random search: configurations that fill the space more evenly than chance.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/points.hpp"
#include "tune/core/search/searcher.hpp"
#include "tune/core/search/sobol/sequence.hpp"

#include <cstdint>
#include <memory>

namespace tune::sobol {

/// Suggests the points of a scrambled Sobol sequence, mapped through the parameters' distributions.
///
/// Every parameter that is not constant takes one dimension, in the order of declaration, even
/// while it is inactive. The points to evaluate come first, each in place of one sample, with their
/// open parameters drawn at random; the sequence begins after them. Nothing is learnt, and nothing
/// is filtered: small finite spaces see configurations again, as with random search. Ends after
/// `samples`.
class generator final : public searcher {
public:
  /// @errors `ec::bad_option` for grids (a grid means "every value", which a sequence does not
  ///         promise), too many parameters, and points outside of the space.
  [[nodiscard]] static expected<generator> make(const searcher_context& about);

  [[nodiscard]] searcher_traits traits() const override;
  void apply(const searcher_fact& what) override;
  [[nodiscard]] proposal propose(const ask& question) const override;
  void describe(fingerprint& into) const override;

private:
  generator(const searcher_context& about, initial_points points, std::size_t dimensions);

  void fill_point(std::vector<value>& values, std::uint64_t point) const;
  void fill(std::vector<value>& values, std::uint64_t index) const;
  /// Fills in the first member of the sequence from `index` on that keeps the constraint.
  [[nodiscard]] std::optional<std::uint64_t> settle(std::vector<value>& values,
                                                    std::uint64_t index) const;

  std::shared_ptr<const search_space> space_;
  std::uint64_t seed_;
  initial_points points_;
  sequence sequence_;
  /// Total number of suggestions; the greatest number stands for "without end".
  std::uint64_t end_;

  std::uint64_t suggested_ = 0;
  /// Index of the next member of the sequence to examine.
  std::uint64_t index_ = 0;
};

/// "sobol".
[[nodiscard]] searcher_catalogue::entry make_entry();

} // namespace tune::sobol

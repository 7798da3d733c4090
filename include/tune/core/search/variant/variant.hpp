/// Grid and random search: expands grids, draws the rest.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/earlier_versions.hpp"
#include "tune/core/search/points.hpp"
#include "tune/core/search/searcher.hpp"
#include "tune/core/search/variant/odometer.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tune::variant_search {

struct settings {
  /// True: random parameters are drawn once per sample, not anew for each combination of its grids.
  bool constant_grid_search = false;
};

/// How many configurations a search makes.
struct extent {
  std::uint64_t configurations = 0;
  /// Whether there may be fewer, as conditions and constraints leave out some that only the search
  /// can count.
  bool at_most = false;

  friend bool operator==(const extent&, const extent&) = default;
};

/// Runs every combination of the grids `samples` times, with the other parameters drawn at random.
///
/// Order: sample by sample, the points to evaluate first, each replacing one sample (all of them,
/// even if there are more points than samples). Within a sample the grids, sorted by path, count
/// like an odometer whose first digit turns fastest; grids that a point names are not expanded.
/// With `samples` 0 it goes on without end, even if nothing is drawn.
///
/// A configuration is a pure function of (seed, position in that order); under conditional grids
/// its position is found by counting.
///
/// A conditional grid must not multiply configurations that it does not change: a combination in
/// which an inactive grid is not at its first value is skipped. Thus the inactive case comes once,
/// and a grid whose activity depends on a drawn value is tried at each of its values for which a
/// draw makes it active. (Ray Tune has no conditions.)
///
/// @source The order of Ray Tune's BasicVariantGenerator.
class generator final : public searcher, public has_earlier_versions {
public:
  /// @errors `ec::bad_option` for points outside of the space and grids beyond 2^62 combinations.
  /// @param whole If the space was made from another one by turning dependent ranges into grids:
  ///              that other space, which decides what is allowed.
  [[nodiscard]] static expected<generator> make(settings rules, const searcher_context& about,
                                                std::shared_ptr<const search_space> whole = {});

  /// How many configurations it makes in all; nothing: it goes on without end. Of up to
  /// `most_counted` combinations of grids, without anything drawn, those left out are counted.
  [[nodiscard]] std::optional<extent> whole_extent() const;
  static constexpr std::uint64_t most_counted = 100'000;

  [[nodiscard]] searcher_traits traits() const override;
  void apply(const searcher_fact& what) override;
  [[nodiscard]] proposal propose(const ask& question) const override;
  [[nodiscard]] std::vector<proposal> earlier_proposals(const ask& question) const override;
  void describe(fingerprint& into) const override;

private:
  /// A position, split into its parts.
  struct place {
    std::uint64_t sample = 0;
    /// Position of the sample's first combination.
    std::uint64_t start = 0;
    const odometer* grids = nullptr;
  };

  /// The limit of the search for a configuration that keeps the constraint.
  struct patience {
    /// Number of positions that were skipped although some draw might have kept the constraint.
    std::uint64_t given_up = 0;
    /// True: search like earlier versions, which drew 300 times beside grids.
    bool is_short = false;
  };

  [[nodiscard]] place locate(std::uint64_t position) const;
  void fill(std::vector<value>& values, const place& where, std::uint64_t position,
            std::uint64_t again) const;
  /// Whether the constraint is missed whatever is drawn.
  [[nodiscard]] bool is_excluded(const std::vector<value>& values, const place& where) const;
  [[nodiscard]] std::uint64_t most_tries(const place& where, const patience& with) const;
  /// Fills in values that keep the constraint. @returns whether there were any.
  bool draw(std::vector<value>& values, const place& where, std::uint64_t position,
            patience& with) const;
  /// Moves from `position` to the first one that is no duplicate, and leaves its values in
  /// `values`.
  /// @returns the end if there is none.
  [[nodiscard]] std::uint64_t settle(std::uint64_t position, std::vector<value>& values,
                                     patience& with) const;
  [[nodiscard]] proposal propose(const ask& question, patience with) const;
  /// Moves to the position at which `config` was suggested, by this or an earlier version.
  void go_to(const object& config);
  [[nodiscard]] exhausted end_of_all(std::uint64_t given_up) const;
  [[nodiscard]] std::string origin(const place& where) const;

  settings rules_;
  std::shared_ptr<const search_space> space_;
  /// The space that decides what is allowed: usually the same.
  std::shared_ptr<const search_space> whole_;
  std::uint64_t seed_ = 0;
  initial_points points_;
  /// Whether some parameter is neither a grid nor a constant.
  bool draws_ = false;
  /// For each point its grids and its first position.
  std::vector<odometer> point_grids_;
  std::vector<std::uint64_t> point_starts_;
  /// Position at which the samples without a point begin.
  std::uint64_t rest_ = 0;
  odometer grids_;
  /// One past the last position; the greatest number stands for "without end".
  std::uint64_t end_ = 0;

  /// Position at which the search for the next configuration begins.
  std::uint64_t position_ = 0;
  std::uint64_t suggested_ = 0;
  /// See `patience`; total over all earlier positions.
  std::uint64_t given_up_ = 0;
};

/// How many configurations "random" makes, or with `all_values` "grid". Nothing: it goes on without
/// end, or cannot be made.
[[nodiscard]] std::optional<extent> extent_of(const searcher_context& about, bool all_values);

/// "random".
[[nodiscard]] searcher_catalogue::entry make_entry();

/// "grid": like "random", but over a space in which every parameter is a grid of all its values.
/// Combinations outside of dependent ranges are skipped.
[[nodiscard]] searcher_catalogue::entry make_grid_entry();

} // namespace tune::variant_search

/// Population based bandits: population based training that learns which parameters to choose.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/schedule/pb2/history.hpp"
#include "tune/core/schedule/pbt/explorer.hpp"
#include "tune/core/schedule/scheduler.hpp"
#include "tune/core/space/space.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune::pb2 {

/// An explored parameter and its range: uniform in its logarithm if the range is logarithmic.
struct bounded_parameter {
  std::string name;
  float_range bounds;
};

/// Reads the explored parameters: names separated by commas; empty text: all that can vary.
/// @param space Null: an unknown space, which is refused.
/// @errors `ec::unknown_name` with the nearest name; `ec::bad_option` for a parameter that is not a
///         continuous range or has a condition, or if there is none.
[[nodiscard]] expected<std::vector<bounded_parameter>> read_bounded(std::string_view names,
                                                                    const search_space* space);

/// Position of a value in its range. [0, 1]
[[nodiscard]] double scaled(const float_range& within, double x);
/// The value at a position; never outside of the range.
[[nodiscard]] double unscaled(const float_range& within, double u);

/// Learns from each result that counts how much training gains with which parameters, and chooses
/// new ones by `propose`. If the donor has completed no stretch of training yet, its configuration
/// is taken over unchanged.
///
/// A model is built only for an exploit, never for other reports, and in parallel with the verdicts
/// of other trials; it costs milliseconds, and up to some seconds with a thousand stretches.
class bandit final : public pbt::explorer {
public:
  /// @param space The space that configurations must belong to.
  bandit(std::vector<bounded_parameter> explored, std::shared_ptr<const search_space> space)
      : explored_{std::move(explored)}, space_{std::move(space)} {}

  void observe(const pbt::standing& what) override;
  void adopt(const pbt::standing& what) override;
  void forget(trial_id trial) override { history_.forget(trial); }
  [[nodiscard]] pbt::explored explore(const pbt::heritage& what, pbt::dice& with) const override;
  /// Costs O(n) of at most a thousand stretches.
  [[nodiscard]] std::function<pbt::explored(pbt::dice&)>
  explore_later(const pbt::heritage& what) const override;
  void describe(fingerprint& into) const override { history_.describe(into); }

private:
  std::vector<bounded_parameter> explored_;
  std::shared_ptr<const search_space> space_;
  history history_;

  /// Empty if a configuration lacks a parameter.
  [[nodiscard]] std::optional<point> point_of(const config_ptr& config) const;
};

/// The catalogue entry of PB2.
[[nodiscard]] scheduler_catalogue::entry make_entry();

} // namespace tune::pb2

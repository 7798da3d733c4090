/// What is remembered of earlier experiments, for models and densities.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/gp/model.hpp"
#include "tune/core/search/transfer/source.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tune::transfer {

/// What earlier experiments lead to expect, each scaled by how well it fits.
class forecast final : public gp::prior_mean {
public:
  /// A source that is believed.
  struct part {
    /// Its number, from 0.
    std::size_t source = 0;
    double slope = 0;
    std::shared_ptr<const gp::model> by;
  };

  forecast(std::vector<part> parts, std::shared_ptr<const std::vector<source>> sources)
      : parts_{std::move(parts)}, sources_{std::move(sources)} {}

  [[nodiscard]] std::vector<double> at(const gp::inputs& points) const override;
  [[nodiscard]] const std::vector<part>& parts() const { return parts_; }
  /// "0.83 × earlier 1".
  [[nodiscard]] std::string text() const;

private:
  std::vector<part> parts_;
  std::shared_ptr<const std::vector<source>> sources_;
};

using forecast_ptr = std::shared_ptr<const forecast>;

/// Two ways to see the same targets: the kernel of the targets as they are, and that of what is
/// left of them where something is expected.
struct rivals {
  const gp::inputs& at;
  const std::vector<double>& targets;
  const gp::kernel_prior& prior;
  const gp::kernel_logs& cold;
  const gp::kernel_logs& warm;
};

/// Whether the targets are likelier with the forecast than without, by more than half the logarithm
/// of their number for each source.
/// @source Schwarz, "Estimating the Dimension of a Model", The Annals of Statistics 6, 1978.
[[nodiscard]] bool pays(const forecast_ptr& what, const rivals& between);

/// Points of one earlier experiment with the weight that each has among a searcher's own.
struct backing {
  std::vector<const cube_point*> good;
  std::vector<const cube_point*> bad;
  double weight = 0;
};

/// Earlier experiments, and what was worked out of them. All that it answers is a function of the
/// experiments and of what is asked: what it keeps changes no answer. For one thread at a time.
class memory {
public:
  memory(const encoding& space, const std::vector<earlier_experiment>& from, std::uint64_t seed);
  ~memory();

  [[nodiscard]] const std::vector<source>& sources() const { return *sources_; }

  /// What the sources' processes lead to expect of targets, by the weights that fit them best
  /// (`slopes`). Null where no source fits.
  /// @param targets Standardised, smaller is better. @param power As in `gp::targets`.
  [[nodiscard]] forecast_ptr expected(const gp::inputs& at, std::span<const double> targets,
                                      bool power) const;

  /// For densities: of each source that agrees with the results by rank its good and bad points.
  /// What it says of a place is the mean rank of its eight nearest trials, weighted by the inverse
  /// of their squared distances. After n results its good points weigh 4 · 10 / (10 + n) together,
  /// times `trust`, and its bad ones as much each.
  [[nodiscard]] std::vector<backing> backings(std::span<const learning::result> results) const;

private:
  struct inside;
  std::shared_ptr<const std::vector<source>> sources_;
  std::unique_ptr<inside> inside_;
};

} // namespace tune::transfer

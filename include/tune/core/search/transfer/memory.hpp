/// The memory of earlier experiments, for models and densities.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/gp/model.hpp"
#include "tune/core/search/transfer/source.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tune::transfer {

/// Predictions of earlier experiments, each scaled by how well it fits.
class forecast final : public gp::prior_mean {
public:
  /// A source with a weight above 0.
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

/// Two kernels for the same targets: `cold` for the unchanged targets, and `warm` for the rest that
/// remains after subtracting a forecast.
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

/// Points of one earlier experiment, and their weight among a searcher's own points.
struct backing {
  std::vector<const cube_point*> good;
  std::vector<const cube_point*> bad;
  double weight = 0;
};

/// Models of the sources of one memory, fitted when they are first needed. Used by one thread at a
/// time.
struct model_book {
  /// By source: models of plain targets, and of transformed ones.
  std::vector<std::array<std::shared_ptr<const gp::model>, 2>> models;
};

/// Earlier experiments, and data derived from them. A value: copies share only constant data. All
/// answers are a function of the experiments and of the question.
class memory {
public:
  memory(const encoding& space, const std::vector<earlier_experiment>& from, std::uint64_t seed);

  [[nodiscard]] const std::vector<source>& sources() const { return *sources_; }

  /// Works out ahead what `backings` needs of the results that are new since the last call.
  /// @param results All results so far, in the order in which the trials ended.
  void hear(std::span<const learning::result> results);

  /// The forecast of targets by the sources' processes, with the weights that fit them best
  /// (`slopes`). Null if no source fits.
  /// @param targets Standardised, smaller is better.
  /// @param power   As in `gp::targets`.
  /// @param kept    Models of this memory's sources; missing ones are fitted.
  [[nodiscard]] forecast_ptr expected(const gp::inputs& at, std::span<const double> targets,
                                      bool power, model_book& kept) const;

  /// Points for densities: the good and bad points of each source that agrees with the results by
  /// rank. A source's rank of a place is the mean rank of its eight nearest trials, weighted by the
  /// inverse of their squared distances. After n results its good points have the total weight 4 ·
  /// 10 / (10 + n) times `trust`, and each of its bad ones weighs as much as a good one.
  /// @param results Begin with those that were heard.
  [[nodiscard]] std::vector<backing> backings(std::span<const learning::result> results) const;

private:
  struct inside;
  std::shared_ptr<const std::vector<source>> sources_;
  std::shared_ptr<const inside> inside_;
  /// By source: its ranks of the places of all results heard.
  std::vector<std::vector<double>> ranks_;
};

} // namespace tune::transfer

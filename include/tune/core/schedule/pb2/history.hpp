/// Training history that PB2 learns from: the gain of each stretch of training.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/fingerprint.hpp"
#include "tune/core/ids.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace tune::pb2 {

/// Parameter values, each scaled to [0, 1].
using point = std::vector<double>;

/// One stretch of training with constant parameters.
struct stretch {
  /// Time at its end.
  double time = 0;
  /// Score at its beginning; larger is better.
  double before = 0;
  point at;
  /// Increase of the score per unit of time.
  double gain = 0;
};

/// State of a trial at a time.
struct mark {
  double time = 0;
  double score = 0;
  point at;
};

/// Keeps the last mark of each trial, and the last stretches of all trials. Each change costs O(log
/// n).
class history {
public:
  static constexpr std::size_t most_stretches = 1000;

  /// The trial reached this mark. It makes a stretch with the trial's last mark if that has the
  /// same parameters, unless no time has passed or one of the scores is not finite.
  void reach(trial_id trial, mark what);
  /// The trial goes on from another's state, with parameters that were just chosen.
  void take_over(trial_id trial, mark what);
  /// The trial ended: its stretches stay.
  void forget(trial_id trial);

  /// The last stretches by their ends, then by trials. [at most `most_stretches`]
  [[nodiscard]] std::vector<stretch> stretches() const;
  /// End of the trial's last stretch, and the score at its beginning; empty if it has none.
  [[nodiscard]] std::optional<std::pair<double, double>> last_of(trial_id trial) const;
  /// The points chosen since the newest result of all trials.
  [[nodiscard]] const std::vector<point>& chosen() const { return chosen_; }

  /// Adds all state to `into`.
  void describe(fingerprint& into) const;

private:
  struct course {
    mark last;
    std::optional<std::pair<double, double>> stretch;
  };
  std::map<trial_id, course> courses_;
  /// By end, then by trial, so that the order of arrival matters only between equal ones.
  std::map<std::tuple<double, trial_id, std::uint64_t>, stretch> stretches_;
  std::uint64_t arrivals_ = 0;
  std::optional<double> newest_;
  std::vector<point> chosen_;
};

} // namespace tune::pb2

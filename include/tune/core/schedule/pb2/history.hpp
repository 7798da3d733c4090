/// What each stretch of training brought: what PB2 learns from.
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

/// Parameters, each scaled to [0, 1].
using point = std::vector<double>;

/// One stretch of training with the same parameters.
struct stretch {
  /// At its end.
  double time = 0;
  /// The score at its beginning; larger is better.
  double before = 0;
  point at;
  /// How much the score rose per unit of time.
  double gain = 0;
};

/// Where a trial stood.
struct mark {
  double time = 0;
  double score = 0;
  point at;
};

/// Keeps where each trial stands, and the last stretches of all. Each change costs O(log n).
class history {
public:
  static constexpr std::size_t most_stretches = 1000;

  /// The trial got there. With the parameters of its last mark that makes a stretch, unless no time
  /// has passed, or one of the scores is not finite.
  void reach(trial_id trial, mark what);
  /// The trial goes on from another's state, with parameters that were chosen just now.
  void take_over(trial_id trial, mark what);
  /// It ended: its stretches stay.
  void forget(trial_id trial);

  /// The last stretches by their ends, then by trials. [at most `most_stretches`]
  [[nodiscard]] std::vector<stretch> stretches() const;
  /// When the trial's last stretch ended, and the score at its beginning; nothing: it has none.
  [[nodiscard]] std::optional<std::pair<double, double>> last_of(trial_id trial) const;
  /// What was chosen since the newest result of all.
  [[nodiscard]] const std::vector<point>& chosen() const { return chosen_; }

  /// Adds all state to `into`.
  void describe(fingerprint& into) const;

private:
  struct course {
    mark last;
    std::optional<std::pair<double, double>> stretch;
  };
  std::map<trial_id, course> courses_;
  /// By end, then by trial, so that it does not matter who was first; then by arrival.
  std::map<std::tuple<double, trial_id, std::uint64_t>, stretch> stretches_;
  std::uint64_t arrivals_ = 0;
  std::optional<double> newest_;
  std::vector<point> chosen_;
};

} // namespace tune::pb2

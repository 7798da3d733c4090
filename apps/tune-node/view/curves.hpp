/// Learning curves of many trials, and the history of the best, in the JSON of the API.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "view/query.hpp"
#include "view/sampling.hpp"
#include "view/watched_experiment.hpp"

#include <vector>

namespace tune::cli {

/// What a curve is drawn over.
enum class curve_axis : std::uint8_t {
  iteration,
  /// Experiment time. [seconds]
  time,
  /// Training time of the trial. [seconds]
  cost
};

/// Makes a curve from reports in the order of the log: where a trial went back to a checkpoint,
/// what it had reported after that does not count.
class curve_maker {
public:
  explicit curve_maker(curve_axis axis) : axis_{axis} {}
  void read(const raw_result& x, double value);
  [[nodiscard]] std::vector<point> points() const;

private:
  struct place {
    std::uint64_t iteration = 0;
    point at;
  };
  curve_axis axis_;
  std::vector<place> all_;
};

/// The places of the trials whose curves tell most, at most `most`, of those that have reported:
/// the best, the most recent, or some spread evenly over all by rank.
enum class curve_choice : std::uint8_t { best, recent, spread };
[[nodiscard]] std::vector<std::size_t> chosen_trials(const trial_table& trials, curve_choice how,
                                                     std::size_t most);

/// `GET …/curves`.
[[nodiscard]] view_answer curves(watched_experiment& from, const view_request& what);

/// `GET …/history`.
[[nodiscard]] view_answer history(watched_experiment& from, const view_request& what);

} // namespace tune::cli

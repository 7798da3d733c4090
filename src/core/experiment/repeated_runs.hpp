/// Where each configuration runs several times: all runs, and the best report of each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "best_so_far.hpp"

#include "tune/core/experiment/run_book.hpp"
#include "tune/core/experiment/run_numbers.hpp"
#include "tune/core/fingerprint.hpp"
#include "tune/core/ids.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace tune {

/// Groups runs of a configuration, numbers them, and keeps the best report of each run that has a
/// score. See `run_book` for the cost.
class repeated_runs {
public:
  explicit repeated_runs(const repeat_rule& rule) : book_{rule}, numbers_{rule.parameter} {}

  void add(trial_id trial, const object& config, std::string_view origin) {
    book_.add(trial, config, origin);
    numbers_.take(config);
  }
  /// The run's best report so far. @pre The trial was added.
  void note(trial_id trial, best_report what, merit how) {
    records_[trial] = std::move(what);
    book_.note(trial, how);
  }
  void end(trial_id trial) { book_.end(trial); }
  /// The trial runs again. No effect unless it was added.
  void revive(trial_id trial) { book_.revive(trial); }

  /// The number for a further run of the configuration: see `run_numbers::next`.
  [[nodiscard]] std::int64_t next_number(const object& config) const {
    return numbers_.next(config);
  }
  [[nodiscard]] const run_book& book() const { return book_; }
  /// The best run's report. @pre It has a score.
  [[nodiscard]] const best_report& at(trial_id trial) const { return records_.at(trial); }

  void describe(fingerprint& into) const { book_.describe(into); }

private:
  run_book book_;
  run_numbers numbers_;
  std::map<trial_id, best_report> records_;
};

} // namespace tune

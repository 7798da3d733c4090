/// Every scheduler, in all the forms in which the tests try it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/schedule/scheduler.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tune::support {

/// One scheduler and its options.
struct judge {
  /// Unique name of this form.
  std::string name;
  /// The scheduler's type in the catalogue; empty for the toy scheduler.
  std::string type;
  /// Options under which it can do everything within 20 trials of 10 reports; other options keep
  /// their defaults.
  std::map<std::string, std::string> options;
  /// Number of objectives: 1, or 2, where the second is a size that differs between trials.
  std::uint32_t objectives = 1;
  /// Checkpoints come with all or some reports: by design, or because the trainables say that they
  /// cannot save on request.
  bool by_reports = false;
};

/// The toy, which does everything a scheduler may do, and every shipped scheduler in all its forms.
/// Those that need checkpoints appear once more as "…_by_reports", with checkpoints that come with
/// reports.
[[nodiscard]] const std::vector<judge>& judges();
/// The judge called `name`; null if there is none.
[[nodiscard]] const judge* find_judge(std::string_view name);

/// One CPU: the request of each trial.
[[nodiscard]] resource_request one_slot();

/// Makes the judge's scheduler over the space x = uniform(0, 100).
[[nodiscard]] std::unique_ptr<scheduler> make_scheduler(const judge& who, std::uint64_t seed);

} // namespace tune::support

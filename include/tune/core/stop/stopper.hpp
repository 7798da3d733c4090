/// Stop conditions: end a trial, or the whole experiment, once enough was seen.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/fingerprint.hpp"
#include "tune/core/plugin/catalogue.hpp"
#include "tune/core/stop/needed_metric.hpp"
#include "tune/core/trial/report.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// A stopper's answer to a report.
struct stop_verdict {
  /// End this trial, or all of them.
  enum class reach : std::uint8_t { trial, experiment } scope = reach::trial;
  /// Reason, for people and the record.
  std::string why;
  /// Reason as heads before `on::answers_stalls_anew` recorded it; empty: the same.
  std::string earlier_why = {};
  /// Reason as heads from then on, before `on::says_lowest`, recorded it; empty: the same.
  std::string former_why = {};
};

/// Sees every report that counts, in order, and may end its trial or everything. Deterministic
/// given the reports: its answers are not recorded, and when an experiment is resumed it sees all
/// reports again. It is called between two reports, and all trials wait for it.
class stopper {
public:
  virtual ~stopper() = default;
  /// Takes the report into account. @returns whether something must end. If a stopper from a
  /// catalogue throws, a warning is given and it is not called again.
  [[nodiscard]] virtual std::optional<stop_verdict> see(const report& what) = 0;
  /// The trial ended: drop the data kept for it.
  virtual void forget(trial_id trial) = 0;
  /// The metrics that it reads.
  [[nodiscard]] virtual std::vector<needed_metric> needs() const = 0;
  virtual void describe(fingerprint& into) const = 0;
};

/// One line of `[stop]`: key and text as written.
struct stop_line {
  std::string key;
  std::string text;
};

/// Given to every stopper's factory in addition to its options.
struct stopper_context {
  /// The metric of the first objective, and whether larger is better.
  std::string metric;
  bool maximise = true;
};

/// A program's own stoppers, by name.
using stopper_catalogue = catalogue<stopper, stopper_context>;

/// Makes the stoppers of a `[stop]` section, joined by "or". Keys:
/// - `when = accuracy >= 0.995 or loss <= 0.01`: comparisons `>= > <= < == !=` of a metric with a
///   number, joined by `or`/`and`;
/// - `all_when = …`: the same, but ends the experiment;
/// - `plateau = metric [std 0.01] [window 4] [grace 4] [threshold X min|max]`;
/// - `experiment_plateau = metric [std 0.001] [top 10] [patience 0] [min|max]`;
/// - a name in `own`, with its options as the value: `budget = cost 100 metric loss`;
/// - any other key is a metric, its value a number: stop at `metric >= number`.
/// @errors `ec::bad_syntax`, `ec::bad_option`; `detail` starts with the key in quotes.
[[nodiscard]] expected<std::vector<std::unique_ptr<stopper>>>
make_stoppers(const std::vector<stop_line>& lines, const stopper_catalogue& own = {},
              const stopper_context& context = {});

} // namespace tune

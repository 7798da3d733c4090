/// Stop conditions: when a trial, or the whole experiment, has seen enough.
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

/// What a stopper says about a report.
struct stop_verdict {
  /// End this trial, or all of them.
  enum class reach : std::uint8_t { trial, experiment } scope = reach::trial;
  /// Why, for people and the record.
  std::string why;
  /// As heads before `on::answers_stalls_anew` wrote it down; empty: alike.
  std::string earlier_why = {};
};

/// Sees every report that counts, in order, and may end its trial or everything.
/// Deterministic given the reports: what it says is not recorded, and an experiment that goes on
/// shows it all of them again. It is asked between two reports, and all trials wait for it.
class stopper {
public:
  virtual ~stopper() = default;
  /// Takes the report into account. @returns whether something must end. One of a catalogue that
  /// throws is warned of, and is asked no more.
  [[nodiscard]] virtual std::optional<stop_verdict> see(const report& what) = 0;
  /// The trial ended: forget what was kept for it.
  virtual void forget(trial_id trial) = 0;
  /// The metrics that it looks at.
  [[nodiscard]] virtual std::vector<needed_metric> needs() const = 0;
  virtual void describe(fingerprint& into) const = 0;
};

/// One line of `[stop]`: key and text as written.
struct stop_line {
  std::string key;
  std::string text;
};

/// What every stopper's factory is given beside its options.
struct stopper_context {
  /// The metric of the first objective, and whether larger is better.
  std::string metric;
  bool maximise = true;
};

/// Stoppers of a program's own, by name.
using stopper_catalogue = catalogue<stopper, stopper_context>;

/// Makes the stoppers of a `[stop]` section, joined by "or". Keys:
/// - `when = accuracy >= 0.995 or loss <= 0.01`: comparisons `>= > <= < == !=` of a metric with a
///   number, joined by `or`/`and`;
/// - `all_when = …`: the same, but ends the experiment;
/// - `plateau = metric [std 0.01] [window 4] [grace 4] [threshold X min|max]`;
/// - `experiment_plateau = metric [std 0.001] [top 10] [patience 0] [min|max]`;
/// - a name of `own`, its value options of that: `budget = cost 100 metric loss`;
/// - any other key is a metric, its value a number: stop at `metric >= number`.
/// @errors `ec::bad_syntax`, `ec::bad_option`; `detail` starts with the key in quotes.
[[nodiscard]] expected<std::vector<std::unique_ptr<stopper>>>
make_stoppers(const std::vector<stop_line>& lines, const stopper_catalogue& own = {},
              const stopper_context& context = {});

} // namespace tune

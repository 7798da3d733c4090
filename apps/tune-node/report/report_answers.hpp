/// The answers of the read model that the charts of a report are drawn from.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "view/views.hpp"

#include <string>

namespace tune::cli {

/// What a report holds of one experiment.
struct report_answers {
  /// `{name, answers: [{part, query, answer}]}`, as `web/core/stored.js` reads it.
  object all;
  /// The answer about the importance of parameters for the first objective.
  object importance;
  /// Trials on the Pareto front; 0: there is one objective.
  std::size_t front = 0;
  /// The charts that have something to show, by their names in `web/report.js`, in order.
  std::vector<std::string> charts;
};

/// Asks for all that a report shows, as the page would, but for fewer points. Without the
/// configuration, which may hold secrets.
/// @param name  Of the experiment in `from`. @param label Its name in the report.
[[nodiscard]] std::variant<report_answers, view_fault>
answers_for_report(views& from, const std::string& name, const std::string& label);

} // namespace tune::cli

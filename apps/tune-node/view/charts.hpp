/// Charts over all trials in the JSON of the API: parallel coordinates, Pareto front, importance.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "view/query.hpp"
#include "view/watched_experiment.hpp"

namespace tune::cli {

/// `GET …/parallel`: where there are more trials than the limit, the best tenth of it, and others
/// spread evenly.
[[nodiscard]] view_answer parallel(watched_experiment& from, const view_request& what);

/// `GET …/pareto`: the front as `tune-node trials --pareto` shows it, and others spread evenly.
[[nodiscard]] view_answer pareto(watched_experiment& from, const view_request& what);

/// `GET …/importance`: as `tune-node importance`; no parameters, and why in `note`, where that has
/// no answer.
[[nodiscard]] view_answer importance(watched_experiment& from, const view_request& what);

/// The places of at most `most` trials that have a value at `how`: the best tenth, and others
/// spread evenly over all, in the order of their numbers.
[[nodiscard]] std::vector<std::size_t> telling_trials(const std::vector<merit>& how,
                                                      std::size_t most);

} // namespace tune::cli

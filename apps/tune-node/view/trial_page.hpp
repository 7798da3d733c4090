/// One trial with its story, and its results, in the JSON of the API.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "view/query.hpp"
#include "view/watched_experiment.hpp"

namespace tune::cli {

/// `GET …/trials/{t}`. @errors 404 if there is no such trial.
[[nodiscard]] view_answer trial_page_of(watched_experiment& from, trial_id trial);

/// `GET …/trials/{t}/results`: down-sampled by the first metric shown.
[[nodiscard]] view_answer trial_results(watched_experiment& from, trial_id trial,
                                        const view_request& what);

} // namespace tune::cli

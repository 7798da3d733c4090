/// Lists of an experiment's record in the JSON of the API: decisions, nodes, checkpoints, events,
/// attempts over time, lineages.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "view/query.hpp"
#include "view/watched_experiment.hpp"

namespace tune::cli {

/// `GET …/decisions?since_seq=&trial=&action=&limit=`.
[[nodiscard]] view_answer decisions_list(watched_experiment& from, const view_request& what);

/// `GET …/nodes`.
[[nodiscard]] view_answer nodes_list(watched_experiment& from, const view_request& what);

/// `GET …/checkpoints?limit=&cursor=`.
[[nodiscard]] view_answer checkpoints_list(watched_experiment& from, const view_request& what);

/// `GET …/log?since_seq=&limit=&cursor=`: events other than reports. Configurations of heads, which
/// may hold secrets, are left out.
[[nodiscard]] view_answer log_list(watched_experiment& from, const view_request& what);

/// `GET …/timeline?limit=`.
[[nodiscard]] view_answer timeline(watched_experiment& from, const view_request& what);

/// `GET …/lineage`: the trials that took others over or were taken over.
[[nodiscard]] view_answer lineage(watched_experiment& from, const view_request& what);

} // namespace tune::cli

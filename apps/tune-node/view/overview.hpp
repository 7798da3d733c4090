/// An experiment as a whole, in the JSON of the API.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "view/query.hpp"
#include "view/watched_experiment.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tune::cli {

/// "running"; "lost" or "at_rest" if nobody leads it now, or how it ended.
[[nodiscard]] std::string shown_status(const head_facts& head, const spec& what, bool live);

/// Values of `best_after_each`, at most `most` of them, evenly spread.
[[nodiscard]] value::list spark_line(const trial_table& trials, std::size_t most = 40);

/// `node`, `state`, `capacity`, `since`, `why`.
[[nodiscard]] value resources_value(const resources& x);
/// "up", "down", or "leaving": it takes no more trials, and those that run there save or end.
/// @param leaving See `control_status::leaving`.
[[nodiscard]] std::string_view state_of_node(const node_row& x,
                                             const std::vector<std::string>& leaving);
[[nodiscard]] object node_object(const node_row& x, const std::vector<std::string>& leaving);
/// What the head says of nodes that are leaving; nothing where none answers.
[[nodiscard]] std::vector<std::string> leaving_nodes(const live_facts& live);

/// `pending`, `running`, `paused`, `terminated`, `errored`, `total`, `withdrawn`.
[[nodiscard]] object counts_object(const trial_table& trials);

/// The best trial: `trial`, `trial_id`, `value`, `iteration`, `status`, `violation`, `runs`; null:
/// there is none. Where configurations run several times, the best run of the best configuration.
[[nodiscard]] expected<value> best_value_of(watched_experiment& from,
                                            const experiment_summary& seen);

/// A row of the list of experiments.
[[nodiscard]] expected<object> short_overview(watched_experiment& from, const std::string& name);

/// All about an experiment; its `best` has `best_checkpoint`, too. @errors as
/// `watched_experiment::look`.
[[nodiscard]] expected<object> overview(watched_experiment& from, const std::string& name);

} // namespace tune::cli

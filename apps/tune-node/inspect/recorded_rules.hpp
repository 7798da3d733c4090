/// Reads the log and the rules of a recorded experiment, for those that replay it: `log_check`,
/// `replay_check`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/experiment/event.hpp"
#include "tune/io/store/rows.hpp"
#include "tune/tuner/rule_parts.hpp"

#include <functional>

namespace tune {
class store_reader;
}

namespace tune::cli {

/// Passes events up to `last` to `hear`, in order, as long as it returns true.
/// @errors `ec::storage` if the log ends before; errors of `hear`.
[[nodiscard]] expected<void>
for_each_event(store_reader& from, sequence last,
               const std::function<expected<bool>(const event&)>& hear);

/// The rules of the newest head, in their initial state.
/// @errors `ec::storage`: its configuration cannot be read; errors of the rules' factories, such as
///         `ec::unknown_name` for another program's own rule.
[[nodiscard]] expected<rule_parts> rules_of(store_reader& log, const experiment_row& row,
                                            const choices& all);

} // namespace tune::cli

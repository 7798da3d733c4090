/// A recorded experiment's log and rules, for those who replay it.
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

/// Hands events up to `last` on, in order, as long as `hear` wants another one.
/// @errors `ec::storage` where the log ends before; what `hear` answers.
[[nodiscard]] expected<void>
for_each_event(store_reader& from, sequence last,
               const std::function<expected<bool>(const event&)>& hear);

/// The rules as the newest head had them, as new.
/// @errors `ec::storage`: its configuration cannot be read; of the rules' factories, such as
///         `ec::unknown_name` where they are another program's own.
[[nodiscard]] expected<rule_parts> rules_of(store_reader& log, const experiment_row& row,
                                            const choices& all);

} // namespace tune::cli

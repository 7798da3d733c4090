/// The form in which errors of trials are compared: what differs by chance is folded.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace tune {

/// The line without text that differs from trial to trial or from node to node: addresses
/// ("0x7f3a" becomes "0x..."), the directories of trials and attempts ("trials/..."), and where a
/// node keeps an experiment's files ("..."). The path below these stays, since it may be the point.
[[nodiscard]] std::string without_names(std::string_view line);

/// The form by which two failures are alike: the line `without_names`, and with "#" for each
/// number, so that values, process ids and numbers of trials do not count. Numbers that say where
/// or how it failed stay: lines of source files, statuses, signals, error numbers.
[[nodiscard]] std::string failure_form(std::string_view line);

} // namespace tune

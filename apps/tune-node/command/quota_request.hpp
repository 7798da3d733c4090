/// The options of a head that limit what experiments are granted.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_table.hpp"
#include "command/read_words.hpp"
#include "tune/core/cluster/allocation_terms.hpp"

#include <string>
#include <utility>

namespace tune::cli {

/// Reads "alice=cpu:8,gpu:1,memory:64GiB,trials:20": the user, and at least one limit.
/// @errors `ec::bad_option`; the detail begins with the text in quotes.
[[nodiscard]] expected<std::pair<std::string, user_quota>> quota_from(const std::string& text);

/// Reads `--quota` and `--max-experiments`.
[[nodiscard]] expected<void> read_limits(const read_result& from, allocation_limits& to,
                                         const command_doc& where);

} // namespace tune::cli

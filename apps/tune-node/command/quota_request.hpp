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

/// Adds a quota. Each user may have one. @errors beginning with the text in quotes.
[[nodiscard]] expected<void> add_quota(const std::string& text, allocation_limits& to);

/// [0 to 100000]
[[nodiscard]] expected<std::uint64_t> experiment_count_from(const std::string& text);

} // namespace tune::cli

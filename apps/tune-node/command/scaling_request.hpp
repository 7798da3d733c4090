/// The options of `head` by which workers come and go.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/cluster_requests.hpp"
#include "command/command_table.hpp"
#include "command/read_words.hpp"

namespace tune::cli {

/// @errors as `request_from`: a value out of its range, options without `--scale-command`.
[[nodiscard]] expected<void> read_scaling(const read_result& x, head_request& to,
                                          const command_doc& where);

} // namespace tune::cli

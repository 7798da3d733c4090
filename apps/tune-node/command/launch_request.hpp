/// The request of `launch`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "command/command_table.hpp"
#include "command/read_words.hpp"

namespace tune::cli {

/// @errors as `request_from`.
[[nodiscard]] expected<request> launch_from(const read_result& x, const command_doc& where);
[[nodiscard]] expected<request> down_from(const read_result& x, const command_doc& where);

} // namespace tune::cli

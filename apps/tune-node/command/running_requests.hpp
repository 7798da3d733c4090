/// Requests of commands that lead an experiment otherwise than `run`, or serve a cluster.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "command/command_table.hpp"
#include "command/read_words.hpp"

namespace tune::cli {

/// @errors as `request_from`.
[[nodiscard]] expected<request> ask_tell_from(const read_result& x, const command_doc& where);
[[nodiscard]] expected<request> simulate_from(const read_result& x, const command_doc& where);
[[nodiscard]] expected<request> whatif_from(const read_result& x, const command_doc& where);

[[nodiscard]] expected<request> doctor_from(const read_result& x, const command_doc& where);

} // namespace tune::cli

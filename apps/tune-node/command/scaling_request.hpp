/// The options of `head` by which workers come and go.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_options.hpp"
#include "command/command_table.hpp"
#include "command/read_words.hpp"

namespace tune::cli {

/// Completes the head's request by what was read of them.
/// @errors as `request_from`: options without `--scale-command`, values that do not fit together.
[[nodiscard]] expected<void> take_scaling(const read_result& x, head_words& given,
                                          const command_doc& where);

} // namespace tune::cli

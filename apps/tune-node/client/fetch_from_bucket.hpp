/// `tune-node fetch s3://bucket/prefix [TRIAL]`: a part of an experiment from the copy that its
/// sink `s3` keeps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"

namespace tune::cli {

/// Like `fetch`. Leaves nothing behind if it fails.
[[nodiscard]] exit_code fetch_from_bucket(const command_line& line, const fetch_request& what);

} // namespace tune::cli

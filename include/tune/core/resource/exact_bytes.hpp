/// Amounts of memory as they are written in a configuration.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace tune {

/// The amount in the largest unit of which it is a multiple, decimal or binary: "2GiB", "10TB",
/// "1023". `parse_bytes` reads it back.
[[nodiscard]] std::string exact_bytes_text(std::uint64_t bytes);

} // namespace tune

/// The order of a manifest's paths, and the rules for them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/files/file_manifest.hpp"

namespace tune::files {

/// Compares part by part, so that entries below a directory follow it directly.
[[nodiscard]] bool path_before(std::string_view a, std::string_view b);

/// Why `path` may not be in a manifest; empty if it may.
[[nodiscard]] std::string path_fault(std::string_view path);

/// Whether `path` is below `directory`.
[[nodiscard]] bool lies_below(std::string_view path, std::string_view directory);

} // namespace tune::files

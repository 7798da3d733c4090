/// The order and the rules of a manifest's paths.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/files/file_manifest.hpp"

namespace tune::files {

/// Sorts part by part: what lies below a directory follows it at once.
[[nodiscard]] bool path_before(std::string_view a, std::string_view b);

/// Why `path` may not stand in a manifest, empty if it may.
[[nodiscard]] std::string path_fault(std::string_view path);

/// Whether `path` lies below the directory `directory`.
[[nodiscard]] bool lies_below(std::string_view path, std::string_view directory);

} // namespace tune::files

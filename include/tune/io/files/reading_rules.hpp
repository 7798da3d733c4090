/// Rules for reading files that may be very large: a size limit and a way to stop.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/files/file_manifest.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

namespace tune {

/// Progress of reading files.
struct reading_progress {
  /// The file being read.
  const std::filesystem::path& file;
  /// Bytes read so far, and of all files together. [bytes]
  std::uint64_t done = 0;
  std::uint64_t all = 0;
};

/// Returns whether to continue; called between two parts of a long read.
using reading_watch = std::function<bool(const reading_progress&)>;

struct reading_rules {
  /// Limit on the size of all files together, checked before the first one is read. [bytes; 0:
  /// none]
  std::uint64_t most = 0;
  /// The key that sets the limit, for error texts: "max_files_size".
  std::string key;
  /// May be null.
  reading_watch goes_on;
};

/// Like the other `make_manifest`, but follows these rules.
/// @errors also `ec::bad_option` beyond the limit, naming the largest file; `ec::refused` if the
///   reading was stopped.
[[nodiscard]] expected<file_manifest> make_manifest(const std::filesystem::path& root,
                                                    std::span<const named_pattern> patterns,
                                                    const reading_rules& how);

} // namespace tune

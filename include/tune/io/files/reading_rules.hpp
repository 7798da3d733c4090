/// How files that may be very large are read: up to a limit, and no longer than somebody wants.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/files/file_manifest.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

namespace tune {

/// How far the reading of files has come.
struct reading_progress {
  /// The file that is being read.
  const std::filesystem::path& file;
  /// Of all files together. [bytes]
  std::uint64_t done = 0;
  std::uint64_t all = 0;
};

/// Asked between two pieces of a long reading whether it is to go on.
using reading_watch = std::function<bool(const reading_progress&)>;

struct reading_rules {
  /// Most bytes of all files together; looked at before the first one is read. 0: no limit.
  std::uint64_t most = 0;
  /// The key that says so, for texts: "max_files_size".
  std::string key;
  /// Null: nobody is asked.
  reading_watch goes_on;
};

/// `make_manifest` by these rules.
/// @errors also `ec::bad_option` beyond the limit, naming the largest file; `ec::refused` where the
///   reading was not to go on.
[[nodiscard]] expected<file_manifest> make_manifest(const std::filesystem::path& root,
                                                    std::span<const named_pattern> patterns,
                                                    const reading_rules& how);

} // namespace tune

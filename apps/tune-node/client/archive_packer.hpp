/// Packs a directory that others may change meanwhile into a tar archive (pax).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "client/archive_writer.hpp"
#include "tune/io/files/guarded_directory.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tune::cli {

/// What of a directory is packed, and how.
struct packing_rules {
  /// Whether the file or directory of this path may change or vanish meanwhile: of a file its size
  /// at the beginning counts. Paths are relative to the packed directory, whose own is
  /// empty. Empty: none may.
  std::function<bool(const std::string&)> may_change = {};
  /// Names in the directory itself that are not packed.
  std::vector<std::string> without = {};
  /// Names in the directory itself that are packed as directories even if they are links to some,
  /// or mount points.
  std::vector<std::string> followed = {};
};

struct packing_result {
  enum class end : std::uint8_t {
    /// Everything was packed.
    whole,
    /// Something changed that may not.
    changed,
    /// No more is wanted.
    unwanted,
  };
  end how = end::whole;
  /// Sockets, named pipes, devices and mount points, which are not packed.
  std::size_t left_out = 0;
  /// Path of the first of them.
  std::string first_left_out = {};
};

/// Packs what is in `from`: files with their holes, directories and symbolic links, which are not
/// followed. Names that share one file become files of their own.
/// @errors `ec::storage` naming what cannot be read; `ec::refused` where permissions are missing.
[[nodiscard]] expected<packing_result> pack(const guarded_directory& from,
                                            const packing_rules& rules, const byte_taker& to);

} // namespace tune::cli

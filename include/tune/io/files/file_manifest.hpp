/// Lists the files that a trainable needs: declared by patterns, with their hashes.
///
/// A manifest is transferred as one JSON object:
///
///     {"version":1,"files":[{"path":"data/a.csv","mode":0,"size":12,"sha256":"0a…"},…]}
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// Longest path below the manifest's root. [bytes]
inline constexpr std::size_t max_path_bytes = 4096;
inline constexpr std::size_t max_shipped_files = 100'000;
/// Largest file, such that the sum of all sizes cannot overflow. [bytes]
inline constexpr std::uint64_t max_file_bytes = std::uint64_t{1} << 46;
/// Longest text of a manifest, which is held in memory. [bytes; max_shipped_files paths of 500
/// bytes]
inline constexpr std::size_t max_manifest_bytes = 64 * 1024 * 1024;

/// A file that is sent to every node that works on a job.
struct shipped_file {
  /// Path below the root with parts joined by '/'; UTF-8; never absolute; no part is empty, "." or
  /// "..".
  std::string path;
  /// The executable bits of the file's mode; the other bits are not kept. [subset of 0111]
  std::uint32_t mode = 0;
  /// [bytes]
  std::uint64_t size = 0;
  /// SHA-256 of the content. [64 lower-case hex digits]
  std::string hash;

  friend bool operator==(const shipped_file&, const shipped_file&) = default;
};

/// All files of a job, sorted by path (part by part) and unique; no file is also a directory of
/// another.
struct file_manifest {
  std::vector<shipped_file> files;

  [[nodiscard]] std::uint64_t bytes() const;

  friend bool operator==(const file_manifest&, const file_manifest&) = default;
};

/// Finds and hashes the files that `patterns` name.
///
/// A pattern is a path below `root` whose parts may have `*`, `?` and `[…]`; `\` escapes a
/// character. A directory stands for all files below it. Names that begin with a dot match only
/// patterns whose part begins with one, and are never included by their directory. Symbolic links
/// to regular files below `root` are replaced by their content. The result does not depend on the
/// order of the patterns.
/// @param root The directory that the patterns are relative to.
/// @errors each names its pattern: `ec::bad_option` for an absolute path, a `..`, a link that leads
///   elsewhere, something that is not a file, a name that is not UTF-8, a pattern that matches
///   nothing, or an exceeded limit; `ec::unreadable`.
[[nodiscard]] expected<file_manifest> make_manifest(const std::filesystem::path& root,
                                                    std::span<const std::string> patterns);

/// A pattern, and the beginning of error texts about it.
struct named_pattern {
  std::string pattern;
  std::string name;
};

[[nodiscard]] expected<file_manifest> make_manifest(const std::filesystem::path& root,
                                                    std::span<const named_pattern> patterns);

/// A pattern that matches exactly this path.
[[nodiscard]] std::string literal_pattern(std::string_view path);

/// Formats a manifest in one line; equal manifests have equal texts.
[[nodiscard]] std::string to_json(const file_manifest& what);

/// Reads a manifest that a peer sent, without trusting it.
/// @errors `ec::protocol` with the file and its fault.
[[nodiscard]] expected<file_manifest> manifest_from_json(std::string_view text);

} // namespace tune

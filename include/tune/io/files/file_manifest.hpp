/// Which files a trainable needs: declared by patterns, listed with their hashes.
///
/// A manifest travels as one JSON object:
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

/// Bytes of a path, counted from the manifest's root.
inline constexpr std::size_t max_path_bytes = 4096;
inline constexpr std::size_t max_shipped_files = 100'000;
/// Bytes of one file; their sum is then safe to compute.
inline constexpr std::uint64_t max_file_bytes = std::uint64_t{1} << 46;
/// Bytes of a manifest's text: it is held in memory. [max_shipped_files paths of 500 bytes]
inline constexpr std::size_t max_manifest_bytes = 64 * 1024 * 1024;

/// A file that goes to every node that works on a job.
struct shipped_file {
  /// Below the root, parts joined by '/'; UTF-8; never absolute, no part is empty, "." or "..".
  std::string path;
  /// The executable bits of the file's mode; nothing else of it is kept. [subset of 0111]
  std::uint32_t mode = 0;
  /// [bytes]
  std::uint64_t size = 0;
  /// SHA-256 of the content. [64 lower-case hex digits]
  std::string hash;

  friend bool operator==(const shipped_file&, const shipped_file&) = default;
};

/// All files of a job, sorted by path (part by part), each once; none lies below another.
struct file_manifest {
  std::vector<shipped_file> files;

  [[nodiscard]] std::uint64_t bytes() const;

  friend bool operator==(const file_manifest&, const file_manifest&) = default;
};

/// Finds and hashes the files that `patterns` name.
///
/// A pattern is a path below `root` whose parts may hold `*`, `?` and `[…]`; `\` takes a
/// character's meaning away. A directory means all files below it. Names that begin with a dot are
/// only matched by patterns whose part begins with one, and never by their directory. Symbolic
/// links to regular files below `root` become their content. The result does not depend on the
/// order of the patterns.
/// @param root The directory that the patterns stand against.
/// @errors each names its pattern: `ec::bad_option` for an absolute path, a `..`, a link that leads
///   elsewhere, something that is no file, a name that is not UTF-8, a pattern that matches
///   nothing, and beyond a limit; `ec::unreadable`.
[[nodiscard]] expected<file_manifest> make_manifest(const std::filesystem::path& root,
                                                    std::span<const std::string> patterns);

/// A pattern, and what texts about it begin with.
struct named_pattern {
  std::string pattern;
  std::string name;
};

[[nodiscard]] expected<file_manifest> make_manifest(const std::filesystem::path& root,
                                                    std::span<const named_pattern> patterns);

/// A pattern that means just this path.
[[nodiscard]] std::string literal_pattern(std::string_view path);

/// In one line; equal manifests have equal texts.
[[nodiscard]] std::string to_json(const file_manifest& what);

/// Reads what a peer sent, and trusts nothing of it.
/// @errors `ec::protocol`, which tells what is wrong with which file.
[[nodiscard]] expected<file_manifest> manifest_from_json(std::string_view text);

} // namespace tune

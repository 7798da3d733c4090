/// What a checkpoint consists of: a manifest that lies in its directory, and by which it is
/// checked.
///
/// One JSON object in one line. Its last member is the SHA-256 of all bytes before that member:
///
///     {"tune_checkpoint":1,"iteration":4,
///      "location":"trials/00003/attempt_1_7/checkpoint_000002","directories":["deep"],
///      "files":[{"path":"deep/state","mode":0,"size":12,"sha256":"0a…"}],
///      "links":[{"path":"newest","target":"deep/state"}],"sha256":"7f…"}
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/file_manifest.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// The manifest's file, directly in the checkpoint. The name is ours: what a trainable writes there
/// is replaced.
inline constexpr const char* checkpoint_manifest_name = ".tune_checkpoint.json";

/// Files, directories and links of one checkpoint.
inline constexpr std::size_t max_checkpoint_entries = 100'000;

/// A symbolic link, which is kept as it is and never followed.
struct checkpoint_link {
  std::string path;
  std::string target;

  friend bool operator==(const checkpoint_link&, const checkpoint_link&) = default;
};

/// Paths are relative to the checkpoint, and as in a `shipped_file`. All lists are sorted.
struct checkpoint_manifest {
  std::uint64_t iteration = 0;
  /// Parents come before what lies in them.
  std::vector<std::string> directories;
  std::vector<shipped_file> files;
  std::vector<checkpoint_link> links;
  /// Where it belongs, relative to the experiment's directory; empty where nobody wrote it down.
  std::string location{};

  /// Bytes of the files.
  [[nodiscard]] std::uint64_t bytes() const;

  friend bool operator==(const checkpoint_manifest&, const checkpoint_manifest&) = default;
};

/// The file's content.
[[nodiscard]] std::string to_text(const checkpoint_manifest& what);

/// Reads the file's content, and trusts nothing of it.
/// @errors `ec::protocol`, which tells what is wrong.
[[nodiscard]] expected<checkpoint_manifest> checkpoint_manifest_from_text(std::string_view text);

/// Lists and hashes what lies in `directory`, the manifest's own file excepted. What is neither
/// file, directory nor link is left out.
/// @errors `ec::storage`, also for names that are not UTF-8 and beyond a limit.
[[nodiscard]] expected<checkpoint_manifest> scan_checkpoint(const std::filesystem::path& directory,
                                                            std::uint64_t iteration);

/// The content of the manifest's file; nothing where there is none: the checkpoint is older than
/// manifests.
/// @errors `ec::unreadable`, also where `directory` is none.
[[nodiscard]] expected<std::optional<std::string>>
read_checkpoint_manifest(const std::filesystem::path& directory);

/// Reads a checkpoint through and compares it with its manifest. What lies there besides is no
/// fault.
/// @returns the manifest; nothing where there is none, and so nothing to compare with.
/// @errors `ec::unreadable` for what is missing or cannot be read, `ec::protocol` for a broken
///   manifest, `ec::storage` for what is not as it was saved or belongs elsewhere; each names the
///   file. `ec::shortage` where there is no descriptor to look by now: that tells nothing of it.
[[nodiscard]] expected<std::optional<checkpoint_manifest>>
verify_checkpoint(const std::filesystem::path& directory);

} // namespace tune

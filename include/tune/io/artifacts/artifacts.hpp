/// Finds the files that a trial wrote into its directory on a worker, and puts them into the
/// trial's directory at the head. All functions block on the disk.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/ids.hpp"
#include "tune/io/artifacts/artifact_rules.hpp"
#include "tune/io/checkpoint/checkpoint_manifest.hpp"
#include "tune/io/checkpoint/checkpoint_stream.hpp"
#include "tune/io/files/sliced.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tune {

/// The artifacts that were found, and why others were left out.
struct artifact_list {
  /// The files and their directories; never a link.
  checkpoint_manifest content;
  /// Why some files that match the patterns are left out, as a message for people, which names a
  /// key if changing it would help; empty if nothing is left out.
  std::string left_behind;
};

/// Lists and hashes the files that an attempt wrote, in slices.
///
/// If all files together exceed the limits, the smallest ones are taken, so that logs are brought
/// even if a model is not. The runtime's own files are not artifacts, and neither is anything that
/// is not a regular file: links, named pipes, sockets and devices are not followed, opened or
/// waited for.
/// @param directory The trial's directory. If it is missing, the list is empty.
/// @param except    Paths in the directory that already went to the head as checkpoints; skipped
///                  with everything below them.
/// @errors `ec::storage`, `ec::unreadable`, `ec::shortage`.
sliced<expected<artifact_list>> listing_artifacts(std::filesystem::path directory,
                                                  artifact_rules rules,
                                                  std::vector<std::string> except);

/// The origin of artifacts. The ranks of an attempt can send theirs from several nodes at the same
/// time.
struct artifact_source {
  trial_id trial;
  attempt_id attempt;
  std::uint32_t rank = 0;
};

/// Directory of artifacts in transfer, relative to the experiment's directory and unique per
/// source. Its name is that of an incomplete checkpoint, so that leftovers are swept in the same
/// way.
[[nodiscard]] std::filesystem::path artifact_draft(const artifact_source& whose);

/// Removes the remains of the draft from an earlier try, and creates its parent directory.
/// @errors `ec::storage`, `ec::refused`.
[[nodiscard]] expected<void> clear_artifact_draft(const std::filesystem::path& experiment,
                                                  const artifact_source& whose);

/// Moves a draft's files, in slices, to `trials/<trial>/`, where a local trial would have written
/// them. An existing file of the same name is replaced as a whole. The files are synced first. The
/// draft is removed, whatever the result.
/// @param content The draft's manifest; untrusted, since it may have been written by another party.
/// @returns the total size of the files in bytes.
/// @errors `ec::refused` for a link or a name of the runtime among the files, before anything is
///   moved, and if something is in the way of a file; `ec::storage`.
sliced<expected<std::uint64_t>> placing_artifacts(std::filesystem::path experiment,
                                                  artifact_source whose,
                                                  checkpoint_manifest content);

} // namespace tune

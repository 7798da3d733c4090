/// What a trial wrote into its directory on a worker: found there, and put into the trial's
/// directory at the head. All of it blocks on the disk.
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

/// Files that were found to be artifacts, and those that do not go with them.
struct artifact_list {
  /// The files, and the directories that they lie in; never a link.
  checkpoint_manifest content;
  /// Why files that the patterns name are not among them, in words for people that name a key where
  /// one would help; empty: all are.
  std::string left_behind;
};

/// Lists and hashes, in slices, what an attempt wrote.
///
/// Where all would be more than the limits the smallest files are taken, so that logs come even if
/// a model does not. The runtime's own files are none, and neither is what is no regular file:
/// links, named pipes, sockets and devices are not followed, opened or waited for.
/// @param directory The trial's. One that is not there has nothing.
/// @param except    Paths in it that went to the head as checkpoints already, with all below them.
/// @errors `ec::storage`, `ec::unreadable`, `ec::shortage`.
sliced<expected<artifact_list>> listing_artifacts(std::filesystem::path directory,
                                                  artifact_rules rules,
                                                  std::vector<std::string> except);

/// Whose artifacts they are. The ranks of an attempt bring theirs from several nodes at a time.
struct artifact_source {
  trial_id trial;
  attempt_id attempt;
  std::uint32_t rank = 0;
};

/// Where artifacts lie on their way, against the experiment's directory: no two sources have the
/// same place. Named like a checkpoint that is not complete, so that what such leave behind is
/// swept alike.
[[nodiscard]] std::filesystem::path artifact_draft(const artifact_source& whose);

/// Removes what an earlier try left of the draft, and makes the folder that it is to lie in.
/// @errors `ec::storage`, `ec::refused`.
[[nodiscard]] expected<void> clear_artifact_draft(const std::filesystem::path& experiment,
                                                  const artifact_source& whose);

/// Moves a draft's files to where a local trial would have written them, `trials/<trial>/`, in
/// slices; one that is there under the name is replaced as a whole. The draft goes, whatever comes
/// of it. They are synced first.
/// @param content as its list says, which somebody else may have written.
/// @returns bytes of the files.
/// @errors `ec::refused` for a link or a runtime's name among them, before anything is moved, and
///   where something is in the way of a file; `ec::storage`.
sliced<expected<std::uint64_t>> placing_artifacts(std::filesystem::path experiment,
                                                  artifact_source whose,
                                                  checkpoint_manifest content);

/// Copies artifacts from a worker's directory into an experiment's that is on this machine, too.
sliced<expected<std::uint64_t>>
sharing_artifacts(checkpoint_reader from, std::filesystem::path experiment, artifact_source whose);

} // namespace tune

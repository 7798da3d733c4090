/// Turns a directory that a trainable wrote into a checkpoint: copied if needed, listed, synced,
/// renamed. Everything here blocks on the disk.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/checkpoint/checkpoint_limits.hpp"
#include "tune/io/files/sliced.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace tune {

/// A checkpoint that is written but not yet safe.
struct checkpoint_draft {
  /// The experiment's directory, which contains the draft.
  std::filesystem::path experiment;
  /// The final path with `draft_suffix`.
  std::filesystem::path directory;
  std::uint64_t iteration = 0;
  /// True if the checkpoint must survive a power loss.
  bool durable = true;
  checkpoint_limits limits = {};
};

/// The data to register a complete checkpoint with.
struct safe_checkpoint {
  /// Relative to the experiment's directory.
  std::string location;
  /// Size of its files without the manifest.
  std::uint64_t bytes = 0;
};

/// Treatment of symbolic links in a copy: their targets are copied, or the links as they are.
enum class link_rule : std::uint8_t { followed, kept };

/// Copies the content of `from` into the directory `to`, in slices. Holes of sparse files stay
/// holes.
///
/// Lists everything first: nothing is copied if a limit is exceeded or if less than
/// `room_kept_free` would be left.
/// @param from A directory, or a symbolic link to one.
/// @errors `ec::storage`, also if something in it is neither a file nor a directory, a link leads
///         to a directory that contains it, or `to` is inside `from`; `ec::refused` if `limits` are
///         exceeded. `to` may then have a part of the content, as it may if the work is given up.
sliced<expected<void>> copying_checkpoint(std::filesystem::path from, std::filesystem::path to,
                                          checkpoint_limits limits,
                                          link_rule links = link_rule::followed);
/// Does all of it at once.
[[nodiscard]] expected<void> copy_checkpoint(const std::filesystem::path& from,
                                             const std::filesystem::path& to,
                                             const checkpoint_limits& limits = {});

/// Writes the manifest and makes the draft safe and visible: all files and directories are synced,
/// then it is renamed. The draft is removed on failure, or if the work is given up.
/// @errors `ec::storage`; `ec::refused` if its limits are exceeded.
sliced<expected<safe_checkpoint>> committing_checkpoint(checkpoint_draft what);
/// Does all of it at once.
[[nodiscard]] expected<safe_checkpoint> commit_checkpoint(const checkpoint_draft& what);
/// Like `committing_checkpoint`, but a draft that cannot be made safe stays.
sliced<expected<safe_checkpoint>> trying_to_commit(checkpoint_draft what);

/// Like `committing_checkpoint`, for a draft that already has a manifest, which was compared with
/// its content.
sliced<expected<void>> placing_checkpoint(checkpoint_draft what);
[[nodiscard]] expected<void> place_checkpoint(const checkpoint_draft& what);

} // namespace tune
